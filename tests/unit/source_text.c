/* Which source files are read, and which are refused. */
#include "hpcprof/terminal/layout.h"
#include "hpcprof/correlate/source_text.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/hpcsource.XXXXXX";

static const char *path(const char *name)
{
	static char out[4][512];
	static int next;
	char *to = out[next++ % 4];

	snprintf(to, sizeof out[0], "%s/%s", folder, name);
	return to;
}

static void put(const char *name, const char *text, size_t n)
{
	FILE *f = fopen(path(name), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fclose(f);
}

/* root/a/b/x.c, outside.c beside it, and links. */
static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(mkdir(path("root"), 0755), 0);
	assert_int_equal(mkdir(path("root/a"), 0755), 0);
	assert_int_equal(mkdir(path("root/a/b"), 0755), 0);
	assert_int_equal(mkdir(path("rooted"), 0755), 0);
	put("root/a/b/x.c", "one\n\ttwo\r\nthree", 15);
	put("outside.c", "secret\n", 7);
	put("rooted/near.c", "secret\n", 7);
	put("root/empty.c", "", 0);
	put("root/binary.c", "a\0b", 3);
	assert_int_equal(symlink(path("outside.c"), path("root/out.c")), 0);
	assert_int_equal(symlink("a/b/x.c", path("root/in.c")), 0);
	assert_int_equal(symlink(path("rooted"), path("root/next")), 0);
	assert_int_equal(symlink("loop.c", path("root/loop.c")), 0);
	assert_int_equal(mkfifo(path("root/pipe.c"), 0600), 0);
	return 0;
}

static int tear_down(void **state)
{
	char command[64];
	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

static void add_directory(struct source_places *w, const char *directory)
{
	assert_true(vec_push(&w->directories, directory));
}

static void forget(struct source_places *w)
{
	vec_free(&w->maps);
	vec_free(&w->directories);
}

static const char *read_line(const char *name, const struct source_places *w, uint32_t line,
			     struct arena *a)
{
	struct source_text s;
	struct error e = {0};
	const char *text;

	if (source_text_read(&s, name, w, &e) != 0)
		return arena_strndup(a, e.text, strlen(e.text));
	text = source_text_line(&s, line, 8, a);
	source_text_free(&s);
	return text;
}

static void test_lines(void **state)
{
	(void)state;
	static const char *const lines[] = {"", "one", "        two", "three", ""};
	struct source_places w = {0};
	struct source_text s;
	struct arena a;

	arena_init(&a);
	assert_int_equal(source_text_read(&s, path("root/a/b/x.c"), &w, NULL), 0);
	assert_int_equal(s.lines.len, 3);
	for (uint32_t i = 0; i < 5; i++)
		assert_string_equal(source_text_line(&s, i, 8, &a), lines[i]);
	assert_string_equal(source_text_line(&s, UINT32_MAX, 8, &a), "");
	source_text_free(&s);
	assert_int_equal(source_text_read(&s, path("root/empty.c"), &w, NULL), 0);
	assert_int_equal(s.lines.len, 0);
	source_text_free(&s);
	arena_deinit(&a);
}

static void test_found(void **state)
{
	(void)state;
	struct source_places w = {0};
	struct source_map map;
	struct arena a;

	arena_init(&a);
	assert_string_equal(read_line("a/b/x.c", &w, 1, &a), "not found");
	add_directory(&w, path("root"));
	assert_string_equal(read_line("a/b/x.c", &w, 1, &a), "one");
	assert_string_equal(read_line("/build/somewhere/a/b/x.c", &w, 1, &a), "one");
	assert_string_equal(read_line("in.c", &w, 1, &a), "one");
	assert_string_equal(read_line("x.c", &w, 1, &a), "not found");
	forget(&w);
	assert_int_equal(
	    source_map_parse(&map, layout_format(&a, "/build/=%s", path("root/a")), &a, NULL), 0);
	assert_true(vec_push(&w.maps, map));
	assert_string_equal(read_line("/build/b/x.c", &w, 3, &a), "three");
	assert_string_equal(read_line("/builder/b/x.c", &w, 3, &a), "not found");
	forget(&w);
	arena_deinit(&a);
}

/* Files outside the given folders, and files that are not text. */
static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *name, *says;
	} cases[] = {
	    {"../outside.c", "leads out of the given directory"},
	    {"a/../../outside.c", "leads out of the given directory"},
	    {"/build/../../outside.c", "leads out of the given directory"},
	    {"out.c", "leads out of the given directory"},
	    {"next/near.c", "leads out of the given directory"},
	    {"../rooted/near.c", "leads out of the given directory"},
	    {"loop.c", "not found"},
	    {"pipe.c", "not a regular file"},
	    {"a", "not a regular file"},
	    {"binary.c", "not a text file"},
	    {"large.c", "larger than 16 MiB"},
	    {"", "not found"},
	    {"/", "not a regular file"},
	};
	struct source_places w = {0};
	struct arena a;

	arena_init(&a);
	put("root/large.c", "", 0);
	assert_int_equal(truncate(path("root/large.c"), SOURCE_TEXT_MOST + 1), 0);
	add_directory(&w, path("root"));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *got = read_line(cases[i].name, &w, 1, &a);
		if (!strstr(got, cases[i].says))
			fail_msg("%s: '%s'", cases[i].name, got);
	}
	forget(&w);
	arena_deinit(&a);
}

static void test_maps(void **state)
{
	(void)state;
	static const char *const bad[] = {"", "=", "a", "a=", "=b"};
	struct source_map map;
	struct error e;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(source_map_parse(&map, bad[i], &a, &e), -1);
		assert_int_equal(e.kind, ERROR_USAGE);
	}
	assert_int_equal(source_map_parse(&map, "a=b=c", &a, &e), 0);
	assert_string_equal(map.from, "a");
	assert_string_equal(map.to, "b=c");
	arena_deinit(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines),
	    cmocka_unit_test(test_found),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_maps),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
