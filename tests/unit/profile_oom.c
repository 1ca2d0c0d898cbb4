/* If any allocation fails between a datafile and its view, there is an error value, no crash, and
 * no leak. */
#include "hpcprof/load/profile.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/builders/read_paths.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/failing_alloc.h"
#include "tests/lib/unit/run_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char datafile[] = "/tmp/hpctest.XXXXXX", profile[] = "/tmp/hpctest.XXXXXX",
	    csprofile[] = "/tmp/hpctest.XXXXXX", wrong[] = "/tmp/hpctest.XXXXXX";
static size_t problems; /* of the last show */

static int show(const struct command_line *l, FILE *out, FILE *err)
{
	struct diag d = {.out = err};
	struct error e = {0};
	int rc = l->command->run(out, l->options, &d, &e);

	problems = d.problems;
	/* dump reports each file's error itself */
	if (rc != 0 && strcmp(l->command->name, "dump") == 0)
		assert_true(d.problems);
	else if (rc != 0)
		assert_true(e.text[0]);
	return rc;
}

/* What was written to the stream, *size bytes at *said, since the last call; the caller frees it.
 */
static char *messages(FILE *err, char *const *said, const size_t *size)
{
	char *text;

	fflush(err);
	text = strndup(*said, *size);
	assert_non_null(text);
	rewind(err);
	return text;
}

/* The command has at least as many allocations. A failure that costs no more than the text of a
 * message counts as said where that text is another. */
static void check_from(unsigned long least, const char *line, const char *path)
{
	char *said = NULL, *usual;
	size_t size;
	FILE *out = fopen("/dev/null", "w"), *err = open_memstream(&said, &size);
	struct view_line v;
	struct error e;
	unsigned long n, all;
	size_t known;

	assert_int_equal(view_line_parse(&v, line, &path, 1, &e), 0);
	/* the first run is for what the C library and libelf never free */
	assert_int_equal(show(&v.parsed, out, err), 0);
	known = problems;
	free(messages(err, &said, &size));
	assert_int_equal(known > 0, path == wrong);
	failing_alloc_start(0);
	assert_int_equal(show(&v.parsed, out, err), 0);
	assert_int_equal(problems, known);
	usual = messages(err, &said, &size);
	all = failing_alloc_count();
	assert_true(all >= least);
	assert_int_equal(failing_alloc_live(), 0);
	for (n = 1; n <= all; n++) {
		failing_alloc_start(n);
		int rc = show(&v.parsed, out, err);
		long live = failing_alloc_live();
		failing_alloc_start(0);
		char *now = messages(err, &said, &size);
		if (live != 0)
			fail_msg("allocation %lu failed: %ld are not freed", n, live);
		if (rc == 0 && problems == known && strcmp(now, usual) == 0)
			fail_msg("allocation %lu of %lu failed and nothing said so", n, all);
		free(now);
	}
	view_line_free(&v);
	fclose(out);
	fclose(err);
	free(said);
	free(usual);
}

static void check(const char *line, const char *path)
{
	check_from(30, line, path);
}

static void test_views(void **state)
{
	(void)state;
	static const char *const all[] = {"tree",
					  "tree --bottom-up --focus main|0x",
					  "tree --json",
					  "callees --json solver+0x401222",
					  "callers solver+0x401222",
					  "callees solver+0x401222",
					  "annotate solver+0x401222",
					  "annotate --object solver+0x401222",
					  "query functions"};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		check(all[i], datafile);
	check_from(5, "dump", datafile);
}

static void test_text(void **state)
{
	(void)state;
	check("text", datafile);
	check("text --all --collective 0", datafile);
	check("text --json --all -n 3", datafile);
	check("text --json --threads", datafile);
	check("text --all --stats --by thread --collective 0 -n 3", datafile);
}

/* A datafile that is damaged, and whose account does not agree. */
static void test_problems(void **state)
{
	(void)state;
	check("text --all", wrong);
	check("tree", wrong);
}

static void test_xml_out(void **state)
{
	(void)state;
	check("xml", datafile);
	check("xml --callpath", datafile);
}

static void test_export(void **state)
{
	(void)state;
	static const char *const formats[] = {"folded",      "pprof",  "speedscope", "callgrind",
					      "firefox",     "chrome", "csv",        "json",
					      "llvm-sample", "afdo",   "order",      "bolt"};
	char line[64];

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		snprintf(line, sizeof line, "export -o /dev/null --format %s", formats[i]);
		check(line, datafile);
	}
	check("export --format folded --by thread", datafile);
	check("export -o /dev/null --for clang --contexts", datafile);
}

static void test_xml_in(void **state)
{
	(void)state;
	check("xml", profile);
	check("xml --callpath", csprofile);
}

static void make_datafile(const struct build_file *f, const char *path)
{
	struct built b;

	build(f, &b);
	built_write(&b, path);
	built_free(&b);
}

static bool make_xml(const char *path, bool callpath)
{
	const char *from = datafile;
	FILE *out = fopen(path, "w");
	struct error e;
	bool ok = out && run_view(callpath ? "xml --callpath" : "xml", &from, 1, out, &e) == 0;

	return out && fclose(out) == 0 && ok;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),    cmocka_unit_test(test_views),
	    cmocka_unit_test(test_xml_out), cmocka_unit_test(test_export),
	    cmocka_unit_test(test_xml_in),  cmocka_unit_test(test_problems)};
	char *const paths[] = {datafile, profile, csprofile, wrong};
	const char *data = getenv("TAP_DATA");
	struct build_file huge;
	char text[4096];
	int failed = 1;
	bool ok = true;

	for (int i = 0; i < 4; i++) {
		int fd = mkstemp(paths[i]);
		ok &= fd >= 0 && close(fd) == 0;
	}
	make_datafile(&build_example, datafile);
	snprintf(text, sizeof text, "%s/outputs/huge.paths", data ? data : "tests/data");
	huge = read_paths(text);
	make_datafile(&huge, wrong);
	if (ok && make_xml(profile, false) && make_xml(csprofile, true))
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (int i = 0; i < 4; i++)
		unlink(paths[i]);
	return failed;
}
