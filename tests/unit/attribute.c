/* Compares attribution with values computed from the list of samples: random call paths with
 * recursion, mutual recursion and inlined recursion, in several processes and epochs with different
 * load addresses. */
#include "hpcprof/load/ingest.h"
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/views/text/hot_paths.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/fake_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 6, MODULES = 2, FILES = 2, EPOCHS = 2, SAMPLES = 400, LONGEST = 9 };
enum { LINES = 1000 };

static const char *const names[FUNCTIONS] = {"main", "fib", "even", "odd", "copy", "sort"};
static const uint64_t bases[FILES][EPOCHS][MODULES] = {
    {{0x10000000, 0x40000000}, {0x50000000, 0x20000000}},
    {{0x70000000, 0x10000000}, {0x10000000, 0x80000000}}};
static const uint64_t preferred[MODULES] = {0, UINT64_C(1) << 32};

struct step {
	unsigned module;
	uint64_t code; /* FAKE_CODE */
};

struct sample {
	unsigned file, epoch, depth;
	struct step steps[LONGEST]; /* outermost first; the last is the instruction */
	uint64_t weight;
	bool partial;
};

static uint32_t random_below(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(*state >> 4) * n >> 28);
}

static void make_samples(struct sample *out, uint32_t seed)
{
	for (unsigned i = 0; i < SAMPLES; i++) {
		struct sample *s = &out[i];
		s->file = random_below(&seed, FILES);
		s->epoch = random_below(&seed, EPOCHS);
		s->depth = 1 + random_below(&seed, LONGEST);
		s->weight = 1 + random_below(&seed, 1000);
		s->partial = random_below(&seed, 10) == 0;
		for (unsigned k = 0; k < s->depth; k++) {
			unsigned inner = 1 + random_below(&seed, FUNCTIONS);
			unsigned into =
			    random_below(&seed, 3) ? 0 : 1 + random_below(&seed, FUNCTIONS);
			unsigned outer =
			    into && random_below(&seed, 2) ? 1 + random_below(&seed, 6) : 0;
			s->steps[k].module = random_below(&seed, MODULES);
			s->steps[k].code = FAKE_CODE(inner, into, outer, random_below(&seed, 3));
		}
	}
}

static uint64_t ip_of(const struct sample *s, unsigned k)
{
	const struct step *step = &s->steps[k];
	uint64_t call = k + 1 < s->depth; /* a return address is after the call */
	return bases[s->file][s->epoch][step->module] + step->code + call;
}

/* Make a tree of the samples that belong to it. Nodes are added if they are new. */
static uint64_t make_tree(struct build_node *nodes, const struct sample *samples, unsigned file,
			  unsigned epoch, bool partial)
{
	uint64_t n = 1;

	memset(nodes, 0, sizeof *nodes);
	for (unsigned i = 0; i < SAMPLES; i++) {
		const struct sample *s = &samples[i];
		uint64_t at = 0;
		if (s->file != file || s->epoch != epoch || s->partial != partial)
			continue;
		for (unsigned k = 0; k < s->depth; k++) {
			uint64_t next = 1;
			while (next < n &&
			       (nodes[next].parent != at || nodes[next].ip != ip_of(s, k)))
				next++;
			if (next == n)
				nodes[n++] = (struct build_node){.parent = at, .ip = ip_of(s, k)};
			at = next;
		}
		nodes[at].metrics[0] += s->weight;
		nodes[at].metrics[1]++;
	}
	return n;
}

static void add_file(struct model *m, const struct sample *samples, unsigned file)
{
	static const struct build_metric metrics[] = {
	    {"CPUTIME", CSP_METRIC_ASYNC, 1, NULL, 0},
	    {"CPUTIME # samples", CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 1000000, NULL, 0},
	};
	struct build_module modules[EPOCHS][MODULES];
	struct build_epoch epochs[EPOCHS];
	struct build_tree trees[EPOCHS * 2];
	struct build_file f = {.target = "/prog",
			       .metrics = metrics,
			       .num_metrics = 2,
			       .epochs = epochs,
			       .num_epochs = EPOCHS,
			       .trees = trees,
			       .num_trees = EPOCHS * 2,
			       .shuffle = file,
			       .relabel = true,
			       .without = 1 << CSP_CHUNK_ACCOUNT | 1 << CSP_CHUNK_THREADS};
	struct reader *r;
	struct error e;
	struct built b;

	for (unsigned k = 0; k < EPOCHS; k++) {
		for (unsigned i = 0; i < MODULES; i++)
			modules[k][i] =
			    (struct build_module){i ? "/lib" : "/prog", preferred[i],
						  bases[file][k][i], 0x10000000, i ? "bb" : "aa"};
		epochs[k] = (struct build_epoch){modules[k], MODULES};
		for (unsigned partial = 0; partial < 2; partial++) {
			struct build_node *nodes = calloc(SAMPLES * LONGEST + 1, sizeof *nodes);
			trees[2 * k + partial] = (struct build_tree){
			    .epoch = k,
			    .nodes = nodes,
			    .num_nodes = make_tree(nodes, samples, file, k, partial),
			    .kind = partial,
			    .creator_tree = CSP_NONE};
		}
	}
	build(&f, &b);
	assert_int_equal(reader_open_memory(b.bytes, b.n, &r, &e), 0);
	assert_int_equal(ingest_datafile(m, r, file ? "b.csp" : "a.csp", NULL, NULL, NULL, &e), 0);
	reader_close(r);
	built_free(&b);
	for (unsigned i = 0; i < EPOCHS * 2; i++)
		free((void *)trees[i].nodes);
}

/* The expected values, computed only from the samples. */
struct expected {
	uint64_t module[2][MODULES], function[2][MODULES][FUNCTIONS + 1], file[2][FUNCTIONS],
	    line[2][LINES];
	uint64_t total;
};
enum { SELF, ALL };

static void once(uint64_t *sum, bool *seen, uint64_t weight)
{
	if (!*seen)
		*sum += weight;
	*seen = true;
}

static void expect(struct expected *x, const struct sample *samples)
{
	memset(x, 0, sizeof *x);
	for (unsigned i = 0; i < SAMPLES; i++) {
		const struct sample *s = &samples[i];
		bool module[MODULES] = {0}, function[MODULES][FUNCTIONS + 1] = {{0}},
		     file[FUNCTIONS] = {0}, line[LINES] = {0};
		x->total += s->weight;
		for (unsigned k = 0; k < s->depth; k++) {
			unsigned chain[FAKE_LONGEST_CHAIN], mod = s->steps[k].module;
			unsigned n = fake_chain(s->steps[k].code, chain);
			once(&x->module[ALL][mod], &module[mod], s->weight);
			for (unsigned c = 0; c < n; c++) {
				unsigned at = c ? chain[c] * 100 : fake_line(s->steps[k].code);
				once(&x->function[ALL][mod][chain[c]], &function[mod][chain[c]],
				     s->weight);
				once(&x->file[ALL][(chain[c] - 1) / 2], &file[(chain[c] - 1) / 2],
				     s->weight);
				once(&x->line[ALL][at], &line[at], s->weight);
			}
			if (k + 1 < s->depth)
				continue;
			x->module[SELF][mod] += s->weight;
			x->function[SELF][mod][chain[0]] += s->weight;
			x->file[SELF][(chain[0] - 1) / 2] += s->weight;
			x->line[SELF][fake_line(s->steps[k].code)] += s->weight;
		}
	}
}

static unsigned module_index(const struct model *m, uint32_t module)
{
	return strcmp(m->modules.at[module].name, "/lib") == 0;
}

static void compare(const struct model *m, const struct symbolized *c, const struct attribution *a,
		    const struct expected *x)
{
	uint64_t sums[GROUPINGS] = {0};

	for (int g = 0; g < GROUPINGS; g++)
		for (size_t i = 0; i < a->by[g].num_rows; i++)
			sums[g] += a->by[g].exclusive[i];
	for (int g = 0; g < GROUPINGS; g++)
		assert_int_equal(sums[g], x->total);
	for (size_t i = 0; i < a->by[BY_MODULE].num_rows; i++) {
		unsigned mod = module_index(m, (uint32_t)i);
		assert_int_equal(a->by[BY_MODULE].exclusive[i], x->module[SELF][mod]);
		assert_int_equal(a->by[BY_MODULE].inclusive[i], x->module[ALL][mod]);
	}
	for (size_t i = 0; i < a->by[BY_FUNCTION].num_rows; i++) {
		const struct code_function *f = &c->functions.at[i];
		unsigned mod = module_index(m, f->module);
		assert_int_equal(a->by[BY_FUNCTION].exclusive[i], x->function[SELF][mod][f->low]);
		assert_int_equal(a->by[BY_FUNCTION].inclusive[i], x->function[ALL][mod][f->low]);
	}
	for (size_t i = 0; i < a->by[BY_FILE].num_rows; i++) {
		unsigned file = (unsigned)atoi(c->files.at[i].name + 1);
		assert_int_equal(a->by[BY_FILE].exclusive[i], x->file[SELF][file]);
		assert_int_equal(a->by[BY_FILE].inclusive[i], x->file[ALL][file]);
	}
	for (size_t i = 0; i < a->by[BY_LINE].num_rows; i++) {
		unsigned line = c->lines.at[i].line;
		assert_int_equal(a->by[BY_LINE].exclusive[i], x->line[SELF][line]);
		assert_int_equal(a->by[BY_LINE].inclusive[i], x->line[ALL][line]);
	}
}

static void test_random_paths(void **state)
{
	(void)state;
	struct sample *samples = calloc(SAMPLES, sizeof *samples);

	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct model *m = model_create();
		struct attribution a;
		struct expected *x = malloc(sizeof *x);
		const uint64_t *columns[2];
		struct hot_paths paths;
		struct symbolized c;
		uint64_t folded = 0;

		make_samples(samples, seed);
		/* the order of the files must not matter */
		add_file(m, samples, seed % 2);
		add_file(m, samples, 1 - seed % 2);
		assert_int_equal(model_finish(m, NULL), 0);
		fake_code(m, names, &c);
		columns[0] = m->metrics.at[0].events;
		assert_int_equal(attribute(m, &c, ATTRIBUTE_ALL, columns, 1, &a, NULL), 0);
		expect(x, samples);
		compare(m, &c, &a, x);
		attribute_deinit(&a);
		/* two columns together give the same as each alone */
		columns[0] = m->metrics.at[0].samples;
		columns[1] = m->metrics.at[0].events;
		assert_int_equal(attribute(m, &c, ATTRIBUTE_ALL, columns, 2, &a, NULL), 0);
		for (size_t i = 0; i < a.by[BY_MODULE].num_rows; i++)
			assert_int_equal(a.by[BY_MODULE].inclusive[2 * i + 1],
					 x->module[ALL][module_index(m, (uint32_t)i)]);
		attribute_deinit(&a);
		assert_int_equal(hot_paths_fold(m, &c, m->metrics.at[0].events, &paths, NULL), 0);
		for (size_t i = 0; i < paths.info.len; i++)
			folded += paths.info.at[i].exclusive;
		assert_int_equal(folded, x->total);
		hot_paths_deinit(&paths);
		symbolized_deinit(&c);
		model_destroy(m);
		free(x);
	}
	free(samples);
}

/* A model of one chain of calls, with the given functions. */
static struct model *chain_model(const unsigned *functions, uint32_t depth, struct symbolized *c)
{
	static const struct build_metric metrics[] = {{"CPUTIME", CSP_METRIC_ASYNC, 1, NULL, 0}};
	static const struct build_module module = {"/prog", 0, 0x1000000, 0x10000000, "aa"};
	static const struct build_epoch epoch = {&module, 1};
	struct build_node *nodes = calloc((size_t)depth + 1, sizeof *nodes);
	struct build_tree tree = {.nodes = nodes, .num_nodes = depth + 1, .creator_tree = CSP_NONE};
	struct build_file f = {.target = "/prog",
			       .metrics = metrics,
			       .num_metrics = 1,
			       .epochs = &epoch,
			       .num_epochs = 1,
			       .trees = &tree,
			       .num_trees = 1,
			       .no_trailer = true};
	struct model *m = model_create();
	struct reader *r;
	struct error e;
	struct built b;

	for (uint32_t i = 1; i <= depth; i++) {
		nodes[i].parent = i - 1;
		nodes[i].ip = 0x1000000 + FAKE_CODE(functions[i - 1], 0, 0, 0) + (i < depth);
	}
	nodes[depth].metrics[0] = 7;
	build(&f, &b);
	assert_int_equal(reader_open_memory(b.bytes, b.n, &r, &e), 0);
	assert_int_equal(ingest_datafile(m, r, "chain.csp", NULL, NULL, NULL, &e), 0);
	assert_int_equal(model_finish(m, &e), 0);
	reader_close(r);
	built_free(&b);
	free(nodes);
	fake_code(m, names, c);
	return m;
}

/* A recursion 100,000 deep: it counts once in the inclusive value, and needs no C stack. */
static void test_deep_recursion(void **state)
{
	(void)state;
	enum { DEPTH = 100000 };
	unsigned *functions = malloc(DEPTH * sizeof *functions);
	struct attribution a;
	struct hot_paths paths;
	struct model *m;
	struct symbolized c;
	const uint64_t *column;

	for (unsigned i = 0; i < DEPTH; i++)
		functions[i] = 2;
	functions[0] = 1;
	m = chain_model(functions, DEPTH, &c);
	column = m->metrics.at[0].events;
	assert_int_equal(attribute(m, &c, ATTRIBUTE_ALL, &column, 1, &a, NULL), 0);
	assert_int_equal(a.by[BY_FUNCTION].num_rows, 2);
	assert_int_equal(a.by[BY_FUNCTION].inclusive[0], 7);
	assert_int_equal(a.by[BY_FUNCTION].inclusive[1], 7);
	assert_int_equal(hot_paths_fold(m, &c, column, &paths, NULL), 0);
	assert_int_equal(paths.info.len, 2 + 2);
	assert_int_equal(paths.info.at[3].repeats, DEPTH - 1);
	assert_int_equal(paths.info.at[3].period, 1);
	assert_int_equal(paths.info.at[3].exclusive, 7);
	hot_paths_deinit(&paths);
	attribute_deinit(&a);
	symbolized_deinit(&c);
	model_destroy(m);
	free(functions);
}

/* main (even odd) x 3 copy: the cycle is folded into its first round, what follows is kept. */
static void test_cycles_fold(void **state)
{
	(void)state;
	static const unsigned functions[] = {1, 3, 4, 3, 4, 3, 4, 5};
	static const unsigned want[] = {1, 3, 4, 5};
	struct hot_paths paths;
	struct symbolized c;
	struct model *m = chain_model(functions, 8, &c);
	uint32_t node;

	assert_int_equal(hot_paths_fold(m, &c, m->metrics.at[0].events, &paths, NULL), 0);
	for (node = 2; node < paths.info.len && !paths.info.at[node].exclusive; node++)
		;
	for (int i = 3; i >= 0; i--, node = hot_paths_parent(&paths, node)) {
		const struct hot_path_node *info = &paths.info.at[node];
		assert_int_equal(c.functions.at[hot_paths_function(&paths, node)].low, want[i]);
		assert_int_equal(info->inclusive, 7);
		assert_int_equal(info->repeats, want[i] == 4 ? 3 : 0);
		assert_int_equal(info->period, want[i] == 4 ? 2 : 0);
	}
	assert_int_equal(node, HOT_PATHS_ROOT);
	hot_paths_deinit(&paths);
	symbolized_deinit(&c);
	model_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_paths),
	    cmocka_unit_test(test_deep_recursion),
	    cmocka_unit_test(test_cycles_fold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
