/* A comparison as one JSON object; hpcprof-diff.1 has its fields. */
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/diff/diff.h"

#include <string.h>

static const char *const table_names[DIFF_TABLES] = {
    [BY_MODULE] = "modules",       [BY_FOLDER] = "folders",     [BY_FILE] = "files",
    [BY_NAMESPACE] = "namespaces", [BY_FUNCTION] = "functions", [BY_LINE] = "lines",
    [DIFF_CALLS] = "calls"};

static void put_string(FILE *out, const char *name, const char *value)
{
	fprintf(out, "\"%s\":", name);
	json_string(out, value, strlen(value));
}

/* As many digits as a double has; no locale is set, so the point is a point. */
static void put_number(FILE *out, const char *name, double value)
{
	fprintf(out, ",\"%s\":%.17g", name, value);
}

static void put_bool(FILE *out, const char *name, bool value)
{
	fprintf(out, ",\"%s\":%s", name, value ? "true" : "false");
}

static void put_side(FILE *out, const struct diff *d, enum diff_side side)
{
	bool first = true;

	fprintf(out, ",\n\"%s\":{\"runs\":[", side == BEFORE ? "before" : "after");
	for (size_t r = 0; r < d->num_runs; r++) {
		if (d->runs[r].side != side)
			continue;
		fputs(first ? "{" : ",{", out);
		first = false;
		put_string(out, "profile", d->runs[r].name);
		put_number(out, "events", d->runs[r].events);
		put_number(out, "samples", d->runs[r].samples);
		put_number(out, "factor", d->runs[r].factor);
		fputc('}', out);
	}
	fputc(']', out);
	put_number(out, "events", d->total[side]);
	fputc('}', out);
}

static bool put_row(FILE *out, struct diff *d, const struct diff_table *t, size_t i)
{
	const struct diff_row *row = &t->rows[i];
	const char *label = diff_label(d, t, i), *second = diff_second_label(d, t, i);

	if (!label || !second)
		return false;
	fputc('{', out);
	put_string(out, "name", label);
	if (t->grouping == BY_FUNCTION && row->moved != DIFF_NONE) {
		const char *other = diff_label(d, t, row->moved);
		if (!other)
			return false;
		fputc(',', out);
		put_string(out, "moved_with", other);
	}
	if (t->grouping == BY_FUNCTION || t->grouping == BY_LINE) {
		fputc(',', out);
		put_string(out, t->grouping == BY_LINE ? "function" : "module", second);
	}
	put_number(out, "before", row->mean[BEFORE]);
	put_number(out, "after", row->mean[AFTER]);
	put_number(out, "before_samples", row->samples[BEFORE]);
	put_number(out, "after_samples", row->samples[AFTER]);
	put_number(out, "change", row->change);
	put_number(out, "deviation", row->deviation);
	put_number(out, "p", row->p);
	put_bool(out, "beyond_noise", row->beyond);
	fputc('}', out);
	return true;
}

static bool put_table(FILE *out, struct diff *d, const struct diff_table *t)
{
	bool first = true, ok = true;

	fprintf(out, ",\n\"%s\":[", table_names[t->grouping]);
	for (size_t i = 0; ok && i < t->num_rows; i++) {
		const struct diff_row *row = &t->rows[i];
		if (!(row->mean[BEFORE] > 0 || row->mean[AFTER] > 0) ||
		    !(d->own->all || (row->beyond && !row->told)))
			continue;
		fputs(first ? "\n" : ",\n", out);
		first = false;
		ok = put_row(out, d, t, i);
	}
	fputc(']', out);
	return ok;
}

bool diff_print_json(FILE *out, struct diff *d)
{
	bool usual = true, ok = true;

	fputc('{', out);
	put_string(out, "metric", d->columns.at[0].metric_name);
	fputc(',', out);
	put_string(out, "unit", d->columns.at[0].unit);
	put_bool(out, "inclusive", d->own->inclusive);
	put_number(out, "common_factor", d->factor);
	put_number(out, "between_runs", d->between);
	put_side(out, d, BEFORE);
	put_side(out, d, AFTER);
	fputs(",\n\"total\":{", out);
	fprintf(out, "\"change\":%.17g", d->total[AFTER] - d->total[BEFORE]);
	if (d->total_p >= 0)
		put_number(out, "p", d->total_p);
	put_bool(out, "beyond_noise", d->total_beyond);
	fputc('}', out);
	for (int g = 0; g < DIFF_TABLES; g++)
		usual &= !d->own->shows[g];
	for (int g = 0; ok && g < DIFF_TABLES; g++)
		if (d->own->shows[g] || (usual && g == BY_FUNCTION))
			ok = put_table(out, d, &d->tables[g]);
	fputs("}\n", out);
	return ok;
}
