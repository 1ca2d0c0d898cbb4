#include "hpcprof/model/sums.h"

#include "hpcprof/model/sum.h"

#include <string.h>

const char *const model_realtime_parts[MODEL_REALTIME_PARTS] = {CSP_CPUTIME, CSP_BLOCKED,
								CSP_RUNNABLE};

int model_realtime_part(const struct model_metric *k)
{
	bool time = k->flags == CSP_METRIC_ASYNC && strcmp(k->unit, "ns") == 0;

	for (int i = 0; time && i < MODEL_REALTIME_PARTS; i++)
		if (strcmp(k->name, model_realtime_parts[i]) == 0)
			return i;
	return -1;
}

/* The ids of the parts. False if one is missing. */
static bool find_parts(const struct model *m, uint32_t parts[MODEL_REALTIME_PARTS])
{
	unsigned found = 0;

	for (uint32_t i = 0; i < m->metrics.len; i++) {
		int part = model_realtime_part(&m->metrics.at[i]);
		if (part < 0)
			continue;
		parts[part] = i;
		found |= 1u << part;
	}
	return found == (1u << MODEL_REALTIME_PARTS) - 1;
}

static void add(struct model *m, uint64_t *to, uint64_t value)
{
	*to = sum_add(*to, value, &m->saturated);
}

static bool add_account(struct model *m, struct model_metric *to, const struct model_metric *from)
{
	for (size_t i = 0; i < from->account.len; i++) {
		const struct model_account *a = &from->account.at[i];
		struct reader_text name = {a->disposition, (uint32_t)strlen(a->disposition)};
		struct model_account *row = model_account_row(m, to, name);
		if (!row)
			return false;
		add(m, &row->samples, a->samples);
		add(m, &row->weight, a->weight);
	}
	to->has_account |= from->has_account;
	return true;
}

/* All but the cost, which is that of the parts. */
static bool add_part(struct model *m, struct model_metric *to, const struct model_metric *from)
{
	for (uint32_t i = 0; i < model_num_contexts(m); i++) {
		add(m, &to->events[i], from->events[i]);
		add(m, &to->samples[i], from->samples[i]);
	}
	add(m, &to->total.events, from->total.events);
	add(m, &to->total.samples, from->total.samples);
	add(m, &to->unaccounted.events, from->unaccounted.events);
	add(m, &to->unaccounted.samples, from->unaccounted.samples);
	add(m, &to->enabled, from->enabled);
	add(m, &to->running, from->running);
	to->kernel |= from->kernel;
	to->interval = from->interval > to->interval ? from->interval : to->interval;
	to->position = from->position < to->position ? from->position : to->position;
	return model_list_texts(&to->sources, &from->sources) &&
	       model_list_texts(&to->requested, &from->requested) &&
	       model_list_texts(&to->achieved, &from->achieved) &&
	       model_list_texts(&to->jitters, &from->jitters) && add_account(m, to, from);
}

/* The same of sums by the model's metrics. */
static bool add_sums(struct model *m, struct metric_sums *sums,
		     const uint32_t parts[MODEL_REALTIME_PARTS], uint32_t id)
{
	struct model_sum all = {0};

	if (!sums->len)
		return true;
	for (int i = 0; i < MODEL_REALTIME_PARTS; i++) {
		struct model_sum part = metric_sums_get(sums, parts[i]);
		add(m, &all.events, part.events);
		add(m, &all.samples, part.samples);
	}
	return metric_sums_set(sums, &m->arena, id, all);
}

/* A database has the sum, but it may have been read together with other files. */
static void clear(struct model_metric *k, uint32_t contexts)
{
	memset(k->events, 0, contexts * sizeof *k->events);
	memset(k->samples, 0, contexts * sizeof *k->samples);
	k->total = k->unaccounted = (struct model_sum){0};
	for (size_t i = 0; i < k->account.len; i++)
		k->account.at[i].samples = k->account.at[i].weight = 0;
}

int model_add_sums(struct model *m, struct error *e)
{
	const struct reader_text name = {MODEL_REALTIME, sizeof MODEL_REALTIME - 1},
				 unit = {"ns", 2};
	uint32_t parts[MODEL_REALTIME_PARTS], id, contexts = model_num_contexts(m);
	bool ok;

	if (!find_parts(m, parts))
		return 0;
	id = model_metric(m, name, unit, CSP_METRIC_ASYNC | MODEL_SUM);
	ok = id != UINT32_MAX && model_reach(m, &m->metrics.at[id], contexts - 1);
	if (ok)
		clear(&m->metrics.at[id], contexts);
	for (int i = 0; ok && i < MODEL_REALTIME_PARTS; i++)
		ok = add_part(m, &m->metrics.at[id], &m->metrics.at[parts[i]]);
	for (size_t i = 0; ok && i < m->processes.len; i++)
		ok = add_sums(m, &m->processes.at[i].sums, parts, id);
	for (size_t i = 0; ok && i < m->threads.len; i++)
		ok = add_sums(m, &m->threads.at[i].sums, parts, id);
	return ok ? 0 : error_memory(e, contexts * sizeof(uint64_t));
}
