#include "hpcprof/export/merge_trailer.h"

#include "formats/datafile.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/model/threads.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The metric of the clock whose final values are in THREADS. */
static const char cpu_metric[] = "CPUTIME";

struct context {
	const struct model *m;
	const struct address_map *map;
	size_t num_metrics; /* those of the files */
	uint32_t num_trees;
	const struct model_threads **groups; /* those of m, in an order */
};

const char *merge_common(const struct model *m, size_t offset)
{
	const char *first = NULL;

	for (size_t i = 0; i < m->processes.len; i++) {
		const char *text;
		memcpy(&text, (const char *)&m->processes.at[i] + offset, sizeof text);
		if (first && strcmp(text, first) != 0)
			return "";
		first = text;
	}
	return first ? first : "";
}

/* ---- pairs ---------------------------------------------------------------------------- */

enum { MOST_PAIRS = 24 };
struct pairs {
	uint32_t n;
	struct {
		const char *key, *text; /* text NULL: it is a number */
		uint64_t number;
	} at[MOST_PAIRS];
};

/* Add a pair, unless the text is empty. */
static void add_text(struct pairs *p, const char *key, const char *text)
{
	if (!text || !text[0])
		return;
	p->at[p->n].key = key;
	p->at[p->n].text = text;
	p->n++;
}

static void add_number(struct pairs *p, const char *key, bool known, uint64_t number)
{
	if (!known)
		return;
	p->at[p->n].key = key;
	p->at[p->n].text = NULL;
	p->at[p->n].number = number;
	p->n++;
}

static void put_text(struct csp_sink *s, const char *text)
{
	csp_put_text(s, text, (uint32_t)strlen(text));
}

/* Put the pairs, without their count. */
static void put_pairs(struct csp_sink *s, const struct pairs *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->at[i].text)
			csp_put_pair(s, p->at[i].key, p->at[i].text,
				     (uint32_t)strlen(p->at[i].text));
		else
			csp_put_pair_u64(s, p->at[i].key, p->at[i].number);
}

/* ---- chunks --------------------------------------------------------------------------- */

static void put_process(struct csp_sink *s, const struct context *c)
{
	const struct model *m = c->m;
	uint64_t start = UINT64_MAX, end = 0, cpu = 0, outside = 0, whole = 0, waited = 0;
	bool saturated = false, has_cpu = false;
	struct pairs pairs = {0};

	for (size_t i = 0; i < m->processes.len; i++) {
		const struct model_process *p = &m->processes.at[i];
		cpu = sum_add(cpu, p->cpu_ns, &saturated);
		outside = sum_add(outside, p->outside_ns, &saturated);
		whole = sum_add(whole, p->process_ns, &saturated);
		waited = sum_add(waited, p->waited_ns, &saturated);
		has_cpu |= p->has_cpu;
		if (!p->has_start || !p->has_wall)
			continue;
		start = p->start_ns < start ? p->start_ns : start;
		if (sum_add(p->start_ns, p->wall_ns, &saturated) > end)
			end = sum_add(p->start_ns, p->wall_ns, &saturated);
	}
	add_text(&pairs, "command", MERGE_COMMON(m, command));
	add_text(&pairs, "executable", MERGE_COMMON(m, executable));
	add_text(&pairs, "host", MERGE_COMMON(m, host));
	add_number(&pairs, "start_ns", end, start);
	add_number(&pairs, "wall_ns", end, end - start);
	add_number(&pairs, "cpu_ns", has_cpu, cpu);
	add_number(&pairs, "outside_ns", outside != 0, outside);
	add_number(&pairs, "process_ns", whole != 0, whole);
	add_number(&pairs, "waited_ns", waited != 0, waited);
	add_text(&pairs, "end", MERGE_COMMON(m, end));
	add_text(&pairs, "tool", MERGE_COMMON(m, tool));
	add_number(&pairs, "merged", true, m->processes.len);
	csp_put_u32(s, pairs.n);
	put_pairs(s, &pairs);
}

static void put_modules(struct csp_sink *s, const struct context *c)
{
	csp_put_u32(s, 1);
	csp_put_u32(s, (uint32_t)c->map->stretches.len);
	for (size_t i = 0; i < c->map->stretches.len; i++) {
		const struct stretch *at = &c->map->stretches.at[i];
		const char *build_id = c->m->modules.at[at->module].build_id;
		csp_put_u64(s, at->bytes);
		put_text(s, build_id ? build_id : "");
	}
}

static void put_trees(struct csp_sink *s, const struct context *c)
{
	csp_put_u32(s, c->num_trees);
	for (uint32_t i = 0; i < c->num_trees; i++) {
		csp_put_u32(s, CSP_NONE);
		csp_put_u32(s, i ? CSP_TREE_PARTIAL : CSP_TREE_COMPLETE);
		csp_put_u32(s, CSP_NONE);
		csp_put_u64(s, 0);
	}
}

/* A metric with an account has at least the first row, of what was recorded. */
static bool has_row(const struct model_metric *k, size_t i)
{
	return k->has_account && (!i || k->account.at[i].samples || k->account.at[i].weight);
}

static void put_account(struct csp_sink *s, const struct context *c)
{
	uint32_t rows = 0;

	for (size_t i = 0; i < c->num_metrics; i++)
		for (size_t k = 0; k < c->m->metrics.at[i].account.len; k++)
			rows += has_row(&c->m->metrics.at[i], k);
	csp_put_u32(s, rows);
	for (size_t i = 0; i < c->num_metrics; i++) {
		const struct model_metric *metric = &c->m->metrics.at[i];
		for (size_t k = 0; k < metric->account.len; k++) {
			if (!has_row(metric, k))
				continue;
			csp_put_u32(s, 0);
			csp_put_u32(s, 2 * (uint32_t)i);
			put_text(s, metric->account.at[k].disposition);
			csp_put_u64(s, metric->account.at[k].samples);
			csp_put_u64(s, metric->account.at[k].weight);
		}
	}
}

static void put_list(struct csp_sink *s, const char *key, const model_texts *list)
{
	for (size_t i = 0; i < list->len; i++)
		csp_put_pair(s, key, list->at[i], (uint32_t)strlen(list->at[i]));
}

static void put_metrics(struct csp_sink *s, const struct context *c)
{
	csp_put_u32(s, 2 * (uint32_t)c->num_metrics);
	for (size_t i = 0; i < c->num_metrics; i++) {
		const struct model_metric *k = &c->m->metrics.at[i];
		struct pairs pairs = {0};
		add_text(&pairs, "unit", k->unit);
		add_text(&pairs, "kernel", k->kernel & KERNEL_YES ? "yes" : NULL);
		add_text(&pairs, "kernel", k->kernel & KERNEL_NO ? "no" : NULL);
		add_number(&pairs, "position", k->position != UINT32_MAX, k->position);
		add_number(&pairs, "cost_ns", k->cost != 0, k->cost);
		add_number(&pairs, "enabled_ns", k->enabled != 0, k->enabled);
		add_number(&pairs, "running_ns", k->enabled != 0, k->running);
		add_number(&pairs, "unaccounted", k->has_account && k->unaccounted.events,
			   k->unaccounted.events);
		add_number(&pairs, "unaccounted_samples", k->has_account && k->unaccounted.samples,
			   k->unaccounted.samples);
		csp_put_u32(s, pairs.n + (uint32_t)(k->sources.len + k->requested.len +
						    k->achieved.len + k->jitters.len));
		put_pairs(s, &pairs);
		put_list(s, "source", &k->sources);
		put_list(s, "requested", &k->requested);
		put_list(s, "achieved", &k->achieved);
		put_list(s, "jitter", &k->jitters);
		csp_put_u32(s, 0); /* of the N column */
	}
}

/* One thread for all, whose CPU time is the sum of all that is accounted for. */
static void put_threads(struct csp_sink *s, const struct context *c)
{
	uint64_t cpu = 0;
	bool saturated = false;

	for (size_t i = 0; !cpu && i < c->num_metrics; i++) {
		const struct model_metric *k = &c->m->metrics.at[i];
		for (size_t r = 0; strcmp(k->name, cpu_metric) == 0 && r < k->account.len; r++)
			cpu = sum_add(cpu, k->account.at[r].weight, &saturated);
	}
	csp_put_u32(s, 1);
	csp_put_u64(s, 0);
	put_text(s, "merged");
	csp_put_u64(s, 0);
	csp_put_u64(s, 0);
	csp_put_u64(s, cpu);
}

/* Of the metrics that the files had. */
static bool is_put(const struct context *c, const struct metric_sum *s)
{
	return s->metric < c->num_metrics && (s->sum.events || s->sum.samples);
}

static void put_sums(struct csp_sink *s, const struct context *c, const struct metric_sums *sums)
{
	uint32_t some = 0;

	for (uint32_t i = 0; i < sums->len; i++)
		some += is_put(c, &sums->at[i]);
	csp_put_u32(s, some);
	for (uint32_t i = 0; i < sums->len; i++) {
		if (!is_put(c, &sums->at[i]))
			continue;
		csp_put_u32(s, 2 * sums->at[i].metric);
		csp_put_u64(s, sums->at[i].sum.events);
		csp_put_u64(s, sums->at[i].sum.samples);
	}
}

static void put_image(struct csp_sink *s, const struct context *c, const struct model_process *p)
{
	struct pairs pairs = {0};

	add_text(&pairs, "path", p->path);
	add_text(&pairs, "command", p->command);
	add_text(&pairs, "executable", p->executable);
	add_text(&pairs, "host", p->host);
	add_number(&pairs, "pid", p->has_pid, p->pid);
	add_number(&pairs, "ppid", p->ppid, p->ppid);
	add_number(&pairs, "start_ns", p->has_start, p->start_ns);
	add_number(&pairs, "wall_ns", p->has_wall, p->wall_ns);
	add_number(&pairs, "cpu_ns", p->has_cpu, p->cpu_ns);
	add_number(&pairs, "outside_ns", p->outside_ns != 0, p->outside_ns);
	add_number(&pairs, "process_ns", p->process_ns != 0, p->process_ns);
	add_number(&pairs, "waited_ns", p->waited_ns != 0, p->waited_ns);
	add_text(&pairs, "end", p->end);
	add_number(&pairs, "rank", p->has_rank, p->rank);
	add_number(&pairs, "ranks", p->ranks, p->ranks);
	add_text(&pairs, "tool", p->tool);
	add_number(&pairs, "threads", p->threads, p->threads);
	add_text(&pairs, "ended_threads", p->has_ended ? "yes" : NULL);
	add_text(&pairs, "unmarked", p->unmarked);
	add_text(&pairs, "uninterpreted", p->uninterpreted);
	add_number(&pairs, "marks_lost", p->marks_lost, p->marks_lost);
	add_number(&pairs, "uncounted", p->uncounted, p->uncounted);
	add_number(&pairs, "tramp_samples", p->tramp_samples, p->tramp_samples);
	add_text(&pairs, "trailer", p->has_trailer ? NULL : "no");
	csp_put_u32(s, pairs.n);
	put_pairs(s, &pairs);
	put_sums(s, c, &p->sums);
}

static void put_merged(struct csp_sink *s, const struct context *c)
{
	uint32_t assumed = 0;

	for (size_t i = 0; i < c->map->stretches.len; i++)
		assumed += c->m->modules.at[c->map->stretches.at[i].module].assumed;
	csp_put_u32(s, assumed);
	for (size_t i = 0; i < c->map->stretches.len; i++)
		if (c->m->modules.at[c->map->stretches.at[i].module].assumed)
			csp_put_u32(s, (uint32_t)i);
	csp_put_u32(s, (uint32_t)c->m->processes.len);
	for (size_t i = 0; i < c->m->processes.len; i++)
		put_image(s, c, &c->m->processes.at[i]);
}

static void put_code(struct csp_sink *s, const struct context *c)
{
	code_map_put(&c->map->sources, c->m, s);
}

static void put_names(struct csp_sink *s, const struct context *c)
{
	csp_put_u32(s, c->map->num_names);
	for (uint32_t i = 0; i < c->map->num_names; i++) {
		csp_put_u32(s, i + 1);
		put_text(s, strings_get(c->map->names, i));
	}
}

/* The finished model's groups are in no order. */
static int by_group(const void *pa, const void *pb)
{
	const struct model_threads *a = *(const struct model_threads *const *)pa;
	const struct model_threads *b = *(const struct model_threads *const *)pb;
	int c = strcmp(a->pattern, b->pattern);

	if (!c)
		c = (a->kind > b->kind) - (a->kind < b->kind);
	for (uint32_t i = 0; !c && i < a->num_calls && i < b->num_calls; i++) {
		c = (a->call[i].module > b->call[i].module) -
		    (a->call[i].module < b->call[i].module);
		if (!c)
			c = (a->call[i].address > b->call[i].address) -
			    (a->call[i].address < b->call[i].address);
	}
	return c ? c : (a->num_calls > b->num_calls) - (a->num_calls < b->num_calls);
}

static void put_groups(struct csp_sink *s, const struct context *c)
{
	const struct model *m = c->m;

	csp_put_u32(s, (uint32_t)m->threads.len);
	for (size_t i = 0; i < m->threads.len; i++) {
		const struct model_threads *g = c->groups[i];
		csp_put_u32(s, g->kind);
		put_text(s, g->first);
		put_text(s, g->last);
		csp_put_u64(s, g->threads);
		csp_put_u32(s, g->num_calls);
		for (uint32_t k = 0; k < g->num_calls; k++)
			csp_put_u64(s,
				    address_map_at(c->map, model_call_frame(m, &g->call[k])) + 1);
		put_sums(s, c, &g->sums);
	}
}

/* The made-up address of a place in a module's file. */
static uint64_t address_of(const struct context *c, uint32_t module, uint64_t address)
{
	uint32_t frame =
	    model_find_frame(c->m, &(struct model_frame){address, module, FRAME_POINT});

	return frame == MODEL_NO_FRAME ? 0 : address_map_at(c->map, frame);
}

static void put_frequent(struct csp_sink *s, const struct context *c,
			 const struct model_frequent *f)
{
	csp_put_u64(s,
		    f->module == MODEL_NO_MODULE ? f->value : address_of(c, f->module, f->value));
	csp_put_u64(s, f->count);
	csp_put_u64(s, f->error);
}

static uint32_t rows_of(const struct model_value *v)
{
	return v->num_frequent ? (v->num_frequent - 1) / CSP_VALUE_TOP + 1 : 1;
}

/* In several rows if there are more frequent values than a row has. */
static void put_value(struct csp_sink *s, const struct context *c, const struct model_value *v)
{
	for (uint32_t i = 0, n; i == 0 || i < v->num_frequent; i += CSP_VALUE_TOP) {
		n = v->num_frequent - i < CSP_VALUE_TOP ? v->num_frequent - i : CSP_VALUE_TOP;
		csp_put_u32(s, 0);
		csp_put_u64(s, address_of(c, v->module, v->address));
		csp_put_u32(s, v->what);
		csp_put_u32(s, v->bytes);
		csp_put_u64(s, i ? 0 : v->count);
		csp_put_u64(s, i ? 0 : v->zeros);
		csp_put_u64(s, i ? 0 : v->same);
		csp_put_u64(s, v->rest);
		csp_put_u32(s, n);
		for (uint32_t k = 0; k < n; k++)
			put_frequent(s, c, &c->m->frequent.at[v->first_frequent + i + k]);
	}
}

static void put_values(struct csp_sink *s, const struct context *c)
{
	const struct reader_windows *w = &c->m->windows;
	uint32_t rows = 0;

	csp_put_u64(s, w->windows);
	csp_put_u64(s, w->steps);
	csp_put_u64(s, w->ns);
	csp_put_u64(s, w->dropped);
	csp_put_u32(s, CSP_VALUE_REFUSALS);
	for (int i = 0; i < CSP_VALUE_REFUSALS; i++)
		csp_put_u64(s, w->refused[i]);
	for (size_t i = 0; i < c->m->values.len; i++)
		rows += rows_of(&c->m->values.at[i]);
	csp_put_u32(s, rows);
	for (size_t i = 0; i < c->m->values.len; i++)
		put_value(s, c, &c->m->values.at[i]);
}

static int to_nowhere(void *context, const uint8_t *bytes, size_t n)
{
	(void)context;
	(void)bytes;
	(void)n;
	return 0;
}

/* The length precedes the payload, so the payload is put twice: first only to measure it. */
static void put_chunk(struct csp_sink *s, uint32_t tag, const struct context *c,
		      void (*put)(struct csp_sink *s, const struct context *c))
{
	uint8_t room[4096];
	struct csp_sink measure = {.buf = room, .cap = sizeof room, .flush = to_nowhere};

	put(&measure, c);
	csp_put_chunk_header(s, tag, csp_sink_offset(&measure));
	put(s, c);
}

int merge_put_trailer(struct csp_sink *s, const struct address_map *map, uint32_t num_trees,
		      struct error *e)
{
	struct context c = {map->m, map, model_num_recorded(map->m), num_trees, NULL};
	size_t n = map->m->threads.len;

	c.groups = malloc((n + 1) * sizeof(struct model_threads *));
	if (!c.groups)
		return error_memory(e, n * sizeof(struct model_threads *));
	for (size_t i = 0; i < n; i++)
		c.groups[i] = &map->m->threads.at[i];
	qsort(c.groups, n, sizeof(struct model_threads *), by_group);
	csp_put_trailer_header(s, 7 + (n > 0) + (map->num_names > 0) + map->m->has_windows +
				      (map->sources.codes.len > 0));
	put_chunk(s, CSP_CHUNK_PROCESS, &c, put_process);
	put_chunk(s, CSP_CHUNK_MODULES, &c, put_modules);
	put_chunk(s, CSP_CHUNK_TREES, &c, put_trees);
	put_chunk(s, CSP_CHUNK_ACCOUNT, &c, put_account);
	put_chunk(s, CSP_CHUNK_METRICS, &c, put_metrics);
	put_chunk(s, CSP_CHUNK_THREADS, &c, put_threads);
	put_chunk(s, CSP_CHUNK_MERGED, &c, put_merged);
	if (n)
		put_chunk(s, CSP_CHUNK_GROUPS, &c, put_groups);
	if (map->num_names)
		put_chunk(s, CSP_CHUNK_NAMES, &c, put_names);
	if (map->m->has_windows)
		put_chunk(s, CSP_CHUNK_VALUES, &c, put_values);
	if (map->sources.codes.len)
		put_chunk(s, CSP_CHUNK_CODE, &c, put_code);
	free(c.groups);
	return 0;
}
