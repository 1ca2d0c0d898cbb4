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
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return NULL;
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

/* Of the events with a name of their own. */
static const struct csprof_event *find(const char *name, size_t n)
{
	for (const struct csprof_event *e = csprof_events; e->name; e++)
		if (*e->text && strlen(e->name) == n && memcmp(e->name, name, n) == 0)
			return e;
	return NULL;
}

static bool is_time(const struct csprof_event *e)
{
	return strcmp(e->unit, "ns") == 0;
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
	*why = rate ? "rates go from @f1 to @f100000 samples per second"
		    : "periods go from @10us to @1s, and a number without a unit is of nanoseconds "
		      "(a rate: @f200)";
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
	*why = "rates go from @f1 to @f100000 samples per second";
	out->period = rate ? 0 : v;
	out->rate = rate ? v : 0;
	return out->rate > CSPROF_MAX_RATE ? -1 : 0;
}

/* What follows the brace. Returns where the next text begins, or NULL. */
static const char *parse_kind(const char *p, struct csprof_event_request *out)
{
	enum { FIELDS = 6 };
	uint64_t field[FIELDS];
	for (int i = 0; i < FIELDS; i++) {
		p = number(p, &field[i]);
		if (!p || *p++ != (i + 1 < FIELDS ? ':' : '}'))
			return NULL;
	}
	bool not_kernel = field[4] & CSPROF_NOT_KERNEL, only_kernel = field[4] & CSPROF_ONLY_KERNEL;
	if (field[0] > UINT32_MAX || field[4] > 3 || !field[5] || (not_kernel && only_kernel))
		return NULL;
	out->kind = (struct os_perf_kind){.type = (uint32_t)field[0],
					  .config = field[1],
					  .config1 = field[2],
					  .config2 = field[3],
					  .no_kernel = not_kernel,
					  .no_user = only_kernel};
	out->per_second = field[5];
	return p;
}

static const struct csprof_event *row(const char *name)
{
	const struct csprof_event *e = csprof_events;
	while (strcmp(e->name, name) != 0)
		e++;
	return e;
}

static void name(struct csprof_event_request *out, const char *text, size_t n)
{
	memset(out->name, 0, sizeof out->name);
	memcpy(out->name, text, n);
}

static void set_event(struct csprof_event_request *out, const struct csprof_event *event)
{
	out->event = event;
	out->kind = event->kind;
	out->per_second = event->per_second;
	name(out, event->name, strlen(event->name));
}

/* Whether it is the name of a time, or of what comes with other events. */
static bool is_taken(const char *text)
{
	static const char *const others[] = {CSP_BLAME,     CSP_ACTIVATIONS,   CSP_RETURNS,
					     CSP_ABANDONED, CSP_FIRST_RETURNS, CSP_FIRST_ABANDONED};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(text, others[i]) == 0)
			return true;
	for (const struct csprof_event *e = csprof_events; e->name; e++)
		if (is_time(e) && strcmp(text, e->name) == 0)
			return true;
	return false;
}

/* The name and what perf is to count. Returns what follows, or NULL. */
static const char *parse_perf(const char *text, size_t length, struct csprof_event_request *out,
			      const char **why)
{
	*why = "what perf is to count cannot be read";
	if (length == 0 || length >= sizeof out->name)
		return NULL;
	out->event = row(CSPROF_ANY_EVENT);
	name(out, text, length);
	if (is_taken(out->name)) {
		*why = "the name is that of another metric";
		return NULL;
	}
	return parse_kind(text + length + 1, out);
}

/* The name, which another event may be near. Returns what follows, or NULL. */
static const char *parse_name(const char *text, struct csprof_event_request *out, const char **why)
{
	*why = "unknown event (hpcrun -l lists them)";
	size_t length = strcspn(text, "@:");
	const struct csprof_event *known = find(text, length);
	if (!known)
		return NULL;
	set_event(out, known);
	return text + length;
}

int csprof_event_parse(const char *text, size_t n, struct csprof_event_request *out,
		       const char **why)
{
	enum { LONGEST_PERIOD = 40 };
	char copy[CSPROF_EVENT_BYTES];
	*out = (struct csprof_event_request){.event = NULL};
	*why = "the name or the period is too long";
	if (n >= sizeof copy)
		return -1;
	memcpy(copy, text, n);
	copy[n] = '\0';
	size_t brace = strcspn(copy, "{");
	const char *rest =
	    copy[brace] ? parse_perf(copy, brace, out, why) : parse_name(copy, out, why);
	if (!rest || (*rest && *rest != '@' && *rest != ':'))
		return -1;
	rest = *rest ? rest + 1 : "f1000";
	*why = "the period is too long";
	if (strlen(rest) > LONGEST_PERIOD)
		return -1;
	return is_time(out->event) ? parse_time(rest, out, why) : parse_count(rest, out, why);
}

size_t csprof_event_length(const char *list)
{
	char until = '\0';
	const char *p = list;
	for (; *p && (until || *p != ','); p++)
		until = until == *p                         ? '\0'
			: until || (*p != '/' && *p != '{') ? until
			: *p == '/'                         ? '/'
							    : '}';
	return (size_t)(p - list);
}

static struct csprof_event_request *find_request(struct csprof_event_requests *all,
						 const char *name)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (strcmp(all->of[i].name, name) == 0)
			return &all->of[i];
	return NULL;
}

static const char at_most[] = "at most 8 events at once (REALTIME counts as three)";

/* Elapsed time: its parts, with its period; but CPU time may have been requested with another one.
 */
static int add_parts(struct csprof_event_requests *all, const char **why)
{
	static const char *const parts[] = {CSP_BLOCKED, CSP_RUNNABLE};
	struct csprof_event_request *whole = find_request(all, CSPROF_REALTIME);
	const struct csprof_event *cpu = &csprof_events[0];
	if (!whole)
		return 0;
	*why = "on this CPU the looks at waiting threads would end the program's system calls";
	if (!CSPROF_CONTINUES_CALLS)
		return -1;
	*why = at_most;
	struct csprof_event_request part = *whole;
	bool both = find_request(all, cpu->name);
	if (all->n + 1 + !both > CSPROF_MAX_EVENTS)
		return -1;
	if (both)
		*whole = all->of[--all->n];
	else
		set_event(whole, cpu);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		set_event(&part, row(parts[i]));
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
		bool twice = find_request(out, one.name);
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
