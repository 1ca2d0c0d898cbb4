/* A row for each line of a function in the call tree, parents before their children. */
#include "hpcprof/export/formats/export_rows.h"
#include "hpcprof/terminal/csv.h"

#include <inttypes.h>
#include <string.h>

/* Print a field; nothing for an empty text. */
static void put_text(const struct export_data *x, const char *text)
{
	if (text[0])
		csv_field(x->out, text, strlen(text), x->o->quote_formulas);
}

static void put_column_name(const struct export_data *x, const char *metric, const char *what)
{
	char name[256];

	snprintf(name, sizeof name, "%s %s", metric, what);
	fputc(',', x->out);
	put_text(x, name);
}

static void put_header(const struct export_data *x)
{
	static const char *const kinds[] = {"", "profile", "thread", "process", "rank", "host"};

	if (x->o->common.by)
		fprintf(x->out, "%s,", kinds[x->o->common.by]);
	fputs("id,parent,depth,function,module,file,line,inlined", x->out);
	for (size_t k = 0; k < x->num_metrics; k++) {
		const char *name = x->columns.at[k].metric_name;
		put_column_name(x, name, "self");
		put_column_name(x, name, "total");
		if (!export_is_sampled(x, k))
			continue;
		put_column_name(x, name, "self samples");
		put_column_name(x, name, "total samples");
	}
	fputs("\n", x->out);
}

static void put_place(const struct export_data *x, const struct export_rows *r, uint32_t node)
{
	struct export_frame f = export_frame_of(x, node);
	uint32_t parent = r->ids[path_tree_parent(&x->tree, node)];

	fprintf(x->out, "%" PRIu32 ",", r->ids[node]);
	if (parent)
		fprintf(x->out, "%" PRIu32, parent);
	fprintf(x->out, ",%" PRIu32 ",", x->tree.depth[node]);
	put_text(x, f.function);
	fputc(',', x->out);
	put_text(x, f.module ? f.module : "");
	fputc(',', x->out);
	put_text(x, f.file ? f.file : "");
	fputc(',', x->out);
	if (f.line)
		fprintf(x->out, "%" PRIu32, f.line);
	fprintf(x->out, ",%d", f.inlined);
}

static void put_row(const struct export_data *x, const struct export_rows *r, uint32_t node,
		    const struct export_part *part)
{
	const uint64_t *self = &part->exclusive[node * x->tree.num_columns];
	const uint64_t *total = &part->inclusive[node * x->tree.num_columns];
	size_t n = x->num_metrics;

	if (part->name) {
		put_text(x, part->name);
		fputc(',', x->out);
	}
	put_place(x, r, node);
	for (size_t k = 0; k < n; k++) {
		fprintf(x->out, ",%" PRIu64 ",%" PRIu64, self[k], total[k]);
		if (export_is_sampled(x, k))
			fprintf(x->out, ",%" PRIu64 ",%" PRIu64, self[n + k], total[n + k]);
	}
	fputs("\n", x->out);
}

static bool has_value(const struct export_data *x, const struct export_part *part, uint32_t node)
{
	const uint64_t *total = &part->inclusive[node * x->tree.num_columns];

	for (size_t k = 0; k < x->tree.num_columns; k++)
		if (total[k])
			return true;
	return false;
}

static int emit(struct export_data *x, struct error *e)
{
	struct export_rows r;
	int rc = export_rows_init(&r, x, e);

	put_header(x);
	for (size_t i = 0; rc == 0 && i < x->num_parts; i++) {
		struct export_part part;
		rc = export_part_init(&part, x, i, e);
		for (uint32_t k = 0; rc == 0 && k < r.len; k++)
			if (has_value(x, &part, r.nodes[k]))
				put_row(x, &r, r.nodes[k], &part);
		export_part_deinit(&part);
	}
	if (rc == 0 && r.left_out && x->p->diag)
		diag_notice(x->p->diag, NULL,
			    "%" PRIu32 " of %" PRIu32 " rows are left out, with %" PRIu64
			    " of the %" PRIu64 " of %s (-n, --min)",
			    r.left_out, r.left_out + r.len, r.left_columns[0],
			    x->columns.at[0].total, x->columns.at[0].metric_name);
	export_rows_deinit(&r);
	return rc;
}

const struct export_format export_csv = {
    .name = "csv",
    .shape = PATH_TREE_LINES,
    .parts = true,
    .bounded = true,
    .most = UINT64_MAX,
    .write = emit,
};
