/* Whatever allocation fails between a datafile and its view: an error value, no crash, and
 * nothing that is not freed. */
#include "hpcprof/profile.h"
#include "hpcprof/views.h"
#include "tests/lib/build_datafile.h"
#include "tests/lib/cmocka_all.h"
#include "tests/lib/failing_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/hpctest.XXXXXX";

static int show(const struct options *o, FILE *out, FILE *err)
{
	struct diag d = {.out = err};
	struct profile p;
	struct error e = {0};
	int rc = profile_load(&p, o, &d, &e);

	if (rc == 0) {
		rc = text_view.print(out, &p, o, &e);
		profile_deinit(&p);
	}
	if (rc != 0)
		assert_true(e.text[0]);
	return rc < 0 ? -1 : d.problems ? 1 : 0;
}

static void test_every_allocation_fails_once(void **state)
{
	(void)state;
	const char *const profiles[] = {path};
	struct options o = {
	    .view = &text_view, .profiles = profiles, .num_profiles = 1, .threads = 1, .width = 80};
	FILE *out = fopen("/dev/null", "w"), *err = fopen("/dev/null", "w");
	unsigned long n, all;
	int rc;

	/* once for what the C library and libelf keep for good */
	assert_int_equal(show(&o, out, err), 0);
	failing_alloc_start(0);
	assert_int_equal(show(&o, out, err), 0);
	all = failing_alloc_count();
	assert_true(all > 50);
	assert_int_equal(failing_alloc_live(), 0);
	for (n = 1; n <= all; n++) {
		failing_alloc_start(n);
		rc = show(&o, out, err);
		failing_alloc_start(0);
		if (rc == 0)
			fail_msg("allocation %lu of %lu failed and nothing said so", n, all);
	}
	for (n = 1; n <= all; n++) {
		failing_alloc_start(n);
		show(&o, out, err);
		if (failing_alloc_live() != 0)
			fail_msg("allocation %lu failed: %ld are not freed", n,
				 failing_alloc_live());
	}
	fclose(out);
	fclose(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_fails_once)};
	struct built b;
	int failed, fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	build(&build_example, &b);
	built_write(&b, path);
	built_free(&b);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
