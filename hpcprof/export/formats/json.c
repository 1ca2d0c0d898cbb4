/* The call tree as one JSON object, documented in hpcprof-export.1. A node refers to its parent by
 * its id: readers limit how deep objects may be in others. */
#include "hpcprof/export/formats/export_rows.h"
#include "hpcprof/terminal/json.h"

#include <inttypes.h>
#include <string.h>

static void put_metrics(const struct export_data *x)
{
	fputs("\"metrics\":[", x->out);
	for (size_t k = 0; k < x->num_metrics; k++) {
		const struct shown_metric *c = &x->columns.at[k];
		fputs(k ? ",\n{" : "\n{", x->out);
		json_member(x->out, "name", c->metric_name);
		fputc(',', x->out);
		json_member(x->out, "unit", c->unit[0] ? c->unit : "count");
		fprintf(x->out, ",\"period\":%" PRIu64 ",\"total\":%" PRIu64,
			c->metric->interval ? c->metric->interval : 1, c->total);
		fprintf(x->out, ",\"total_samples\":%" PRIu64 "}", c->metric->total.samples);
	}
	fputc(']', x->out);
}

static void put_values(const struct export_data *x, const char *name, const uint64_t *values)
{
	fprintf(x->out, ",\"%s\":[", name);
	for (size_t k = 0; k < x->num_metrics; k++)
		fprintf(x->out, "%s%" PRIu64, k ? "," : "", values[k]);
	fputc(']', x->out);
}

static void put_node(const struct export_data *x, const struct export_rows *r, uint32_t node)
{
	struct export_frame f = export_frame_of(x, node);
	const uint64_t *self = &x->tree.exclusive[node * x->tree.num_columns];
	const uint64_t *total = &x->tree.inclusive[node * x->tree.num_columns];
	uint32_t parent = r->ids[path_tree_parent(&x->tree, node)];

	fprintf(x->out, "{\"id\":%" PRIu32 ",\"parent\":", r->ids[node]);
	if (parent)
		fprintf(x->out, "%" PRIu32 ",", parent);
	else
		fputs("null,", x->out);
	json_member(x->out, "function", f.function);
	fputc(',', x->out);
	json_member(x->out, "module", f.module);
	fputc(',', x->out);
	json_member(x->out, "file", f.file);
	if (f.line)
		fprintf(x->out, ",\"line\":%" PRIu32, f.line);
	else
		fputs(",\"line\":null", x->out);
	fprintf(x->out, ",\"inlined\":%s", f.inlined ? "true" : "false");
	put_values(x, "self", self);
	put_values(x, "total", total);
	put_values(x, "self_samples", self + x->num_metrics);
	put_values(x, "total_samples", total + x->num_metrics);
	fputc('}', x->out);
}

static int emit(struct export_data *x, struct error *e)
{
	struct export_rows r;
	int rc = export_rows_init(&r, x, e);

	if (rc == 0) {
		fputs("{\"version\":1,\n", x->out);
		json_member(x->out, "program", export_program(x->m));
		fputs(",\n", x->out);
		put_metrics(x);
		fputs(",\n\"nodes\":[", x->out);
		for (uint32_t i = 0; i < r.len; i++) {
			fputs(i ? ",\n" : "\n", x->out);
			put_node(x, &r, r.nodes[i]);
		}
		fprintf(x->out, "],\n\"left_out\":{\"nodes\":%" PRIu32, r.left_out);
		put_values(x, "self", r.left_columns);
		put_values(x, "self_samples", r.left_columns + x->num_metrics);
		fputs("}}\n", x->out);
	}
	export_rows_deinit(&r);
	return rc;
}

const struct export_format export_json = {
    .name = "json",
    .shape = PATH_TREE_LINES,
    .bounded = true,
    .most = UINT64_MAX,
    .write = emit,
};
