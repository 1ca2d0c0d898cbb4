#include "hpcprof/metrics/view_json.h"

#include "hpcprof/metrics/interval.h"
#include "hpcprof/metrics/kernel.h"
#include "hpcprof/metrics/path_filter.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- members --------------------------------------------------------------------------- */

void view_json_number(struct view_json *j, const char *name, uint64_t value)
{
	fprintf(j->out, ",\"%s\":%" PRIu64, name, value);
}

void view_json_bool(struct view_json *j, const char *name, bool value)
{
	fprintf(j->out, ",\"%s\":%s", name, value ? "true" : "false");
}

void view_json_text(struct view_json *j, const char *name, const char *value)
{
	fputc(',', j->out);
	json_member(j->out, name, value && value[0] ? value : NULL);
}

void view_json_array(struct view_json *j, const char *name, const uint64_t *values, size_t n)
{
	fprintf(j->out, ",\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		fprintf(j->out, "%s%" PRIu64, i ? "," : "", values[i]);
	fputc(']', j->out);
}

/* Six digits: no sample tells more. No locale is set, so the point is a point. */
static void put_interval(struct view_json *j, uint64_t value, size_t column)
{
	uint64_t total = j->columns->at[column].total;
	struct interval share;

	if (!total || !(j->samples[column] > 0)) {
		fputs("null", j->out);
		return;
	}
	share = interval_share(value, total, j->samples[column]);
	fprintf(j->out, "[%.6g,%.6g]", value ? share.low : 0, value < total ? share.high : 1);
}

void view_json_values(struct view_json *j, const char *name, const uint64_t *values, size_t n)
{
	view_json_array(j, name, values, n);
	fprintf(j->out, ",\"%s_interval\":[", name);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", j->out);
		put_interval(j, values[i], i);
	}
	fputc(']', j->out);
}

static const char *module_name(const struct view_json *j, uint32_t module)
{
	const char *name = j->p->model->modules.at[module].name;
	return name[0] ? name : MODEL_UNKNOWN_MODULE;
}

void view_json_function(struct view_json *j, uint32_t function)
{
	const struct code_function *f = &j->p->code.functions.at[function];

	json_member(j->out, "function", f->name);
	view_json_text(j, "linkage_name",
		       strcmp(f->linkage_name, f->name) != 0 ? f->linkage_name : NULL);
	view_json_text(j, "module", module_name(j, f->module));
	view_json_text(j, "file", f->file);
	if (f->line)
		view_json_number(j, "line", f->line);
	else
		fputs(",\"line\":null", j->out);
}

void view_json_most(struct view_json *j, uint32_t function, uint64_t most)
{
	if (function == UINT32_MAX)
		return;
	fputc(',', j->out);
	view_json_function(j, function);
	view_json_number(j, "in_function", most);
}

/* ---- rows ------------------------------------------------------------------------------ */

void view_json_rows(struct view_json *j, const char *name, const char *rows)
{
	fprintf(j->out, ",\n\"%s\":{\"%s\":[", name, rows);
	j->first = true;
}

void view_json_row(struct view_json *j)
{
	fputs(j->first ? "\n{" : ",\n{", j->out);
	j->first = false;
}

void view_json_left_out(struct view_json *j, const char *rows, uint64_t count,
			const uint64_t *values, size_t n)
{
	fprintf(j->out, "],\n\"left_out\":{\"%s\":%" PRIu64, rows, count);
	view_json_array(j, "self", values, n);
	fputs("}}", j->out);
}

/* ---- the beginning and the end ------------------------------------------------------------- */

static void put_account(struct view_json *j, const struct model_metric *m)
{
	bool first = true;

	if (!m->has_account) {
		fputs(",\"account\":null", j->out);
		return;
	}
	fputs(",\"account\":[", j->out);
	for (size_t i = 0; i < m->account.len; i++) {
		const struct model_account *a = &m->account.at[i];
		if (!a->samples && !a->weight)
			continue;
		fputs(first ? "{" : ",{", j->out);
		first = false;
		json_member(j->out, "outcome", a->disposition);
		view_json_number(j, "samples", a->samples);
		view_json_number(j, "events", a->weight);
		fputc('}', j->out);
	}
	fputc(']', j->out);
}

static void put_metric(struct view_json *j, size_t column)
{
	const struct shown_metric *c = &j->columns->at[column];
	const struct model_metric *m = c->metric;

	fputs(column ? ",\n{" : "\n{", j->out);
	json_member(j->out, "name", m->name);
	view_json_text(j, "unit", c->of_samples ? "samples" : m->unit[0] ? m->unit : "count");
	view_json_bool(j, "sampled", m->flags & CSP_METRIC_ASYNC);
	view_json_number(j, "period", m->interval ? m->interval : 1);
	view_json_number(j, "total", c->total);
	view_json_number(j, "total_samples", m->total.samples);
	view_json_number(j, "kernel", kernel_total(j->p->model, c->values, NULL));
	if (j->samples[column] > 0)
		fprintf(j->out, ",\"effective_samples\":%.6g", j->samples[column]);
	else
		fputs(",\"effective_samples\":null", j->out);
	view_json_number(j, "measuring_ns", m->cost);
	put_account(j, m);
	fputc('}', j->out);
}

/* What is on the paths that the user chose: the sums of the columns there. */
static bool put_paths(struct view_json *j, struct arena *a)
{
	const char *paths = path_filter_text(j->o, a);
	uint64_t *sums = arena_alloc(a, (j->columns->len + 1) * sizeof *sums);
	bool saturated = false;

	if (!paths || !sums)
		return false;
	for (size_t i = 0; i < j->columns->len; i++)
		for (uint32_t k = 0; k < model_num_contexts(j->p->model); k++)
			sums[i] = sum_add(sums[i], j->columns->values[i][k], &saturated);
	fputs(",\n\"paths\":{", j->out);
	json_member(j->out, "chosen", paths);
	view_json_array(j, "total", sums, j->columns->len);
	fputc('}', j->out);
	return true;
}

bool view_json_begin(struct view_json *j, const char *view, struct arena *a)
{
	size_t n = j->columns->len;
	double *samples = arena_alloc(a, (n + 1) * sizeof *samples);

	if (!samples)
		return false;
	for (size_t i = 0; i < n; i++)
		samples[i] = interval_samples(j->p->model, j->columns->at[i].metric,
					      j->columns->at[i].of_samples);
	j->samples = samples;
	fprintf(j->out, "{\"version\":%d,", VIEW_JSON_VERSION);
	json_member(j->out, "view", view);
	fputs(",\n\"metrics\":[", j->out);
	for (size_t i = 0; i < n; i++)
		put_metric(j, i);
	fputc(']', j->out);
	return !j->columns->outside || put_paths(j, a);
}

/* Sums over the load modules of [modules * columns]. */
static void put_module_sums(struct view_json *j, const char *name, const uint64_t *values,
			    uint64_t *sums)
{
	size_t n = j->columns->len;
	bool saturated = false;

	memset(sums, 0, n * sizeof *sums);
	for (size_t k = 0; k < j->p->model->modules.len; k++)
		for (size_t i = 0; i < n; i++)
			sums[i] = sum_add(sums[i], values[k * n + i], &saturated);
	view_json_array(j, name, sums, n);
}

/* The values on paths whose outermost frames are missing. */
static void put_partial(struct view_json *j, uint8_t *partial, uint64_t *sums)
{
	const struct model *m = j->p->model;
	bool saturated = false;

	memset(sums, 0, j->columns->len * sizeof *sums);
	for (uint32_t c = MODEL_PARTIAL_ROOT; c < model_num_contexts(m); c++) {
		partial[c] = c == MODEL_PARTIAL_ROOT || partial[model_parent(m, c)];
		for (size_t i = 0; partial[c] && i < j->columns->len; i++)
			sums[i] = sum_add(sums[i], j->columns->values[i][c], &saturated);
	}
	view_json_array(j, "partial_paths", sums, j->columns->len);
}

/* Lists of files and programs have at most so many. */
enum { MOST_TOLD = 20 };

static void put_losses(struct view_json *j)
{
	size_t n = j->p->losses.len;

	fputs(",\n\"skipped_or_damaged\":{\"files\":[", j->out);
	for (size_t i = 0; i < n && i < MOST_TOLD; i++) {
		const struct profile_loss *l = &j->p->losses.at[i];
		fputs(i ? ",{" : "{", j->out);
		json_member(j->out, "path", l->path);
		view_json_text(j, "problem", l->text);
		view_json_bool(j, "read", l->read);
		fputc('}', j->out);
	}
	fprintf(j->out, "],\"left_out\":%zu}", n > MOST_TOLD ? n - MOST_TOLD : 0);
}

static void put_unmeasured(struct view_json *j)
{
	size_t n = j->p->unmeasured.len;

	fputs(",\n\"unmeasured\":{\"programs\":[", j->out);
	for (size_t i = 0; i < n && i < MOST_TOLD; i++) {
		const struct unmeasured *u = &j->p->unmeasured.at[i];
		fputs(i ? ",{" : "{", j->out);
		json_member(j->out, "program", u->name);
		view_json_text(j, "reason", u->reason);
		view_json_number(j, "starts", u->starts);
		fputc('}', j->out);
	}
	fprintf(j->out, "],\"left_out\":%zu}", n > MOST_TOLD ? n - MOST_TOLD : 0);
}

int view_json_end(struct view_json *j, struct error *e)
{
	const struct model *m = j->p->model;
	struct attribution a;
	uint64_t *sums = calloc(j->columns->len + 1, sizeof *sums);
	uint8_t *partial = calloc(model_num_contexts(m), 1);
	int rc = attribute(m, &j->p->code, ATTRIBUTE_NOTHING, j->columns->values, j->columns->len,
			   &a, e);

	if (rc == 0 && sums && partial) {
		fprintf(j->out, ",\n\"quality\":{\"profiles\":%zu", m->processes.len);
		view_json_number(j, "without_samples", model_num_estimated(m));
		view_json_number(j, "without_paths", model_num_flat(m));
		put_partial(j, partial, sums);
		put_module_sums(j, "without_name", a.nameless, sums);
		put_module_sums(j, "without_line", a.lineless, sums);
		put_losses(j);
		put_unmeasured(j);
		fputs("}}\n", j->out);
	} else if (rc == 0) {
		rc = error_memory(e, model_num_contexts(m));
	}
	attribute_deinit(&a);
	free(sums);
	free(partial);
	return rc;
}
