/* Compares the views tree, callers, callees and annotate with golden outputs of built profiles. */
#include "hpcprof/terminal/layout.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/fake_code.h"
#include "tests/lib/unit/golden.h"
#include "tests/lib/unit/run_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START = 1, MAIN, FIB, EVEN, ODD, WALK, STEP, COPY, WORKER, LONG };

static char long_name[2001];
static const char *names[FAKE_FUNCTIONS] = {"_start", "main",        "fib",         "even",
					    "odd",    "walk(tree*)", "step(tree*)", "copy",
					    "worker", long_name};

#define BASE 0x10000000
#define AT(f) FAKE_CODE(f, 0, 0, 0)
/* step inlined into walk, as compilers do in a recursion through a small function */
#define INLINED FAKE_CODE(STEP, WALK, 0, 0)

enum { LONGEST = 8 };

struct sample {
	uint64_t path[LONGEST]; /* FAKE_CODE, the outermost frame first; 0 ends it */
	uint64_t values[2];     /* of CPUTIME and BYTES */
	bool partial;
};

static const struct sample recursions[] = {
    {{AT(START), AT(MAIN), AT(FIB)}, {5000000, 64}, false},
    {{AT(START), AT(MAIN), AT(FIB), AT(FIB)}, {7000000, 0}, false},
    {{AT(START), AT(MAIN), AT(FIB), AT(FIB), FAKE_CODE(FIB, 0, 0, 4)}, {11000000, 0}, false},
    {{AT(START), AT(MAIN), AT(FIB), AT(FIB), AT(FIB), AT(COPY)}, {1000000, 4096}, false},
    {{AT(START), AT(MAIN), AT(EVEN), AT(ODD)}, {13000000, 0}, false},
    {{AT(START), AT(MAIN), AT(EVEN), AT(ODD), AT(EVEN), AT(ODD)}, {17000000, 0}, false},
    {{AT(START), AT(MAIN), AT(EVEN), AT(ODD), AT(EVEN), FAKE_CODE(EVEN, 0, 0, 2)},
     {2000000, 0},
     false},
    {{AT(START), AT(MAIN), AT(WALK), INLINED, INLINED, INLINED}, {9000000, 128}, false},
    {{AT(START), AT(MAIN), AT(WALK), INLINED, AT(STEP)}, {3000000, 0}, false},
    {{AT(START), AT(MAIN), AT(WALK), INLINED, FAKE_CODE(COPY, STEP, WALK, 9)},
     {4000000, 1 << 20},
     false},
    {{AT(WORKER), AT(FIB), AT(COPY)}, {6000000, 512}, true},
    {{AT(WORKER), AT(COPY)}, {200000, 0}, true},
};

static const struct build_pair cpu_about[] = {{"unit", "ns", 0}};
static const struct build_pair bytes_about[] = {{"unit", "bytes", 0}};
static const struct build_metric metrics[] = {
    {"CPUTIME", CSP_METRIC_ASYNC, 1, cpu_about, 1},
    {"BYTES", 0, 1, bytes_about, 1},
};

/* Make a tree of complete or partial paths, which the caller frees. Each sample is a separate path;
 * the model merges them. An ip and the byte before it are code of the same function here, for any
 * metric. */
static struct build_node *make_nodes(const struct sample *s, size_t n, bool partial,
				     uint64_t *count)
{
	struct build_node *nodes = calloc(n * LONGEST + 1, sizeof *nodes);

	assert_non_null(nodes);
	*count = 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t parent = 0;
		if (s[i].partial != partial)
			continue;
		for (size_t k = 0; k < LONGEST && s[i].path[k]; k++) {
			bool leaf = k + 1 == LONGEST || !s[i].path[k + 1];
			nodes[*count] =
			    (struct build_node){.parent = parent, .ip = BASE + s[i].path[k] + 1};
			if (leaf)
				memcpy(nodes[*count].metrics, s[i].values, sizeof s[i].values);
			parent = (*count)++;
		}
	}
	return nodes;
}

static void make_profile(struct profile *p, const struct sample *s, size_t n, uint32_t num_metrics)
{
	static const struct build_module module = {"/opt/bin/program", 0, BASE, 0x10000000, "aa"};
	static const struct build_epoch epoch = {&module, 1};
	struct build_tree trees[2] = {
	    {.thread = CSP_NONE, .creator_tree = CSP_NONE},
	    {.thread = CSP_NONE, .kind = CSP_TREE_PARTIAL, .creator_tree = CSP_NONE}};
	struct build_node *nodes[2];
	struct build_file f = {.target = "program",
			       .metrics = metrics,
			       .num_metrics = num_metrics,
			       .epochs = &epoch,
			       .num_epochs = 1,
			       .trees = trees,
			       .num_trees = 2,
			       .without = 1 << CSP_CHUNK_ACCOUNT};

	for (int i = 0; i < 2; i++)
		trees[i].nodes = nodes[i] = make_nodes(s, n, i, &trees[i].num_nodes);
	memset(p, 0, sizeof *p);
	p->model = model_create();
	golden_add(p->model, &f, "a.csp");
	assert_int_equal(model_finish(p->model, NULL), 0);
	fake_code(p->model, names, &p->code);
	free(nodes[0]);
	free(nodes[1]);
}

#define MAKE(p, samples, num_metrics)                                                              \
	make_profile(p, samples, sizeof(samples) / sizeof *(samples), num_metrics)

static void golden(const struct profile *p, const char *line, const char *name)
{
	static const unsigned widths[] = {80, 200};
	for (int i = 0; i < 2; i++) {
		char *text = golden_print(line, widths[i], p);
		golden_check(text, "views", name, widths[i]);
		free(text);
	}
}

static void test_trees(void **state)
{
	(void)state;
	struct profile p;

	MAKE(&p, recursions, 1);
	golden(&p, "tree", "tree");
	golden(&p, "tree --min 12", "tree-min-12");
	golden(&p, "tree --depth 4", "tree-depth-4");
	golden(&p, "tree --focus ^(odd|copy)$", "tree-focus");
	golden(&p, "tree --bottom-up --min 0", "bottom-up");
	golden(&p, "tree --bottom-up --min 20 -s total", "bottom-up-total");
	profile_deinit(&p);
}

static void test_calls(void **state)
{
	(void)state;
	static const char *const functions[] = {"fib", "even", "odd", "walk", "step", "copy"};
	struct profile p;

	MAKE(&p, recursions, 1);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		char name[64], line[64];
		snprintf(name, sizeof name, "callers-%s", functions[i]);
		snprintf(line, sizeof line, "callers %s", functions[i]);
		golden(&p, line, name);
		snprintf(name, sizeof name, "callees-%s", functions[i]);
		snprintf(line, sizeof line, "callees %s", functions[i]);
		golden(&p, line, name);
	}
	profile_deinit(&p);
}

static void test_annotate_without_source(void **state)
{
	(void)state;
	struct profile p;

	MAKE(&p, recursions, 1);
	golden(&p, "annotate f1.c", "annotate-file");
	golden(&p, "annotate step", "annotate-function");
	profile_deinit(&p);
}

static void test_two_metrics(void **state)
{
	(void)state;
	struct profile p;

	MAKE(&p, recursions, 2);
	golden(&p, "tree", "two-tree");
	golden(&p, "tree --bottom-up", "two-bottom-up");
	golden(&p, "callers copy", "two-callers");
	golden(&p, "annotate copy", "two-annotate");
	profile_deinit(&p);
}

/* Without symbols names are addresses. Three samples are enough for a view. */
static void test_three_samples(void **state)
{
	(void)state;
	static const struct sample three[] = {
	    {{AT(START), AT(MAIN)}, {1000000, 0}, false},
	    {{AT(START), AT(MAIN), AT(FIB)}, {1000000, 0}, false},
	    {{AT(WORKER)}, {1000000, 0}, true},
	};
	const char *kept[4];
	struct profile p;

	memcpy(kept, names, sizeof kept);
	names[MAIN - 1] = "program+0x1139";
	names[FIB - 1] = "program+0x2000";
	MAKE(&p, three, 1);
	golden(&p, "tree --samples", "three-tree");
	golden(&p, "tree --bottom-up", "three-bottom-up");
	golden(&p, "callees --samples 0x1139", "three-callees");
	profile_deinit(&p);
	memcpy(names, kept, sizeof kept);
}

static void test_long_names(void **state)
{
	(void)state;
	static const struct sample some[] = {
	    {{AT(START), AT(MAIN), AT(LONG), FAKE_CODE(LONG, FIB, 0, 0)}, {1000000, 0}, false},
	    {{AT(START), AT(MAIN), AT(LONG), AT(LONG), AT(COPY)}, {1000000, 0}, false},
	};
	struct profile p;

	MAKE(&p, some, 1);
	golden(&p, "tree", "long-tree");
	golden(&p, "tree --bottom-up", "long-bottom-up");
	golden(&p, "callers ns::outer", "long-callers");
	golden(&p, "annotate ns::outer", "long-annotate");
	profile_deinit(&p);
}

enum { MODULES = 500 };

/* Many modules, each with a function that main calls: most are cut, but none is lost. */
static void test_many_modules(void **state)
{
	(void)state;
	static struct build_module modules[MODULES];
	static char module_names[MODULES][32];
	static struct build_node nodes[2 * MODULES + 1];
	struct build_epoch epoch = {modules, MODULES};
	struct build_tree tree = {
	    .thread = CSP_NONE, .creator_tree = CSP_NONE, .nodes = nodes, .num_nodes = MODULES + 2};
	struct build_file f = {.target = "program",
			       .metrics = metrics,
			       .num_metrics = 1,
			       .epochs = &epoch,
			       .num_epochs = 1,
			       .trees = &tree,
			       .num_trees = 1,
			       .without = 1 << CSP_CHUNK_ACCOUNT};
	struct profile p = {0};

	nodes[1] = (struct build_node){.ip = BASE + AT(MAIN) + 1};
	for (uint64_t i = 0; i < MODULES; i++) {
		uint64_t base = BASE + i * 0x10000000;
		snprintf(module_names[i], sizeof module_names[i], "/lib/module%03d.so", (int)i);
		modules[i] = (struct build_module){module_names[i], 0, base, 0x10000000, NULL};
		nodes[i + 2] = (struct build_node){
		    .parent = 1, .ip = base + AT(COPY), .metrics = {(i + 1) * 1000}};
	}
	p.model = model_create();
	golden_add(p.model, &f, "many.csp");
	assert_int_equal(model_finish(p.model, NULL), 0);
	fake_code(p.model, names, &p.code);
	golden(&p, "tree", "modules-tree");
	golden(&p, "callees main", "modules-callees");
	golden(&p, "callers copy", "modules-callers");
	profile_deinit(&p);
}

enum { DEEP = 100000 };

/* A path far too deep for recursion on any C stack, with a value at every frame. */
static void test_deep(void **state)
{
	(void)state;
	static const struct build_module module = {"/opt/bin/program", 0, BASE, 0x10000000, "aa"};
	static const struct build_epoch epoch = {&module, 1};
	static struct build_node nodes[DEEP + 1];
	struct build_tree tree = {
	    .thread = CSP_NONE, .creator_tree = CSP_NONE, .nodes = nodes, .num_nodes = DEEP + 1};
	struct build_file f = {.target = "program",
			       .metrics = metrics,
			       .num_metrics = 1,
			       .epochs = &epoch,
			       .num_epochs = 1,
			       .trees = &tree,
			       .num_trees = 1,
			       .without = 1 << CSP_CHUNK_ACCOUNT};
	struct profile p = {0};

	for (uint64_t i = 1; i <= DEEP; i++)
		nodes[i] = (struct build_node){.parent = i - 1,
					       .ip = BASE + AT(i == 1 ? MAIN : FIB) + (i < DEEP),
					       .metrics = {i == DEEP ? 900000 : i % 2}};
	p.model = model_create();
	golden_add(p.model, &f, "deep.csp");
	assert_int_equal(model_finish(p.model, NULL), 0);
	fake_code(p.model, names, &p.code);
	golden(&p, "tree --min 0", "deep-tree");
	golden(&p, "tree --bottom-up", "deep-bottom-up");
	golden(&p, "callers fib", "deep-callers");
	profile_deinit(&p);
}

static void test_every_width(void **state)
{
	(void)state;
	static const char *const all[] = {"tree", "tree --bottom-up", "callers copy",
					  "callees copy", "annotate copy"};
	struct profile p;

	MAKE(&p, recursions, 2);
	for (unsigned width = 60; width < 140; width++)
		for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
			char *text = golden_print(all[i], width, &p);
			golden_no_line_wider(text, width);
			free(text);
		}
	profile_deinit(&p);
}

/* Requests that are refused, with a helpful message. */
static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *line, *says;
	} cases[] = {
	    {"callers nonesuch", "no function of this profile matches 'nonesuch' (hpcprof"},
	    {"callers wlak", "matches 'wlak'; did you mean walk? (hpcprof"},
	    {"tree --focus cpoy", "matches 'cpoy'; did you mean copy? (hpcprof"},
	    {"callees o", "'o' matches 3 functions: copy; odd; worker"},
	    {"annotate none.c", "no file and no function of this profile"},
	    {"annotate *)", "matches 2 functions: step(tree*); walk(tree*)"},
	    {"tree --focus x{2", "takes an extended regular expression"},
	    {"tree --focus n++++++++++++++++++++", "repeats its parts too often"},
	    {"tree --focus n+++*+++++++++++", "repeats its parts too often"},
	    {"tree --focus (n*)+++++++++", "repeats its parts too often"},
	    {"tree --focus (n|)+++++++++", "repeats its parts too often"},
	    {"tree --focus (^|n)+++++++++", "repeats its parts too often"},
	    {"tree --focus (n{0,1}){200}", "repeats its parts too often"},
	    {"tree --focus ()+++++++++++++", "repeats its parts too often"},
	    {"tree --focus n{20001}", "repeats its parts too often"},
	    {"tree --focus n{100}++++++++", "repeats its parts too often"},
	    {"tree --focus (n||m)++++++++", "repeats its parts too often"},
	    {"tree --focus ((n|m*)k*){99}", "repeats its parts too often"},
	    {"tree --focus ^(n*){3,}{3,}{3,}", "repeats its parts too often"},
	    {"tree --focus ^(n*)+++++", "repeats its parts too often"},
	    {"tree --focus ((n*)*){64}\\b", "repeats its parts too often"},
	    {"tree --focus (Xb?c){100}", "no function of this profile matches"},
	    {"tree --focus (X*Y){200}", "no function of this profile matches"},
	    {"tree --focus ^(X.*)*Y$", "no function of this profile matches"},
	    {"tree --focus (X|Y)+++++++++", "no function of this profile matches"},
	    {"tree --focus (Xm*){9}", "no function of this profile matches"},
	    {"callers n++++++++++++++++++++++++", "no function of this profile matches"},
	    {"tree --focus nonesuch", "no function of this profile matches"},
	};
	struct profile p;

	MAKE(&p, recursions, 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error e = {0};
		FILE *out = fopen("/dev/null", "w");
		assert_int_equal(print_view(cases[i].line, 80, &p, out, &e), -1);
		assert_int_equal(e.kind, ERROR_USAGE);
		if (!strstr(e.text, cases[i].says))
			fail_msg("case %zu says '%s'", i, e.text);
		fclose(out);
	}
	profile_deinit(&p);
}

/* The same datafiles in another order give the same bytes. */
static void test_order(void **state)
{
	(void)state;
	struct sample reversed[sizeof recursions / sizeof *recursions];
	size_t n = sizeof recursions / sizeof *recursions;
	static const char *const lines[] = {"tree --min 0", "tree --bottom-up --min 0"};
	struct profile p, q;

	for (size_t i = 0; i < n; i++)
		reversed[i] = recursions[n - 1 - i];
	MAKE(&p, recursions, 2);
	MAKE(&q, reversed, 2);
	for (int i = 0; i < 2; i++) {
		char *a = golden_print(lines[i], 100, &p);
		char *b = golden_print(lines[i], 100, &q);
		assert_string_equal(a, b);
		free(a);
		free(b);
	}
	profile_deinit(&p);
	profile_deinit(&q);
}

static int make_long_name(void **state)
{
	(void)state;
	char *to = stpcpy(long_name, "ns::outer<");

	while (to < long_name + sizeof long_name - 40)
		to = stpcpy(to, "std::pair<int, long>, ");
	strcpy(to, "int>::method(int)");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_trees),
	    cmocka_unit_test(test_calls),
	    cmocka_unit_test(test_annotate_without_source),
	    cmocka_unit_test(test_two_metrics),
	    cmocka_unit_test(test_three_samples),
	    cmocka_unit_test(test_long_names),
	    cmocka_unit_test(test_many_modules),
	    cmocka_unit_test(test_deep),
	    cmocka_unit_test(test_every_width),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, make_long_name, NULL);
}
