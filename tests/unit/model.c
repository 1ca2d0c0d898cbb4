/* Merging datafiles into the model: relocation, roles, merging, accounts. */
#include "hpcprof/load/ingest.h"
#include "hpcprof/model/model.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct complaints {
	unsigned n;
	char last[512];
};

static void complain(void *context, const char *text)
{
	struct complaints *c = context;
	c->n++;
	snprintf(c->last, sizeof c->last, "%s", text);
}

static void add(struct model *m, const struct build_file *f, const char *path, struct complaints *c)
{
	struct complaints mine = {0};
	struct reader *r;
	struct built b;
	struct error e = {0};

	build(f, &b);
	if (reader_open_memory(b.bytes, b.n, &r, &e) != 0)
		fail_msg("%s", e.text);
	if (ingest_datafile(m, r, path, NULL, complain, c ? c : &mine, &e) != 0)
		fail_msg("%s", e.text);
	if (!c && mine.n)
		fail_msg("%s", mine.last);
	reader_close(r);
	built_free(&b);
}

static struct model *finished(const struct build_file *f)
{
	struct model *m = model_create();
	struct error e;

	assert_non_null(m);
	add(m, f, "one.csp", NULL);
	assert_int_equal(model_finish(m, &e), 0);
	return m;
}

/* The child of parent with this module's name, address and role; fails if there is none. */
static uint32_t child(const struct model *m, uint32_t parent, const char *module, uint64_t address,
		      enum frame_role role)
{
	for (uint32_t i = MODEL_ROOTS; i < model_num_contexts(m); i++) {
		const struct model_frame *f = &m->frames.at[model_frame_of(m, i)];
		if (model_parent(m, i) == parent && f->address == address &&
		    f->role == (uint32_t)role && strcmp(m->modules.at[f->module].name, module) == 0)
			return i;
	}
	fail_msg("no child of %u at %s+0x%lx with role %d", parent, module, (unsigned long)address,
		 role);
	return 0;
}

static const struct build_metric cputime[] = {
    {"CPUTIME", CSP_METRIC_ASYNC, 1, NULL, 0},
    {"CPUTIME # samples", CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 1000000, NULL, 0},
};
static const struct build_module prog[] = {{"/p", 0x400000, 0x500000, 0x10000, "aa"},
					   {"/lib", 0, 0x7f0000000000, 0x10000, "bb"}};
static const struct build_epoch prog_epoch = {prog, 2};

static struct build_file file_of(const struct build_metric *metrics, uint32_t num_metrics,
				 const struct build_tree *tree)
{
	return (struct build_file){.target = "/p",
				   .metrics = metrics,
				   .num_metrics = num_metrics,
				   .epochs = &prog_epoch,
				   .num_epochs = 1,
				   .trees = tree,
				   .num_trees = 1,
				   .without = 1 << CSP_CHUNK_ACCOUNT | 1 << CSP_CHUNK_THREADS};
}

#define TREE(nodes, partial)                                                                       \
	{                                                                                          \
		NULL, 0, nodes, sizeof(nodes) / sizeof *(nodes), 0, partial, CSP_NONE, 0           \
	}

/* A node with children is looked up at ip - 1, and the value of a sample at ip. */
static void test_roles_of_samples(void **state)
{
	(void)state;
	static const struct build_node nodes[] = {
	    {0, 0, 0, {0}},
	    {0, 0x500101, 0, {0}},
	    {1, 0x7f0000000200, 0, {70, 7}},
	};
	static const struct build_tree tree = TREE(nodes, 0);
	struct build_file f = file_of(cputime, 2, &tree);
	struct model *m = finished(&f);
	uint32_t call = child(m, MODEL_ROOT, "/p", 0x400100, FRAME_CALL);
	uint32_t leaf = child(m, call, "/lib", 0x200, FRAME_POINT);

	assert_int_equal(model_num_contexts(m), MODEL_ROOTS + 2);
	assert_int_equal(m->metrics.len, 1);
	assert_int_equal(m->metrics.at[0].events[leaf], 70);
	assert_int_equal(m->metrics.at[0].samples[leaf], 7);
	assert_int_equal(m->metrics.at[0].interval, 1000000);
	assert_int_equal(m->metrics.at[0].total.events, 70);
	model_destroy(m);
}

/* One node that is a call site, an interrupted instruction, a recorded call and an activation: each
 * value belongs to its own context. */
static void test_one_node_with_several_roles(void **state)
{
	(void)state;
	static const struct build_metric metrics[] = {
	    {"CPUTIME", CSP_METRIC_ASYNC, 1, NULL, 0},
	    {"BYTES", 0, 1, NULL, 0},
	    {"returns", CSP_METRIC_RETURNS, 1, NULL, 0},
	};
	static const struct build_node nodes[] = {
	    {0, 0, 0, {0}},
	    {0, 0x500101, 0, {5, 64, 3}}, /* all roles */
	    {1, 0x500200, 0, {1, 0, 4}},  /* a sample and a return, no call */
	    {1, 0x500300, 0, {0, 32, 2}}, /* a recorded call with returns */
	};
	static const struct build_tree tree = TREE(nodes, 0);
	struct build_file f = file_of(metrics, 3, &tree);
	struct model *m = finished(&f);
	uint32_t call = child(m, MODEL_ROOT, "/p", 0x400100, FRAME_CALL);
	uint32_t point = child(m, MODEL_ROOT, "/p", 0x400101, FRAME_POINT);
	uint32_t inner = child(m, call, "/p", 0x400200, FRAME_POINT);
	uint32_t recorded = child(m, call, "/p", 0x4002ff, FRAME_CALL);
	uint32_t entry = child(m, MODEL_ROOT, "/p", 0x400100, FRAME_ENTRY);
	uint32_t inner_entry = child(m, call, "/p", 0x400200, FRAME_ENTRY);
	uint32_t recorded_entry = child(m, call, "/p", 0x4002ff, FRAME_ENTRY);
	const uint64_t *time = m->metrics.at[0].events, *bytes = m->metrics.at[1].events,
		       *returns = m->metrics.at[2].events;

	assert_int_equal(time[point], 5);
	assert_int_equal(time[call], 0);
	assert_int_equal(bytes[call], 64);
	assert_int_equal(returns[call], 0);
	assert_int_equal(returns[entry], 3);
	assert_int_equal(time[inner], 1);
	assert_int_equal(returns[inner], 0);
	assert_int_equal(returns[inner_entry], 4);
	assert_int_equal(bytes[recorded], 32);
	assert_int_equal(returns[recorded], 0);
	assert_int_equal(returns[recorded_entry], 2);
	assert_int_equal(model_num_contexts(m), MODEL_ROOTS + 7);
	model_destroy(m);
}

/* An old file: one metric, no flags, no trailer. A value is a number of samples, each worth the
 * period. Missing flags are 0, so it belongs to the call before ip. */
static void test_old_file(void **state)
{
	(void)state;
	static const struct build_metric metrics[] = {{"PAPI_TOT_CYC", 0, 999, NULL, 0}};
	static const struct build_node nodes[] = {
	    {0, 0, 0, {0}},
	    {0, 0x500101, 0, {2}},
	    {1, 0x500201, 0, {40}},
	};
	static const struct build_tree tree = TREE(nodes, 0);
	struct build_file f = file_of(metrics, 1, &tree);
	struct model *m;
	uint32_t call;

	f.no_flags = true;
	f.no_trailer = true;
	f.width = 4;
	f.big = true;
	m = model_create();
	add(m, &f, "old.csp", NULL);
	assert_int_equal(model_finish(m, NULL), 0);
	call = child(m, MODEL_ROOT, "/p", 0x400100, FRAME_CALL);
	assert_int_equal(m->metrics.at[0].samples[call], 2);
	assert_int_equal(m->metrics.at[0].events[call], 2 * 999);
	call = child(m, call, "/p", 0x400200, FRAME_CALL);
	assert_int_equal(m->metrics.at[0].samples[call], 40);
	assert_int_equal(m->metrics.at[0].events[call], 40 * 999);
	assert_int_equal(m->metrics.at[0].total.events, 42 * 999);
	assert_false(m->processes.at[0].has_trailer);
	model_destroy(m);
}

/* Other load addresses, other epochs, other processes: the same contexts. */
static void test_merging_over_load_addresses(void **state)
{
	(void)state;
	static const struct build_module moved[] = {{"/lib", 0, 0x7f1111110000, 0x10000, "bb"},
						    {"/p", 0x400000, 0x600000, 0x10000, "aa"}};
	static const struct build_epoch epochs[] = {{prog, 2}, {moved, 2}};
	static const struct build_node first[] = {
	    {0, 0, 0, {0}}, {0, 0x500101, 0, {0}}, {1, 0x7f0000000200, 0, {70, 7}}};
	static const struct build_node second[] = {
	    {0, 0, 0, {0}}, {0, 0x600101, 0, {0}}, {1, 0x7f1111110200, 0, {1, 1}}};
	static const struct build_tree trees[] = {
	    TREE(first, 0), {NULL, 1, second, 3, 0, 0, CSP_NONE, 0}, TREE(first, 1)};
	struct build_file f = file_of(cputime, 2, trees);
	struct model *m;
	uint32_t leaf, partial;

	f.epochs = epochs;
	f.num_epochs = 2;
	f.num_trees = 3;
	m = model_create();
	add(m, &f, "a.csp", NULL);
	add(m, &f, "b.csp", NULL);
	assert_int_equal(model_finish(m, NULL), 0);
	assert_int_equal(m->modules.len, 2);
	assert_int_equal(model_num_contexts(m), MODEL_ROOTS + 4);
	leaf =
	    child(m, child(m, MODEL_ROOT, "/p", 0x400100, FRAME_CALL), "/lib", 0x200, FRAME_POINT);
	partial = child(m, child(m, MODEL_PARTIAL_ROOT, "/p", 0x400100, FRAME_CALL), "/lib", 0x200,
			FRAME_POINT);
	assert_int_equal(m->metrics.at[0].events[leaf], 142);
	assert_int_equal(m->metrics.at[0].samples[leaf], 16);
	assert_int_equal(m->metrics.at[0].events[partial], 140);
	assert_int_equal(metric_sums_get(&m->processes.at[0].sums, 0).events, 141);
	assert_int_equal(metric_sums_get(&m->processes.at[1].sums, 0).samples, 15);
	model_destroy(m);
}

/* Build-ids distinguish files with the same name and identify files with different names; a hash of
 * contents only distinguishes. */
static void test_identity_of_modules(void **state)
{
	(void)state;
	static const struct build_module modules[] = {
	    {"/x", 0, 0x10000, 0x1000, "11"},         {"/x", 0, 0x20000, 0x1000, "22"},
	    {"/w", 0, 0x30000, 0x1000, "11"},         {"/x", 0, 0x40000, 0x1000, NULL},
	    {"/y", 0, 0x50000, 0x1000, "content:33"}, {"/z", 0, 0x60000, 0x1000, "content:33"},
	    {"/y", 0, 0x70000, 0x1000, "content:44"}};
	static const struct build_epoch epoch = {modules, 7};
	static const struct build_node nodes[] = {
	    {0, 0, 0, {0}},          {0, 0x10010, 0, {1, 1}},  {0, 0x20010, 0, {2, 1}},
	    {0, 0x30010, 0, {4, 1}}, {0, 0x40010, 0, {8, 1}},  {0, 0x90010, 0, {16, 1}},
	    {0, 0x50010, 0, {1, 1}}, {0, 0x60010, 0, {32, 1}}, {0, 0x70010, 0, {64, 1}}};
	static const struct build_tree tree = TREE(nodes, 0);
	struct build_file f = file_of(cputime, 2, &tree);
	struct model *m;

	f.epochs = &epoch;
	m = finished(&f);
	assert_int_equal(m->modules.len, 7);
	assert_int_equal(m->metrics.at[0].events[child(m, MODEL_ROOT, "/w", 0x10, FRAME_POINT)], 5);
	assert_int_equal(m->metrics.at[0].events[child(m, MODEL_ROOT, "/z", 0x10, FRAME_POINT)],
			 32);
	assert_int_equal(m->metrics.at[0].events[child(m, MODEL_ROOT, MODEL_UNKNOWN_MODULE, 0x90010,
						       FRAME_POINT)],
			 16);
	model_destroy(m);
}

/* Functions that differ in anything but the order of their adding are apart. */
static void test_identity_of_functions(void **state)
{
	(void)state;
	static const struct model_function f = {.name = "f",
						.linkage_name = "_Z1fv",
						.file = "f.c",
						.line = 7,
						.declared = "",
						.low = 0x100};
	struct model *m = model_create();
	struct model_function other[8];

	assert_non_null(m);
	for (int i = 0; i < 8; i++)
		other[i] = f;
	other[1].name = "g";
	other[2].linkage_name = NULL;
	other[3].file = "g.c";
	other[3].declared = NULL;
	other[4].line = 8;
	other[5].declared = "f.h";
	other[6].low = 0x101;
	other[7].low = f.low | (uint64_t)1 << 32;
	for (int i = 0; i < 8; i++) {
		const char **texts[] = {&other[i].name, &other[i].linkage_name, &other[i].file,
					&other[i].declared};
		for (int k = 0; k < 4; k++)
			if (*texts[k])
				*texts[k] = model_text(m, *texts[k], strlen(*texts[k]));
	}
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(model_function(m, &other[i]), i);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(model_function(m, &other[i]), i);
	model_destroy(m);
}

static void test_saved_image_of_the_vdso(void **state)
{
	(void)state;
	static const struct build_module modules[] = {{"[vdso]", 0, 0x10000, 0x1000, "abcd"}};
	static const struct build_epoch epoch = {modules, 1};
	static const struct build_node nodes[] = {{0, 0, 0, {0}}, {0, 0x10010, 0, {1, 1}}};
	static const struct build_tree tree = TREE(nodes, 0);
	struct build_file f = file_of(cputime, 2, &tree);
	struct model *m = model_create();

	f.epochs = &epoch;
	add(m, &f, "dir/b/one.csp", NULL);
	assert_string_equal(m->modules.at[0].image, "dir/b/vdso-abcd");
	add(m, &f, "dir/a/one.csp", NULL);
	assert_string_equal(m->modules.at[0].image, "dir/a/vdso-abcd");
	model_destroy(m);
}

static void test_sums_stop_at_the_end(void **state)
{
	(void)state;
	static const struct build_metric metrics[] = {{"CYC", 0, UINT64_MAX / 2, NULL, 0}};
	static const struct build_node nodes[] = {{0, 0, 0, {0}}, {0, 0x500101, 0, {3}}};
	static const struct build_tree tree = TREE(nodes, 0);
	struct build_file f = file_of(metrics, 1, &tree);
	struct model *m = finished(&f);

	assert_true(m->saturated);
	assert_true(m->metrics.at[0].total.events == UINT64_MAX);
	assert_int_equal(m->metrics.at[0].total.samples, 3);
	model_destroy(m);
}

/* Samples in the trees that no row of the account contains: those that it drops do not count. */
static void test_samples_without_account(void **state)
{
	(void)state;
	static const struct build_metric metrics[] = {{"CYC", 0, 1, NULL, 0}};
	static const struct build_node nodes[] = {{0, 0, 0, {0}}, {0, 0x500101, 0, {9}}};
	static const struct build_tree tree = TREE(nodes, 0);
	static const struct build_account account[] = {
	    {0, 0, "recorded", 4, 7}, {0, 0, "partial", 2, 2}, {0, 0, "unsafe code", 1, 1}};
	struct build_file f = file_of(metrics, 1, &tree);
	struct model *m;

	f.without = 1 << CSP_CHUNK_THREADS;
	f.account = account;
	f.num_account = 3;
	m = finished(&f);
	assert_true(m->metrics.at[0].has_account);
	assert_int_equal(m->metrics.at[0].total.samples, 9);
	assert_int_equal(m->metrics.at[0].unaccounted.samples, 9 - 4 - 2);
	model_destroy(m);
}

/* The example's account agrees with its trees; if one value is changed, it does not. */
static void test_account(void **state)
{
	(void)state;
	struct build_file f = build_example;
	struct build_account *rows = calloc(f.num_account, sizeof *rows);
	struct build_thread *threads = calloc(f.num_threads, sizeof *threads);
	struct model *m = model_create();
	uint64_t weight = 0;

	add(m, &f, "good.csp", NULL);
	assert_true(m->metrics.at[0].has_account);
	for (uint32_t i = 0; i < f.num_account; i++)
		weight += f.account[i].metric == 0 ? f.account[i].weight : 0;
	for (size_t i = 0; i < m->metrics.at[0].account.len; i++)
		weight -= m->metrics.at[0].account.at[i].weight;
	assert_int_equal(weight, 0);
	assert_string_equal(m->metrics.at[0].account.at[CSP_TAIL].disposition, "tail");
	for (uint32_t i = 0; i < 2 * f.num_account; i++) {
		struct complaints c = {0};
		struct build_file g = f;
		memcpy(rows, f.account, f.num_account * sizeof *rows);
		if (i % 2)
			rows[i / 2].weight++;
		else
			rows[i / 2].samples++;
		g.account = rows;
		add(m, &g, "bad.csp", &c);
		/* numbers of samples are in the trees only for recorded samples */
		assert_int_equal(c.n > 0, i % 2 ||
					      strcmp(rows[i / 2].disposition, "recorded") == 0 ||
					      strcmp(rows[i / 2].disposition, "partial") == 0);
		if (c.n)
			assert_non_null(strstr(c.last, "account"));
	}
	for (uint32_t i = 0; i < f.num_threads; i++) {
		struct complaints c = {0};
		struct build_file g = f;
		memcpy(threads, f.threads, f.num_threads * sizeof *threads);
		threads[i].cpu_ns++;
		g.threads = threads;
		add(m, &g, "bad.csp", &c);
		assert_int_equal(c.n, 1);
		assert_non_null(strstr(c.last, "CPU time"));
	}
	free(threads);
	free(rows);
	model_destroy(m);
}

/* An unknown disposition is kept, after the known ones, by name. */
static void test_unknown_disposition(void **state)
{
	(void)state;
	struct build_account rows[] = {{0, 0, "zebra", 1, 10}, {0, 0, "apple", 2, 20}};
	static const struct build_node nodes[] = {{0, 0, 0, {0}}};
	static const struct build_tree tree = TREE(nodes, 0);
	struct build_file f = file_of(cputime, 2, &tree);
	struct model *m;

	f.without = 1 << CSP_CHUNK_THREADS;
	f.account = rows;
	f.num_account = 2;
	m = finished(&f);
	assert_int_equal(m->metrics.at[0].account.len, CSP_DISPOSITIONS + 2);
	assert_string_equal(m->metrics.at[0].account.at[CSP_DISPOSITIONS].disposition, "apple");
	assert_int_equal(m->metrics.at[0].account.at[CSP_DISPOSITIONS].weight, 20);
	assert_string_equal(m->metrics.at[0].account.at[CSP_DISPOSITIONS + 1].disposition, "zebra");
	assert_int_equal(m->metrics.at[0].account.at[CSP_DISPOSITIONS + 1].samples, 1);
	model_destroy(m);
}

/* Byte orders, widths and node orders make no difference. */
static void test_all_forms_are_alike(void **state)
{
	(void)state;
	struct model *want = finished(&build_example);

	for (unsigned i = 1; i < 16; i++) {
		struct build_file f = build_example;
		struct model *m;
		f.big = i & 1;
		f.version = i & 2 ? CSP_VERSION_FILE_LATER : CSP_VERSION_FILE;
		f.shuffle = i & 4 ? i : 0;
		f.relabel = i & 8;
		/* relabelling changes the ids of creator nodes, not what was measured */
		m = finished(&f);
		assert_int_equal(model_num_contexts(m), model_num_contexts(want));
		assert_int_equal(m->frames.len, want->frames.len);
		for (size_t k = 0; k < want->metrics.len; k++)
			assert_int_equal(m->metrics.at[k].total.events,
					 want->metrics.at[k].total.events);
		model_destroy(m);
	}
	model_destroy(want);
}

/* Two lists of numbers of two digits, of which one has every ath and the other every bth. */
static void expect_merged(int a, int b)
{
	struct model *m = model_create();
	model_texts to = {0}, from = {0};
	size_t at = 0;
	char name[4];

	assert_non_null(m);
	for (int i = 90; i >= 0; i--) {
		snprintf(name, sizeof name, "%d", 10 + i % 90);
		if (i % a == 0)
			assert_true(model_list_text(&to, model_text(m, name, 2)));
		if (i % b == 0)
			assert_true(model_list_text(&from, model_text(m, name, 2)));
	}
	assert_true(model_list_texts(&to, &from));
	for (int i = 0; i < 90; i++) {
		snprintf(name, sizeof name, "%d", 10 + i);
		if (i % a == 0 || i % b == 0)
			assert_true(at < to.len && strcmp(to.at[at++], name) == 0);
	}
	assert_int_equal(at, to.len);
	vec_free(&to);
	vec_free(&from);
	model_destroy(m);
}

static void test_lists(void **state)
{
	static const int steps[] = {1, 2, 3, 7, 45, 89};
	enum { STEPS = sizeof steps / sizeof *steps };

	(void)state;
	for (int i = 0; i < STEPS * STEPS; i++)
		expect_merged(steps[i / STEPS], steps[i % STEPS]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_roles_of_samples),
	    cmocka_unit_test(test_one_node_with_several_roles),
	    cmocka_unit_test(test_old_file),
	    cmocka_unit_test(test_merging_over_load_addresses),
	    cmocka_unit_test(test_identity_of_modules),
	    cmocka_unit_test(test_identity_of_functions),
	    cmocka_unit_test(test_saved_image_of_the_vdso),
	    cmocka_unit_test(test_sums_stop_at_the_end),
	    cmocka_unit_test(test_samples_without_account),
	    cmocka_unit_test(test_account),
	    cmocka_unit_test(test_unknown_disposition),
	    cmocka_unit_test(test_all_forms_are_alike),
	    cmocka_unit_test(test_lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
