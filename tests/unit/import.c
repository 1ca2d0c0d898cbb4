/* Files of other profilers: numbers and lines, the wire format, what pprof's ids may be, compressed
 * files, threads, and memory that runs out. What whole files become is tested in
 * tests/e2e/import.t. */
#include "hpcprof/import/import.h"
#include "hpcprof/import/input.h"
#include "hpcprof/import/wire.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/failing_alloc.h"
#include "tests/lib/unit/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct span span(const char *text)
{
	return (struct span){text, strlen(text)};
}

/* ---- lines and numbers ------------------------------------------------------------- */

static void lines_end(void **state)
{
	static const char text[] = "one\ntwo\r\n\nlast";
	static const char *const wanted[] = {"one", "two", "", "last"};
	struct lines l = lines_of(text, sizeof text - 1);
	struct span line;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_true(lines_next(&l, &line));
		assert_true(span_is(line, wanted[i]));
		assert_int_equal(l.number, i + 1);
	}
	assert_false(lines_next(&l, &line));
	assert_int_equal(l.number, 4);
}

static void numbers_have_bounds(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t value;
		const char *rest;
	} rows[] = {{"18446744073709551615x", true, UINT64_MAX, "x"},
		    {"18446744073709551616", false, 0, "18446744073709551616"},
		    {"0x10 4", true, 16, " 4"},
		    {"0xffffffffffffffff", true, UINT64_MAX, ""},
		    {"0xfffffffffffffffff", true, 0, "xfffffffffffffffff"},
		    {"0x", true, 0, "x"},
		    {"", false, 0, ""},
		    {"-1", false, 0, "-1"}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct span s = span(rows[i].text);
		uint64_t value = 0;
		assert_int_equal(span_number(&s, &value), rows[i].ok);
		assert_int_equal(value, rows[i].value);
		assert_true(span_is(s, rows[i].rest));
	}
}

static void words_are_taken(void **state)
{
	struct span s = span("  a\tbc  "), word;

	(void)state;
	assert_true(span_word(&s, &word) && span_is(word, "a"));
	assert_true(span_word(&s, &word) && span_is(word, "bc"));
	assert_false(span_word(&s, &word));
	s = span("name (inlined)");
	assert_true(span_drop(&s, " (inlined)") && span_is(s, "name"));
	assert_false(span_drop(&s, "longer than all of it"));
	assert_int_equal(span_last(span("a:b:c"), ':'), 3);
	assert_true(span_last(span("abc"), ':') == SIZE_MAX);
}

/* ---- the wire format --------------------------------------------------------------- */

static void varints_end(void **state)
{
	static const uint8_t most[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
	static const uint8_t endless[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					  0x80, 0x80, 0x80, 0x80, 0x00};
	struct cursor c = cursor_of(most, sizeof most, false);
	uint64_t value = 0;

	(void)state;
	assert_true(wire_varint(&c, &value) && value == UINT64_MAX && !cursor_left(&c));
	c = cursor_of(most, 9, false);
	assert_false(wire_varint(&c, &value));
	assert_int_equal(c.pos, 0);
	c = cursor_of(endless, sizeof endless, false);
	assert_false(wire_varint(&c, &value));
}

static void fields_are_bounded(void **state)
{
	static const uint8_t good[] = {0x0a, 2, 7, 8, 0x10, 5}, longer[] = {0x0a, 3, 7, 8},
			     group[] = {0x0b}, zero[] = {0x02, 0};
	struct cursor c = cursor_of(good, sizeof good, false);
	struct wire_field f;
	uint64_t value;

	(void)state;
	assert_true(wire_field(&c, &f) && f.number == 1 && cursor_left(&f.bytes) == 2);
	assert_true(wire_next(&f, &value) && value == 7);
	assert_true(wire_next(&f, &value) && value == 8);
	assert_false(wire_next(&f, &value));
	assert_true(wire_field(&c, &f) && f.number == 2 && f.value == 5);
	assert_true(wire_next(&f, &value) && value == 5);
	assert_false(wire_next(&f, &value));
	c = cursor_of(longer, sizeof longer, false);
	assert_false(wire_field(&c, &f));
	c = cursor_of(group, sizeof group, false);
	assert_false(wire_field(&c, &f));
	c = cursor_of(zero, sizeof zero, false);
	assert_false(wire_field(&c, &f));
}

/* ---- pprof ------------------------------------------------------------------------- */

struct bytes {
	uint8_t at[1 << 16];
	size_t n;
};

static void put_varint(struct bytes *b, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		b->at[b->n++] = (uint8_t)(value | 0x80);
	b->at[b->n++] = (uint8_t)value;
}

/* A field with numbers of one byte, as pairs of a field's number and a value. */
static void put(struct bytes *b, unsigned field, const uint8_t *pairs, size_t n)
{
	b->at[b->n++] = (uint8_t)(field << 3 | 2);
	put_varint(b, 2 * n);
	for (size_t i = 0; i < n; i++) {
		b->at[b->n++] = (uint8_t)(pairs[2 * i] << 3);
		b->at[b->n++] = pairs[2 * i + 1];
	}
}
#define PUT(b, field, ...)                                                                         \
	put(b, field, (const uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[]){__VA_ARGS__} / 2)

static void put_text(struct bytes *b, const char *text)
{
	b->at[b->n++] = 6 << 3 | 2;
	put_varint(b, strlen(text));
	memcpy(b->at + b->n, text, strlen(text));
	b->n += strlen(text);
}

/* One type, one function, and one location without lines. */
static void begin(struct bytes *b, const char *type, const char *unit)
{
	b->n = 0;
	PUT(b, 1, 1, 1, 2, 2);
	PUT(b, 5, 1, 1, 2, 3);
	PUT(b, 4, 1, 1);
	put_text(b, "");
	put_text(b, type);
	put_text(b, unit);
	put_text(b, "work");
}

/* Read it. Returns the total of the first metric; its unit in *unit. */
static uint64_t total_of(const struct bytes *b, const char **unit)
{
	static char text[64];
	struct model *m = model_create();
	struct error e = {0};
	const char *lost;
	uint64_t total;

	if (import_memory(m, "x", b->at, b->n, &lost, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(m->metrics.len, 1);
	total = m->metrics.at[0].total.events;
	strcpy(text, m->metrics.at[0].unit);
	*unit = text;
	model_destroy(m);
	return total;
}

static void refuse(const struct bytes *b, const char *why)
{
	struct model *m = model_create();
	struct error e = {0};
	const char *lost;

	assert_int_equal(import_memory(m, "x", b->at, b->n, &lost, &e), 1);
	if (!strstr(e.text, why))
		fail_msg("'%s' in place of '%s'", e.text, why);
	assert_int_equal(m->processes.len, 0);
	assert_int_equal(m->metrics.len, 0);
	assert_int_equal(model_num_contexts(m), MODEL_ROOTS);
	model_destroy(m);
}

static void units_become_ours(void **state)
{
	static const struct {
		const char *unit, *ours;
		uint64_t total;
	} rows[] = {{"nanoseconds", "ns", 7},
		    {"microseconds", "ns", 7000},
		    {"seconds", "ns", 7000000000},
		    {"count", "", 7},
		    {"bytes", "bytes", 7}};
	static struct bytes b;
	const char *unit;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		begin(&b, "wait", rows[i].unit);
		PUT(&b, 2, 1, 1, 2, 7);
		assert_true(total_of(&b, &unit) == rows[i].total);
		assert_string_equal(unit, rows[i].ours);
	}
}

static void ids_have_to_exist(void **state)
{
	static struct bytes b;

	(void)state;
	begin(&b, "wait", "count");
	PUT(&b, 2, 1, 9, 2, 7);
	refuse(&b, "a location that the profile does not have");
	begin(&b, "wait", "count");
	PUT(&b, 4, 1, 1);
	refuse(&b, "two locations with the same id");
	begin(&b, "wait", "count");
	PUT(&b, 4, 1, 2, 2, 5);
	refuse(&b, "a mapping that the profile does not have");
	begin(&b, "wait", "count");
	PUT(&b, 5, 1, 2, 2, 99);
	refuse(&b, "not in the string table");
	begin(&b, "wait", "count");
	PUT(&b, 2, 1, 1, 2, 7, 2, 8);
	refuse(&b, "another number of values");
	begin(&b, "wait", "count");
	PUT(&b, 2, 1, 1);
	refuse(&b, "another number of values");
	begin(&b, "wait", "count");
	b.n--;
	refuse(&b, "a field is cut");
}

/* As begin, and location 2 is of so many inlined functions. */
static void begin_inlined(struct bytes *b, int lines)
{
	begin(b, "wait", "count");
	b->at[b->n++] = 4 << 3 | 2;
	put_varint(b, 2 + 4 * (uint64_t)lines);
	memcpy(b->at + b->n, "\x08\x02", 2);
	b->n += 2;
	for (int i = 0; i < lines; i++, b->n += 4)
		memcpy(b->at + b->n, "\x22\x02\x08\x01", 4);
}

/* A location of 4000 inlined functions, 16000 times in a path, would be 64 million frames. */
static void frames_are_bounded(void **state)
{
	enum { LINES = 4000, CALLS = 16000 };
	static struct bytes b;

	(void)state;
	begin_inlined(&b, LINES);
	b.at[b.n++] = 2 << 3 | 2;
	put_varint(&b, 2 * CALLS + 2);
	for (int i = 0; i < CALLS; i++, b.n += 2)
		memcpy(b.at + b.n, "\x08\x02", 2);
	memcpy(b.at + b.n, "\x10\x01", 2);
	b.n += 2;
	refuse(&b, "more frames than");
}

/* The same frames in each of many samples. */
static void visits_are_bounded(void **state)
{
	enum { LINES = 2000, SAMPLES = 500 };
	static struct bytes b;
	const char *unit;

	(void)state;
	begin_inlined(&b, LINES);
	PUT(&b, 2, 1, 2, 2, 1);
	assert_int_equal(total_of(&b, &unit), 1);
	for (int i = 1; i < SAMPLES; i++)
		PUT(&b, 2, 1, 2, 2, 1);
	refuse(&b, "more frames than");
}

/* What is beyond the limit is left out and said, and characters remain whole. */
static void long_names_are_cut(void **state)
{
	enum { N = PARSED_TEXT_MOST + 100 };
	static char name[N + 1], text[2 * N];
	struct parsed p;
	struct error e;
	struct model *m = model_create();
	const char *lost;

	(void)state;
	memset(name, 'n', N);
	memcpy(name + PARSED_TEXT_MOST - 1, "\xc3\xa9", 2);
	sprintf(text, "%s;work 1\n", name);
	assert_true(parsed_init(&p));
	assert_int_equal(import_parse(&p, text, strlen(text), &e), 0);
	assert_int_equal(strlen(p.functions.at[0].name), PARSED_TEXT_MOST - 1);
	assert_string_equal(p.functions.at[1].name, "work");
	parsed_deinit(&p);
	assert_int_equal(import_memory(m, "x", text, strlen(text), &lost, &e), 0);
	assert_string_equal(lost, "names beyond their first 8192 bytes");
	sprintf(text, "events: Ir\nfn=%s\n1 1\n", name);
	assert_int_equal(import_memory(m, "y", text, strlen(text), &lost, &e), 0);
	assert_string_equal(lost,
			    "names beyond their first 8192 bytes, and the call graph: numbers of "
			    "calls, and costs with those of called functions");
	model_destroy(m);
}

/* The first line of collapsed stacks may be long; a file of one line may be anything. */
static void long_lines_are_read(void **state)
{
	enum { N = 1 << 17 };
	static char text[N + 100];
	char *path = scratch_path("long");
	FILE *f;

	(void)state;
	for (size_t i = 0; i < N; i += 2)
		memcpy(text + i, "a;", 2);
	strcpy(text + N, "b 1\n");
	for (int good = 1; good >= 0; good--) {
		text[100] = good ? 'a' : '\1';
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
		fclose(f);
		assert_int_equal(import_importer.is(path), good);
	}
}

/* ---- compressed files -------------------------------------------------------------- */

static void write_packed(const char *path, const char *mode, const char *text)
{
	gzFile f = gzopen(path, mode);

	assert_non_null(f);
	assert_true(gzwrite(f, text, (unsigned)strlen(text)) > 0);
	assert_int_equal(gzclose(f), Z_OK);
}

static void members_are_joined(void **state)
{
	char *path = scratch_path("two.gz");
	uint8_t head[64];
	struct input in;
	struct error e;
	bool whole;

	(void)state;
	write_packed(path, "wb", "a;b 1\n");
	write_packed(path, "ab", "a;c 2\n");
	assert_int_equal(input_open(&in, path, &e), 0);
	assert_int_equal(in.n, 12);
	assert_memory_equal(in.at, "a;b 1\na;c 2\n", 12);
	input_close(&in);
	assert_int_equal(input_head(path, head, sizeof head, &whole), 12);
	assert_true(whole);
	assert_int_equal(input_head(path, head, 5, &whole), 5);
	assert_memory_equal(head, "a;b 1", 5);
	assert_false(whole);
	assert_true(import_importer.is(path));
	assert_int_equal(input_open(&in, scratch_path("none"), &e), -1);
	input_close(&in);
	assert_int_equal(input_head(scratch_path("none"), head, 5, &whole), 0);
}

/* More than the first guess of the size. */
static void much_is_unpacked(void **state)
{
	enum { LINES = 100000 };
	char *path = scratch_path("much.gz");
	gzFile f = gzopen(path, "wb");
	struct input in;
	struct error e;

	(void)state;
	for (int i = 0; i < LINES; i++)
		assert_true(gzputs(f, "main;work 1\n") > 0);
	assert_int_equal(gzclose(f), Z_OK);
	assert_int_equal(input_open(&in, path, &e), 0);
	assert_int_equal(in.n, LINES * 12);
	assert_memory_equal(in.at + in.n - 12, "main;work 1\n", 12);
	input_close(&in);
}

/* ---- real files -------------------------------------------------------------------- */

static const char *const files[] = {"perf.script", "callgrind.out", "go-cpu.pprof", "go-heap.pprof",
				    NULL};

static char *data_path(const char *name)
{
	char *path;

	assert_non_null(getenv("TAP_DATA"));
	assert_true(asprintf(&path, "%s/import/%s", getenv("TAP_DATA"), name) > 0);
	return path;
}

static void parts_add_up(void **state)
{
	static const struct {
		const char *name;
		size_t parts;
	} rows[] = {{"perf.script", 3}, {"go-cpu.pprof", 1}, {"callgrind.out", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *path = data_path(rows[i].name);
		struct model *whole = model_create(), *sum = model_create();
		struct importer_part *parts = NULL;
		struct arena a = {0};
		struct error e;
		const char *lost;
		size_t n;
		assert_int_equal(import_importer.add(whole, path, &lost, &e), 0);
		assert_int_equal(import_importer.parts(path, &parts, &n, &a, &e), 0);
		assert_int_equal(n, rows[i].parts);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(import_importer.add_part(sum, path, &parts[k], &e), 0);
		for (size_t k = 0; n && k < whole->metrics.len; k++)
			assert_int_equal(sum->metrics.at[k].total.events,
					 whole->metrics.at[k].total.events);
		assert_int_equal(sum->processes.len, 0);
		model_destroy(whole);
		model_destroy(sum);
		arena_deinit(&a);
		free(path);
	}
}

/* Read a file and its parts. */
static int read_once(const char *path)
{
	struct model *m = model_create();
	struct importer_part *parts = NULL;
	struct arena a = {0};
	struct error e = {0};
	const char *lost;
	size_t n = 0;
	int rc = m ? import_importer.add(m, path, &lost, &e) : -1;

	assert_true(rc <= 0);
	if (rc == 0)
		rc = import_importer.parts(path, &parts, &n, &a, &e);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = import_importer.add_part(m, path, &parts[i], &e);
	if (rc != 0 && m)
		assert_int_equal(e.kind, ERROR_MEMORY);
	model_destroy(m);
	arena_deinit(&a);
	return rc;
}

static void memory_runs_out(void **state)
{
	(void)state;
	for (const char *const *name = files; *name; name++) {
		char *path = data_path(*name);
		unsigned long all;
		failing_alloc_start(0);
		assert_int_equal(read_once(path), 0);
		all = failing_alloc_count();
		assert_true(all > 20);
		assert_int_equal(failing_alloc_live(), 0);
		for (unsigned long n = 1; n <= all; n++) {
			failing_alloc_start(n);
			int rc = read_once(path);
			long live = failing_alloc_live();
			failing_alloc_start(0);
			if (rc != -1 || live)
				fail_msg("%s: allocation %lu failed: %d, and %ld are not freed",
					 *name, n, rc, live);
		}
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_end),           cmocka_unit_test(numbers_have_bounds),
	    cmocka_unit_test(words_are_taken),     cmocka_unit_test(varints_end),
	    cmocka_unit_test(fields_are_bounded),  cmocka_unit_test(units_become_ours),
	    cmocka_unit_test(ids_have_to_exist),   cmocka_unit_test(frames_are_bounded),
	    cmocka_unit_test(members_are_joined),  cmocka_unit_test(much_is_unpacked),
	    cmocka_unit_test(parts_add_up),        cmocka_unit_test(memory_runs_out),
	    cmocka_unit_test(visits_are_bounded),  cmocka_unit_test(long_names_are_cut),
	    cmocka_unit_test(long_lines_are_read),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
