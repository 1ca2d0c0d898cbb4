#include "runtime/events/request.h"

#include "runtime/base/cost.h"
#include "runtime/cpu/port.h"
#include "runtime/events/list.h"

#include <stdbool.h>
#include <string.h>

#define ROW(by, name, unit, type, config, per_second, text, details)                               \
	{name, unit, text, details, {(type), (config), 0, 0, false, false}, per_second},
const struct csprof_event csprof_events[] = {CSPROF_EVENTS(ROW){0}};

static const uint64_t second = 1000000000u;

static const char *number(const char *p, uint64_t *out)
{
	uint64_t v = 0;
	const char *start = p;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (v > UINT64_MAX / 100)
			return NULL;
		v = v * 10 + (uint64_t)(*p - '0');
	}
	*out = v;
	return p == start ? NULL : p;
}

static bool unit(const char *p, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(p, units[i].name) == 0) {
			*ns = units[i].ns;
			return true;
		}
	return false;
}

static const struct csprof_event *find(const char *name, size_t n)
{
	for (const struct csprof_event *e = csprof_events; e->name; e++)
		if (*e->text && strlen(e->name) == n && memcmp(e->name, name, n) == 0)
			return e;
	return NULL;
}

/* What follows the @ or the colon. */
static int parse_time(const char *p, struct csprof_event_request *out, const char **why)
{
	bool rate = *p == 'f';
	uint64_t v, scale = 1;
	p = number(p + rate, &v);
	*why = "expected a period, as in @1ms, or a rate, as in @f1000";
	if (!p || v == 0 || (rate ? *p != '\0' : !unit(p, &scale)))
		return -1;
	*why = "rates go from 1 to 100000 samples per second";
	if (rate ? v > CSPROF_MAX_RATE : v > second / scale)
		return -1;
	out->period = rate ? second / v : v * scale;
	out->rate = (second + out->period / 2) / out->period;
	return out->period < second / CSPROF_MAX_RATE ? -1 : 0;
}

static int parse_count(const char *p, struct csprof_event_request *out, const char **why)
{
	bool rate = *p == 'f';
	uint64_t v;
	p = number(p + rate, &v);
	*why = "expected how many make a sample, as in @100, or a rate, as in @f1000";
	if (!p || v == 0 || *p)
		return -1;
	*why = "rates go from 1 to 100000 samples per second";
	out->period = rate ? 0 : v;
	out->rate = rate ? v : 0;
	return out->rate > CSPROF_MAX_RATE ? -1 : 0;
}

static bool is_time(const struct csprof_event *e)
{
	return strcmp(e->unit, "ns") == 0;
}

int csprof_event_parse(const char *text, size_t n, struct csprof_event_request *out,
		       const char **why)
{
	enum { LONGEST = 40 };
	char rest[LONGEST];
	size_t name = 0;
	while (name < n && text[name] != '@' && text[name] != ':')
		name++;
	*why = "unknown event (hpcrun -l lists them)";
	*out = (struct csprof_event_request){.event = find(text, name)};
	if (!out->event)
		return -1;
	*why = "the period is too long";
	size_t more = name < n ? n - name - 1 : 0;
	if (more >= sizeof rest)
		return -1;
	memcpy(rest, name < n ? text + name + 1 : "f1000", name < n ? more : sizeof "f1000");
	if (name < n)
		rest[more] = '\0';
	return is_time(out->event) ? parse_time(rest, out, why) : parse_count(rest, out, why);
}

size_t csprof_event_length(const char *list)
{
	return strcspn(list, ",");
}

static const struct csprof_event *row(const char *name)
{
	const struct csprof_event *e = csprof_events;
	while (strcmp(e->name, name) != 0)
		e++;
	return e;
}

static struct csprof_event_request *find_request(struct csprof_event_requests *all,
						 const struct csprof_event *event)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (all->of[i].event == event)
			return &all->of[i];
	return NULL;
}

static const char at_most[] = "at most 8 events at once (REALTIME counts as three)";

/* Elapsed time: its parts, with its period; but CPU time may have been requested with another one.
 */
static int add_parts(struct csprof_event_requests *all, const char **why)
{
	static const char *const parts[] = {CSP_BLOCKED, CSP_RUNNABLE};
	struct csprof_event_request *whole = find_request(all, row(CSPROF_REALTIME));
	const struct csprof_event *cpu = &csprof_events[0];
	if (!whole)
		return 0;
	*why = "on this CPU the looks at waiting threads would end the program's system calls";
	if (!CSPROF_CONTINUES_CALLS)
		return -1;
	*why = at_most;
	struct csprof_event_request part = *whole;
	bool both = find_request(all, cpu);
	if (all->n + 1 + !both > CSPROF_MAX_EVENTS)
		return -1;
	if (both)
		*whole = all->of[--all->n];
	else
		whole->event = cpu;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		part.event = row(parts[i]);
		all->of[all->n++] = part;
	}
	return 0;
}

int csprof_events_parse(const char *list, struct csprof_event_requests *out, const char **at,
			const char **why)
{
	struct csprof_event_request one;
	if (!list)
		list = csprof_events[0].name;
	for (size_t n;; list += n + 1) {
		n = csprof_event_length(list);
		*at = list;
		if (csprof_event_parse(list, n, &one, why) < 0)
			return -1;
		bool twice = find_request(out, one.event);
		*why = twice ? "the event is given twice" : at_most;
		if (twice || out->n == CSPROF_MAX_EVENTS)
			return -1;
		out->of[out->n++] = one;
		if (!list[n])
			return add_parts(out, why);
	}
}

int csprof_budget_parse(const char *text, uint32_t *out, const char **why)
{
	uint64_t whole, hundredths = 0;
	const char *p = number(text, &whole);
	*why = "expected percent of the CPU time, from 0.1 to 100";
	if (p && *p == '.') {
		const char *decimals = p + 1;
		p = number(decimals, &hundredths);
		if (!p || p - decimals > 2)
			return -1;
		hundredths *= p - decimals == 1 ? 10 : 1;
	}
	if (!p || *p || whole > 100)
		return -1;
	*out = (uint32_t)(whole * 100 + hundredths);
	return *out < CSPROF_LEAST_BUDGET || *out > CSPROF_WHOLE ? -1 : 0;
}
