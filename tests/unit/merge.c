/* Merging is commutative and associative, and a merged file can replace those it was made of: for
 * any order of files, number of threads and tree of merges, the text view and the merged datafile
 * are the same bytes. */
#include "hpcprof/export/merge.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/load/load.h"
#include "hpcprof/load/profile.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/builders/random_values.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/fake_code.h"
#include "tests/lib/builders/random.h"
#include "tests/lib/unit/run_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 9, RANDOM_NODES = 3000 };

static struct built files[FILES];
static char folder[] = "/tmp/hpctest.XXXXXX";
static char paths[FILES][64];

/* ---- the files -------------------------------------------------------------------------- */

static const struct build_metric two[] = {
    {"CPUTIME", CSP_METRIC_ASYNC, 1, (const struct build_pair[]){{"unit", "ns", 0}}, 1},
    {"CPUTIME # samples", CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 1000000, NULL, 0},
};
/* the same metric among others, in another order, from another source */
static const struct build_pair elsewhere[] = {
    {"unit", "ns", 0}, {"source", "another clock", 0}, {"kernel", "no", 0}, {"achieved", "997", 0}};
static const struct build_metric four[] = {
    {"BYTES", 0, 1, NULL, 0},
    {"returns", CSP_METRIC_RETURNS, 1, NULL, 0},
    {"CPUTIME", CSP_METRIC_ASYNC, 1, elsewhere, 4},
    {"CPUTIME # samples", CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 500000, NULL, 0},
};
static const struct build_metric old[] = {{"PAPI_TOT_CYC", 0, 999, NULL, 0},
					  {"CPUTIME", CSP_METRIC_ASYNC, 777, NULL, 0}};
static const struct build_metric orphan[] = {
    {"late # samples", CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 10, NULL, 0},
    {"CYC", 0, UINT64_MAX / 3, NULL, 0}};

static const struct build_module here[] = {{"/p", 0x400000, 0x500000, 0x100000, "aa"},
					   {"/lib", 0, 0x7f0000000000, 0x100000, "bb"},
					   {"[vdso]", 0, 0x7fff00000000, 0x1000, "dd"}};
static const struct build_module there[] = {{"/other/lib", 0, 0x7f1111110000, 0x100000, "bb"},
					    {"/plain", 0x1000, 0x10000, 0, NULL},
					    {"/p", 0x400000, 0x600000, 0x100000, "aa"},
					    {"/p", 0x400000, 0x900000, 0x100000, "cc"}};
static const struct build_epoch epochs[] = {{here, 3}, {there, 4}};

static const struct build_node complete[] = {
    {0, 0, 0, {0}},
    {0, 0x500101, 0, {0}},
    {1, 0x7f0000000200, 0, {70, 7}},
    {1, 0x500300, 0, {0}}, /* no context is needed for this */
    {3, 0x500400, 0, {0}},
    {1, 0x7fff00000010, 0, {5, 1}},
    {0, UINT64_MAX, 0, {6, 1}},              /* outside all modules */
    {1, UINT64_C(1) << 62, 0, {0}},          /* the same, as a call */
    {7, (UINT64_C(1) << 63) + 5, 0, {8, 1}}, /* far away from it */
};
static const struct build_node moved[] = {
    {0, 0, 0, {0}},
    {0, 0x600101, 0, {0, 0, 0, 0}},
    {1, 0x7f1111110200, 0, {0, 3, 11, 1}}, /* a leaf with returns */
    {1, 0x900200, 0, {64, 2, 9, 1}},       /* all roles */
    {3, 0x10010, 0, {32, 0, 0, 0}},        /* a recorded call */
    {1, 0x7f1111110300, 0, {0, 5, 0, 0}},  /* returns of a call: it has a child, ... */
    {5, 0x10020, 0, {0, 0, 0, 0}},         /* ... which has no values */
    {0, 0, 0, {0, 0, 4, 1}},               /* ip 0 */
    {0, 0x20000000, 0, {0, 0, 2, 1}},      /* in the last module, whose extent is not known */
};
static const struct build_node values_at_root[] = {{0, 0, 0, {3, 2}}, {0, 0x500101, 0, {1, 1}}};
static const struct build_node huge[] = {{0, 0, 0, {0}},
					 {0, 0x500101, 0, {UINT64_MAX - 5, 4}},
					 {0, 0x500201, 0, {2, UINT64_MAX}},
					 {0, 0x500301, 0, {UINT64_MAX, 1}}};
static const struct build_node small[] = {
    {0, 0, 0, {0}}, {0, 0x500101, 0, {2, 4}}, {0, 0x500201, 0, {3, 1}}};

#define TREE(epoch, nodes, kind)                                                                   \
	{                                                                                          \
		NULL, epoch, nodes, sizeof(nodes) / sizeof *(nodes), CSP_NONE, kind, CSP_NONE, 0   \
	}

static void make(unsigned i, const struct build_metric *metrics, uint32_t num_metrics,
		 const struct build_tree *trees, uint32_t num_trees, bool bare)
{
	struct build_file f = {.target = "/p",
			       .metrics = metrics,
			       .num_metrics = num_metrics,
			       .epochs = epochs,
			       .num_epochs = 2,
			       .trees = trees,
			       .num_trees = num_trees,
			       .tramp_samples = i,
			       .no_flags = i == 2,
			       .big = i == 2 || i == 3,
			       .width = bare && i != 4 ? 4 : 8,
			       .shuffle = i == 3 ? 7 : 0,
			       .relabel = i == 3,
			       .no_trailer = bare,
			       .windows = bare ? NULL : build_random_values(i),
			       .without = 1 << CSP_CHUNK_ACCOUNT | 1 << CSP_CHUNK_THREADS};
	build(&f, &files[i]);
}

static void make_files(void)
{
	static const struct build_node narrow[] = {
	    {0, 0, 0, {0}}, {0, 0x500101, 0, {2, 3}}, {1, 0x500201, 0, {40, 1}}};
	static const struct build_tree plain[] = {TREE(0, complete, 0), TREE(0, complete, 1)};
	static const struct build_tree other[] = {TREE(1, moved, 0), TREE(1, moved, 1)};
	static const struct build_tree root = TREE(0, values_at_root, 0);
	static const struct build_tree narrow_tree = TREE(0, narrow, 0);
	static const struct build_tree huge_tree = TREE(0, huge, 0), small_tree = TREE(0, small, 0);
	struct build_node *nodes = build_random_nodes(RANDOM_NODES, 5);
	struct build_tree random = {NULL, 0, nodes, RANDOM_NODES, 0, 0, CSP_NONE, 0};
	struct build_file f = build_example;

	build(&build_example, &files[0]);
	f.big = true;
	f.shuffle = 3;
	f.target = "/another";
	build(&f, &files[1]);
	make(2, old, 2, &narrow_tree, 1, true);
	make(3, four, 4, other, 2, false);
	make(4, two, 2, plain, 2, true);
	make(5, two, 2, &root, 1, false);
	make(6, orphan, 2, &huge_tree, 1, false);
	make(7, orphan, 2, &small_tree, 1, false);
	random.thread = CSP_NONE;
	make(8, two, 2, &random, 1, false);
	free(nodes);
	for (unsigned i = 0; i < FILES; i++) {
		snprintf(paths[i], sizeof paths[i], "%s/%u.csp", folder, i);
		built_write(&files[i], paths[i]);
	}
}

/* ---- models, and comparing them ----------------------------------------------------------- */

static void complain(void *context, const char *text)
{
	(void)context;
	fail_msg("%s", text);
}

static struct model *new_model(void)
{
	struct model *m = model_create();
	assert_non_null(m);
	return m;
}

static void add(struct model *m, const void *bytes, size_t n, const char *path)
{
	struct ingest *in =
	    ingest_create(m, &(struct ingest_options){.threads = true, .values = true});
	struct error e = {0};
	struct reader *r;

	assert_non_null(in);
	if (reader_open_memory(bytes, n, &r, &e) != 0)
		fail_msg("%s", e.text);
	if (reader_warning(r))
		fail_msg("%s", reader_warning(r)->text);
	if (ingest_file(in, r, path, complain, NULL, &e) != 0)
		fail_msg("%s", e.text);
	reader_close(r);
	ingest_destroy(in);
}

struct bytes {
	char *at;
	size_t n;
};

static void finish(struct model *m)
{
	struct error e = {0};
	if (model_finish(m, &e) != 0)
		fail_msg("%s", e.text);
}

static struct bytes merged(const struct model *m)
{
	struct bytes b;
	struct error e = {0};
	FILE *out = open_memstream(&b.at, &b.n);

	if (merge_write(out, m, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(fclose(out), 0);
	return b;
}

static struct bytes text_of(struct model *m)
{
	static const char *names[FAKE_FUNCTIONS];
	struct profile p = {.model = m};
	struct error e = {0};
	struct bytes b;
	FILE *out = open_memstream(&b.at, &b.n);

	for (unsigned i = 0; i < FAKE_FUNCTIONS; i++)
		names[i] = i % 2 ? "odd" : "even";
	fake_code(m, names, &p.code);
	if (print_view("text --all -n 0", 100, &p, out, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(fclose(out), 0);
	symbolized_deinit(&p.code);
	return b;
}

static struct bytes want_file, want_text;
static bool want_saturated;

static void same(const char *what, const struct bytes *got, const struct bytes *want)
{
	size_t i = 0;

	while (i < got->n && i < want->n && got->at[i] == want->at[i])
		i++;
	if (got->n != want->n || i != want->n)
		fail_msg("%s: %zu and %zu bytes, different at %zu", what, got->n, want->n, i);
	free(got->at);
}

/* Finishes and destroys the model. */
static void check_finished(const char *what, struct model *m)
{
	struct bytes file, text;

	file = merged(m);
	same(what, &file, &want_file);
	text = text_of(m);
	same(what, &text, &want_text);
	assert_int_equal(m->saturated, want_saturated);
	model_destroy(m);
}

static void check(const char *what, struct model *m)
{
	finish(m);
	check_finished(what, m);
}

static int expect(void **state)
{
	struct model *m = new_model();

	(void)state;
	for (unsigned i = 0; i < FILES; i++)
		add(m, files[i].bytes, files[i].n, paths[i]);
	finish(m);
	want_file = merged(m);
	want_text = text_of(m);
	want_saturated = m->saturated;
	model_destroy(m);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	free(want_file.at);
	free(want_text.at);
	return 0;
}

static void shuffle(unsigned *order)
{
	for (unsigned i = 0; i < FILES; i++)
		order[i] = i;
	for (unsigned i = FILES - 1; i > 0; i--) {
		unsigned k = random_below(i + 1), kept = order[i];
		order[i] = order[k];
		order[k] = kept;
	}
}

/* ---- tests -------------------------------------------------------------------------------- */

static void test_any_order(void **state)
{
	unsigned order[FILES];

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct model *m = new_model();
		shuffle(order);
		for (unsigned i = 0; i < FILES; i++)
			add(m, files[order[i]].bytes, files[order[i]].n, paths[order[i]]);
		check("order", m);
	}
}

static void test_any_number_of_threads(void **state)
{
	static const unsigned threads[] = {1, 2, 3, 4, 9, 40};

	(void)state;
	for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
		struct load_file from[FILES] = {{0}};
		struct load l = {.files = from,
				 .num_files = FILES,
				 .threads = threads[k],
				 .ingest = {.threads = true, .values = true}};
		struct error e = {0};
		struct model *m;
		unsigned order[FILES];

		shuffle(order);
		for (unsigned i = 0; i < FILES; i++)
			from[i].path = paths[order[i]];
		if (load_files(&l, &e) != 0)
			fail_msg("%s", e.text);
		assert_int_equal(l.problems.len, 0);
		m = l.model;
		l.model = NULL;
		load_deinit(&l);
		check_finished("threads", m);
	}
}

/* Models of one file each, joined in pairs in any order. */
static void test_any_tree_of_joins(void **state)
{
	(void)state;
	for (int round = 0; round < 40; round++) {
		struct model *models[FILES];
		unsigned n = FILES;

		for (unsigned i = 0; i < FILES; i++) {
			models[i] = new_model();
			add(models[i], files[i].bytes, files[i].n, paths[i]);
		}
		while (n > 1) {
			unsigned a = random_below(n), b = random_below(n - 1);
			struct model *kept = models[n - 1];
			b += b >= a;
			assert_int_equal(model_join(models[a], models[b], NULL), 0);
			model_destroy(models[b]);
			models[b] = b == n - 1 ? NULL : kept;
			n--;
		}
		check("joins", models[0]);
	}
}

/* Models of several files each, finished together. */
static void test_any_number_at_once(void **state)
{
	(void)state;
	for (int round = 0; round < 40; round++) {
		struct model *models[FILES] = {NULL};
		unsigned n = 1 + random_below(FILES);
		struct error e = {0};

		for (unsigned i = 0; i < n; i++)
			models[i] = new_model();
		for (unsigned i = 0; i < FILES; i++)
			add(models[random_below(n)], files[i].bytes, files[i].n, paths[i]);
		assert_int_equal(model_finish_all(models, n, &e), 0);
		for (unsigned i = 1; i < n; i++)
			model_destroy(models[i]);
		check_finished("at once", models[0]);
	}
}

/* The last step of a path can be computed from the hashes, for any step. */
static void test_steps_come_back(void **state)
{
	struct contexts c = {0};
	uint64_t step = 1;

	(void)state;
	contexts_insert(&c, 0, 12345, CONTEXT_NONE);
	for (unsigned i = 0; i < 5000; i++) {
		uint32_t parent = random_below(c.len);
		uint64_t path = contexts_path(c.paths[parent], step);
		uint32_t id = contexts_find(&c, parent, path);
		if (id == CONTEXT_NONE)
			id = contexts_insert(&c, parent, path, CONTEXT_NONE);
		assert_int_equal(contexts_find(&c, parent, path), id);
		assert_true(contexts_step(&c, id) == step);
		step = i % 7 ? step * UINT64_C(0x9e3779b97f4a7c15) + i : i % 2 ? UINT64_MAX - i : i;
	}
	contexts_deinit(&c);
}

/* Files merged from two or three files at a time, in any order. */
static void test_any_tree_of_files(void **state)
{
	(void)state;
	for (int round = 0; round < 40; round++) {
		struct bytes at[FILES];
		const char *names[FILES];
		unsigned n = FILES;

		for (unsigned i = 0; i < FILES; i++) {
			at[i].n = files[i].n;
			at[i].at = malloc(at[i].n);
			assert_non_null(at[i].at);
			memcpy(at[i].at, files[i].bytes, at[i].n);
			names[i] = paths[i];
		}
		while (n > 1) {
			struct model *m = new_model();
			unsigned parts = 2 + random_below(2);
			for (unsigned i = 0; i < parts && n > 0; i++) {
				unsigned a = random_below(n);
				add(m, at[a].at, at[a].n, names[a]);
				free(at[a].at);
				at[a] = at[--n];
				names[a] = names[n];
			}
			finish(m);
			at[n] = merged(m);
			names[n++] = "a merged file";
			model_destroy(m);
		}
		struct model *m = new_model();
		add(m, at[0].at, at[0].n, names[0]);
		free(at[0].at);
		check("files", m);
	}
}

/* Nodes without values below them are not written, and a node has one role. */
static void test_what_is_written(void **state)
{
	struct error e = {0};
	struct reader *r;
	uint64_t inner_values = 0;

	(void)state;
	assert_int_equal(reader_open_memory(want_file.at, want_file.n, &r, &e), 0);
	assert_int_equal(reader_num_epochs(r), 1);
	assert_int_equal(reader_num_trees(r), 2);
	assert_true(reader_is_merged(r));
	assert_int_equal(reader_num_merged(r), FILES);
	assert_int_equal(reader_tree(r, 0)->thread, CSP_NONE);
	assert_int_equal(reader_tree(r, 1)->kind, CSP_TREE_PARTIAL);
	for (uint32_t t = 0; t < 2; t++) {
		struct reader_rows rows;
		bool *inner;
		assert_int_equal(reader_rows_begin(&rows, r, t, &e), 0);
		assert_null(rows.ids); /* as the runtime writes them */
		inner = calloc(rows.n, 1);
		assert_non_null(inner);
		for (uint64_t i = 1; i < rows.n; i++)
			inner[reader_row_word(&rows, i, ROW_PARENT)] = true;
		for (uint64_t i = 0; i < rows.n; i++) {
			assert_int_equal(reader_row_word(&rows, i, ROW_SP), 0);
			for (uint32_t k = 0; k < reader_num_metrics(r); k++)
				if (inner[i] && reader_metric(r, k)->flags & CSP_METRIC_ASYNC)
					inner_values += reader_row_word(&rows, i, ROW_METRICS + k);
		}
		free(inner);
		reader_rows_end(&rows);
	}
	assert_int_equal(inner_values, 0);
	reader_close(r);
}

/* Frames with names have no addresses, so they cannot be written. */
static void test_names_cannot_be_written(void **state)
{
	struct model *m = new_model();
	struct model_function f = {.name = model_text(m, "f", 1)};
	struct error e = {0};
	FILE *out = fopen("/dev/null", "w");
	uint32_t frame;

	(void)state;
	assert_non_null(out);
	f.module = model_module(m, (struct reader_text){"x", 1}, (struct reader_text){"", 0});
	frame = model_named_frame(m, model_function(m, &f), 3, FRAME_NAMED_POINT);
	assert_int_equal(model_context(m, MODEL_ROOT, frame), MODEL_ROOTS);
	finish(m);
	assert_int_equal(merge_write(out, m, &e), -1);
	assert_int_equal(e.kind, ERROR_USAGE);
	fclose(out);
	model_destroy(m);
}

/* The whole call path of a thread's tree, from the root, as "module+address/...". */
static void path_of(const struct model *m, uint32_t context, char *out, size_t n)
{
	const struct model_frame *f = &m->frames.at[model_frame_of(m, context)];
	size_t used;

	out[0] = '\0';
	if (model_parent(m, context) >= MODEL_ROOTS)
		path_of(m, model_parent(m, context), out, n);
	used = strlen(out);
	snprintf(out + used, n - used, "/%lx", (unsigned long)f->address);
}

/* Three threads, the second created by the first, the third by the second; and two threads that
 * created each other. */
static void test_threads_under_their_creators(void **state)
{
	static const struct build_node first[] = {
	    {0, 0, 0, {0}}, {0, 0x500101, 0, {0}}, {1, 0x500201, 0, {0}}, {1, 0x500300, 0, {1, 1}}};
	static const struct build_node second[] = {
	    {0, 0, 0, {0}}, {0, 0x500401, 0, {0}}, {1, 0x500500, 0, {2, 1}}};
	static const struct build_node third[] = {{0, 0, 0, {0}}, {0, 0x500600, 0, {4, 1}}};
	static const struct build_tree trees[] = {
	    {NULL, 0, third, 2, CSP_NONE, 0, 1, 1},  /* by the second */
	    {NULL, 0, second, 3, CSP_NONE, 0, 2, 2}, /* by the first */
	    {NULL, 0, first, 4, CSP_NONE, 0, CSP_NONE, 0},
	    {NULL, 0, third, 2, CSP_NONE, 1, 1, 1},  /* of partial paths */
	    {NULL, 0, second, 3, CSP_NONE, 0, 5, 1}, /* a cycle */
	    {NULL, 0, third, 2, CSP_NONE, 0, 4, 1},
	};
	static const char *const want[2][6] = {
	    {"/400100/400300", "/400400/400500", "/400600", "/400600", NULL, NULL},
	    {"/400100/400200/400400/400500", "/400100/400200/400400/400600", "/400100/400300",
	     "/400600", NULL, NULL}};
	struct build_file f = {.target = "/p",
			       .metrics = two,
			       .num_metrics = 2,
			       .epochs = epochs,
			       .num_epochs = 2,
			       .trees = trees,
			       .num_trees = 4,
			       .without = 1 << CSP_CHUNK_ACCOUNT | 1 << CSP_CHUNK_THREADS};

	(void)state;
	for (int round = 0; round < 8; round++) {
		bool joined = round & 1, circle = round & 2;
		struct ingest_options o = {.join_threads = joined};
		struct model *m = new_model();
		struct ingest *in = ingest_create(m, &o);
		struct error e = {0};
		struct reader *r;
		struct built b;
		unsigned n = 0;

		f.num_trees = circle ? 6 : 4;
		f.shuffle = round & 4 ? 9 : 0;
		f.relabel = round & 4;
		build(&f, &b);
		assert_int_equal(reader_open_memory(b.bytes, b.n, &r, &e), 0);
		assert_int_equal(ingest_file(in, r, "x", complain, NULL, &e), 0);
		finish(m);
		for (uint32_t c = MODEL_ROOTS; !circle && !f.relabel && c < model_num_contexts(m);
		     c++) {
			char path[256];
			if (!m->metrics.at[0].events[c])
				continue;
			path_of(m, c, path, sizeof path);
			assert_string_equal(path, want[joined][n]);
			n++;
		}
		if (!circle && !f.relabel)
			assert_null(want[joined][n]);
		assert_int_equal(m->metrics.at[0].total.events, circle ? 17 : 11);
		ingest_destroy(in);
		reader_close(r);
		built_free(&b);
		model_destroy(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_any_order),
	    cmocka_unit_test(test_any_number_of_threads),
	    cmocka_unit_test(test_any_tree_of_joins),
	    cmocka_unit_test(test_any_number_at_once),
	    cmocka_unit_test(test_steps_come_back),
	    cmocka_unit_test(test_any_tree_of_files),
	    cmocka_unit_test(test_what_is_written),
	    cmocka_unit_test(test_names_cannot_be_written),
	    cmocka_unit_test(test_threads_under_their_creators),
	};
	int failed;

	if (!mkdtemp(folder))
		return 1;
	make_files();
	failed = cmocka_run_group_tests(tests, expect, forget);
	for (unsigned i = 0; i < FILES; i++) {
		unlink(paths[i]);
		built_free(&files[i]);
	}
	rmdir(folder);
	return failed;
}
