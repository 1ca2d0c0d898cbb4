#include "runtime/launcher/closing.h"

#include "formats/datafile.h"
#include "runtime/base/cost.h"
#include "runtime/events/list.h"
#include "runtime/launcher/cost.h"
#include "runtime/launcher/summary.h"
#include "runtime/launcher/unmeasured.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void launch_say_stores(const char *dir, const struct launch_store *store,
		       const struct launch_recovered *r)
{
	char store_argument[PATH_MAX + 1];
	snprintf(store_argument, sizeof store_argument, " %s", store->path);
	bool linked = store->link[0] && access(store->link, F_OK) == 0;
	if (r->failed)
		fprintf(stderr,
			"hpcrun: %s: no datafile was written for %u process%s; the data is kept in "
			"%s; free some space and run 'hpcprof recover %s%s%s'\n",
			r->why, r->failed, r->failed == 1 ? "" : "es", store->path,
			linked ? "" : "-o ", dir, linked ? "" : store_argument);
	if (r->running)
		fprintf(stderr,
			"hpcrun: %u process%s still run%s; 'hpcprof top %s' shows %s, and 'hpcprof "
			"recover %s' writes datafiles if they are killed\n",
			r->running, r->running == 1 ? "" : "es", r->running == 1 ? "s" : "", dir,
			r->running == 1 ? "it" : "them", dir);
}

static bool is_time(const struct csprof_event_request *r)
{
	return strcmp(r->event->unit, "ns") == 0;
}

static uint64_t samples_of(const struct launch_event *e)
{
	uint64_t all = 0;
	for (int d = 0; d < CSP_DISPOSITIONS; d++)
		all += e->samples[d];
	return all;
}

/* What its clock advanced while measuring was not stopped. */
static uint64_t measured(const struct launch_event *e)
{
	return e->clock > e->weight[CSP_STOPPED] ? e->clock - e->weight[CSP_STOPPED] : 0;
}

static uint64_t taken(const struct launch_event *e)
{
	return e->samples[CSP_RECORDED] + e->samples[CSP_PARTIAL];
}

/* The rate of samples of a time. There are two reasons for fewer than requested: measuring would
 * cost more than the budget, or there is no good source. */
static void say_rate(const struct launch_options *o, const struct csprof_event_request *asked,
		     const struct launch_event *e, double cost)
{
	const double few = 0.9, near = 0.5;
	double rate = (double)samples_of(e) * 1e9 / (double)measured(e);
	bool low = rate < few * (double)asked->rate;
	bool bounded = low && cost * CSPROF_WHOLE > near * (double)o->parsed_budget;
	bool poor = !strstr(e->source, "perf") && !launch_events_allowed();
	bool ticks = !poor && strstr(e->source, "timers") && low;
	fprintf(stderr, ", %.0f per second by %s", rate, e->source);
	if (bounded || poor || ticks)
		fprintf(stderr, " (asked: %" PRIu64 "%s%s%s)", asked->rate,
			bounded ? "; a higher --budget allows more" : "",
			poor ? "; perf_event_paranoid <= 1 would allow perf" : "",
			ticks ? "; threads that wait often are sampled at the kernel's ticks" : "");
}

/* How a count was sampled; if there are fewer samples than requested, also why. */
static void say_period(const struct launch_options *o, const struct csprof_event_request *asked,
		       const struct launch_event *e, double cost)
{
	const double few = 0.9, near = 0.5, telling = 10;
	double due = asked->period ? (double)measured(e) / (double)asked->period : 0;
	bool low = due > telling && (double)samples_of(e) < few * due;
	fprintf(stderr, " by %s", e->source);
	if (low)
		fprintf(stderr, " (asked: one for %" PRIu64 "%s)", asked->period,
			cost * CSPROF_WHOLE > near * (double)o->parsed_budget
			    ? "; a higher --budget allows more"
			    : "");
}

/* The parts of elapsed time that no CPU was used in are looked at as often as that may cost. NULL:
 * r is another event. */
static const char *off_cpu(const struct csprof_event_request *r)
{
	return strcmp(r->name, CSP_BLOCKED) == 0    ? "blocked"
	       : strcmp(r->name, CSP_RUNNABLE) == 0 ? "waiting for a CPU"
						    : NULL;
}

/* How many of the event there were, and samples of it. */
static void say_event(const struct launch_options *o, uint32_t i, const struct launch_summary *s)
{
	const struct csprof_event_request *asked = &o->events.of[i];
	const struct launch_event *e = &s->events[i];
	fprintf(stderr, "%s%" PRIu64 " samples ", i ? "; " : "", samples_of(e));
	if (off_cpu(asked))
		fprintf(stderr, "in %.2f s %s", (double)e->clock / 1e9, off_cpu(asked));
	else if (is_time(asked))
		fprintf(stderr, "in %.2f s of CPU time", (double)e->clock / 1e9);
	else
		fprintf(stderr, "of %" PRIu64 " %s", e->clock, asked->name);
	if (!measured(e) || !e->source[0] || off_cpu(asked)) /* there was no sample */
		return;
	double cost = (double)s->cost / (double)s->cpu;
	(is_time(asked) ? say_rate : say_period)(o, asked, e, cost);
}

/* Whether a source of any event is of that kind; NULL: whether there is any source, and so was any
 * sample. */
static bool any_source(const struct launch_summary *s, const char *kind)
{
	for (uint32_t i = 0; i < CSPROF_MAX_EVENTS; i++)
		if (s->events[i].source[0] && (!kind || strstr(s->events[i].source, kind)))
			return true;
	return false;
}

static void say_cost(const struct launch_summary *s)
{
	const double few_outside = 0.005;
	fprintf(stderr, "; measuring took %.1f%%", 100 * (double)s->cost / (double)s->cpu);
	if ((double)s->outside > few_outside * (double)s->cpu)
		fprintf(stderr, ", and %.3f s outside of it to start and end %u program image%s",
			(double)s->outside / 1e9, s->files, s->files == 1 ? "" : "s");
}

static void say_lost(const struct launch_recovered *r)
{
	if (r->lost)
		fprintf(stderr,
			"; %u lost (no space for %s data: shared memory is full, or file sizes "
			"are limited)",
			r->lost, r->lost == 1 ? "its" : "their");
}

/* Time without samples, which the program has caused. */
static void say_unsampled(const struct launch_event *e, bool first)
{
	static const struct {
		enum csp_disposition as;
		const char *text;
	} kinds[] = {
	    {CSP_MEASURING_OFF, "because programs restrict system calls or close descriptors"},
	    {CSP_SIGNAL_TAKEN,
	     "because programs take or block the sampling signal; try --signal RTMIN"},
	    {CSP_FAULT, "because of faults in the sampling handler"},
	    {CSP_STOPPED, "measuring was stopped"},
	};
	const double telling = 0.005;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if ((first || kinds[i].as != CSP_STOPPED) &&
		    (double)e->weight[kinds[i].as] > telling * (double)e->clock)
			fprintf(stderr, "; %.2f s without samples (%s)",
				(double)e->weight[kinds[i].as] / 1e9, kinds[i].text);
}

/* What became of the samples of all events. */
static void say_outcomes(const struct launch_options *o, const struct launch_summary *s)
{
	static const char *const names[CSP_DISPOSITIONS] = CSP_DISPOSITION_NAMES;
	uint64_t sum[CSP_DISPOSITIONS] = {0}, dropped = 0;
	const char *separator = " (";
	for (uint32_t i = 0; i < o->events.n; i++) {
		dropped += samples_of(&s->events[i]) - taken(&s->events[i]);
		for (int d = 0; d < CSP_DISPOSITIONS; d++)
			sum[d] += s->events[i].samples[d];
	}
	if (sum[CSP_PARTIAL])
		fprintf(stderr, "; %" PRIu64 " partial", sum[CSP_PARTIAL]);
	fprintf(stderr, "; %" PRIu64 " dropped", dropped);
	for (int d = CSP_PARTIAL + 1; d < CSP_DISPOSITIONS; d++)
		if (sum[d]) {
			fprintf(stderr, "%s%s %" PRIu64, separator, names[d], sum[d]);
			separator = ", ";
		}
	fputs(dropped ? ")" : "", stderr);
	bool first = true;
	for (uint32_t i = 0; i < o->events.n; i++)
		if (is_time(&o->events.of[i])) {
			say_unsampled(&s->events[i], first);
			first = false;
		}
}

void launch_say_end(const struct launch_options *o, const char *quoted, const char *dir,
		    const struct timespec *since, size_t listed, const struct launch_recovered *r,
		    uint64_t waited)
{
	const double telling = 1.01;
	struct launch_summary s;
	if (launch_summarize(dir, since, &s) < 0 || s.files == 0) {
		fprintf(stderr, "hpcrun: no datafile was written to %s", quoted);
		say_lost(r);
		launch_unmeasured_print(stderr, dir, listed);
		fputc('\n', stderr);
		return;
	}
	fprintf(stderr, "hpcrun: %s: ", quoted);
	for (uint32_t i = 0; i < o->events.n; i++)
		say_event(o, i, &s);
	if (s.cpu && any_source(&s, NULL))
		say_cost(&s);
	if (any_source(&s, "itimer"))
		fputs("; one timer for all threads: the shares of threads are approximate", stderr);
	fprintf(stderr, "; %u process%s", s.processes, s.processes == 1 ? "" : "es");
	if (s.files != s.processes)
		fprintf(stderr, " (%u program images)", s.files);
	if ((double)waited > telling * (double)s.cpu)
		fprintf(stderr, ", which took %.2f s by the kernel's count", (double)waited / 1e9);
	say_outcomes(o, &s);
	if (r->datafiles)
		fprintf(stderr, "; %u recovered because %s", r->datafiles,
			r->datafiles == 1 ? "its process could not write it"
					  : "their processes could not write them");
	say_lost(r);
	if (s.unreadable)
		fprintf(stderr, "; %u unreadable", s.unreadable);
	launch_unmeasured_print(stderr, dir, listed);
	fprintf(stderr, "; to see them: hpcprof %s\n", quoted);
}
