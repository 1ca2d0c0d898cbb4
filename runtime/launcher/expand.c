#include "runtime/launcher/expand.h"

#include "formats/base/nearest.h"
#include "runtime/events/list.h"
#include "runtime/events/request.h"
#include "runtime/launcher/perf_names.h"
#include "runtime/launcher/perf_system.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An event of the list, in parts. */
struct written {
	const char *text; /* all of it, of that length */
	size_t length;
	char name[CSPROF_EVENT_BYTES];
	char period[CSPROF_EVENT_BYTES]; /* with the @ or the colon before it, or "" */
	bool user, kernel;               /* :u, :k */
	char *message;                   /* LAUNCH_MESSAGE_BYTES */
};

/* ---- messages -------------------------------------------------------------------------- */

static int refuse(const struct written *w, const char *why, const char *meant)
{
	snprintf(w->message, LAUNCH_MESSAGE_BYTES, "'%.*s': %s%s", (int)w->length, w->text, why,
		 meant);
	return -1;
}

/* The names of the machine do not stay: the nearest is copied. */
struct nearest_copy {
	struct nearest near;
	char best[NEAREST_MOST + 1];
};

static void offer(void *what, const char *name)
{
	struct nearest_copy *n = what;
	nearest_offer(&n->near, name, strlen(name));
	if (n->near.best == name) {
		snprintf(n->best, sizeof n->best, "%s", name);
		n->near.best = n->best;
	}
}

static int refuse_unknown(const struct written *w, const char *why)
{
	char hint[NEAREST_TEXT];
	struct nearest_copy n = {.near = {.typed = w->name}};
	for (const struct csprof_event *e = csprof_events; e->name; e++)
		if (*e->text)
			offer(&n, e->name);
	for (const struct launch_perf_name *e = launch_perf_names; e->name; e++)
		offer(&n, e->name);
	for (const struct launch_synonym *e = launch_synonyms; e->name; e++)
		offer(&n, e->name);
	if (strchr(w->name, '/'))
		launch_perf_pmu_events("", offer, &n);
	else if (strchr(w->name, ':'))
		launch_perf_tracepoints("", offer, &n);
	return refuse(w, why, nearest_text(hint, &n.near, ""));
}

/* ---- parts ----------------------------------------------------------------------------- */

static bool is_period(const char *text)
{
	return isdigit((unsigned char)text[*text == 'f']) || !*text;
}

/* Cut the period off the name. */
static void cut_period(struct written *w)
{
	const char *slash = strrchr(w->name, '/');
	char *from = strchr(w->name, '@');
	if (!from) {
		from = strrchr(slash ? slash : w->name, ':');
		if (!from || !is_period(from + 1))
			return;
	}
	memmove(w->period, from, strlen(from) + 1);
	*from = '\0';
}

/* Cut what follows the last colon or slash, if it can be modifiers. 0, or -1 and the message. */
static int cut_modifiers(struct written *w)
{
	static const char known[] = "ukhGHpPSDWeI";
	char *slash = strrchr(w->name, '/'), *colon = strrchr(slash ? slash : w->name, ':');
	char *from = colon ? colon : slash;
	const char *p = from ? from + 1 : "";
	if (!*p || p[strspn(p, known)])
		return 0;
	for (; *p; p++) {
		w->user |= *p == 'u';
		w->kernel |= *p == 'k';
		if (*p != 'u' && *p != 'k')
			return refuse(w, "of perf's modifiers only u and k are understood", "");
	}
	from[colon ? 0 : 1] = '\0';
	return 0;
}

static int take_apart(const char *text, size_t length, char *message, struct written *w)
{
	*w = (struct written){.text = text, .length = length, .message = message};
	if (length >= sizeof w->name)
		return refuse(w, "the name or the period is too long", "");
	memcpy(w->name, text, length);
	if (memchr(text, '{', length)) /* as it is expanded */
		return 0;
	cut_period(w);
	return cut_modifiers(w);
}

/* ---- meaning --------------------------------------------------------------------------- */

static const struct csprof_event *find_row(const char *name)
{
	for (const struct csprof_event *e = csprof_events; e->name; e++)
		if (*e->text && strcmp(e->name, name) == 0)
			return e;
	return NULL;
}

/* Of the events that the kernel also counts otherwise: by perf if a part is requested. */
static int expand_row(const struct written *w, const struct csprof_event *row,
		      struct csprof_event_request *out)
{
	if (!w->user && !w->kernel)
		return 0;
	if (strcmp(row->unit, "ns") == 0)
		return refuse(w,
			      "times cannot be requested for user code or the kernel only; reports "
			      "show how much of CPUTIME was in the kernel",
			      "");
	out->kind = row->kind;
	out->per_second = row->per_second;
	return 1;
}

/* A name that the user has given to an event of a PMU: PMU/...,name=NAME,.../. */
static void given_name(const char *name, char *out, size_t size)
{
	const char *slash = strchr(name, '/'), *given = slash ? strstr(slash, "name=") : NULL;
	if (given && (given[-1] == '/' || given[-1] == ',')) {
		given += strlen("name=");
		snprintf(out, size, "%.*s", (int)strcspn(given, ",/"), given);
	} else {
		snprintf(out, size, "%s", name);
	}
}

/* Then what follows is no tracepoint. */
static bool known_before_colon(const char *name)
{
	char first[CSPROF_EVENT_BYTES];
	size_t n = strcspn(name, ":");
	snprintf(first, sizeof first, "%.*s", (int)n, name);
	return name[n] &&
	       (find_row(first) || launch_perf_name(first, n) || launch_synonym(first, n));
}

enum { UNKNOWN_PER_SECOND = 1000 * 1000, TRACEPOINTS_PER_SECOND = 1000 };

/* What perf counts, by the name. 1, or -1 and the message. */
static int expand_perf(const struct written *w, const char *name, struct csprof_event_request *out)
{
	char why[LAUNCH_WHY_BYTES] = "unknown event (hpcrun -l lists them)";
	const struct launch_perf_name *row = launch_perf_name(name, strlen(name));
	if (row) {
		out->kind = row->kind;
		out->per_second = row->per_second;
		return 1;
	}
	if (known_before_colon(name))
		return refuse(w, "expected :u, :k, or a period, as in :1000 or @f100", "");
	int r = launch_perf_kind("", name, &out->kind, why);
	if (r <= 0)
		return refuse_unknown(w, why);
	bool tracepoint = out->kind.type == PERF_TYPE_TRACEPOINT;
	out->per_second = tracepoint ? TRACEPOINTS_PER_SECOND : UNKNOWN_PER_SECOND;
	return 1;
}

/* 1: out says what perf is to count; 0: the library knows the event by its name alone; -1 after a
 * message. */
static int expand_name(const struct written *w, bool allowed, struct csprof_event_request *out)
{
	char why[LAUNCH_WHY_BYTES], name[CSPROF_EVENT_BYTES];
	const char *means = launch_synonym(w->name, strlen(w->name));
	if (!means)
		means = w->name;
	given_name(means, name, sizeof name);
	const struct csprof_event *row = find_row(means);
	int r = row ? expand_row(w, row, out) : expand_perf(w, means, out);
	if (r < 0)
		return -1;
	if (r && (w->user || w->kernel) && launch_perf_in_kernel(&out->kind))
		return refuse(w, "all of them happen in the kernel: leave out the modifier", "");
	int n = snprintf(out->name, sizeof out->name, "%s%s", name,
			 w->user == w->kernel ? ""
			 : w->user            ? ":u"
					      : ":k");
	if (n >= (int)sizeof out->name)
		return refuse(w,
			      "the name is too long; for a PMU's event, give it a name: "
			      "PMU/...,name=SHORT/",
			      "");
	out->kind.no_kernel = w->user && !w->kernel;
	out->kind.no_user = w->kernel && !w->user;
	if (r && allowed && !launch_perf_allowed("", &out->kind, why))
		return refuse(w, why, "");
	return r;
}

/* Returns the length of what was written to out, or -1 and the message. */
static int expand_one(const char *text, size_t length, bool allowed, char *out, size_t size,
		      char *message)
{
	struct written w;
	struct csprof_event_request event = {.event = NULL}, parsed;
	const char *why;
	if (take_apart(text, length, message, &w) < 0)
		return -1;
	int n, r = strchr(w.name, '{') ? 0 : expand_name(&w, allowed, &event);
	if (r < 0)
		return -1;
	if (r)
		n = snprintf(out, size,
			     "%s{%" PRIu32 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%d:%" PRIu64 "}%s",
			     event.name, event.kind.type, event.kind.config, event.kind.config1,
			     event.kind.config2,
			     (event.kind.no_kernel ? CSPROF_NOT_KERNEL : 0) +
				 (event.kind.no_user ? CSPROF_ONLY_KERNEL : 0),
			     event.per_second, w.period);
	else
		n = snprintf(out, size, "%s%s", event.name[0] ? event.name : w.name, w.period);
	if (n >= (int)size)
		return refuse(&w, "the list is too long", "");
	return csprof_event_parse(out, (size_t)n, &parsed, &why) < 0 ? refuse(&w, why, "") : n;
}

int launch_expand(const char *list, bool allowed, char *out, size_t size,
		  char message[LAUNCH_MESSAGE_BYTES])
{
	for (size_t used = 0;; list++) {
		size_t length = csprof_event_length(list);
		int n = expand_one(list, length, allowed, out + used, size - used, message);
		if (n < 0)
			return -1;
		used += (size_t)n;
		list += length;
		if (!*list)
			return 0;
		if (used + 2 > size) {
			snprintf(message, LAUNCH_MESSAGE_BYTES, "the list is too long");
			return -1;
		}
		out[used++] = ',';
	}
}
