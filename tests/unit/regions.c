/* Regions and labels of a program's own: from nodes below a path to frames within it. */
#include "hpcprof/command/common.h"
#include "hpcprof/load/choice.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/model/model.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/failing_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGION(name, depth) (CSP_REGION_BASE + ((name) << CSP_NOTE_SHIFT) + (depth))
#define LABEL(key, value) (CSP_LABEL_BASE + ((key) << CSP_NOTE_SHIFT) + (value))
#define CODE(at) (0x500000 + (at))

static void noted(void *context, const char *text)
{
	(void)context;
	fail_msg("%s", text);
}

static struct build_file file_of(const struct build_node *nodes, uint64_t n, uint32_t shuffle)
{
	static struct build_tree tree;
	struct build_file f;

	tree = (struct build_tree){NULL, 0, nodes, n, 0, CSP_TREE_COMPLETE, CSP_NONE, 0};
	f = build_regions;
	f.trees = &tree;
	f.shuffle = shuffle;
	f.relabel = shuffle != 0;
	return f;
}

static struct model *load_as(const struct build_node *nodes, uint64_t n, uint32_t shuffle,
			     const struct ingest_options *o)
{
	const struct build_file f = file_of(nodes, n, shuffle);
	struct model *m = model_create();
	struct ingest *in = ingest_create(m, o);
	struct error e = {0};
	struct reader *r;
	struct built b;

	build(&f, &b);
	assert_int_equal(reader_open_memory(b.bytes, b.n, &r, &e), 0);
	assert_null(reader_warning(r));
	if (ingest_file(in, r, "one.csp", noted, NULL, &e) != 0)
		fail_msg("%s", e.text);
	ingest_destroy(in);
	reader_close(r);
	built_free(&b);
	assert_int_equal(model_finish(m, &e), 0);
	return m;
}

static struct model *load(const struct build_node *nodes, uint64_t n, uint32_t shuffle, bool keep)
{
	const struct ingest_options o = {.keep_notes = keep};

	return load_as(nodes, n, shuffle, &o);
}

static void put_frame(FILE *out, const struct model *m, uint32_t context)
{
	const struct model_frame *f = &m->frames.at[model_frame_of(m, context)];

	if (model_parent(m, context) >= MODEL_ROOTS)
		put_frame(out, m, model_parent(m, context));
	if (f->role == FRAME_POINT || f->role == FRAME_CALL)
		fprintf(out, " %s%x", f->role == FRAME_CALL ? "call " : "",
			(unsigned)f->address - 0x400000);
	else
		fprintf(out, " %s@%u", strchr(m->functions.at[f->address >> 32].name, ' ') + 1,
			(unsigned)f->address);
}

/* The model as a text: a line for each context with a value, its path and what it has of the two
 * metrics. */
static char *paths(const struct model *m)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	for (uint32_t i = MODEL_ROOTS; i < model_num_contexts(m); i++) {
		uint64_t cpu = m->metrics.at[0].events[i], entries = m->metrics.at[1].events[i];
		if (!cpu && !entries)
			continue;
		put_frame(out, m, i);
		fprintf(out, ": %u %u\n", (unsigned)cpu, (unsigned)entries);
	}
	fclose(out);
	return text;
}

static void expect(const struct build_node *nodes, uint64_t n, const char *want)
{
	for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
		struct model *m = load(nodes, n, shuffle, false);
		char *got = paths(m);
		assert_string_equal(got, want);
		free(got);
		model_destroy(m);
	}
}

static void test_between_a_function_and_what_it_calls(void **state)
{
	(void)state;
	/* main at 0x10 calls f at 0x20, which was interrupted at 0x30; b is in a */
	static const struct build_node nodes[] = {
	    {0, 0, 0, {0}},
	    {0, CODE(0x11), 0, {0}},
	    {1, CODE(0x21), 0, {0}},
	    {2, CODE(0x31), 0, {0}},
	    {3, REGION(1, 1), 0, {5, 1}},  /* of main */
	    {4, REGION(2, 2), 0, {7, 1}},  /* and of f, in it */
	    {4, REGION(2, 1), 0, {9, 1}},  /* and of main, too */
	    {2, CODE(0x30), 0, {11, 1}},   /* in no region */
	    {4, REGION(2, 3), 0, {13, 1}}, /* of the innermost function itself */
	};
	expect(nodes, 9,
	       " call 10 call 20 30: 11 0\n"
	       " call 10 a@0 call 20 30: 5 0\n"
	       " call 10 a@0 call 20 call 30 b@0 30: 13 0\n"
	       " call 10 a@0 call 20 b@0 30: 7 0\n"
	       " call 10 a@0 b@0 call 20 30: 9 0\n");
}

static void test_of_a_function_that_is_not_there(void **state)
{
	(void)state;
	static const struct build_node nodes[] = {
	    {0, 0, 0, {0}},
	    {0, CODE(0x11), 0, {0}},
	    {1, CODE(0x21), 0, {0}},
	    {2, REGION(1, 0), 0, {5, 1}},              /* on another stack: outside of all */
	    {2, REGION(2, CSP_NOTE_DEPTH), 0, {7, 1}}, /* deeper than the path */
	    {2, REGION(3, 1), 0, {9, 1}},              /* there is no such name */
	};
	expect(nodes, 6,
	       " call 10 call 20 b@0 20: 7 0\n"
	       " call 10 [unknown]@0 20: 9 0\n"
	       " a@0 call 10 20: 5 0\n");
}

/* No runtime writes that, but nothing else may happen than that the values are somewhere. */
static void test_calls_below_a_region(void **state)
{
	(void)state;
	static const struct build_node nodes[] = {
	    {0, REGION(1, 1), 0, {0}}, /* the root */
	    {0, REGION(1, 0), 0, {0}},  {1, CODE(0x11), 0, {3, 1}},   {2, REGION(2, 1), 0, {0}},
	    {3, CODE(0x21), 0, {5, 1}}, {4, REGION(1, 1), 0, {7, 1}}, {5, REGION(2, 7), 0, {0}},
	    {6, CODE(0x31), 0, {0}},    {7, REGION(2, 3), 0, {9, 1}},
	};
	expect(nodes, 9,
	       " call 10 call 20 call 30 b@0 30: 9 0\n"
	       " call 10 21: 5 0\n"
	       " call 10 a@0 20: 7 0\n"
	       " 11: 3 0\n");
}

static void test_what_was_recorded(void **state)
{
	(void)state;
	static const struct build_node nodes[] = {
	    {0, 0, 0, {0}},
	    {0, REGION(1, 0), 0, {0, 0, 3, 3}}, /* entries */
	    {1, REGION(2, 0), 0, {0, 0, 4, 4}},
	    {0, CODE(0x11), 0, {0}},
	    {3, CODE(0x21), 0, {0}}, /* a recorded call, not interrupted code */
	    {4, REGION(1, 1), 0, {0, 0, 5, 5}},
	};
	expect(nodes, 6,
	       " call 10 a@0 call 20: 0 5\n"
	       " a@0: 0 3\n"
	       " a@0 b@0: 0 4\n");
}

/* main at 0x10 calls f at 0x20, which was interrupted at 0x30, with a=b, with a=b and b=a, in the
 * region b of main with a=a and one of too many, and without a label. */
static const struct build_node labelled[] = {
    {0, 0, 0, {0}},
    {0, CODE(0x11), 0, {0}},
    {1, CODE(0x21), 0, {0}},
    {2, CODE(0x31), 0, {0}},
    {3, LABEL(1, 2), 0, {5, 1}},
    {4, LABEL(2, 1), 0, {7, 1}},
    {3, LABEL(1, 1), 0, {0}},
    {6, LABEL(2, 0), 0, {0}},
    {7, REGION(2, 1), 0, {9, 1}},
    {2, CODE(0x30), 0, {11, 1}},
};

/* Load with --group-by and --label, of which each may be NULL. */
static void expect_labelled(const char *keys[2], const char *wanted[2], const char *want)
{
	struct common o = {0};
	struct choice *choice = NULL;
	struct error e = {0};

	for (int i = 0; i < 2; i++) {
		if (keys[i])
			assert_true(vec_push(&o.group_by, keys[i]));
		if (wanted[i])
			assert_true(vec_push(&o.labels, wanted[i]));
	}
	assert_int_equal(choice_create(&choice, &o, &e), 0);
	for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
		const struct ingest_options i = {.choice = choice, .group_by = &o.group_by};
		struct model *m = load_as(labelled, 10, shuffle, &i);
		char *got = paths(m);
		assert_string_equal(got, want);
		free(got);
		model_destroy(m);
	}
	choice_destroy(choice);
	vec_free(&o.group_by);
	vec_free(&o.labels);
}

static void test_labels(void **state)
{
	(void)state;
	static const char *none[2], *a[2] = {"a"}, *b_a[2] = {"b", "a"};

	expect_labelled(none, none,
			" call 10 call 20 30: 23 0\n"
			" call 10 b@0 call 20 30: 9 0\n");
	expect_labelled(a, none,
			" call 10 call 20 30: 11 0\n"
			" a=a@0 call 10 b@0 call 20 30: 9 0\n"
			" a=b@0 call 10 call 20 30: 12 0\n");
	expect_labelled(b_a, none,
			" call 10 call 20 30: 11 0\n"
			" a=b@0 call 10 call 20 30: 5 0\n"
			" b=(other)@0 a=a@0 call 10 b@0 call 20 30: 9 0\n"
			" b=a@0 a=b@0 call 10 call 20 30: 7 0\n");
	expect_labelled((const char *[2]){"c"}, none,
			" call 10 call 20 30: 23 0\n"
			" call 10 b@0 call 20 30: 9 0\n");
}

static void test_only_some_labels(void **state)
{
	(void)state;
	static const char *none[2], *b[2] = {"b"};

	expect_labelled(none, (const char *[2]){"a=^b$"}, " call 10 call 20 30: 12 0\n");
	expect_labelled(none, (const char *[2]){"a=b", "b=."}, " call 10 call 20 30: 7 0\n");
	expect_labelled(none, (const char *[2]){"a=b", "a=a"},
			" call 10 call 20 30: 12 0\n"
			" call 10 b@0 call 20 30: 9 0\n");
	expect_labelled(b, (const char *[2]){"a=b"},
			" call 10 call 20 30: 5 0\n"
			" b=a@0 call 10 call 20 30: 7 0\n");
	expect_labelled(b, (const char *[2]){"a=c"}, "");
}

static void test_every_label(void **state)
{
	(void)state;
	static const uint64_t number = (uint64_t)CSP_LABEL_NUMBER << 2 * CSP_NOTE_SHIFT;
	const struct ingest_options o = {.every_label = true};
	const struct build_node numbered[] = {
	    {0, 0, 0, {0}},
	    {0, CODE(0x11), 0, {5, 1}},
	    {1, LABEL(1, 2) + number, 0, {7, 1}},
	    {2, LABEL(2, 1), 0, {9, 1}},
	    {1, LABEL(1, 2), 0, {11, 1}},
	    {1, REGION(1, 1), 0, {13, 1}},
	};

	for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
		struct model *m = load_as(labelled, 10, shuffle, &o);
		char *got = paths(m);
		assert_string_equal(got, " a=a@0 b=(other)@0 call 10 b@0 call 20 30: 9 0\n"
					 " a=b@0 call 10 call 20 30: 5 0\n"
					 " a=b@0 b=a@0 call 10 call 20 30: 7 0\n");
		free(got);
		model_destroy(m);
		m = load_as(numbered, 6, shuffle, &o);
		got = paths(m);
		assert_string_equal(got, " a=b@0 10: 11 0\n a=b@1 10: 7 0\n a=b@1 b=a@0 10: 9 0\n");
		free(got);
		model_destroy(m);
	}
}

static const struct build_node two[] = {
    {0, 0, 0, {0}},
    {0, CODE(0x11), 0, {0}},
    {1, CODE(0x31), 0, {0}},
    {2, REGION(1, 1), 0, {5, 1}},
    {3, REGION(2, 2), 0, {7, 1}},
};

static void test_kept_as_they_were(void **state)
{
	(void)state;
	struct model *m = load(two, 5, 0, true);
	char *got = paths(m);

	assert_string_equal(got, " call 10 call 30 a@1: 5 0\n call 10 call 30 a@1 b@2: 7 0\n");
	free(got);
	model_destroy(m);
}

/* Read the file into a model. -1, and *e says why. */
static int read_into_model(const struct built *b, struct error *e)
{
	struct model *m = model_create();
	struct ingest *in = m ? ingest_create(m, &(struct ingest_options){0}) : NULL;
	struct reader *r = NULL;
	int rc = in ? reader_open_memory(b->bytes, b->n, &r, e) : error_memory(e, 0);

	if (rc == 0)
		rc = ingest_file(in, r, "one.csp", noted, NULL, e);
	ingest_destroy(in);
	reader_close(r);
	model_destroy(m);
	return rc;
}

static void test_any_allocation_fails(void **state)
{
	(void)state;
	const struct build_file f = file_of(two, 5, 0);
	struct error e;
	struct built b;
	unsigned long all;

	build(&f, &b);
	assert_int_equal(read_into_model(&b, &e), 0);
	failing_alloc_start(0);
	assert_int_equal(read_into_model(&b, &e), 0);
	all = failing_alloc_count();
	assert_true(all > 30);
	for (unsigned long n = 1; n <= all; n++) {
		failing_alloc_start(n);
		e = (struct error){0};
		if (read_into_model(&b, &e) != 0)
			assert_int_equal(e.kind, ERROR_MEMORY);
		assert_int_equal(failing_alloc_live(), 0);
	}
	failing_alloc_start(0);
	built_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_between_a_function_and_what_it_calls),
	    cmocka_unit_test(test_of_a_function_that_is_not_there),
	    cmocka_unit_test(test_calls_below_a_region),
	    cmocka_unit_test(test_what_was_recorded),
	    cmocka_unit_test(test_labels),
	    cmocka_unit_test(test_only_some_labels),
	    cmocka_unit_test(test_every_label),
	    cmocka_unit_test(test_kept_as_they_were),
	    cmocka_unit_test(test_any_allocation_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
