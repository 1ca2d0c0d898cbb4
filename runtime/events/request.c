#include "runtime/events/request.h"

#include "runtime/base/cost.h"
#include "runtime/events/list.h"

#include <stdbool.h>
#include <string.h>

#define ROW(id, ...) {__VA_ARGS__},
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
		if (strlen(e->name) == n && memcmp(e->name, name, n) == 0)
			return e;
	return NULL;
}

/* What follows the @ or the colon. */
static int parse_period(const char *p, uint64_t *out, const char **why)
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
	*out = rate ? second / v : v * scale;
	return *out < second / CSPROF_MAX_RATE ? -1 : 0;
}

int csprof_event_parse(const char *text, struct csprof_event_request *out, const char **why)
{
	if (!text)
		text = csprof_events[0].name;
	size_t n = strcspn(text, "@:");
	*why = "unknown event (hpcrun -l lists them)";
	*out = (struct csprof_event_request){.event = find(text, n)};
	if (!out->event)
		return -1;
	out->period = second / CSPROF_DEFAULT_RATE;
	if (text[n] && parse_period(text + n + 1, &out->period, why) < 0)
		return -1;
	out->rate = (second + out->period / 2) / out->period;
	return 0;
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
