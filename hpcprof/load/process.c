#include "hpcprof/load/process.h"

#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "hpcprof/model/sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const dispositions[] = CSP_DISPOSITION_NAMES;
/* The metric of the clock whose final values are in THREADS. */
static const char cpu_metric[] = "CPUTIME";

static bool text_is(struct reader_text t, const char *s)
{
	return t.n == strlen(s) && memcmp(t.at, s, t.n) == 0;
}

static const char *value_of(struct model *m, struct reader_pairs pairs, const char *key)
{
	struct reader_text t = reader_pairs_get(pairs, key);
	return model_text(m, t.at, t.n);
}

/* The arguments, which are separated by NULs, joined by blanks. */
static const char *command_of(struct model *m, struct reader_pairs pairs)
{
	struct reader_text t = reader_pairs_get(pairs, "command");
	const char *out;
	char *line;

	while (t.n && t.at[t.n - 1] == '\0')
		t.n--;
	line = malloc((size_t)t.n + 1);
	if (!line)
		return NULL;
	for (uint32_t i = 0; i < t.n; i++)
		line[i] = t.at[i] ? t.at[i] : ' ';
	out = model_text(m, line, t.n);
	free(line);
	return out;
}

static bool has_ended_threads(const struct reader *r)
{
	for (uint32_t i = reader_num_threads(r); i-- > 0;) {
		const struct reader_thread *t = reader_thread(r, i);
		if (t->tid == 0 && text_is(t->name, CSP_ENDED_THREADS))
			return true;
	}
	return false;
}

static bool small_number(struct reader_pairs pairs, const char *key, uint32_t *out)
{
	uint64_t value;

	if (!reader_pairs_u64(pairs, key, &value) || value > UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	return true;
}

/* Describe the process with this path by its pairs. */
static int describe(struct model *m, struct reader_pairs about, struct reader_text path,
		    struct model_process *out, struct error *e)
{
	out->path = arena_strndup(&m->arena, path.at, path.n);
	out->command = command_of(m, about);
	out->executable = value_of(m, about, "executable");
	out->host = value_of(m, about, "host");
	out->end = value_of(m, about, "end");
	out->tool = value_of(m, about, "tool");
	out->unmarked = value_of(m, about, "unmarked");
	out->uninterpreted = value_of(m, about, "uninterpreted");
	if (!out->path || !out->command || !out->executable || !out->host || !out->end ||
	    !out->tool || !out->unmarked || !out->uninterpreted)
		return error_memory(e, 0);
	out->has_rank = small_number(about, "rank", &out->rank);
	small_number(about, "ranks", &out->ranks);
	out->has_pid = reader_pairs_u64(about, "pid", &out->pid);
	reader_pairs_u64(about, "ppid", &out->ppid);
	out->has_start = reader_pairs_u64(about, "start_ns", &out->start_ns);
	out->has_wall = reader_pairs_u64(about, "wall_ns", &out->wall_ns);
	out->has_cpu = reader_pairs_u64(about, "cpu_ns", &out->cpu_ns);
	reader_pairs_u64(about, "outside_ns", &out->outside_ns);
	reader_pairs_u64(about, "process_ns", &out->process_ns);
	reader_pairs_u64(about, "waited_ns", &out->waited_ns);
	reader_pairs_u64(about, "marks_lost", &out->marks_lost);
	reader_pairs_u64(about, "uncounted", &out->uncounted);
	return 0;
}

/* The threads that are read, and their CPU time. */
static void count_threads(const struct reader *r, const bool *left_out, struct model_process *out)
{
	bool saturated = false;

	out->threads = reader_num_threads(r);
	if (!left_out)
		return;
	out->cpu_ns = out->process_ns = out->waited_ns = 0;
	for (uint32_t i = 0; i < reader_num_threads(r); i++)
		if (left_out[i])
			out->threads--;
		else
			out->cpu_ns = sum_add(out->cpu_ns, reader_thread(r, i)->cpu_ns, &saturated);
}

int process_describe(struct model *m, const struct reader *r, const bool *left_out,
		     const char *path, struct model_process *out, struct error *e)
{
	const struct reader_header *header = reader_header(r);
	struct reader_text name = {path, (uint32_t)strlen(path)};

	if (describe(m, reader_process(r), name, out, e) != 0)
		return -1;
	if (!out->executable[0])
		out->executable = model_text(m, header->target.at, header->target.n);
	out->has_trailer = reader_has_trailer(r);
	count_threads(r, left_out, out);
	out->has_ended = !left_out && has_ended_threads(r);
	out->tramp_samples = header->tramp_samples;
	return out->executable ? 0 : error_memory(e, 0);
}

int process_describe_merged(struct model *m, const struct reader *r, uint32_t i,
			    struct model_process *out, struct error *e)
{
	struct reader_pairs about = reader_merged(r, i)->about;
	struct reader_text path = reader_pairs_get(about, "path");
	uint64_t threads = 0;

	if (!path.n)
		path = (struct reader_text){"", 0};
	if (describe(m, about, path, out, e) != 0)
		return -1;
	reader_pairs_u64(about, "threads", &threads);
	reader_pairs_u64(about, "tramp_samples", &out->tramp_samples);
	out->threads = threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
	out->has_ended = text_is(reader_pairs_get(about, "ended_threads"), "yes");
	out->has_trailer = !text_is(reader_pairs_get(about, "trailer"), "no");
	return 0;
}

/* Add the texts of a key. A merged file has the key once for each different text. */
static bool list_texts(struct model *m, model_texts *list, struct reader_pairs about,
		       const char *key)
{
	for (uint32_t i = 0; i < about.n; i++)
		if (text_is(about.at[i].key, key) &&
		    !model_list_text(list,
				     model_text(m, about.at[i].value.at, about.at[i].value.n)))
			return false;
	return true;
}

/* Count values that no row of ACCOUNT covers. In a merged file, METRICS has their number. */
static void note_unaccounted(struct reader_pairs about, bool accounted, bool has_n,
			     const struct model_sum *sum, uint64_t samples,
			     struct model_sum *unaccounted)
{
	struct model_sum more = *sum;
	bool saturated = false;

	if (accounted) {
		/* without an N column, values were counted, and ACCOUNT may have fewer samples */
		more.events = 0;
		more.samples = has_n || samples > sum->samples ? 0 : sum->samples - samples;
		reader_pairs_u64(about, "unaccounted", &more.events);
		reader_pairs_u64(about, "unaccounted_samples", &more.samples);
	}
	unaccounted->events = sum_add(unaccounted->events, more.events, &saturated);
	unaccounted->samples = sum_add(unaccounted->samples, more.samples, &saturated);
}

static bool is_in_trees(struct reader_text disposition)
{
	return text_is(disposition, dispositions[CSP_RECORDED]) ||
	       text_is(disposition, dispositions[CSP_PARTIAL]);
}

static bool has_n_column(const struct reader *r, uint32_t v)
{
	return v + 1 < reader_num_metrics(r) &&
	       reader_metric(r, v + 1)->flags & CSP_METRIC_SAMPLES &&
	       !(reader_metric(r, v)->flags & CSP_METRIC_SAMPLES);
}

int process_find_account(const struct reader *r, struct account_rows *out, struct error *e)
{
	uint32_t n = reader_num_account(r), metrics = reader_num_metrics(r), *next;

	*out = (struct account_rows){
	    .rows = calloc(n + (size_t)1, sizeof *out->rows),
	    .first = calloc(metrics + (size_t)2, sizeof *out->first),
	};
	if (!out->rows || !out->first)
		return error_memory(e, n * sizeof *out->rows);
	/* where the next row of each metric belongs; at the end, where the next metric begins */
	next = out->first + 1;
	for (uint32_t i = 0; i < n; i++)
		if (reader_account(r, i)->metric < metrics)
			next[reader_account(r, i)->metric]++;
	for (uint32_t i = 0, at = 0; i < metrics; i++) {
		uint32_t rows = next[i];
		next[i] = at;
		at += rows;
	}
	for (uint32_t i = 0; i < n; i++)
		if (reader_account(r, i)->metric < metrics)
			out->rows[next[reader_account(r, i)->metric]++] = i;
	return 0;
}

void account_rows_free(struct account_rows *a)
{
	free(a->rows);
	free(a->first);
}

int process_describe_metric(struct model *m, const struct reader *r, const bool *left_out,
			    uint32_t v, const struct account_rows *account,
			    const struct model_sum *sum, struct model_metric *metric,
			    struct error *e)
{
	struct reader_pairs about = reader_metric(r, v)->about;
	uint64_t scale = reader_metric(r, v)->period, samples = 0, cost, enabled, running;
	bool accounted = false;

	if (reader_pairs_u64(about, "cost_ns", &cost))
		metric->cost = sum_add(metric->cost, cost, &m->saturated);
	if (reader_pairs_u64(about, "enabled_ns", &enabled) &&
	    reader_pairs_u64(about, "running_ns", &running)) {
		metric->enabled = sum_add(metric->enabled, enabled, &m->saturated);
		metric->running = sum_add(metric->running, running, &m->saturated);
	}
	for (uint32_t i = 0; i < about.n; i++)
		if (text_is(about.at[i].key, "kernel"))
			metric->kernel |= text_is(about.at[i].value, "yes")  ? KERNEL_YES
					  : text_is(about.at[i].value, "no") ? KERNEL_NO
									     : KERNEL_NOT_SAID;
	if (!list_texts(m, &metric->sources, about, "source") ||
	    !list_texts(m, &metric->requested, about, "requested") ||
	    !list_texts(m, &metric->achieved, about, "achieved") ||
	    !list_texts(m, &metric->jitters, about, "jitter"))
		return error_memory(e, sizeof(char *));
	for (uint32_t i = account->first[v]; i < account->first[v + 1]; i++) {
		const struct reader_account *row = reader_account(r, account->rows[i]);
		struct model_account *to;
		if (left_out && (row->thread >= reader_num_threads(r) || left_out[row->thread]))
			continue;
		to = model_account_row(m, metric, row->disposition);
		if (!to)
			return error_memory(e, sizeof *to);
		to->samples = sum_add(to->samples, row->samples, &m->saturated);
		to->weight =
		    sum_add(to->weight, sum_mul(row->weight, scale, &m->saturated), &m->saturated);
		if (is_in_trees(row->disposition))
			samples = sum_add(samples, row->samples, &m->saturated);
		metric->has_account = accounted = true;
	}
	note_unaccounted(about, accounted, has_n_column(r, v), sum, samples, &metric->unaccounted);
	return 0;
}

/* The sums of ACCOUNT for a thread and a metric. */
struct ledger {
	uint64_t weight, in_trees, samples;
	uint32_t rows;
};

enum { MOST_COMPLAINTS = 20 };

struct check {
	const struct reader *r;
	const struct row_sums *sums;
	struct interner rows; /* threads and metrics that have ledgers; see key_of */
	VEC(struct ledger) ledgers;
	VEC(uint64_t) checks; /* keys of what is to be checked */
	size_t complaints;
	uint32_t threads, metrics;
	bool shared; /* a tree belongs to no single thread */
	model_complaint_fn *complain;
	void *context;
};

static void enter(struct ledger *l, const struct reader_account *a)
{
	bool saturated = false;

	l->rows++;
	l->weight = sum_add(l->weight, a->weight, &saturated);
	if (!is_in_trees(a->disposition))
		return;
	l->in_trees = sum_add(l->in_trees, a->weight, &saturated);
	l->samples = sum_add(l->samples, a->samples, &saturated);
}

/* CSP_NONE: all threads. */
static uint64_t key_of(uint32_t thread, uint32_t metric)
{
	return (uint64_t)thread << 32 | metric;
}

static const struct ledger *ledger_of(const struct check *c, uint32_t thread, uint32_t metric)
{
	static const struct ledger none;
	uint32_t id = interner_find(&c->rows, key_of(thread, metric));
	return id == INTERNER_NONE ? &none : &c->ledgers.at[id];
}

/* Enter a row of the account. False if memory ran out. */
static bool enter_row(struct check *c, uint32_t thread, const struct reader_account *a)
{
	uint32_t id = interner_add(&c->rows, key_of(thread, a->metric));

	if (id == INTERNER_NONE ||
	    (id == c->ledgers.len && !vec_push(&c->ledgers, (struct ledger){0})))
		return false;
	if (id < c->ledgers.len)
		enter(&c->ledgers.at[id], a);
	return true;
}

static void compare(struct check *c, uint32_t thread, uint32_t metric, const char *what,
		    uint64_t found, uint64_t want)
{
	struct reader_text name = reader_metric(c->r, metric)->name;
	char where[40] = "all threads", text[256];

	if (found == want || ++c->complaints > MOST_COMPLAINTS)
		return;
	if (thread != CSP_NONE)
		snprintf(where, sizeof where, "thread %" PRIu32, thread);
	snprintf(text, sizeof text,
		 "the account of %.*s does not agree for %s: %s is %" PRIu64
		 ", the account says %" PRIu64 " (figures may be wrong)",
		 (int)(name.n < 80 ? name.n : 80), name.at, where, what, found, want);
	c->complain(c->context, text);
}

static uint64_t tree_sum(const struct check *c, uint32_t thread, uint32_t metric)
{
	const uint64_t *row;

	if (thread == CSP_NONE)
		return row_sums_total(c->sums, metric);
	row = row_sums_row(c->sums, thread);
	return row ? row[metric] : 0;
}

/* Check the second and third equation, for one thread or for all together. */
static void check_trees(struct check *c, uint32_t thread, uint32_t metric)
{
	const struct ledger *l = ledger_of(c, thread, metric);
	struct reader_pairs about = reader_metric(c->r, metric)->about;
	uint64_t events = 0, samples = 0;
	bool saturated = false;

	/* values from datafiles without an account that were merged into this one */
	reader_pairs_u64(about, "unaccounted", &events);
	reader_pairs_u64(about, "unaccounted_samples", &samples);
	compare(c, thread, metric, "the sum of values over the nodes", tree_sum(c, thread, metric),
		sum_add(l->in_trees, events, &saturated));
	if (has_n_column(c->r, metric))
		compare(c, thread, metric, "the sum of samples over the nodes",
			tree_sum(c, thread, metric + 1), sum_add(l->samples, samples, &saturated));
}

static bool is_cpu_time(const struct check *c, uint32_t metric)
{
	return text_is(reader_metric(c->r, metric)->name, cpu_metric);
}

/* List the threads and metrics that have to be checked. Without trees, rows and CPU time, the
 * equations of a thread hold. */
static bool list_checks(struct check *c)
{
	uint32_t cpu = 0;
	bool ok = true;

	for (uint32_t i = 0; ok && i < c->rows.len; i++)
		ok = vec_push(&c->checks, c->rows.keys[i]);
	for (uint32_t i = 0; ok && i < c->sums->row_of.len; i++)
		for (uint32_t k = 0; ok && k < c->metrics; k++)
			ok = vec_push(&c->checks, key_of((uint32_t)c->sums->row_of.keys[i], k));
	while (cpu < c->metrics && !is_cpu_time(c, cpu))
		cpu++;
	for (uint32_t t = 0; ok && cpu < c->metrics && t < c->threads; t++)
		ok = vec_push(&c->checks, key_of(t, cpu));
	return ok;
}

/* By metric, then by thread; all threads first. */
static int by_metric(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	uint32_t x = (uint32_t)(a >> 32) + 1, y = (uint32_t)(b >> 32) + 1;

	if ((uint32_t)a != (uint32_t)b)
		return (uint32_t)a < (uint32_t)b ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void check_one(struct check *c, uint32_t thread, uint32_t metric)
{
	bool all = thread == CSP_NONE;

	if (!ledger_of(c, CSP_NONE, metric)->rows || (thread >= c->threads && !all))
		return;
	if (all ? c->shared || !c->threads : !c->shared)
		check_trees(c, thread, metric);
	if (!all && is_cpu_time(c, metric))
		compare(c, thread, metric, "the thread's CPU time",
			reader_thread(c->r, thread)->cpu_ns, ledger_of(c, thread, metric)->weight);
}

/* Check all equations. False if memory ran out. */
static bool check_all(struct check *c)
{
	if (!list_checks(c))
		return false;
	if (c->checks.len)
		qsort(c->checks.at, c->checks.len, sizeof *c->checks.at, by_metric);
	for (size_t i = 0; i < c->checks.len; i++)
		if (!i || c->checks.at[i] != c->checks.at[i - 1])
			check_one(c, (uint32_t)(c->checks.at[i] >> 32), (uint32_t)c->checks.at[i]);
	return true;
}

static void complain_of_more(const struct check *c)
{
	char text[64];
	size_t more = c->complaints - MOST_COMPLAINTS;

	if (c->complaints <= MOST_COMPLAINTS)
		return;
	snprintf(text, sizeof text, "%zu more account%s not agree", more,
		 more == 1 ? " does" : "s do");
	c->complain(c->context, text);
}

int process_check_account(const struct reader *r, const struct row_sums *sums,
			  model_complaint_fn *complain, void *context, struct error *e)
{
	struct check c = {.r = r,
			  .sums = sums,
			  .threads = reader_num_threads(r),
			  .metrics = reader_num_metrics(r),
			  .complain = complain,
			  .context = context};

	bool ok = true;

	for (uint32_t i = 0; ok && i < reader_num_account(r); i++) {
		const struct reader_account *a = reader_account(r, i);
		if (a->metric >= c.metrics)
			continue;
		ok = enter_row(&c, CSP_NONE, a) &&
		     (a->thread >= c.threads || enter_row(&c, a->thread, a));
	}
	for (uint32_t i = 0; i < reader_num_trees(r); i++)
		c.shared |= reader_tree(r, i)->thread >= c.threads;
	ok = ok && check_all(&c);
	if (ok)
		complain_of_more(&c);
	interner_deinit(&c.rows);
	vec_free(&c.checks);
	vec_free(&c.ledgers);
	return ok ? 0 : error_memory(e, c.ledgers.cap * sizeof(struct ledger));
}
