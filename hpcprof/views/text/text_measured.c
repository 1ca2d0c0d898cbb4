/* The text view's first part: what was measured, totals, and the processes. */
#include "hpcprof/model/sum.h"
#include "hpcprof/views/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Earlier images first. Images that began together are in the order of their datafiles. */
static int by_start(const void *pa, const void *pb)
{
	const struct model_process *a = *(const struct model_process *const *)pa;
	const struct model_process *b = *(const struct model_process *const *)pb;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* By host and pid, so that images of one process are adjacent. Strings of the model are interned,
 * so hosts are compared by pointer. */
static int by_identity(const void *pa, const void *pb)
{
	const struct model_process *a = *(const struct model_process *const *)pa;
	const struct model_process *b = *(const struct model_process *const *)pb;

	if (a->host != b->host)
		return (uintptr_t)a->host < (uintptr_t)b->host ? -1 : 1;
	if (a->has_pid != b->has_pid)
		return a->has_pid ? 1 : -1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static bool same_process(const struct model_process *a, const struct model_process *b)
{
	return a->has_pid && b->has_pid && by_identity(&a, &b) == 0;
}

/* Whether the parent is in known, which is sorted by identity. */
static bool is_child(const struct model_process *p, const struct model_process *const *known,
		     size_t n)
{
	const struct model_process parent = {.host = p->host, .has_pid = true, .pid = p->ppid};
	const struct model_process *key = &parent;

	return p->ppid != p->pid &&
	       bsearch(&key, known, n, sizeof(struct model_process *), by_identity);
}

/* The time that all processes took. */
struct span {
	const struct model_process *first; /* the earliest one that no other started */
	const struct model_process *last;  /* the last image of that process */
	uint64_t start_ns, end_ns;         /* real time; 0, 0: not known */
	uint64_t cpu_ns, outside_ns, threads;
	size_t processes; /* distinct pids; exec makes another image of the same process */
	size_t hosts;
	bool several_tools, has_cpu;
	bool more_threads; /* there were more: a row stands for several ended threads */
};

/* known is sorted by identity; the first process was found. */
static void count_distinct(struct span *s, const struct model_process *const *known, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s->processes += !i || !same_process(known[i - 1], known[i]);
		s->hosts += known[i]->host[0] && (!i || known[i - 1]->host != known[i]->host);
		s->several_tools |= known[i]->tool[0] && known[i]->tool != s->first->tool;
	}
}

/* Find the earliest process that no other started, and its last image. If parents form a cycle, use
 * the earliest process. */
static void find_first(struct span *s, const struct model_process *const *sorted,
		       const struct model_process *const *known, size_t n)
{
	s->first = sorted[0];
	for (size_t i = 0; i < n; i++)
		if (!is_child(sorted[i], known, n)) {
			s->first = sorted[i];
			break;
		}
	s->last = s->first;
	for (size_t i = 0; i < n; i++)
		if (same_process(sorted[i], s->first))
			s->last = sorted[i];
}

static const struct model_process **sorted_processes(const struct model *m,
						     int (*order)(const void *, const void *))
{
	size_t n = m->processes.len;
	const struct model_process **sorted = calloc(n + 1, sizeof(struct model_process *));

	for (size_t i = 0; sorted && i < n; i++)
		sorted[i] = &m->processes.at[i];
	if (sorted)
		qsort(sorted, n, sizeof(struct model_process *), order);
	return sorted;
}

static bool measure_span(const struct text *t, struct span *s)
{
	size_t n = t->m->processes.len;
	const struct model_process **sorted = sorted_processes(t->m, by_start);
	const struct model_process **known = sorted_processes(t->m, by_identity);
	bool ok = sorted && known, saturated = false;

	memset(s, 0, sizeof *s);
	for (size_t i = 0; ok && i < n; i++) {
		const struct model_process *p = sorted[i];
		s->cpu_ns = sum_add(s->cpu_ns, p->cpu_ns, &saturated);
		s->outside_ns = sum_add(s->outside_ns, p->outside_ns, &saturated);
		s->has_cpu |= p->has_cpu;
		s->threads += p->threads - p->has_ended;
		s->more_threads |= p->has_ended;
		if (!p->has_start || !p->has_wall)
			continue;
		if (!s->end_ns || p->start_ns < s->start_ns)
			s->start_ns = p->start_ns;
		if (sum_add(p->start_ns, p->wall_ns, &saturated) > s->end_ns)
			s->end_ns = sum_add(p->start_ns, p->wall_ns, &saturated);
	}
	if (ok) {
		find_first(s, sorted, known, n);
		count_distinct(s, known, n);
		/* a thread that called exec is in both images: count it once */
		s->threads -= s->threads > n - s->processes ? n - s->processes : 0;
	}
	free(sorted);
	free(known);
	return ok;
}

static const char *command_of(const struct model_process *p)
{
	return p->command[0] ? p->command : p->executable[0] ? p->executable : p->path;
}

/* The command without the folder of its program, because there is little room in a table. */
static const char *short_command(struct text *t, const struct model_process *p)
{
	const char *command = layout_clean(&t->arena, command_of(p)), *at = command;

	for (size_t i = 0, n = at ? strcspn(at, " ") : 0; i + 1 < n; i++)
		if (at[i] == '/')
			command = at + i + 1;
	return command;
}

static bool when(struct text *t, const struct span *s)
{
	char day[64], number[LAYOUT_NUMBER_BYTES];
	time_t seconds = (time_t)(s->start_ns / 1000000000);
	struct tm local;

	if (!s->end_ns || !localtime_r(&seconds, &local) ||
	    !strftime(day, sizeof day, "%Y-%m-%d %H:%M:%S %z", &local))
		return text_fact(t, "when", "not recorded");
	return text_fact(t, "when", "%s, for %s", day,
			 layout_value(number, s->end_ns - s->start_ns, "ns"));
}

/* The first texts of a list, separated by commas. */
static const char *joined(struct text *t, const model_texts *list)
{
	enum { MOST = 4 };
	const char *all = "";

	for (size_t i = 0; all && i < list->len && i < MOST; i++) {
		const char *clean = layout_clean(&t->arena, list->at[i]);
		all = clean ? text_format(t, "%s%s%s", all, i ? ", " : "", clean) : NULL;
	}
	return all && list->len > MOST ? text_format(t, "%s, ...", all) : all;
}

/* Samples per second of CPU time, if the metric counts nanoseconds of it: all samples that were
 * taken, with any outcome, over all the time that is accounted for. */
static const char *rate_of(struct text *t, const struct model_metric *m)
{
	uint64_t samples = 0, weight = 0;
	char number[LAYOUT_NUMBER_BYTES];
	bool saturated = false;
	double rate;

	if (strcmp(m->unit, "ns") != 0 || !m->has_account)
		return joined(t, &m->achieved);
	for (size_t i = 0; i < m->account.len; i++) {
		samples = sum_add(samples, m->account.at[i].samples, &saturated);
		weight = sum_add(weight, m->account.at[i].weight, &saturated);
	}
	if (!weight)
		return "";
	rate = 1e9 * (double)samples / (double)weight;
	if (rate >= 1e15) /* no clock has this resolution: the file is damaged */
		return text_format(t, "%.2g", rate);
	return text_format(t, "%s", layout_exact(number, (uint64_t)(rate + 0.5)));
}

static bool source(struct text *t, const struct shown_metric *c)
{
	const struct model_metric *m = c->metric;
	const char *from = joined(t, &m->sources), *asked = joined(t, &m->requested);
	const char *got = rate_of(t, m), *rate = "";

	if (!from || !asked || !got ||
	    !text_fact(t, "metric", "%s%s%s", c->metric_name, from[0] ? " from " : "", from))
		return false;
	if (asked[0])
		rate = text_format(t, "%s per second asked for%s", asked, got[0] ? ", " : "");
	if (rate && got[0])
		rate = text_format(t, "%s%s achieved", rate, got);
	if (!rate || (rate[0] && !text_fact(t, "samples", "%s", rate)))
		return false;
	if (m->interval && strcmp(m->unit, "ns") != 0)
		return text_fact(t, "", "one for %" PRIu64 " on average", m->interval);
	return true;
}

static bool facts(struct text *t, const struct span *s)
{
	const char *command = layout_clean(&t->arena, command_of(s->first));
	const char *host = layout_clean(&t->arena, s->first->host);
	const char *tool = layout_clean(&t->arena, s->first->tool);
	const char *end = layout_clean(&t->arena, s->last->end);
	size_t images = t->m->processes.len;
	bool ok;

	if (!command || !host || !tool || !end)
		return false;
	text_title(t, "What was measured");
	ok = text_fact(t, "command", "%s", command) && when(t, s);
	if (end[0])
		ok &= text_fact(t, "end", "%s", end);
	if (host[0] && s->hosts > 1)
		ok &= text_fact(t, "hosts", "%zu, %s among them", s->hosts, host);
	else if (host[0])
		ok &= text_fact(t, "host", "%s", host);
	ok &= text_fact(t, "processes",
			images > s->processes ? "%zu, with %zu program images"
			: images > 1          ? "%zu"
					      : "1",
			s->processes, images);
	if (s->threads)
		ok &= text_fact(t, "threads", s->more_threads ? "more than %" PRIu64 : "%" PRIu64,
				s->threads);
	for (size_t i = 0; i < t->num_columns; i++)
		ok &= source(t, &t->columns[i]);
	if (t->columns_left_out)
		ok &= text_fact(t, "", "and %zu more metric%s that -m shows", t->columns_left_out,
				t->columns_left_out == 1 ? "" : "s");
	if (tool[0])
		ok &= text_fact(t, "tool", s->several_tools ? "%s and others" : "%s", tool);
	return ok;
}

/* What measuring took, within the CPU time and outside of it. */
static bool costs(struct text *t, const struct span *s)
{
	char number[LAYOUT_NUMBER_BYTES];
	bool ok = true, within = false;

	for (size_t i = 0; s->has_cpu && s->cpu_ns && i < t->num_columns; i++) {
		uint64_t cost = t->columns[i].metric->cost;
		if (!cost)
			continue;
		within = true;
		ok &= text_fact(t, "measuring", "took %s of that, %.1f%%",
				layout_value(number, cost, "ns"),
				100 * (double)cost / (double)s->cpu_ns);
	}
	if (s->outside_ns)
		ok &= text_fact(t, within ? "" : "measuring",
				within ? "and %s besides, to start and end program images"
				       : "took %s besides, to start and end program images",
				layout_value(number, s->outside_ns, "ns"));
	return ok;
}

static bool totals(struct text *t, const struct span *s)
{
	char cpu[LAYOUT_NUMBER_BYTES], wall[LAYOUT_NUMBER_BYTES], number[LAYOUT_NUMBER_BYTES];
	uint64_t wall_ns = s->end_ns - s->start_ns;
	bool ok = true;

	text_title(t, "Totals");
	if (s->has_cpu)
		ok &= text_fact(t, "CPU time", "%s, user and system, of all processes",
				layout_value(cpu, s->cpu_ns, "ns"));
	ok &= costs(t, s);
	if (wall_ns && s->has_cpu)
		ok &= text_fact(t, "wall time", "%s (%.2f CPUs busy on average)",
				layout_value(wall, wall_ns, "ns"),
				(double)s->cpu_ns / (double)wall_ns);
	else if (wall_ns)
		ok &= text_fact(t, "wall time", "%s", layout_value(wall, wall_ns, "ns"));
	for (size_t i = 0; i < t->num_columns; i++) {
		const struct model_metric *m = t->columns[i].metric;
		layout_value(cpu, m->total.events, m->unit);
		ok &= text_fact(t, i ? "" : "recorded", "%s %s in %s samples (100%% below)", cpu,
				t->columns[i].metric_name, layout_exact(number, m->total.samples));
	}
	return ok;
}

/* ---- processes ------------------------------------------------------------------ */

static uint64_t value_of(const struct text *t, const struct model_process *p, size_t column)
{
	uint32_t metric = (uint32_t)(t->columns[column].metric - t->m->metrics.at);

	if (metric >= p->num_sums)
		return 0;
	return t->o->samples ? p->sums[metric].samples : p->sums[metric].events;
}

static int by_value(const void *pa, const void *pb, void *context)
{
	const struct model_process *a = *(const struct model_process *const *)pa;
	const struct model_process *b = *(const struct model_process *const *)pb;
	const struct text *t = context;
	uint64_t x = t->num_columns ? value_of(t, a, 0) : 0;
	uint64_t y = t->num_columns ? value_of(t, b, 0) : 0;
	int names = strcmp(command_of(a), command_of(b));

	if (t->o->sort != SORT_NAME && x != y)
		return x > y ? -1 : 1;
	return names ? names : by_start(pa, pb);
}

static bool process_row(struct text *t, struct layout_table *table, const struct model_process *p)
{
	char number[LAYOUT_NUMBER_BYTES];
	bool ok = true;

	for (size_t i = 0; i < t->num_columns; i++)
		ok &= text_value_cells(t, table, value_of(t, p, i), i);
	ok &= layout_number(table, p->has_wall ? layout_value(number, p->wall_ns, "ns") : "");
	snprintf(number, sizeof number, "%" PRIu64, p->pid);
	ok &= layout_number(table, p->has_pid ? number : "");
	ok &= layout_cell(table, layout_clean(&t->arena, p->end));
	return ok && layout_cell(table, short_command(t, p));
}

static bool processes(struct text *t)
{
	size_t n = t->m->processes.len, rows = text_rows(t, 10), columns = 0;
	const struct model_process **sorted = sorted_processes(t->m, by_start);
	struct layout_column *titles = calloc(2 * t->num_columns + 4, sizeof *titles);
	struct layout_table table = {.arena = &t->arena, .columns = titles};
	bool ok = sorted && titles;

	if (ok)
		qsort_r(sorted, n, sizeof(struct model_process *), by_value, t);
	for (size_t i = 0; ok && i < t->num_columns; i++) {
		titles[columns++] = (struct layout_column){t->columns[i].name, true, CUT_NOT, 0};
		titles[columns++] = (struct layout_column){"", true, CUT_NOT, 0};
	}
	if (ok) {
		titles[columns++] = (struct layout_column){"wall", true, CUT_NOT, 0};
		titles[columns++] = (struct layout_column){"pid", true, CUT_NOT, 0};
		titles[columns++] = (struct layout_column){"end", false, CUT_NOT, 0};
		titles[columns++] = (struct layout_column){"command", false, CUT_MIDDLE, 12};
	}
	table.num_columns = columns;
	for (size_t i = 0; ok && i < n && i < rows; i++)
		ok = process_row(t, &table, sorted[i]);
	if (ok) {
		text_title(t, "Processes");
		ok = layout_print(t->out, &table, t->o->width);
		if (rows < n)
			fprintf(t->out, "  ... and %zu more\n", n - rows);
	}
	layout_table_deinit(&table);
	free(titles);
	free(sorted);
	return ok;
}

bool text_measured(struct text *t)
{
	struct span s;

	return measure_span(t, &s) && facts(t, &s) && totals(t, &s) &&
	       (t->m->processes.len < 2 || processes(t));
}
