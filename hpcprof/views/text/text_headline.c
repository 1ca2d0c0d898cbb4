/* The text view's headline: what ran, its time, and what is known of it. */
#include "hpcprof/metrics/path_filter.h"
#include "hpcprof/metrics/ratio.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/views/text/text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* A program that was on a CPU for less than this part of its wall time waited. */
enum { WAITING_PERCENT = 20, LEAST_WALL_NS = 50000000 };

/* Time between the processes of a run is told if it is more than this part of their wall time, in
 * percent. */
enum { TELLING_PART = 5 };

static const struct model_metric *find_metric(const struct model *m, const char *name)
{
	for (size_t i = 0; i < m->metrics.len; i++)
		if (strcmp(m->metrics.at[i].name, name) == 0)
			return &m->metrics.at[i];
	return NULL;
}

/* " (2.1 s user, 1.3 s kernel)": the CPU time in the proportion of the samples; or "". */
static const char *parts(struct text *t, const struct text_span *s)
{
	char user[LAYOUT_NUMBER_BYTES], kernel[LAYOUT_NUMBER_BYTES];
	const struct model_metric *m = find_metric(t->m, CSP_CPUTIME);
	uint64_t in_kernel;

	if (!m || !m->total.events)
		return "";
	in_kernel = kernel_total(t->m, m->events, NULL);
	if (!in_kernel)
		return "";
	in_kernel = (uint64_t)((double)s->cpu_ns * (double)in_kernel / (double)m->total.events);
	in_kernel = in_kernel < s->cpu_ns ? in_kernel : s->cpu_ns;
	return text_format(t, " (%s user, %s kernel)",
			   layout_value(user, s->cpu_ns - in_kernel, "ns"),
			   layout_value(kernel, in_kernel, "ns"));
}

static bool cpu_time(struct text *t, const struct text_span *s)
{
	const char *modes;
	char cpu[LAYOUT_NUMBER_BYTES], wall[LAYOUT_NUMBER_BYTES];
	uint64_t wall_ns = s->wall.ran_ns;
	double busy = wall_ns ? (double)s->cpu_ns / (double)wall_ns : 0;
	const char *share;

	if (!s->has_cpu)
		return !wall_ns ||
		       text_fact(t, "wall time", "%s", layout_value(wall, wall_ns, "ns"));
	modes = parts(t, s);
	layout_value(cpu, s->cpu_ns, "ns");
	if (!wall_ns || !modes)
		return modes && text_fact(t, "CPU time", "%s%s", cpu, modes);
	share = busy < 1 ? text_format(t, "%.*f%% of one CPU", busy < 0.1 ? 1 : 0, 100 * busy)
			 : text_format(t, "%.2f CPUs busy on average", busy);
	return share && text_fact(t, "CPU time", "%s%s in %s of wall time (%s)", cpu, modes,
				  layout_value(wall, wall_ns, "ns"), share);
}

/* "2026-11-20 10:00 to 2026-11-26 09:12", or in one day "2026-11-26 09:12:08 to 09:12:44". NULL if
 * the times cannot be told or memory ran out. */
static const char *from_to(struct text *t, const struct wall_time *w)
{
	const time_t ends[2] = {(time_t)(w->start_ns / 1000000000),
				(time_t)(w->end_ns / 1000000000)};
	struct tm from, to;
	char first[64], last[64];
	bool day;

	if (!localtime_r(&ends[0], &from) || !localtime_r(&ends[1], &to))
		return NULL;
	day = from.tm_year == to.tm_year && from.tm_yday == to.tm_yday;
	if (!strftime(first, sizeof first, day ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M", &from) ||
	    !strftime(last, sizeof last, day ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &to))
		return NULL;
	return text_format(t, "%s to %s", first, last);
}

/* Wall time is that in which a process ran. Where much more passed, this is told. */
static bool apart(struct text *t, const struct text_span *s)
{
	const struct wall_time *w = &s->wall;
	uint64_t between = w->end_ns - w->start_ns - w->ran_ns;
	const char *when = w->runs > 1 ? from_to(t, w) : NULL;
	char number[LAYOUT_NUMBER_BYTES];

	if (when)
		return text_fact(t, "runs", "%zu from %s", w->runs, when) &&
		       text_fact(t, "", "the %s between them are not counted",
				 layout_value(number, between, "ns"));
	if (between / TELLING_PART <= w->ran_ns / 100)
		return true;
	return text_fact(t, "", "without %s in which nothing measured ran",
			 layout_value(number, between, "ns"));
}

const char *text_in_samples(struct text *t, const struct model_metric *m)
{
	bool estimated = model_num_estimated(t->m) > 0;
	char number[LAYOUT_NUMBER_BYTES];
	const char *text;

	if (estimated && !m->interval)
		return "";
	text =
	    text_format(t, " in %s%s sample%s", estimated ? "about " : "",
			layout_exact(number, m->total.samples), m->total.samples == 1 ? "" : "s");
	return text ? text : "";
}

bool text_took_turns(const struct model_metric *m)
{
	return m->running < m->enabled && m->enabled - m->running >= m->enabled / 1000;
}

/* " (counted 63% of the time)", or "". */
static const char *by_turns(struct text *t, const struct model_metric *m)
{
	char share[LAYOUT_NUMBER_BYTES];
	const char *text = "";

	if (text_took_turns(m))
		text = text_format(t, " (counted %s of the time)",
				   layout_percent(share, m->running, m->enabled));
	return text ? text : "";
}

static bool ratio_of_all(struct text *t, size_t i)
{
	const struct shown_ratio *r = &t->chosen->ratios[i];
	uint64_t *totals = arena_alloc(&t->arena, t->num_columns * sizeof *totals);
	char ratio[RATIO_BYTES];

	for (size_t k = 0; totals && k < t->num_columns; k++)
		totals[k] = t->columns[k].total;
	return totals && text_fact(t, i ? "" : "ratio", "%s %s", r->name,
				   ratio_text(ratio, t->chosen, i, totals));
}

static bool recorded(struct text *t, const struct text_span *s)
{
	char value[LAYOUT_NUMBER_BYTES];
	const char *cost = "";
	uint64_t sum = 0;
	bool ok = true, saturated = false;

	for (size_t i = 0; i < t->m->metrics.len; i++)
		sum = sum_add(sum, t->m->metrics.at[i].cost, &saturated);
	if (sum && s->cpu_ns)
		cost = text_format(t, "; measuring took %.1f%%",
				   100 * (double)sum / (double)s->cpu_ns);
	for (size_t i = 0; ok && i < t->num_columns; i++) {
		const struct model_metric *m = t->columns[i].metric;
		ok = cost && text_fact(t, i ? "" : "recorded", "%s %s%s%s%s",
				       layout_value(value, m->total.events, m->unit),
				       t->columns[i].metric_name, text_in_samples(t, m),
				       by_turns(t, m), i ? "" : cost);
	}
	for (size_t i = 0; ok && i < t->num_ratios; i++)
		ok = ratio_of_all(t, i);
	if (ok && t->columns_left_out)
		ok = text_fact(t, "", "and %zu more metric%s that -m shows", t->columns_left_out,
			       t->columns_left_out == 1 ? "" : "s");
	if (ok && t->m->has_windows)
		ok = text_fact(t, "values", "of instructions after %s samples: hpcprof values",
			       layout_exact(value, t->m->windows.windows));
	return ok;
}

/* CPU time that is in no thread's account, if it is 1% or more of all. */
static bool unseen(struct text *t, const struct text_span *s)
{
	char number[LAYOUT_NUMBER_BYTES];

	if (!s->has_cpu || !s->unseen_ns || s->unseen_ns < s->cpu_ns / 99)
		return true;
	return text_fact(t, "not seen", "%s " TEXT_UNSEEN,
			 layout_value(number, s->unseen_ns, "ns"));
}

/* What the clocks advanced while the user or the program had stopped measuring. */
static bool stopped(struct text *t)
{
	char number[LAYOUT_NUMBER_BYTES];
	bool ok = true, any = false;

	for (size_t i = 0; ok && i < t->num_columns; i++) {
		const struct model_metric *m = t->columns[i].metric;
		uint64_t weight =
		    m->account.len > CSP_STOPPED ? m->account.at[CSP_STOPPED].weight : 0;
		if (weight < 1 + m->total.events / 1000)
			continue;
		ok = text_fact(t, any ? "" : "stopped",
			       "%s %s while measuring was stopped on request",
			       layout_value(number, weight, m->unit), t->columns[i].metric_name);
		any = true;
	}
	return ok;
}

/* How much of the first metric is on the paths that the user chose. */
static bool chosen_paths(struct text *t)
{
	char value[LAYOUT_NUMBER_BYTES], percent[LAYOUT_NUMBER_BYTES];
	const char *paths = t->chosen->outside ? path_filter_text(t->o, &t->arena) : "";
	uint64_t sum = 0;
	bool saturated = false;

	if (!t->chosen->outside || !paths)
		return paths != NULL;
	for (uint32_t i = MODEL_ROOTS; i < model_num_contexts(t->m); i++)
		sum = sum_add(sum, t->columns[0].values[i], &saturated);
	return text_fact(t, "shown", "%s of it, %s, on %s",
			 layout_percent(percent, sum, t->columns[0].total),
			 layout_value(value, sum, t->columns[0].unit), paths);
}

/* What files of other profilers do not have. */
static void tell_missing_foreign(struct text *t)
{
	size_t all = t->m->processes.len, flat = model_num_flat(t->m);
	bool periods = false;

	for (size_t i = 0; i < t->num_columns; i++)
		periods |= t->columns[i].metric->interval != 0;
	if (model_num_estimated(t->m) && periods)
		text_paragraph(t, "Numbers of samples that files do not have are estimated as "
				  "events / period.");
	if (flat && flat == all)
		text_paragraph(t, "There are no call paths in the file%s, and so no totals.",
			       all == 1 ? "" : "s");
	else if (flat)
		text_paragraph(t, "%zu of %zu files %s no call paths; totals of %s are only self.",
			       flat, all, flat == 1 ? "has" : "have", flat == 1 ? "it" : "them");
}

static bool any_foreign(const struct model *m)
{
	bool any = false;

	for (size_t i = 0; i < m->processes.len; i++)
		any |= m->processes.at[i].foreign;
	return any;
}

/* What profiles in XML do not have. */
static void tell_missing(struct text *t)
{
	size_t all = t->m->processes.len, n = model_num_estimated(t->m);
	size_t flat = model_num_flat(t->m);
	const char *paths = flat && flat == all ? ". A PROFILE has no call paths, and so no totals"
			    : flat ? ". Totals of a PROFILE, which has no call paths, are only self"
				   : "";

	if (any_foreign(t->m)) {
		tell_missing_foreign(t);
		return;
	}
	if (n && n == all)
		text_paragraph(t,
			       "XML has no numbers of samples: they are estimated as events / "
			       "period%s.",
			       paths);
	else if (n)
		text_paragraph(t,
			       "%zu of %zu files %s XML without numbers of samples, which are "
			       "estimated as events / period%s.",
			       n, all, n == 1 ? "is" : "are", paths);
}

static bool processes(struct text *t, const struct text_span *s)
{
	size_t images = t->m->processes.len;
	bool ok = true;

	if (images > s->processes)
		ok =
		    text_fact(t, "processes", "%zu, with %zu program images", s->processes, images);
	else if (images > 1)
		ok = text_fact(t, "processes", "%zu", images);
	if (ok && s->threads > s->processes)
		ok = text_fact(t, "threads", s->more_threads ? "more than %" PRIu64 : "%" PRIu64,
			       s->threads);
	return ok;
}

static bool unmeasured(struct text *t)
{
	enum { NAMED = 5 };
	const unmeasured_list *all = &t->p->unmeasured;
	const char *list = "";

	for (size_t i = 0; list && i < all->len && i < NAMED; i++) {
		const struct unmeasured *u = &all->at[i];
		const char *name = layout_clean(&t->arena, u->name);
		const char *times = u->starts > 1 ? text_format(t, ", %zu times", u->starts) : "";
		list = name && times ? text_format(t, "%s%s%s (%s%s)", list, i ? "; " : "", name,
						   u->reason, times)
				     : NULL;
	}
	if (!list || !all->len)
		return list != NULL;
	return all->len > NAMED
		   ? text_fact(t, "unmeasured", "%s; and %zu more programs", list, all->len - NAMED)
		   : text_fact(t, "unmeasured", "%s", list);
}

/* Whether the program hardly ran. Not told of several runs: one may be of another program. */
static bool waited(const struct text_span *s)
{
	uint64_t wall_ns = s->wall.ran_ns;
	bool saturated = false;

	return s->has_cpu && s->wall.runs == 1 && wall_ns >= LEAST_WALL_NS && s->last->has_wall &&
	       sum_add(s->last->start_ns, s->last->wall_ns, &saturated) >=
		   s->wall.end_ns - wall_ns / 100 &&
	       s->cpu_ns / WAITING_PERCENT < wall_ns / 100;
}

/* What the threads did all the time, if that was measured. */
static bool thread_time(struct text *t)
{
	static const struct {
		const char *metric, *what;
	} parts[] = {{CSP_CPUTIME, "on a CPU"},
		     {CSP_BLOCKED, "blocked"},
		     {CSP_RUNNABLE, "waiting for a CPU"}};
	const struct model_metric *all = NULL;
	char number[LAYOUT_NUMBER_BYTES];
	const char *text = "";

	for (size_t i = 0; i < t->m->metrics.len; i++)
		if (t->m->metrics.at[i].flags & MODEL_SUM)
			all = &t->m->metrics.at[i];
	if (!all || !all->total.events)
		return true;
	for (size_t i = 0; text && i < sizeof parts / sizeof *parts; i++) {
		const struct model_metric *m = find_metric(t->m, parts[i].metric);
		layout_percent(number, m ? m->total.events : 0, all->total.events);
		text = text_format(t, "%s%s%s %s", text, i ? ", " : "", number, parts[i].what);
	}
	return text && text_fact(t, "thread time", "%s: %s",
				 layout_value(number, all->total.events, "ns"), text);
}

bool text_headline(struct text *t, const struct text_span *s)
{
	const char *command = layout_clean(&t->arena, text_command_of(s->first));
	const char *end = layout_clean(&t->arena, s->last->end);

	if (!command || !end)
		return false;
	command = layout_cut_middle(&t->arena, command, t->o->width);
	if (!command)
		return false;
	layout_title(t->out, t->o->color, command);
	if (!cpu_time(t, s) || !apart(t, s) || !thread_time(t) || !recorded(t, s) ||
	    !unseen(t, s) || !stopped(t) || !chosen_paths(t) || !processes(t, s) || !unmeasured(t))
		return false;
	if (end[0] && strcmp(end, "exit 0") != 0 && !text_fact(t, "end", "%s", end))
		return false;
	tell_missing(t);
	if (waited(s) && !find_metric(t->m, CSP_BLOCKED))
		text_paragraph(
		    t,
		    "%.1f%% of the wall time was not on a CPU: the program waited. What "
		    "follows is of the rest; 'hpcrun -e REALTIME' shows where it waited.",
		    100 - 100 * (double)s->cpu_ns / (double)s->wall.ran_ns);
	return true;
}
