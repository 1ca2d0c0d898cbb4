/* The arguments of -e. */
#include "tests/lib/unit/cmocka_all.h"

#include "runtime/base/scale.h"
#include "runtime/cpu/port.h"
#include "runtime/events/request.h"

#include <string.h>

struct good {
	const char *text;
	uint64_t period, rate;
};

static void all_are(const char *event, const struct good *good, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct csprof_event_request e;
		const char *why, *text = good[i].text;
		assert_int_equal(csprof_event_parse(text, strlen(text), &e, &why), 0);
		assert_string_equal(e.name, event);
		assert_int_equal(e.period, good[i].period);
		assert_int_equal(e.rate, good[i].rate);
	}
}

static void good_events(void **unused)
{
	(void)unused;
	static const struct good good[] = {
	    {"CPUTIME", 1000000, 1000},         {"CPUTIME@f1000", 1000000, 1000},
	    {"CPUTIME@f100000", 10000, 100000}, {"CPUTIME@f1", 1000000000, 1},
	    {"CPUTIME@2ms", 2000000, 500},      {"CPUTIME:250us", 250000, 4000},
	    {"CPUTIME@1s", 1000000000, 1},      {"CPUTIME@1000000", 1000000, 1000},
	    {"CPUTIME@10000ns", 10000, 100000}, {"CPUTIME@f3", 333333333, 3},
	};
	all_are("CPUTIME", good, sizeof good / sizeof *good);
}

static void bad_events(void **unused)
{
	(void)unused;
	static const char *const bad[] = {
	    "",
	    "CPUTIM",
	    "CPUTIMES",
	    "cputime",
	    "CPUTIME@",
	    "CPUTIME@f",
	    "CPUTIME@f0",
	    "CPUTIME@0",
	    "CPUTIME@f100001",
	    "CPUTIME@9us",
	    "CPUTIME@9999",
	    "CPUTIME@2s",
	    "CPUTIME@1m",
	    "CPUTIME@1 ms",
	    "CPUTIME@-1",
	    "CPUTIME@f1000x",
	    "CPUTIME@ms",
	    "CPUTIME@99999999999999999999999",
	    "CPUTIME@f99999999999999999999999",
	    "AVERYLONGEVENTNAMETHATNOBODYHASEVERHEARDOF",
	    "@f1000",
	    "page-faults@",
	    "page-faults@0",
	    "page-faults@1ms",
	    "page-faults@f0",
	    "page-faults@f100001",
	    "page-faults@99999999999999999999999",
	    "page-faults@00000000000000000000000000000000000000000001",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct csprof_event_request e;
		const char *why = NULL;
		assert_int_equal(csprof_event_parse(bad[i], strlen(bad[i]), &e, &why), -1);
		assert_non_null(why);
		assert_true(strlen(why) > 10);
	}
}

static void counts(void **unused)
{
	(void)unused;
	static const struct good good[] = {
	    {"page-faults", 0, 1000},
	    {"page-faults@f50", 0, 50},
	    {"page-faults@1", 1, 0},
	    {"page-faults:1000000000000", 1000000000000, 0},
	};
	all_are("page-faults", good, sizeof good / sizeof *good);
}

static void lists(void **unused)
{
	(void)unused;
	struct csprof_event_requests all = {.n = 0};
	const char *why, *at;
	assert_int_equal(csprof_events_parse(NULL, &all, &at, &why), 0);
	assert_int_equal(all.n, 1);
	assert_string_equal(all.of[0].name, "CPUTIME");
	assert_int_equal(csprof_events_parse("page-faults@7,context-switches", &all, &at, &why), 0);
	assert_int_equal(all.n, 3);
	assert_int_equal(all.of[1].period, 7);
	assert_string_equal(all.of[2].name, "context-switches");
	assert_int_equal(all.of[2].rate, 1000);

	static const char *const bad[][2] = {
	    {"major-faults,CPUTIME", "CPUTIME"}, /* it is there */
	    {"minor-faults,,", ",,"},
	    {"", ""},
	    {"major-faults@,minor-faults", "major-faults@,minor-faults"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct csprof_event_requests some = all;
		why = NULL;
		assert_int_equal(csprof_events_parse(bad[i][0], &some, &at, &why), -1);
		assert_non_null(why);
		assert_true(strncmp(at, bad[i][1], 1) == 0);
	}
	while (all.n < CSPROF_MAX_EVENTS - 1)
		all.of[all.n++].name[0] = '\0';
	struct csprof_event_requests some = all;
	assert_int_equal(csprof_events_parse("REALTIME", &some, &at, &why), -1); /* it is three */
	all.of[all.n++].name[0] = '\0';
	assert_int_equal(csprof_events_parse("major-faults", &all, &at, &why), -1);
	assert_non_null(strstr(why, "at most 8"));
}

/* Elapsed time stands for its parts; CPU time among them may have a period of its own. */
static void elapsed(void **unused)
{
	(void)unused;
	static const struct {
		const char *list, *names[4];
		uint64_t cpu_rate;
	} good[] = {
	    {"REALTIME@f100", {"CPUTIME", "BLOCKED", "RUNNABLE"}, 100},
	    {"REALTIME@f100,CPUTIME@f7", {"CPUTIME", "BLOCKED", "RUNNABLE"}, 7},
	    {"CPUTIME@f7,REALTIME@f100", {"CPUTIME", "BLOCKED", "RUNNABLE"}, 7},
	    {"REALTIME@f100,page-faults", {"CPUTIME", "page-faults", "BLOCKED", "RUNNABLE"}, 100},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct csprof_event_requests all = {.n = 0};
		const char *why, *at;
		if (!CSPROF_CONTINUES_CALLS) { /* it is refused where it cannot be measured */
			assert_int_equal(csprof_events_parse(good[i].list, &all, &at, &why), -1);
			assert_non_null(strstr(why, "on this CPU"));
			continue;
		}
		assert_int_equal(csprof_events_parse(good[i].list, &all, &at, &why), 0);
		assert_int_equal(all.n, good[i].names[3] ? 4 : 3);
		for (uint32_t k = 0; k < all.n; k++)
			assert_string_equal(all.of[k].name, good[i].names[k]);
		assert_int_equal(all.of[0].rate, good[i].cpu_rate);
		assert_int_equal(all.of[all.n - 1].rate, 100);
		assert_int_equal(all.of[all.n - 2].rate, 100);
	}
	static const char *const bad[] = {"BLOCKED", "RUNNABLE", "REALTIME,REALTIME"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct csprof_event_requests all = {.n = 0};
		const char *why, *at;
		assert_int_equal(csprof_events_parse(bad[i], &all, &at, &why), -1);
	}
}

/* What only perf counts. */
static void perf(void **unused)
{
	(void)unused;
	struct csprof_event_requests all = {.n = 0};
	const char *why, *at;
	static const char list[] =
	    "cycles:u{0:1:2:3:1:1000}@77,core/a=1,b=2/{4:18446744073709551615"
	    ":0:0:2:5},sched:sched_switch{2:316:0:0:0:9}:f3,page-faults";
	assert_int_equal(csprof_event_length(list), strlen("cycles:u{0:1:2:3:1:1000}@77"));
	assert_int_equal(csprof_event_length("a/b,c"), strlen("a/b,c"));
	assert_int_equal(csprof_events_parse(list, &all, &at, &why), 0);
	assert_int_equal(all.n, 4);
	assert_string_equal(all.of[0].name, "cycles:u");
	assert_int_equal(all.of[0].period, 77);
	assert_int_equal(all.of[0].kind.type, 0);
	assert_int_equal(all.of[0].kind.config, 1);
	assert_int_equal(all.of[0].kind.config1, 2);
	assert_int_equal(all.of[0].kind.config2, 3);
	assert_true(all.of[0].kind.no_kernel && !all.of[0].kind.no_user);
	assert_int_equal(all.of[0].per_second, 1000);
	assert_string_equal(all.of[0].event->unit, "count");
	assert_string_equal(all.of[1].name, "core/a=1,b=2/");
	assert_int_equal(all.of[1].kind.config, UINT64_MAX);
	assert_true(!all.of[1].kind.no_kernel && all.of[1].kind.no_user);
	assert_int_equal(all.of[1].rate, 1000);
	assert_string_equal(all.of[2].name, "sched:sched_switch");
	assert_int_equal(all.of[2].rate, 3);
	assert_string_equal(all.of[3].name, "page-faults");
	assert_int_equal(all.of[3].kind.config, 2);
	static const char *const bad[] = {
	    "any",                  /* the row itself */
	    "BLOCKED{0:0:0:0:0:1}", /* another metric's name */
	    "REALTIME{0:0:0:0:0:1}",
	    "BLAME{0:0:0:0:0:1}",
	    "cycles{}",
	    "cycles{0:0:0:0:0:1",
	    "cycles{0:0:0:0:0:1:2}",
	    "cycles{0:0:0:0:0:1}@1ms",
	    "cycles{0:0:0:0:0:99999999999999999999}",
	    "cycles:u{0:1:2:3:1:1000}", /* it is there */
	    "anamethathasmorethanfiftythreelettersandsoisnotforcolumns{0:0:0:0:0:1}",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct csprof_event_requests some = all;
		assert_int_equal(csprof_events_parse(bad[i], &some, &at, &why), -1);
	}
}

static void ratios(void **unused)
{
	(void)unused;
	static const struct {
		uint64_t n, by, per, is;
	} exact[] = {
	    {0, 7, 3, 0},
	    {7, 0, 3, 0},
	    {10, 7, 3, 23},
	    {UINT64_MAX, 1, 1, UINT64_MAX},
	    {UINT64_MAX, 2, 1, UINT64_MAX}, /* too large */
	    {1ull << 62, 1ull << 40, 1, UINT64_MAX},
	};
	for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
		assert_int_equal(csprof_scale(exact[i].n, exact[i].by, exact[i].per), exact[i].is);
	/* a minute's period of an event of 5 GHz, and what it is made from */
	uint64_t near = csprof_scale(60000000000, 5000000000, 1000000000);
	assert_in_range(near, 299990000000, 300010000000);
	near = csprof_scale(UINT64_MAX / 3, 1000000000, UINT64_MAX / 7);
	assert_in_range(near, 2333000000, 2334000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(good_events), cmocka_unit_test(bad_events), cmocka_unit_test(counts),
	    cmocka_unit_test(lists),       cmocka_unit_test(elapsed),    cmocka_unit_test(ratios),
	    cmocka_unit_test(perf),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
