/* The clock of an event that perf counts, from made-up readings. */
#include "tests/lib/unit/cmocka_all.h"

#include "runtime/drivers/driver.h"

#include <errno.h>
#include <linux/perf_event.h>

static bool is_open = true;
static struct os_perf_count reading;
static int reads;

/* In place of the runtime's own. */
bool __wrap_os_perf_is_open(const struct os_perf *c);
int __wrap_os_perf_read(const struct os_perf *c, struct os_perf_count *out);
int __wrap_os_perf_open(struct os_perf *c, const struct os_perf_kind *kind, uint64_t period,
			int sig, bool alone);
int __wrap_os_perf_enable(const struct os_perf *c, bool on);
int __wrap_os_perf_period(const struct os_perf *c, uint64_t period);
void __wrap_os_perf_close(const struct os_perf *c, bool in_child);

bool __wrap_os_perf_is_open(const struct os_perf *c)
{
	(void)c;
	return is_open;
}

int __wrap_os_perf_read(const struct os_perf *c, struct os_perf_count *out)
{
	(void)c;
	reads++;
	*out = reading;
	return 0;
}

static uint64_t period;

int __wrap_os_perf_open(struct os_perf *c, const struct os_perf_kind *kind, uint64_t first, int sig,
			bool alone)
{
	(void)kind, (void)sig, (void)alone;
	period = first;
	reading = (struct os_perf_count){0, 0, 0};
	*c = (struct os_perf){.fd = 900};
	return 0;
}

int __wrap_os_perf_enable(const struct os_perf *c, bool on)
{
	(void)c, (void)on;
	return is_open ? 0 : -EBADF;
}

int __wrap_os_perf_period(const struct os_perf *c, uint64_t next)
{
	(void)c;
	period = next;
	return is_open ? 0 : -EBADF;
}

void __wrap_os_perf_close(const struct os_perf *c, bool in_child)
{
	(void)c, (void)in_child;
}

CSPROF_DECLARE_DRIVER(counter)
CSPROF_DECLARE_DRIVER(user_counter)

static const struct csprof_driver *const drivers[] = {&csprof_driver_counter,
						      &csprof_driver_user_counter, NULL};

static struct csprof_source started(const struct os_perf_kind *kind, uint32_t *which)
{
	struct csprof_source s = {.drivers = drivers, .kind = kind, .per_second = 5000000};
	*which = 0;
	is_open = true;
	assert_int_equal(csprof_source_count(&s), 0); /* before it begins */
	assert_int_equal(csprof_source_start(&s, which, SIGURG, 1000000, 2000000), 0);
	return s;
}

static const struct os_perf_kind cycles = {.type = PERF_TYPE_HARDWARE};

static void each_kind_has_its_driver(void **state)
{
	(void)state;
	struct os_perf_kind user = cycles, kernel = cycles;
	user.no_kernel = kernel.no_user = true;
	uint32_t which;
	struct csprof_source s = started(&cycles, &which);
	assert_true(s.driver->kernel);
	assert_int_equal(period, 10000); /* of 2 ms */
	assert_int_equal(s.driver->arm(&s, 1000000), 0);
	assert_int_equal(period, 5000);
	s.driver->stop(&s, false);
	s = started(&kernel, &which);
	assert_true(s.driver->kernel);
	s.driver->stop(&s, false);
	s = started(&user, &which);
	assert_false(s.driver->kernel);
	assert_int_equal(which, 1);
	s.driver->stop(&s, false);
}

static void counted_alone(void **state)
{
	(void)state;
	uint32_t which;
	struct csprof_source s = started(&cycles, &which);
	reading = (struct os_perf_count){1000, 50, 50};
	assert_int_equal(csprof_source_count(&s), 1000);
	reading = (struct os_perf_count){3000, 70, 70};
	assert_int_equal(csprof_source_count(&s), 3000);
	assert_int_equal(s.counted.enabled, 70);
	s.driver->stop(&s, false);
	assert_int_equal(csprof_source_count(&s), 3000); /* as it was */
}

/* A half of the time, and a third: what was not counted was like the rest. */
static void counted_by_turns(void **state)
{
	(void)state;
	uint32_t which;
	struct csprof_source s = started(&cycles, &which);
	reading = (struct os_perf_count){1000, 100, 50};
	assert_int_equal(csprof_source_count(&s), 2000);
	reading = (struct os_perf_count){3000, 300, 100};
	assert_int_equal(csprof_source_count(&s), 9000);
	assert_int_equal(s.counted.enabled, 300);
	assert_int_equal(s.counted.running, 100);
	reading = (struct os_perf_count){0, 400, 0}; /* never */
	assert_int_equal(csprof_source_count(&s), 0);
	uint64_t large = 100000000000000; /* a day of cycles */
	reading = (struct os_perf_count){large, 3 * large / 2, large};
	assert_true(csprof_source_count(&s) > large + large / 2 - large / 1000);
	assert_true(csprof_source_count(&s) < large + large / 2 + large / 1000);
	s.driver->stop(&s, false);
}

/* What was counted before the source changed its signal is kept; what the program has closed is
 * not read, as the descriptor may be its own by then. */
static void counted_on(void **state)
{
	(void)state;
	uint32_t which;
	struct csprof_source s = started(&cycles, &which);
	reading = (struct os_perf_count){1000, 100, 50};
	assert_int_equal(csprof_source_signal(&s, &which, SIGPROF, 1000), 0);
	assert_int_equal(csprof_source_count(&s), 2000);
	reading = (struct os_perf_count){70, 30, 30};
	assert_int_equal(csprof_source_count(&s), 2070);
	assert_int_equal(s.counted.enabled, 130);
	assert_int_equal(s.counted.running, 80);
	is_open = false;
	int before = reads;
	reading.value = 5000;
	assert_int_equal(csprof_source_count(&s), 2070);
	assert_int_equal(reads, before);
	assert_true(s.driver->arm(&s, 1000) < 0);
	s.driver->stop(&s, false);
	assert_int_equal(csprof_source_count(&s), 2070);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_kind_has_its_driver),
	    cmocka_unit_test(counted_alone),
	    cmocka_unit_test(counted_by_turns),
	    cmocka_unit_test(counted_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
