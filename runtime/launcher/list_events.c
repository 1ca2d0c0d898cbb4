#include "runtime/launcher/list_events.h"

#include "formats/base/vec.h"
#include "runtime/events/request.h"
#include "runtime/launcher/perf_names.h"
#include "runtime/launcher/perf_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 78, COLUMN = 18 /* where the texts begin */ };

/* What cannot be sampled, and why. */
struct refused {
	char *name, *why;
};
struct list {
	launch_each_event *each; /* of those that can be sampled */
	void *what;
	bool details;
	VEC(struct refused) refused;
};

static void add_refused(struct list *l, const char *name, const char *why)
{
	struct refused r = {strdup(name), strdup(why)};
	if (r.name && r.why && vec_push(&l->refused, r))
		return;
	free(r.name);
	free(r.why);
}

static void print(void *unused, const char *name, const char *text)
{
	(void)unused;
	printf("%-*s  %s\n", COLUMN - 2, name, text);
}

/* Words, from that column on, where the line is now. */
static void wrap(const char *text, int column)
{
	int at = column;
	for (const char *p = text; *p;) {
		int n = (int)strcspn(p, " ");
		if (at > column && at + 1 + n > WIDTH) {
			printf("\n%*s", column, "");
			at = column;
		}
		at += printf("%s%.*s", at > column ? " " : "", n, p);
		p += n + (p[n] == ' ');
	}
	putchar('\n');
}

/* ---- what the library knows ------------------------------------------------------------- */

static void list_rows(const struct list *l)
{
	for (const struct csprof_event *e = csprof_events; e->name; e++) {
		if (!*e->text)
			continue;
		l->each(l->what, e->name, e->text);
		for (const char *line = e->details; l->details && *line;) {
			int n = (int)strcspn(line, "\n");
			printf("%*s%.*s\n", COLUMN, "", n, line);
			line += n + (line[n] == '\n');
		}
	}
}

/* ---- what perf counts ------------------------------------------------------------------- */

static void list_names(struct list *l)
{
	char why[LAUNCH_WHY_BYTES], without[LAUNCH_WHY_BYTES], name[64];
	for (const struct launch_perf_name *e = launch_perf_names; e->name; e++) {
		struct os_perf_kind outside = e->kind;
		outside.no_kernel = true;
		snprintf(name, sizeof name, "%s:u", e->name);
		if (launch_perf_allowed("", &e->kind, why))
			l->each(l->what, e->name, e->text);
		else if (!launch_perf_in_kernel(&e->kind) &&
			 launch_perf_allowed("", &outside, without))
			l->each(l->what, name, e->text);
		else
			add_refused(l, e->name, why);
	}
}

static void list_pmu_event(void *what, const char *name)
{
	struct list *l = what;
	char why[LAUNCH_WHY_BYTES], text[LAUNCH_WHY_BYTES];
	struct os_perf_kind kind = {.type = 0};
	snprintf(text, sizeof text, "an event of this machine's PMU %.*s", (int)strcspn(name, "/"),
		 name);
	if (launch_perf_kind("", name, &kind, why) > 0 && launch_perf_allowed("", &kind, why))
		l->each(l->what, name, text);
	else
		add_refused(l, name, why);
}

/* A tracepoint of any kernel that has some: the first. */
static void keep_first(void *what, const char *name)
{
	char *first = what;
	if (!*first)
		snprintf(first, LAUNCH_WHY_BYTES, "%s", name);
}

static void list_tracepoints(struct list *l)
{
	static const char form[] = "SYSTEM:NAME";
	char first[LAUNCH_WHY_BYTES] = "", why[LAUNCH_WHY_BYTES], text[LAUNCH_WHY_BYTES];
	struct os_perf_kind kind = {.type = 0};
	long n = launch_perf_tracepoints("", keep_first, first);
	if (launch_perf_kind("", n > 0 ? first : form, &kind, why) <= 0 ||
	    !launch_perf_allowed("", &kind, why)) {
		add_refused(l, form, why);
		return;
	}
	snprintf(text, sizeof text, "a tracepoint of the kernel, of %ld, such as %s", n, first);
	l->each(l->what, form, text);
}

static void list_codes(struct list *l)
{
	char why[LAUNCH_WHY_BYTES];
	struct os_perf_kind kind = launch_perf_name("cycles", strlen("cycles"))->kind;
	kind.no_kernel = true;
	if (launch_perf_allowed("", &kind, why)) {
		l->each(l->what, "rHEX", "an event by the code that the CPU's manual gives it");
		l->each(l->what, "PMU/TERM=N,.../",
			"the same, by terms (/sys/bus/event_source/devices)");
	} else {
		add_refused(l, "rHEX", why);
	}
}

/* ---- details --------------------------------------------------------------------------- */

static void append(char **list, const char *name)
{
	char *longer;
	if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? ", " : "", name) < 0)
		return;
	free(*list);
	*list = longer;
}

/* Those with the same reason together. */
static void explain_refused(const struct list *l)
{
	enum { INDENT = 2 };
	for (size_t i = 0; i < l->refused.len; i++) {
		char *names = NULL;
		bool told = false;
		const char *why = l->refused.at[i].why;
		for (size_t k = 0; k < l->refused.len; k++) {
			bool same = strcmp(l->refused.at[k].why, why) == 0;
			told |= same && k < i;
			if (same)
				append(&names, l->refused.at[k].name);
		}
		if (!told && names) {
			printf("%s\n%*s", i ? "" : "\nCannot be sampled here:", INDENT, "");
			wrap(why, INDENT);
			printf("%*s", 2 * INDENT, "");
			wrap(names, 2 * INDENT);
		}
		free(names);
	}
}

static void explain_names(void)
{
	enum { INDENT = 2 };
	puts("\nEVENT:u counts what happens outside the kernel, EVENT:k what happens in it; both\n"
	     "can be requested at once.\n"
	     "\nOther names:");
	/* in their order those with the same meaning are together */
	for (const struct launch_synonym *s = launch_synonyms; s->name;) {
		char *names = NULL;
		const char *means = s->means;
		for (; s->name && strcmp(s->means, means) == 0; s++)
			append(&names, s->name);
		int n = printf("%*s%-*s ", INDENT, "", COLUMN + 6, means);
		wrap(names ? names : "", n);
		free(names);
	}
}

static void list_all(struct list *l)
{
	list_rows(l);
	list_names(l);
	launch_perf_pmu_events("", list_pmu_event, l);
}

static void free_refused(struct list *l)
{
	for (size_t i = 0; i < l->refused.len; i++) {
		free(l->refused.at[i].name);
		free(l->refused.at[i].why);
	}
	vec_free(&l->refused);
}

void launch_list_events(bool details)
{
	struct list l = {.each = print, .details = details};
	list_all(&l);
	list_codes(&l);
	list_tracepoints(&l);
	if (details) {
		explain_names();
		explain_refused(&l);
	} else if (l.refused.len) {
		printf("\n%zu more cannot be sampled here; hpcrun -L says why.\n", l.refused.len);
	}
	free_refused(&l);
}

void launch_each_name(launch_each_event *each, void *what)
{
	struct list l = {.each = each, .what = what};
	list_all(&l);
	free_refused(&l);
}
