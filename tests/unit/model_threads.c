/* The groups of threads of a model: what makes a group, and joining. */
#include "hpcprof/export/merge.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/model/model.h"
#include "hpcprof/model/threads.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct build_metric cputime[] = {
    {"CPUTIME", CSP_METRIC_ASYNC, 1, NULL, 0},
    {"CPUTIME # samples", CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 1000000, NULL, 0},
};
static const struct build_metric more[] = {
    {"BYTES", CSP_METRIC_ASYNC, 64, NULL, 0},
    {"CPUTIME", CSP_METRIC_ASYNC, 1, NULL, 0},
    {"CPUTIME # samples", CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 1000000, NULL, 0},
};
static const struct build_module prog[] = {{"/p", 0x400000, 0x500000, 0x10000, "aa"},
					   {"/lib", 0, 0x7f0000000000, 0x10000, "bb"}};
static const struct build_epoch prog_epoch = {prog, 2};
/* the same, loaded elsewhere and in another order, after one that sorts first */
static const struct build_module moved[] = {{"/lib", 0, 0x700000, 0x10000, "bb"},
					    {"/a", 0, 0x600000, 0x10000, "cc"},
					    {"/p", 0x400000, 0x900000, 0x10000, "aa"}};
static const struct build_epoch moved_epoch = {moved, 3};
static const struct build_pair pid[] = {{"pid", "42", 0}};

/* main calls two functions that call the library's function, which creates threads */
static const struct build_node main_nodes[] = {
    {0, 0, 0, {0}},           {0, 0x500101, 0, {0}},
    {1, 0x500201, 0, {0}},    {2, 0x7f0000000301, 0, {0}},
    {1, 0x500401, 0, {0}},    {4, 0x7f0000000301, 0, {0}},
    {1, 0x500800, 0, {5, 1}},
};
static const struct build_node moved_nodes[] = {
    {0, 0, 0, {0}},        {0, 0x900101, 0, {0}},       {1, 0x900201, 0, {0}},
    {2, 0x700301, 0, {0}}, {1, 0x900800, 0, {2, 7, 1}},
};
#define LEAF(value)                                                                                \
	{                                                                                          \
		{0, 0, 0, {0}}, {0, 0x500900, 0, {value, 1}},                                      \
	}
static const struct build_node leaf10[] = LEAF(10), leaf20[] = LEAF(20), leaf40[] = LEAF(40),
			       leaf80[] = LEAF(80), leaf160[] = LEAF(160);
static const struct build_node moved_leaf[] = {{0, 0, 0, {0}}, {0, 0x900900, 0, {1, 300, 3}}};

#define TREE(nodes, thread, creator, node)                                                         \
	{                                                                                          \
		NULL, 0, nodes, sizeof(nodes) / sizeof *(nodes), thread, CSP_TREE_COMPLETE,        \
		    creator, node                                                                  \
	}
static const struct build_tree trees[] = {
    TREE(main_nodes, 0, CSP_NONE, 0),
    TREE(leaf10, 1, 0, 3),
    TREE(leaf20, 2, 0, 5),
    TREE(leaf40, 3, 0, 3),
    TREE(leaf80, 4, 0, 3),
    TREE(leaf160, 5, CSP_NONE, 0),
    TREE(leaf10, 4, 0, 3), /* a later epoch's tree of the same thread */
};
static const struct build_thread threads[] = {
    {42, "prog", 0, 9, 0}, {50, "w-7", 1, 9, 0}, {51, "w-8", 1, 9, 0},
    {52, "w-12", 1, 9, 0}, {53, "io", 1, 9, 0},  {0, CSP_ENDED_THREADS, 0, 0, 0},
    {54, "w-9", 1, 9, 0},
};
static const struct build_tree moved_trees[] = {TREE(moved_nodes, 0, CSP_NONE, 0),
						TREE(moved_leaf, 1, 0, 3)};
static const struct build_thread moved_threads[] = {{42, "prog", 0, 9, 0}, {60, "w-1", 1, 9, 0}};

static const struct build_file first_file = {.target = "/p",
					     .metrics = cputime,
					     .num_metrics = 2,
					     .epochs = &prog_epoch,
					     .num_epochs = 1,
					     .trees = trees,
					     .num_trees = 7,
					     .process = pid,
					     .num_process = 1,
					     .threads = threads,
					     .num_threads = 7,
					     .without = 1 << CSP_CHUNK_ACCOUNT};
static const struct build_file moved_file = {.target = "/p",
					     .metrics = more,
					     .num_metrics = 3,
					     .epochs = &moved_epoch,
					     .num_epochs = 1,
					     .trees = moved_trees,
					     .num_trees = 2,
					     .process = pid,
					     .num_process = 1,
					     .threads = moved_threads,
					     .num_threads = 2,
					     .without = 1 << CSP_CHUNK_ACCOUNT};

static void no_complaint(void *context, const char *text)
{
	(void)context;
	fail_msg("%s", text);
}

static void add_bytes(struct model *m, const void *bytes, size_t n, bool wanted)
{
	struct ingest *in = ingest_create(m, &(struct ingest_options){.threads = wanted});
	struct reader *r;
	struct error e = {0};

	assert_non_null(in);
	if (reader_open_memory(bytes, n, &r, &e) != 0 ||
	    ingest_file(in, r, "one.csp", no_complaint, NULL, &e) != 0)
		fail_msg("%s", e.text);
	if (reader_warning(r))
		fail_msg("%s", reader_warning(r)->text);
	reader_close(r);
	ingest_destroy(in);
}

static void add(struct model *m, const struct build_file *f, bool wanted)
{
	struct built b;

	build(f, &b);
	add_bytes(m, b.bytes, b.n, wanted);
	built_free(&b);
}

static struct model *model_of(const struct build_file *f)
{
	struct model *m = model_create();

	assert_non_null(m);
	add(m, f, true);
	return m;
}

/* Fails unless there is a group with this kind and pattern, which was created at this address of /p
 * (0: creator not known), and it has these names, number of threads, and value of CPUTIME. */
static void check(const struct model *m, enum thread_kind kind, const char *pattern,
		  uint64_t address, const char *first, const char *last, uint64_t n, uint64_t value)
{
	for (size_t i = 0; i < m->threads.len; i++) {
		const struct model_threads *g = &m->threads.at[i];
		uint64_t time = 0;
		if (g->kind != kind || strcmp(g->pattern, pattern) != 0 ||
		    (g->num_calls ? g->call[1].address : 0) != address)
			continue;
		assert_string_equal(g->first, first);
		assert_string_equal(g->last, last);
		assert_int_equal(g->threads, n);
		for (uint32_t k = 0; k < m->metrics.len; k++)
			if (strcmp(m->metrics.at[k].name, "CPUTIME") == 0)
				time += metric_sums_get(&g->sums, k).events;
		assert_int_equal(time, value);
		for (uint32_t k = 0; k < g->num_calls; k++)
			assert_string_equal(m->modules.at[g->call[k].module].name,
					    k ? "/p" : "/lib");
		return;
	}
	fail_msg("no group of '%s' created at %lx", pattern, (unsigned long)address);
}

/* The frame of each call is in the model, although no context has it. */
static void check_frames(const struct model *m)
{
	for (size_t i = 0; i < m->threads.len; i++)
		for (uint32_t k = 0; k < m->threads.at[i].num_calls; k++) {
			const struct model_call *call = &m->threads.at[i].call[k];
			uint32_t frame = model_call_frame(m, call);
			assert_int_not_equal(frame, MODEL_NO_FRAME);
			assert_int_equal(m->frames.at[frame].address, call->address);
			assert_int_equal(m->frames.at[frame].module, call->module);
			assert_int_equal(m->frames.at[frame].role, FRAME_CALL);
		}
}

static void check_first(const struct model *m)
{
	assert_int_equal(m->threads.len, 6);
	check(m, THREAD_MAIN, "prog", 0, "prog", "prog", 1, 5);
	check(m, THREAD_CREATED, "w-#", 0x400200, "w-12", "w-7", 2, 50);
	check(m, THREAD_CREATED, "w-#", 0x400400, "w-8", "w-8", 1, 20);
	check(m, THREAD_CREATED, "io", 0x400200, "io", "io", 1, 90);
	check(m, THREAD_CREATED, "w-#", 0, "w-9", "w-9", 1, 0);
	check(m, THREAD_ENDED, CSP_ENDED_THREADS, 0, CSP_ENDED_THREADS, CSP_ENDED_THREADS, 1, 160);
}

static void test_what_makes_a_group(void **state)
{
	(void)state;

	for (unsigned i = 0; i < 16; i++) {
		struct build_file f = first_file;
		struct model *m;
		struct error e;
		f.big = i & 1;
		f.version = i & 2 ? CSP_VERSION_FILE_LATER : CSP_VERSION_FILE;
		f.shuffle = i & 4 ? i : 0;
		m = model_of(&f);
		assert_int_equal(model_finish(m, &e), 0);
		check_first(m);
		check_frames(m);
		model_destroy(m);
	}
}

/* Without being asked, a model has neither groups nor frames that no context needs. */
static void test_only_when_asked(void **state)
{
	(void)state;
	struct model *m = model_create();
	const struct model_call call = {.address = 0x400200};
	struct error e;

	assert_non_null(m);
	add(m, &first_file, false);
	assert_int_equal(model_finish(m, &e), 0);
	assert_int_equal(m->threads.len, 0);
	for (uint32_t k = 0; k < m->modules.len; k++)
		assert_int_equal(model_call_frame(m, &(struct model_call){call.address, k, false}),
				 MODEL_NO_FRAME);
	model_destroy(m);
}

static void check_both(const struct model *m)
{
	assert_int_equal(m->threads.len, 6);
	check(m, THREAD_MAIN, "prog", 0, "prog", "prog", 2, 12);
	check(m, THREAD_CREATED, "w-#", 0x400200, "w-1", "w-7", 3, 350);
	check(m, THREAD_CREATED, "w-#", 0x400400, "w-8", "w-8", 1, 20);
	check(m, THREAD_CREATED, "io", 0x400200, "io", "io", 1, 90);
	check_frames(m);
}

static void test_joining_in_any_order(void **state)
{
	(void)state;
	struct error e;

	for (unsigned way = 0; way < 6; way++) {
		const struct build_file *files[2] = {&first_file, &moved_file};
		struct model *models[2];
		for (unsigned i = 0; i < 2; i++)
			models[i] = model_of(files[way & 1 ? 1 - i : i]);
		if (way / 2 == 0) {
			assert_int_equal(model_finish_all(models, 2, &e), 0);
		} else if (way / 2 == 1) {
			assert_int_equal(model_join(models[0], models[1], &e), 0);
			assert_int_equal(model_finish(models[0], &e), 0);
		} else {
			add(models[0], files[way & 1 ? 0 : 1], true);
			assert_int_equal(model_finish(models[0], &e), 0);
		}
		check_both(models[0]);
		model_destroy(models[0]);
		model_destroy(models[1]);
	}
}

/* A model of the merged file of what is in m, which is finished and then destroyed. */
static struct model *merge(struct model *m)
{
	struct model *out = model_create();
	struct error e = {0};
	char *bytes = NULL;
	size_t n = 0;
	FILE *file = open_memstream(&bytes, &n);

	assert_non_null(out);
	if (model_finish(m, &e) != 0 || merge_write(file, m, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(fclose(file), 0);
	model_destroy(m);
	add_bytes(out, bytes, n, true);
	free(bytes);
	return out;
}

/* Groups of a merged file are joined with those of others, and written again. */
static void test_merged(void **state)
{
	(void)state;
	struct model *m = merge(model_of(&first_file));
	struct error e;

	add(m, &moved_file, true);
	m = merge(m);
	assert_int_equal(model_finish(m, &e), 0);
	check_both(m);
	check(m, THREAD_CREATED, "w-#", 0, "w-9", "w-9", 1, 0);
	check(m, THREAD_ENDED, CSP_ENDED_THREADS, 0, CSP_ENDED_THREADS, CSP_ENDED_THREADS, 1, 160);
	assert_string_equal(m->metrics.at[1].name, "CPUTIME");
	for (size_t i = 0; i < m->threads.len; i++)
		if (strcmp(m->threads.at[i].pattern, "w-#") == 0 && m->threads.at[i].threads == 3)
			assert_int_equal(metric_sums_get(&m->threads.at[i].sums, 1).samples, 5);
	model_destroy(m);
}

/* Trees that several threads share, as with -t all. */
static void test_values_without_a_thread(void **state)
{
	(void)state;
	static const struct build_tree shared[] = {TREE(main_nodes, 0, CSP_NONE, 0),
						   TREE(leaf40, CSP_NONE, CSP_NONE, 0)};
	struct build_file f = first_file;
	struct model *m;
	struct error e;

	f.trees = shared;
	f.num_trees = 2;
	m = model_of(&f);
	assert_int_equal(model_finish(m, &e), 0);
	check(m, THREAD_NOT_SAID, "", 0, "", "", 0, 40);
	check(m, THREAD_MAIN, "prog", 0, "prog", "prog", 1, 5);
	check(m, THREAD_CREATED, "w-#", 0, "w-12", "w-9", 4, 0);
	model_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_what_makes_a_group),      cmocka_unit_test(test_only_when_asked),
	    cmocka_unit_test(test_joining_in_any_order),    cmocka_unit_test(test_merged),
	    cmocka_unit_test(test_values_without_a_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
