/* Frames of an interpreter: names and lines of its functions, and what is left of its own frames.
 */
#include "hpcprof/export/merge.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/model/model.h"
#include "hpcprof/model/threads.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/failing_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void noted(void *context, const char *text)
{
	(void)context;
	fail_msg("%s", text);
}

static int read_into(struct model *m, const struct built *b, const struct ingest_options *o,
		     struct error *e)
{
	struct ingest *in = ingest_create(m, o);
	struct reader *r = NULL;
	int rc = in ? reader_open_memory(b->bytes, b->n, &r, e) : error_memory(e, 0);

	if (rc == 0)
		rc = ingest_file(in, r, "one.csp", noted, NULL, e);
	if (rc == 0)
		assert_null(reader_warning(r));
	ingest_destroy(in);
	reader_close(r);
	return rc;
}

static struct model *load_as(const struct built *b, const struct ingest_options *o)
{
	struct model *m = model_create();
	struct error e = {0};

	if (read_into(m, b, o, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(model_finish(m, &e), 0);
	return m;
}

static struct model *load(const struct built *b, bool keep)
{
	const struct ingest_options o = {.keep_interpreter = keep, .threads = true};

	return load_as(b, &o);
}

/* One letter for a module, before an address. */
static char letter(const struct model *m, uint32_t module)
{
	const char *slash = strrchr(m->modules.at[module].name, '/');

	return slash ? slash[1] : m->modules.at[module].name[1];
}

static void put_frame(FILE *out, const struct model *m, uint32_t context)
{
	const struct model_frame *f = &m->frames.at[model_frame_of(m, context)];

	if (model_parent(m, context) >= MODEL_ROOTS)
		put_frame(out, m, model_parent(m, context));
	fprintf(out, f->role == FRAME_CALL || f->role == FRAME_NAMED_CALL ? " -" : " ");
	if (f->role < FRAME_ADDRESSED)
		fprintf(out, "%c%x", letter(m, f->module), (unsigned)f->address & 0xffff);
	else
		fprintf(out, "%s:%u", m->functions.at[f->address >> 32].name, (unsigned)f->address);
}

/* The model as a text: a line for each context with a value, its path and what it has of the
 * metrics. */
static char *paths(const struct model *m)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	for (uint32_t i = MODEL_ROOTS; i < model_num_contexts(m); i++) {
		uint64_t any = 0;
		for (size_t k = 0; k < m->metrics.len; k++)
			any |= m->metrics.at[k].events[i];
		if (!any)
			continue;
		put_frame(out, m, i);
		fprintf(out, " =");
		for (size_t k = 0; k < m->metrics.len; k++)
			fprintf(out, " %u", (unsigned)m->metrics.at[k].events[i]);
		fprintf(out, "\n");
	}
	fclose(out);
	return text;
}

static void expect(const struct build_file *file, bool keep, const char *want)
{
	for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
		struct build_file f = *file;
		struct model *m;
		struct built b;
		char *got;
		f.shuffle = shuffle;
		f.relabel = shuffle != 0;
		build(&f, &b);
		m = load(&b, keep);
		got = paths(m);
		assert_string_equal(got, want);
		free(got);
		model_destroy(m);
		built_free(&b);
	}
}

/* What is left out: outside of Python, between its frames, and what they call. */
static const char folded[] = " -f:12 p50 = 25 0 0\n"
			     " -p10 -l10 -<module>:21 f:11 = 12 0 0\n"
			     " -p10 -l10 -<module>:21 -f:11 = 0 0 2\n"
			     " -p10 -l10 -<module>:21 -f:11 -f10 f20 = 9 0 0\n"
			     " -p10 -l10 -<module>:21 -f:11 -f10 norm:0 = 11 0 0\n"
			     " -p10 -l10 -<module>:21 -f:11 -f10 -norm:201 -l20 k10 = 13 0 0\n"
			     " -p10 -l10 -<module>:21 -f:11 [waiting for the GIL]:0 = 0 19 0\n"
			     " -p10 -l10 -<module>:21 -f:11 -[region] a:0 f:11 = 15 0 0\n"
			     " -p10 -l10 -<module>:21 -[region] a:0 f:11 = 17 0 0\n"
			     " -p10 -l10 Outer.run.<locals>.<lambda>:30 = 21 0 0\n"
			     " -p10 -l10 [unknown function]:0 = 23 0 0\n"
			     " -p10 -l10 -p20 p30 = 3 0 0\n"
			     " -l30 -p70 p80 = 27 0 0\n"
			     " -l30 -p70 [waiting for the GIL]:0 = 0 29 0\n";
static const char kept[] =
    " -f:12 p50 = 25 0 0\n"
    " -p10 -l10 -p20 p30 = 3 0 0\n"
    " -p10 -l10 -p20 -p40 -<module>:21 f:11 = 7 0 0\n"
    " -p10 -l10 -p20 -p40 -<module>:21 -f:11 p50 = 5 0 0\n"
    " -p10 -l10 -p20 -p40 -<module>:21 -f:11 -p60 = 0 0 2\n"
    " -p10 -l10 -p20 -p40 -<module>:21 -f:11 -p60 -f10 -p40 norm:0 = 11 0 0\n"
    " -p10 -l10 -p20 -p40 -<module>:21 -f:11 -p60 -f10 -p40 -norm:201 -l20 k10 = 13 0 0\n"
    " -p10 -l10 -p20 -p40 -<module>:21 -f:11 -p60 -f10 f20 = 9 0 0\n"
    " -p10 -l10 -p20 -p40 -<module>:21 -f:11 [waiting for the GIL]:0 = 0 19 0\n"
    " -p10 -l10 -p20 -p40 -<module>:21 -f:11 -[region] a:0 f:11 = 15 0 0\n"
    " -p10 -l10 -p20 -p40 -<module>:21 -[region] a:0 -f:11 p60 = 17 0 0\n"
    " -p10 -l10 -p20 -p40 Outer.run.<locals>.<lambda>:30 = 21 0 0\n"
    " -p10 -l10 -p20 -p40 [unknown function]:0 = 23 0 0\n"
    " -l30 -p70 p80 = 27 0 0\n"
    " -l30 -p70 [waiting for the GIL]:0 = 0 29 0\n";

static void test_folded(void **state)
{
	(void)state;
	expect(&build_interpreter, false, folded);
}

static void test_kept(void **state)
{
	(void)state;
	expect(&build_interpreter, true, kept);
}

#define UNKNOWN "[unknown function]:0"

/* Without the chunk CODE nothing is known of the functions, but they are folded as before. */
static void test_no_functions(void **state)
{
	struct build_file f = build_interpreter;

	(void)state;
	f.num_codes = 0;
	expect(&f, false,
	       " -" UNKNOWN " p50 = 25 0 0\n"
	       " -p10 -l10 " UNKNOWN " = 44 0 0\n"
	       " -p10 -l10 -" UNKNOWN " " UNKNOWN " = 12 0 0\n"
	       " -p10 -l10 -" UNKNOWN " -" UNKNOWN " = 0 0 2\n"
	       " -p10 -l10 -" UNKNOWN " -" UNKNOWN " -f10 f20 = 9 0 0\n"
	       " -p10 -l10 -" UNKNOWN " -" UNKNOWN " -f10 " UNKNOWN " = 11 0 0\n"
	       " -p10 -l10 -" UNKNOWN " -" UNKNOWN " -f10 -" UNKNOWN " -l20 k10 = 13 0 0\n"
	       " -p10 -l10 -" UNKNOWN " -" UNKNOWN " " UNKNOWN " = 0 19 0\n"
	       " -p10 -l10 -" UNKNOWN " -" UNKNOWN " -[region] a:0 " UNKNOWN " = 15 0 0\n"
	       " -p10 -l10 -" UNKNOWN " -[region] a:0 " UNKNOWN " = 17 0 0\n"
	       " -p10 -l10 -p20 p30 = 3 0 0\n"
	       " -l30 -p70 p80 = 27 0 0\n"
	       " -l30 -p70 " UNKNOWN " = 0 29 0\n");
}

/* A thread that Python created was created by its function, and by what called this. */
static void test_creators(void **state)
{
	static const struct {
		const char *name;
		uint32_t line;
	} calls[] = {{"f", 11}, {"<module>", 21}};
	bool any = false;

	(void)state;
	for (int keep = 0; keep < 2; keep++) {
		struct model *m;
		struct built b;
		build(&build_interpreter, &b);
		m = load(&b, keep);
		for (size_t i = 0; i < m->threads.len; i++) {
			const struct model_threads *g = &m->threads.at[i];
			if (g->kind != THREAD_CREATED)
				continue;
			any = true;
			assert_int_equal(g->num_calls, 4);
			for (int k = 0; k < 2; k++) {
				const struct model_call *call = &g->call[k];
				assert_true(call->named);
				assert_string_equal(m->functions.at[call->address >> 32].name,
						    calls[k].name);
				assert_int_equal((uint32_t)call->address, calls[k].line);
				assert_int_not_equal(model_call_frame(m, call), MODEL_NO_FRAME);
			}
			assert_false(g->call[2].named);
		}
		model_destroy(m);
		built_free(&b);
	}
	assert_true(any);
}

/* The paths of a thread are below the function that created it. */
static void test_joined_threads(void **state)
{
	static const char *const want[] = {
	    " -p10 -l10 -<module>:21 -f:11 -l30 -p70 p80 = 27 0 0\n",
	    " -p10 -l10 -p20 -p40 -<module>:21 -f:11 -p60 -l30 -p70 p80 = 27 0 0\n"};

	(void)state;
	for (int keep = 0; keep < 2; keep++) {
		const struct ingest_options o = {.keep_interpreter = keep, .join_threads = true};
		struct build_file f = build_interpreter;
		for (f.shuffle = 0; f.shuffle < 2; f.shuffle++) {
			struct built b;
			struct model *m;
			char *got;
			build(&f, &b);
			m = load_as(&b, &o);
			got = paths(m);
			if (!strstr(got, want[keep]))
				fail_msg("%s", got);
			free(got);
			model_destroy(m);
			built_free(&b);
		}
	}
}

/* Returns are counted for the function as a whole, at the call before a node's ip, also if nothing
 * is left of what it called. */
static void test_activations(void **state)
{
	static const struct build_metric metrics[] = {
	    {"CPUTIME", CSP_METRIC_ASYNC, 1, NULL, 0},
	    {"# returns", CSP_METRIC_RETURNS, 1, NULL, 0},
	};
	static const struct build_node nodes[] = {
	    {0, 0, 0, {0}},
	    {0, 0x500021, 0, {0, 3}},                /* outside of Python */
	    {1, 0x500041, 0, {0, 5}},                /* which runs it */
	    {2, CSP_SOURCE_BASE + 0x104, 0, {0, 7}}, /* f, line 11; then comes line 12 */
	    {3, 0x500051, 0, {0, 9}},                /* the interpreter for it */
	    {4, 0x500060, 0, {11, 13}},
	};
	static const struct build_tree tree = {NULL,     0, nodes, 6, 0, CSP_TREE_COMPLETE,
					       CSP_NONE, 0};
	struct build_file f = build_interpreter;

	(void)state;
	f.metrics = metrics;
	f.num_metrics = 2;
	f.trees = &tree;
	f.num_trees = 1;
	expect(&f, false, " -p20 f:11 = 11 29\n -p20 p40 = 0 5\n p20 = 0 3\n");
	expect(&f, true,
	       " -p20 -p40 f:11 = 0 7\n -p20 -p40 -f:11 -p50 p60 = 11 0\n"
	       " -p20 -p40 -f:11 -p50 p60 = 0 13\n -p20 -p40 -f:11 p50 = 0 9\n"
	       " -p20 p40 = 0 5\n p20 = 0 3\n");
}

/* ---- merging ------------------------------------------------------------------------------ */

enum { MOST_NODES = 32, MOST_MODULES = 16, MOST_CODES = 8 };

/* The same program, in which the source files were seen in another order. */
struct moved {
	struct build_file file;
	struct build_epoch epoch;
	struct build_tree trees[2];
	struct build_node nodes[2][MOST_NODES];
	struct build_module modules[MOST_MODULES];
	struct build_code codes[MOST_CODES];
};

static uint64_t move(uint64_t ip)
{
	bool source = ip - CSP_SOURCE_BASE < CSP_SOURCES_EXTENT;

	return source ? ip ^ (UINT64_C(3) << CSP_SOURCE_SHIFT) : ip;
}

static void move_all(struct moved *to)
{
	const struct build_epoch *epoch = build_interpreter.epochs;

	to->file = build_interpreter;
	to->epoch = *epoch;
	for (uint32_t i = 0; i < epoch->num_modules; i++) {
		to->modules[i] = epoch->modules[i];
		to->modules[i].mapped_address = move(to->modules[i].mapped_address);
	}
	for (uint32_t i = 0; i < build_interpreter.num_codes; i++) {
		to->codes[i] = build_interpreter.codes[i];
		to->codes[i].ip = move(to->codes[i].ip);
	}
	for (int t = 0; t < 2; t++) {
		to->trees[t] = build_interpreter.trees[t];
		for (uint64_t i = 0; i < to->trees[t].num_nodes; i++) {
			to->nodes[t][i] = to->trees[t].nodes[i];
			to->nodes[t][i].ip = move(to->nodes[t][i].ip);
		}
		to->trees[t].nodes = to->nodes[t];
	}
	to->epoch.modules = to->modules;
	to->file.epochs = &to->epoch;
	to->file.trees = to->trees;
	to->file.codes = to->codes;
}

/* A datafile of n others, as hpcprof merge writes it. */
static struct built merged(const struct built *const *files, int n)
{
	const struct ingest_options o = {
	    .keep_notes = true, .keep_interpreter = true, .threads = true};
	struct model *m = model_create();
	struct error e = {0};
	struct built b = {0};
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, &b.n);

	for (int i = 0; i < n; i++)
		assert_int_equal(read_into(m, files[i], &o, &e), 0);
	assert_int_equal(model_finish(m, &e), 0);
	if (merge_write(out, m, &e) != 0)
		fail_msg("%s", e.text);
	fclose(out);
	b.bytes = (uint8_t *)bytes;
	model_destroy(m);
	return b;
}

static void expect_merged(const struct built *b, bool keep, const char *want)
{
	struct model *m = load(b, keep);
	char *got = paths(m);

	assert_string_equal(got, want);
	free(got);
	model_destroy(m);
}

static void expect_same(const struct built *a, const struct built *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->bytes, b->bytes, a->n);
}

static void test_merged(void **state)
{
	struct moved other;
	struct built a, b, one, both[3], last;

	(void)state;
	build(&build_interpreter, &a);
	move_all(&other);
	build(&other.file, &b);
	one = merged((const struct built *[]){&a}, 1);
	expect_merged(&one, false, folded);
	expect_merged(&one, true, kept);
	both[0] = merged((const struct built *[]){&a, &b}, 2);
	both[1] = merged((const struct built *[]){&b, &a}, 2);
	both[2] = merged((const struct built *[]){&one, &b}, 2);
	last = merged((const struct built *[]){&both[0]}, 1);
	expect_same(&both[0], &both[1]);
	expect_same(&both[0], &both[2]);
	expect_same(&both[0], &last);
	built_free(&a);
	built_free(&b);
	built_free(&one);
	built_free(&last);
	for (int i = 0; i < 3; i++)
		built_free(&both[i]);
}

/* The threads of a merged file are the same as those of its parts. */
static void test_merged_creators(void **state)
{
	struct built a, one;
	struct model *m;
	const struct model_threads *g = NULL;

	(void)state;
	build(&build_interpreter, &a);
	one = merged((const struct built *[]){&a}, 1);
	m = load(&one, false);
	for (size_t i = 0; i < m->threads.len; i++)
		if (m->threads.at[i].kind == THREAD_CREATED)
			g = &m->threads.at[i];
	assert_non_null(g);
	assert_int_equal(g->num_calls, 4);
	assert_true(g->call[0].named);
	assert_string_equal(m->functions.at[g->call[0].address >> 32].name, "f");
	assert_string_equal(m->processes.at[0].uninterpreted, "there are two of them");
	model_destroy(m);
	built_free(&a);
	built_free(&one);
}

static int read_and_merge(const struct built *b, struct error *e)
{
	const struct ingest_options o = {.threads = true};
	struct model *m = model_create();
	FILE *out = fopen("/dev/null", "w");
	int rc = m && out ? read_into(m, b, &o, e) : error_memory(e, 0);

	if (rc == 0)
		rc = model_finish(m, e);
	if (rc == 0)
		rc = merge_write(out, m, e);
	if (out)
		fclose(out);
	model_destroy(m);
	return rc;
}

static void test_any_allocation_fails(void **state)
{
	struct error e;
	struct built b;
	unsigned long all;

	(void)state;
	build(&build_interpreter, &b);
	assert_int_equal(read_and_merge(&b, &e), 0);
	failing_alloc_start(0);
	assert_int_equal(read_and_merge(&b, &e), 0);
	all = failing_alloc_count();
	assert_true(all > 30);
	for (unsigned long n = 1; n <= all; n++) {
		failing_alloc_start(n);
		e = (struct error){0};
		if (read_and_merge(&b, &e) != 0)
			assert_int_equal(e.kind, ERROR_MEMORY);
		assert_int_equal(failing_alloc_live(), 0);
	}
	failing_alloc_start(0);
	built_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_folded),
	    cmocka_unit_test(test_kept),
	    cmocka_unit_test(test_no_functions),
	    cmocka_unit_test(test_creators),
	    cmocka_unit_test(test_joined_threads),
	    cmocka_unit_test(test_activations),
	    cmocka_unit_test(test_merged),
	    cmocka_unit_test(test_merged_creators),
	    cmocka_unit_test(test_any_allocation_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
