/* The names of what perf counts: perf's own, those that a machine describes, and what they become
 * for the library. */
#include "runtime/launcher/perf_names.h"
#include "runtime/events/list.h"
#include "runtime/events/request.h"
#include "runtime/launcher/expand.h"
#include "runtime/launcher/perf_system.h"
#include "tests/lib/unit/cmocka_all.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a machine -------------------------------------------------------------------------- */

static char root[] = "/tmp/hpcperf.XXXXXX";

static void put(const char *path, const char *text)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof whole, "%s%s", root, path);
	for (char *p = whole + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(whole, 0755);
	}
	int fd = open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

#define PMU "/sys/bus/event_source/devices/core"
#define TRACING "/sys/kernel/debug/tracing/events"

static int make_machine(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	put(PMU "/type", "4\n");
	put(PMU "/format/event", "config:0-7\n");
	put(PMU "/format/umask", "config:8-15\n");
	put(PMU "/format/any", "config:21\n");
	put(PMU "/format/apart", "config:0-3,32-35\n");
	put(PMU "/format/offcore", "config1:0-63\n");
	put(PMU "/format/second", "config2:4-7\n");
	put(PMU "/format/third", "config3:0-7\n");
	put(PMU "/format/odd", "config:70-80\n");
	put(PMU "/format/none", "elsewhere:0-3\n");
	put(PMU "/events/cycles", "event=0x3c\n");
	put(PMU "/events/mem-loads", "event=0xcd,umask=0x1,any\n");
	put(PMU "/events/mem-loads.unit", "loads\n");
	put(PMU "/events/itself", "itself\n");
	put("/sys/bus/event_source/devices/bad/type", "x\n");
	put(TRACING "/sched/sched_switch/id", "316\n");
	put(TRACING "/sched/sched_switch/format", "name: sched_switch\n");
	put(TRACING "/sched/sched_wakeup/id", "319\n");
	put(TRACING "/sched/enable", "0\n");
	put(TRACING "/header_page", "\n");
	put(TRACING "/broken/event/id", "what\n");
	return 0;
}

static int remove_machine(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof command, "rm -r %s", root);
	return system(command);
}

/* ---- tests ------------------------------------------------------------------------------ */

static void kinds(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config, config1, config2;
	} good[] = {
	    {"r3c", 4, 0x3c, 0, 0},
	    {"rffffffffffffffff", 4, UINT64_MAX, 0, 0},
	    {"core/cycles/", 4, 0x3c, 0, 0},
	    {"core/event=0x3c/", 4, 0x3c, 0, 0},
	    {"core/event=60,umask=1/", 4, 0x13c, 0, 0},
	    {"core/mem-loads/", 4, 0x2001cd, 0, 0},
	    {"core/mem-loads,umask=0x2/", 4, 0x2002cd, 0, 0},
	    {"core/apart=0x5a/", 4, 0x50000000a, 0, 0},
	    {"core/event=1,offcore=0xffffffffffffffff,second=15/", 4, 1, UINT64_MAX, 0xf0},
	    {"core/config=7,config1=8,config2=9/", 4, 7, 8, 9},
	    {"core/cycles,name=mine/", 4, 0x3c, 0, 0},
	    {"sched:sched_switch", 2, 316, 0, 0},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct os_perf_kind kind = {.type = 0};
		char why[LAUNCH_WHY_BYTES] = "";

		assert_int_equal(launch_perf_kind(root, good[i].name, &kind, why), 1);
		assert_int_equal(kind.type, good[i].type);
		assert_int_equal(kind.config, good[i].config);
		assert_int_equal(kind.config1, good[i].config1);
		assert_int_equal(kind.config2, good[i].config2);
	}
	static const char *const other[] = {
	    "", "cycles", "r", "rest", "r0x1", "r11111111111111111", "R3c", "sched:", ":x"};
	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		struct os_perf_kind kind = {.type = 0};
		char why[LAUNCH_WHY_BYTES] = "";

		assert_int_equal(launch_perf_kind(root, other[i], &kind, why), 0);
	}
	static const char *const bad[][2] = {
	    {"core/", "expected PMU/TERM"},
	    {"core/cycles", "expected PMU/TERM"},
	    {"gpu/cycles/", "no PMU 'gpu'"},
	    {"../core/cycles/", "PMU"},
	    {"/cycles/", "no PMU ''"},
	    {"bad/cycles/", "no PMU 'bad'"},
	    {"core/cycle/", "no event or term 'cycle'"},
	    {"core/event=x/", "'event' is not a number"},
	    {"core/event=/", "'event' is not a number"},
	    {"core/event=-1/", "'event' is not a number"},
	    {"core/event=256/", "cannot have that value"},
	    {"core/any=2/", "cannot have that value"},
	    {"core/third=1/", "cannot have that value"},
	    {"core/odd=1/", "cannot have that value"},
	    {"core/none=1/", "cannot have that value"},
	    {"core/itself/", "no event or term 'itself'"},
	    {"core/.=1/", "expected TERM"},
	    {"sched:sched_switched", "no such tracepoint"},
	    {"broken:event", "no such tracepoint"},
	    {"schedule:sched_switch", "no such tracepoint"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct os_perf_kind kind = {.type = 0};
		char why[LAUNCH_WHY_BYTES] = "";

		assert_int_equal(launch_perf_kind(root, bad[i][0], &kind, why), -1);
		if (!strstr(why, bad[i][1]))
			fail_msg("%s: %s", bad[i][0], why);
	}
	struct os_perf_kind kind = {.type = 0};
	char why[LAUNCH_WHY_BYTES] = "";
	assert_int_equal(launch_perf_kind("/nowhere", "sched:sched_switch", &kind, why), -1);
	assert_non_null(strstr(why, "mount -t tracefs"));
}

static void append(void *what, const char *name)
{
	char *list = what;

	strcat(strcat(list, name), " ");
}

static void lists(void **state)
{
	char list[256] = "";

	(void)state;
	assert_int_equal(launch_perf_pmu_events(root, append, list), 3);
	assert_string_equal(list, "core/cycles/ core/itself/ core/mem-loads/ ");
	list[0] = '\0';
	assert_int_equal(launch_perf_tracepoints(root, append, list), 3);
	assert_string_equal(list, "broken:event sched:sched_switch sched:sched_wakeup ");
	assert_int_equal(launch_perf_tracepoints(root, NULL, NULL), 3);
	assert_int_equal(launch_perf_pmu_events("/nowhere", append, list), 0);
	assert_int_equal(launch_perf_tracepoints("/nowhere", append, list), -1);
}

/* Of each name there is one, and synonyms mean something. */
static void tables(void **state)
{
	(void)state;
	for (const struct launch_perf_name *a = launch_perf_names; a->name; a++) {
		assert_true(*a->text && a->per_second);
		assert_true(strlen(a->name) + sizeof ":u" <= CSPROF_NAME_BYTES);
		assert_null(launch_synonym(a->name, strlen(a->name)));
		for (const struct launch_perf_name *b = launch_perf_names; b < a; b++) {
			assert_string_not_equal(a->name, b->name);
			assert_false(a->kind.type == b->kind.type &&
				     a->kind.config == b->kind.config);
		}
		for (const struct csprof_event *e = csprof_events; e->name; e++)
			assert_string_not_equal(a->name, e->name);
	}
	for (const struct launch_synonym *s = launch_synonyms; s->name; s++) {
		bool known = launch_perf_name(s->means, strlen(s->means));

		for (const struct csprof_event *e = csprof_events; e->name; e++) {
			known |= *e->text && strcmp(e->name, s->means) == 0;
			assert_string_not_equal(s->name, e->name);
		}
		assert_true(known);
		for (const struct launch_synonym *b = launch_synonyms; b < s; b++)
			assert_string_not_equal(s->name, b->name);
	}
	assert_null(launch_perf_name("cycle", 5));
	assert_string_equal(launch_perf_name("cycles:u", 6)->name, "cycles");
	assert_string_equal(launch_synonym("cs@3", 2), "context-switches");
}

static void expanded(void **state)
{
	char message[LAUNCH_MESSAGE_BYTES];

	(void)state;
	static const char *const good[][2] = {
	    {"CPUTIME", "CPUTIME"},
	    {"CPUTIME:1ms,REALTIME@f10", "CPUTIME:1ms,REALTIME@f10"},
	    {"task-clock@f7", "CPUTIME@f7"},
	    {"WALLCLOCK", "REALTIME"},
	    {"faults,cs:3", "page-faults,context-switches:3"},
	    {"page-faults:u@7", "page-faults:u{1:2:0:0:1:10000}@7"},
	    {"faults:k:f50", "page-faults:k{1:2:0:0:2:10000}:f50"},
	    {"page-faults:uk", "page-faults{1:2:0:0:0:10000}"},
	    {"cycles", "cycles{0:0:0:0:0:1000000000}"},
	    {"PAPI_TOT_CYC:u:1000", "cycles:u{0:0:0:0:1:1000000000}:1000"},
	    {"cpu-migrations@1", "cpu-migrations{1:4:0:0:0:100}@1"},
	    {"LLC-store-misses", "LLC-store-misses{3:65794:0:0:0:1000000}"},
	    {"r1a8:k@f100", "r1a8:k{4:424:0:0:2:1000000}@f100"},
	    {"cycles{0:0:0:0:0:7}@3,CPUTIME", "cycles{0:0:0:0:0:7}@3,CPUTIME"},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		char out[1024] = "";

		assert_int_equal(launch_expand(good[i][0], false, out, sizeof out, message), 0);
		assert_string_equal(out, good[i][1]);
	}
	static const char *const bad[][2] = {
	    {"", "'': unknown event (hpcrun -l lists them)"},
	    {",", "'': unknown event"},
	    {"CPUTIME,", "'': unknown event"},
	    {"CPUTIME:u", "'CPUTIME:u': times cannot be requested"},
	    {"CPUTIME:x", "expected :u, :k, or a period"},
	    {"cycles:x", "expected :u, :k, or a period"},
	    {"CPUTIME,cycles:p,cs", "'cycles:p': of perf's modifiers only u and k"},
	    {"cycles:ppp", "of perf's modifiers only u and k"},
	    {"cycles@", "expected how many make a sample"},
	    {"cycles@1ms", "expected how many make a sample"},
	    {"cycles@0", "expected how many make a sample"},
	    {"cycle", "did you mean cycles?"},
	    {"PAPI_TOT_CYK", "did you mean PAPI_TOT_CYC?"},
	    {"context-switches:k", "all of them happen in the kernel"},
	    {"cpu-migrations:u", "all of them happen in the kernel"},
	    {"r", "unknown event"},
	    {"nowhere/x/", "no PMU 'nowhere'"},
	    {"cycles{0:0:0:0:0}", "what perf is to count cannot be read"},
	    {"cycles{0:0:0:0:3:1}", "what perf is to count cannot be read"},
	    {"cycles{0:0:0:0:0:0}", "what perf is to count cannot be read"},
	    {"cycles{4294967296:0:0:0:0:1}", "what perf is to count cannot be read"},
	    {"cycles{0:0:0:0:0:1}x", "what perf is to count cannot be read"},
	    {"CPUTIME{0:0:0:0:0:1}", "the name is that of another metric"},
	    {"{0:0:0:0:0:1}", "what perf is to count cannot be read"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char out[1024] = "";

		if (launch_expand(bad[i][0], false, out, sizeof out, message) != -1)
			fail_msg("'%s' became '%s'", bad[i][0], out);
		if (!strstr(message, bad[i][1]))
			fail_msg("%s: %s", bad[i][0], message);
	}
	char small[16] = "";
	assert_int_equal(launch_expand("CPUTIME,REALTIME", false, small, sizeof small, message),
			 -1);
	assert_int_equal(launch_expand("CPUTIME,cs", false, small, sizeof small, message), -1);
	assert_int_equal(launch_expand("cycles", false, small, sizeof small, message), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kinds),
	    cmocka_unit_test(lists),
	    cmocka_unit_test(tables),
	    cmocka_unit_test(expanded),
	};
	return cmocka_run_group_tests(tests, make_machine, remove_machine);
}
