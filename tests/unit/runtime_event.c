/* The arguments of -e. */
#include "tests/lib/unit/cmocka_all.h"

#include "runtime/events/request.h"

#include <string.h>

static void good_events(void **unused)
{
	(void)unused;
	static const struct {
		const char *text;
		uint64_t period, rate;
	} good[] = {
	    {"CPUTIME", 1000000, 1000},         {"CPUTIME@f1000", 1000000, 1000},
	    {"CPUTIME@f100000", 10000, 100000}, {"CPUTIME@f1", 1000000000, 1},
	    {"CPUTIME@2ms", 2000000, 500},      {"CPUTIME:250us", 250000, 4000},
	    {"CPUTIME@1s", 1000000000, 1},      {"CPUTIME@1000000", 1000000, 1000},
	    {"CPUTIME@10000ns", 10000, 100000}, {"CPUTIME@f3", 333333333, 3},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct csprof_event_request e;
		const char *why;
		assert_int_equal(csprof_event_parse(good[i].text, &e, &why), 0);
		assert_string_equal(e.event->name, "CPUTIME");
		assert_int_equal(e.period, good[i].period);
		assert_int_equal(e.rate, good[i].rate);
	}
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
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct csprof_event_request e;
		const char *why = NULL;
		assert_int_equal(csprof_event_parse(bad[i], &e, &why), -1);
		assert_non_null(why);
		assert_true(strlen(why) > 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(good_events),
	    cmocka_unit_test(bad_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
