/* The values view: what instructions produced, beside their code. */
#include "hpcprof/views/values/values.h"

#include "hpcprof/command/list.h"
#include "hpcprof/correlate/select.h"
#include "hpcprof/terminal/layout.h"

#include <stdlib.h>

enum { MOST_PROCEDURES = 5, NAMES = 60 /* columns kept for code */ };

/* ---- procedures -------------------------------------------------------------------------------
 */

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a < b ? -1 : a > b;
}

static bool is_of_subject(const struct values_view *v, uint32_t frame)
{
	const struct symbolized *c = &v->p->code;

	for (uint32_t k = c->first[frame]; k < c->first[frame + 1]; k++)
		if (v->functions[c->frames.at[k].function])
			return true;
	return false;
}

/* The addresses of a module whose procedures are shown: those of the subject, or all with values.
 */
static size_t list_addresses(const struct values_view *v, uint32_t module, uint64_t *addresses)
{
	const struct model_module *mod = &v->m->modules.at[module];
	size_t n = 0, from = model_first_value(v->m, module, 0);

	for (uint32_t f = mod->first_frame; v->functions && f < mod->first_frame + mod->num_frames;
	     f++)
		if (is_of_subject(v, f))
			addresses[n++] = v->m->frames.at[f].address;
	for (size_t i = from; !v->functions && i < v->m->values.len; i++) {
		if (v->m->values.at[i].module != module)
			break;
		if (!n || addresses[n - 1] != v->m->values.at[i].address)
			addresses[n++] = v->m->values.at[i].address;
	}
	qsort(addresses, n, sizeof *addresses, by_value);
	return n;
}

static bool note_missing(struct values_view *v, uint32_t module, const struct error *why)
{
	const struct model_module *mod = &v->m->modules.at[module];
	const char *name = layout_clean(&v->arena, mod->name), *text;
	const char *reason = layout_clean(&v->arena, why->text);

	if (!name || !reason)
		return false;
	if (mod->name[0] != '/' && !mod->image)
		reason = values_format(v, "%s is not in a file", name);
	else if (!reason[0])
		reason = values_format(v, "%s has some outside of known procedures", name);
	text = reason
		   ? values_format(v, "Some instructions with values cannot be shown: %s.", reason)
		   : NULL;
	return text && vec_push(&v->missing, text);
}

static int find_procedures(struct values_view *v, struct error *e)
{
	size_t most = v->m->frames.len + v->m->values.len;
	uint64_t *addresses = calloc(most + 1, sizeof *addresses);
	int rc = addresses ? 0 : error_memory(e, most * sizeof *addresses);

	for (uint32_t module = 0; rc == 0 && module < v->m->modules.len; module++) {
		size_t n = list_addresses(v, module, addresses);
		struct error why;
		int found =
		    n ? procedure_list_add(&v->of.procedures, v->m, module, addresses, n, &why, e)
		      : 1;
		if (found < 0)
			rc = -1;
		else if (!found && !note_missing(v, module, &why))
			rc = error_memory(e, 0);
	}
	free(addresses);
	return rc;
}

static bool has_values(const struct procedure_rows *r, const void *values, uint32_t procedure)
{
	const struct instructions *p = &r->procedures.at.at[procedure];
	struct value_span span = values_between(values, p, p->code.low, p->code.high);

	return span.first < span.end;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static int show(struct values_view *v, struct error *e)
{
	size_t n, most = v->o->rows ? v->o->rows : MOST_PROCEDURES, shown;
	uint32_t *order = procedure_rows_order(&v->of, has_values, v, &n, e);
	int rc;

	if (!order)
		return -1;
	shown = n < most ? n : most;
	rc = procedure_rows_read(&v->of, order, shown, &v->arena, e);
	if (rc == 0 && v->o->json)
		rc = values_json(v, order, shown, n, e);
	else if (rc == 0 && !(values_print(v, order, shown, n) && !v->starved))
		rc = error_memory(e, 0);
	free(order);
	return rc;
}

static int check_recorded(const struct values_view *v, struct error *e)
{
	if (v->m->has_windows)
		return 0;
	return error_set(
	    e, ERROR_USAGE,
	    "no values of instructions were recorded (measure with hpcrun --values 8)");
}

static int make(struct values_view *v, struct error *e)
{
	struct symbolizer_options options = correlate_symbolizer(v->o);
	size_t fitting = shown_metrics_fitting(v->o, NAMES, VALUES_COLUMN);
	uint32_t which;
	int rc = check_recorded(v, e);

	if (rc == 0)
		rc = shown_metrics_choose(&v->columns, v->m, v->o, false, fitting, &v->arena, e);
	if (rc == 0 && v->own->function)
		rc = select_named(v->m, &v->p->code, v->own->function, &v->functions, &which, e);
	if (rc == 0)
		rc = procedure_list_init(&v->of.procedures, &options, e);
	if (rc == 0)
		rc = find_procedures(v, e);
	if (rc == 0)
		rc = procedure_rows_sum(&v->of, NULL, NULL, e);
	if (rc == 0)
		rc = values_name_places(v, e);
	return rc == 0 ? show(v, e) : rc;
}

static int print(FILE *out, const struct profile *p, const void *options, struct error *e)
{
	const struct values_options *own = options;
	struct values_view v = {.out = out, .p = p, .m = p->model, .o = &own->common, .own = own};
	int rc;

	v.of.m = v.m;
	v.of.c = &p->code;
	v.of.columns = &v.columns;
	rc = make(&v, e);
	procedure_rows_deinit(&v.of);
	vec_free(&v.places);
	vec_free(&v.missing);
	free(v.functions);
	shown_metrics_deinit(&v.columns);
	arena_deinit(&v.arena);
	return rc;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct values_options *o = options;
	const struct profile_request wanted = {.common = &o->common, .values = true};

	if (common_check_json(&o->common, "values", e) != 0)
		return -1;
	return profile_show(out, &wanted, print, options, d, e);
}

static const struct option_row own_options[] = {
    {0, "function", "FUNCTION", "only the code of this function", option_string,
     offsetof(struct values_options, function), NULL},
    {0, "all", NULL, "show all values, also those that vary", option_flag,
     offsetof(struct values_options, all), NULL},
    {0}};

static const struct option_row *const tables[] = {own_options,
						  common_choice_options,
						  common_metrics_options,
						  common_rows_options,
						  common_symbols_options,
						  common_loading_options,
						  common_json_options,
						  NULL};

const struct command values_command = {
    .name = "values",
    .summary = "values that instructions produced, and what they suggest",
    .options = tables,
    .size = sizeof(struct values_options),
    .newest = true,
    .run = run,
    .print = print,
};
