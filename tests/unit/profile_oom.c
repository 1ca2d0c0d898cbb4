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

static char datafile[] = "/tmp/hpctest.XXXXXX", profile[] = "/tmp/hpctest.XXXXXX",
	    csprofile[] = "/tmp/hpctest.XXXXXX";

static int show(const struct options *o, FILE *out, FILE *err)
{
	struct diag d = {.out = err};
	struct profile p;
	struct error e = {0};
	int rc = profile_load(&p, o, &d, &e);

	if (rc == 0) {
		rc = o->view->print(out, &p, o, &e);
		profile_deinit(&p);
	}
	if (rc != 0)
		assert_true(e.text[0]);
	return rc < 0 ? -1 : d.problems ? 1 : 0;
}

static void check_options(struct options o, const char *path)
{
	const char *const profiles[] = {path};
	FILE *out = fopen("/dev/null", "w"), *err = fopen("/dev/null", "w");
	unsigned long n, all;
	int rc;

	o.profiles = profiles;
	o.num_profiles = 1;
	o.threads = 1;
	o.width = 80;
	/* once for what the C library and libelf keep for good */
	assert_int_equal(show(&o, out, err), 0);
	failing_alloc_start(0);
	assert_int_equal(show(&o, out, err), 0);
	all = failing_alloc_count();
	assert_true(all > 30);
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

static void check(const struct view *view, bool callpath, const char *path)
{
	check_options((struct options){.view = view, .callpath = callpath}, path);
}

static void test_views(void **state)
{
	(void)state;
	static const struct options all[] = {
	    {.view = &tree_view, .min = 1},
	    {.view = &tree_view, .min = 1, .bottom_up = true, .focus = "main|0x"},
	    {.view = &callers_view, .subject = "solver+0x401222"},
	    {.view = &callees_view, .subject = "solver+0x401222"},
	    {.view = &annotate_view, .subject = "solver+0x401222"},
	    {.view = &annotate_view, .subject = "solver+0x401222", .object = true},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		check_options(all[i], datafile);
}

static void test_text(void **state)
{
	(void)state;
	check(&text_view, false, datafile);
}

static void test_xml_out(void **state)
{
	(void)state;
	check(&xml_view, false, datafile);
	check(&xml_view, true, datafile);
}

static void test_xml_in(void **state)
{
	(void)state;
	check(&xml_view, false, profile);
	check(&xml_view, true, csprofile);
}

static void make_datafile(void)
{
	struct built b;

	build(&build_example, &b);
	built_write(&b, datafile);
	built_free(&b);
}

static bool make_xml(const char *path, bool callpath)
{
	const char *const profiles[] = {datafile};
	struct options o = {.view = &xml_view,
			    .profiles = profiles,
			    .num_profiles = 1,
			    .threads = 1,
			    .callpath = callpath};
	FILE *out = fopen(path, "w");
	bool ok = out && show(&o, out, stderr) == 0;

	return out && fclose(out) == 0 && ok;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text), cmocka_unit_test(test_views),
	    cmocka_unit_test(test_xml_out), cmocka_unit_test(test_xml_in)};
	char *const paths[] = {datafile, profile, csprofile};
	int failed = 1;
	bool ok = true;

	for (int i = 0; i < 3; i++) {
		int fd = mkstemp(paths[i]);
		ok &= fd >= 0 && close(fd) == 0;
	}
	make_datafile();
	if (ok && make_xml(profile, false) && make_xml(csprofile, true))
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (int i = 0; i < 3; i++)
		unlink(paths[i]);
	return failed;
}
