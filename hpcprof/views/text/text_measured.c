/* What the text view says of a measurement: when, how and where, and what it cost. */
#include "hpcprof/model/sum.h"
#include "hpcprof/views/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* "2026-11-20 10:00:12 +0000", in the local time zone; NULL if the time cannot be told or memory
 * ran out. */
static const char *moment(struct text *t, uint64_t ns)
{
	char day[64];
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm local;

	if (!localtime_r(&seconds, &local) ||
	    !strftime(day, sizeof day, "%Y-%m-%d %H:%M:%S %z", &local))
		return NULL;
	return text_format(t, "%s", day);
}

static bool when(struct text *t, const struct text_span *s)
{
	const char *from = s->wall.end_ns ? moment(t, s->wall.start_ns) : NULL;
	const char *to = s->wall.runs > 1 ? moment(t, s->wall.end_ns) : NULL;
	char number[LAYOUT_NUMBER_BYTES];

	if (!from)
		return text_fact(t, "when", "not recorded");
	layout_value(number, s->wall.ran_ns, "ns");
	if (to)
		return text_fact(t, "when", "%s to %s, %zu runs of %s in all", from, to,
				 s->wall.runs, number);
	return text_fact(t, "when", "%s, for %s", from, number);
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
		rate = text_format(t, "%s%s%s achieved", rate, got, asked[0] ? "" : " per second");
	if (!rate || (rate[0] && !text_fact(t, "samples", "%s", rate)))
		return false;
	if (m->interval && strcmp(m->unit, "ns") != 0)
		return text_fact(t, "", "one for %" PRIu64 " asked for", m->interval);
	return true;
}

static bool facts(struct text *t, const struct text_span *s)
{
	const char *command = layout_clean(&t->arena, text_command_of(s->first));
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
static bool costs(struct text *t, const struct text_span *s)
{
	char number[LAYOUT_NUMBER_BYTES];
	bool ok = true, saturated = false, within;
	uint64_t cost = 0;

	for (size_t i = 0; i < t->m->metrics.len; i++)
		cost = sum_add(cost, t->m->metrics.at[i].cost, &saturated);
	within = cost && s->has_cpu && s->cpu_ns;
	if (within)
		ok = text_fact(t, "measuring", "took %s of that, %.1f%%",
			       layout_value(number, cost, "ns"),
			       100 * (double)cost / (double)s->cpu_ns);
	if (s->outside_ns)
		ok &= text_fact(t, within ? "" : "measuring",
				within ? "and %s besides, to start and end program images"
				       : "took %s besides, to start and end program images",
				layout_value(number, s->outside_ns, "ns"));
	return ok;
}

/* The kernel's count, and what it has beyond the accounts: of processes that were not measured,
 * that were killed, and of ends after the account was closed. */
static bool by_wait4(struct text *t, const struct text_span *s)
{
	bool saturated = false;
	uint64_t known = sum_add(s->cpu_ns, s->unseen_ns, &saturated);
	char number[LAYOUT_NUMBER_BYTES];
	const char *rest = "";

	if (!s->waited_ns)
		return true;
	layout_value(number, s->waited_ns, "ns");
	if (s->waited_ns > known) {
		char beyond[LAYOUT_NUMBER_BYTES];
		rest = text_format(t, ", %s in no account",
				   layout_value(beyond, s->waited_ns - known, "ns"));
	}
	return rest && text_fact(t, "by wait4", "%s, command and children%s", number, rest);
}

static bool totals(struct text *t, const struct text_span *s)
{
	char cpu[LAYOUT_NUMBER_BYTES], wall[LAYOUT_NUMBER_BYTES];
	uint64_t wall_ns = s->wall.ran_ns;
	bool ok = true;

	text_title(t, "Totals");
	if (s->has_cpu)
		ok &= text_fact(t, "CPU time", "%s, user and system, of all threads that were seen",
				layout_value(cpu, s->cpu_ns, "ns"));
	ok &= costs(t, s);
	if (s->unseen_ns)
		ok &= text_fact(t, "not seen", "%s " TEXT_UNSEEN,
				layout_value(cpu, s->unseen_ns, "ns"));
	ok &= by_wait4(t, s);
	if (wall_ns && s->has_cpu)
		ok &= text_fact(t, "wall time", "%s (%.2f CPUs busy on average)",
				layout_value(wall, wall_ns, "ns"),
				(double)s->cpu_ns / (double)wall_ns);
	else if (wall_ns)
		ok &= text_fact(t, "wall time", "%s", layout_value(wall, wall_ns, "ns"));
	for (size_t i = 0; i < t->num_columns; i++) {
		const struct model_metric *m = t->columns[i].metric;
		layout_value(cpu, m->total.events, m->unit);
		ok &= text_fact(t, i ? "" : "recorded", "%s %s%s (100%% below)", cpu,
				t->columns[i].metric_name, text_in_samples(t, m));
	}
	return ok;
}

bool text_measured(struct text *t, const struct text_span *s)
{
	return facts(t, s) && totals(t, s);
}
