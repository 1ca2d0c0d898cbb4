/* Sorts a finished model, so that it does not depend on the order of merging. */
#include "formats/base/search.h"
#include "formats/base/workers.h"
#include "hpcprof/model/join.h"
#include "hpcprof/model/model.h"
#include "hpcprof/model/sorted_model.h"
#include "hpcprof/model/sums.h"
#include "hpcprof/model/values.h"

#include <stdlib.h>
#include <string.h>

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_module(const void *pa, const void *pb, void *context)
{
	const struct model *m = context;
	const struct model_module *a = &m->modules.at[*(const uint32_t *)pa];
	const struct model_module *b = &m->modules.at[*(const uint32_t *)pb];
	int c = strcmp(a->name, b->name);

	return c ? c : compare_texts(a->build_id, b->build_id);
}

int model_compare_functions(const struct model_function *a, const struct model_function *b)
{
	int c = compare_numbers(a->module, b->module);

	if (!c)
		c = compare_texts(a->name, b->name);
	if (!c)
		c = compare_texts(a->linkage_name, b->linkage_name);
	if (!c)
		c = compare_texts(a->declared, b->declared);
	if (!c)
		c = compare_numbers(a->line, b->line);
	if (!c)
		c = compare_numbers(a->low, b->low);
	return c ? c : compare_texts(a->file, b->file);
}

/* The modules are already sorted. */
static int by_function(const void *pa, const void *pb, void *context)
{
	const struct model *m = context;

	return model_compare_functions(&m->functions.at[*(const uint32_t *)pa],
				       &m->functions.at[*(const uint32_t *)pb]);
}

static int by_metric(const void *pa, const void *pb, void *context)
{
	const struct model *m = context;
	const struct model_metric *a = &m->metrics.at[*(const uint32_t *)pa];
	const struct model_metric *b = &m->metrics.at[*(const uint32_t *)pb];
	int c = compare_numbers(a->flags & MODEL_SUM, b->flags & MODEL_SUM);

	if (!c)
		c = compare_numbers(a->position, b->position);
	if (!c)
		c = strcmp(a->name, b->name);
	if (!c)
		c = strcmp(a->unit, b->unit);
	return c ? c : compare_numbers(a->flags, b->flags);
}

/* *ids: the ids in the order of compare. *places: the position of each id in it. */
static int sort_ids(struct model *m, size_t n, int (*compare)(const void *, const void *, void *),
		    uint32_t **ids, uint32_t **places, struct error *e)
{
	*ids = malloc((n + 1) * sizeof **ids);
	*places = malloc((n + 1) * sizeof **places);
	if (!*ids || !*places) {
		free(*ids);
		free(*places);
		*places = NULL;
		return error_memory(e, n * sizeof **ids);
	}
	for (size_t i = 0; i < n; i++)
		(*ids)[i] = (uint32_t)i;
	qsort_r(*ids, n, sizeof **ids, compare, m);
	for (size_t i = 0; i < n; i++)
		(*places)[(*ids)[i]] = (uint32_t)i;
	return 0;
}

/* Put the n records of size bytes at `at` into the order of ids. */
static int permute(void *at, size_t n, size_t size, const uint32_t *ids, struct error *e)
{
	char *copy = malloc(n * size + 1);

	if (!copy)
		return error_memory(e, n * size);
	if (n)
		memcpy(copy, at, n * size);
	for (size_t i = 0; i < n; i++)
		memcpy((char *)at + i * size, copy + ids[i] * size, size);
	free(copy);
	return 0;
}

/* The caller frees *places, also after a failure. */
static int order_modules(struct model *m, uint32_t **places, struct error *e)
{
	uint32_t *ids;
	int rc = sort_ids(m, m->modules.len, by_module, &ids, places, e);

	if (rc != 0)
		return rc;
	rc = permute(m->modules.at, m->modules.len, sizeof *m->modules.at, ids, e);
	for (size_t i = 0; i < m->functions.len; i++)
		m->functions.at[i].module = (*places)[m->functions.at[i].module];
	for (size_t i = 0; i < m->threads.len; i++)
		for (uint32_t k = 0; k < m->threads.at[i].num_calls; k++)
			m->threads.at[i].call[k].module =
			    (*places)[m->threads.at[i].call[k].module];
	model_place_values(m, *places);
	free(ids);
	return rc;
}

static int order_functions(struct model *m, uint32_t **places, struct error *e)
{
	uint32_t *ids;
	int rc = sort_ids(m, m->functions.len, by_function, &ids, places, e);

	if (rc != 0)
		return rc;
	rc = permute(m->functions.at, m->functions.len, sizeof *m->functions.at, ids, e);
	for (size_t i = 0; i < m->threads.len; i++)
		for (uint32_t k = 0; k < m->threads.at[i].num_calls; k++) {
			struct model_call *call = &m->threads.at[i].call[k];
			if (call->named)
				call->address = (uint64_t)(*places)[call->address >> 32] << 32 |
						(uint32_t)call->address;
		}
	free(ids);
	return rc;
}

int model_compare_frames(const struct model_frame *a, const struct model_frame *b)
{
	bool named_a = a->role >= FRAME_ADDRESSED, named_b = b->role >= FRAME_ADDRESSED;

	if (a->module != b->module)
		return compare_numbers(a->module, b->module);
	if (named_a != named_b)
		return named_a - named_b;
	if (a->address != b->address)
		return compare_numbers(a->address, b->address);
	return compare_numbers(a->role, b->role);
}

uint32_t model_find_frame(const struct model *m, const struct model_frame *want)
{
	const struct model_module *mod = &m->modules.at[want->module];
	bool named = want->role >= FRAME_ADDRESSED;
	uint32_t from = named ? 0 : mod->first_frame;
	uint32_t end = named ? (uint32_t)m->frames.len : from + mod->num_frames;
	uint32_t at = SEARCH_FIRST(i, from, end, model_compare_frames(&m->frames.at[i], want) >= 0);

	return at < end && model_compare_frames(&m->frames.at[at], want) == 0 ? at : MODEL_NO_FRAME;
}

static int order_metrics(struct model *m, struct error *e)
{
	uint32_t *ids, *places;
	size_t n = m->metrics.len;
	bool moved = false;
	int rc = sort_ids(m, n, by_metric, &ids, &places, e);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		moved |= ids[i] != i;
	if (moved)
		rc = permute(m->metrics.at, n, sizeof *m->metrics.at, ids, e);
	if (moved && rc == 0 && !model_index_metrics(m))
		rc = error_memory(e, n * sizeof(uint64_t));
	for (size_t i = 0; moved && rc == 0 && i < m->processes.len; i++)
		metric_sums_move(&m->processes.at[i].sums, places);
	for (size_t i = 0; moved && rc == 0 && i < m->threads.len; i++)
		metric_sums_move(&m->threads.at[i].sums, places);
	free(ids);
	free(places);
	return rc;
}

/* By path. The other fields are only compared if the paths are equal. */
static int by_process(const void *pa, const void *pb)
{
	const struct model_process *a = pa, *b = pb;
	int c = strcmp(a->path, b->path);

	if (!c)
		c = compare_numbers(a->start_ns, b->start_ns);
	if (!c)
		c = compare_numbers(a->pid, b->pid);
	if (!c)
		c = strcmp(a->host, b->host);
	if (!c)
		c = strcmp(a->command, b->command);
	if (!c)
		c = strcmp(a->executable, b->executable);
	if (!c)
		c = strcmp(a->end, b->end);
	if (!c)
		c = strcmp(a->tool, b->tool);
	if (!c)
		c = compare_numbers(a->wall_ns, b->wall_ns);
	if (!c)
		c = compare_numbers(a->cpu_ns, b->cpu_ns);
	if (!c)
		c = compare_numbers(a->threads, b->threads);
	return c ? c : metric_sums_compare(&a->sums, &b->sums);
}

/* Whether a sum is 2^64 - 1. It counts as saturated even if it is exact, because whether a sum was
 * limited may depend on the order of adding. */
static bool at_end(const struct model_metric *k)
{
	bool end = k->total.events == UINT64_MAX || k->total.samples == UINT64_MAX;

	for (size_t i = 0; i < k->account.len; i++)
		end |=
		    k->account.at[i].samples == UINT64_MAX || k->account.at[i].weight == UINT64_MAX;
	return end;
}

/* ---- all models ---------------------------------------------------------------------- */

/* One of the models while it is sorted, by a thread of its own if there is one. */
struct part {
	struct model *model;
	struct joined facts; /* not for the first */
	struct sorted_places places;
	uint32_t *modules, *functions; /* arrays that places points to */
	struct sorted_model ordered;
	struct part *other; /* to be joined with this one */
	int rc;
	struct error e;
};

static void take_part(void *part)
{
	struct part *p = part;

	p->rc = sorted_model_take(&p->ordered, p->model, &p->places, &p->e);
}

static void zip_parts(void *part)
{
	struct part *p = part;

	p->rc = sorted_model_zip(&p->ordered, &p->other->ordered, &p->e);
}

/* Do the work for every step-th of n parts. 0, or -1 and the first error. */
static int for_parts(struct part *parts, size_t n, size_t step, void (*work)(void *),
		     struct error *e)
{
	int rc = 0;

	workers_run(work, parts, step * sizeof *parts, (n + step - 1) / step);
	for (size_t i = 0; i < n && rc == 0; i += step) {
		rc = parts[i].rc;
		if (rc != 0 && e)
			*e = parts[i].e;
	}
	return rc;
}

/* Join pairs until one is left. */
static int zip_all(struct part *parts, size_t n, struct error *e)
{
	int rc = 0;

	for (size_t apart = 1; rc == 0 && apart < n; apart *= 2) {
		size_t first = 0;
		for (; first + apart < n; first += 2 * apart)
			parts[first].other = &parts[first + apart];
		rc = for_parts(parts, first, 2 * apart, zip_parts, e);
	}
	return rc;
}

/* Join the facts of all models in the first one and sort them. Set each part's new ids. */
static int order_facts(struct part *parts, size_t n, struct error *e)
{
	struct model *m = parts[0].model;
	uint32_t **modules = &parts[0].modules, **functions = &parts[0].functions;
	int rc = 0;

	for (size_t i = 1; rc == 0 && i < n; i++)
		rc = join_facts(m, parts[i].model, &parts[i].facts, e);
	if (rc != 0 || order_modules(m, modules, e) != 0 || order_functions(m, functions, e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct part *p = &parts[i];
		p->places = (struct sorted_places){.modules = *modules,
						   .functions = *functions,
						   .metrics = p->facts.metrics,
						   .num_metrics = m->metrics.len};
		if (!i)
			continue;
		/* from ids in the part to ids in the first model to sorted ids */
		for (size_t k = 0; k < p->model->modules.len; k++)
			p->facts.modules[k] = (*modules)[p->facts.modules[k]];
		for (size_t k = 0; k < p->model->functions.len; k++)
			p->facts.functions[k] = (*functions)[p->facts.functions[k]];
		p->places.modules = p->facts.modules;
		p->places.functions = p->facts.functions;
	}
	return 0;
}

static void count_frames(struct model *m)
{
	for (size_t i = 0; i < m->frames.len; i++) {
		struct model_module *mod = &m->modules.at[m->frames.at[i].module];
		if (m->frames.at[i].role >= FRAME_ADDRESSED)
			continue;
		if (!mod->num_frames)
			mod->first_frame = (uint32_t)i;
		mod->num_frames++;
	}
	interner_deinit(&m->addresses);
	interner_deinit(&m->frame_keys);
}

int model_finish_all(struct model *const *models, size_t n, struct error *e)
{
	struct part *parts = calloc(n, sizeof *parts);
	struct model *m = models[0];
	int rc;

	if (!parts)
		return error_memory(e, n * sizeof *parts);
	for (size_t i = 0; i < n; i++)
		parts[i].model = models[i];
	rc = order_facts(parts, n, e);
	if (rc == 0)
		rc = for_parts(parts, n, 1, take_part, e);
	if (rc == 0)
		rc = zip_all(parts, n, e);
	if (rc == 0)
		rc = sorted_model_give(&parts[0].ordered, m, e);
	for (size_t i = 0; i < n; i++) {
		join_deinit(&parts[i].facts);
		sorted_model_deinit(&parts[i].ordered);
	}
	free(parts[0].modules);
	free(parts[0].functions);
	free(parts);
	if (rc != 0)
		return rc;
	count_frames(m);
	for (size_t i = 0; i < m->metrics.len; i++)
		m->saturated |= at_end(&m->metrics.at[i]);
	rc = order_metrics(m, e);
	if (rc == 0 && m->processes.len)
		qsort(m->processes.at, m->processes.len, sizeof *m->processes.at, by_process);
	if (rc == 0 && !model_finish_values(m))
		rc = error_memory(e, m->value_parts.rows.len * sizeof(struct model_value));
	return rc == 0 ? model_add_sums(m, e) : rc;
}

int model_finish(struct model *m, struct error *e)
{
	return model_finish_all(&m, 1, e);
}
