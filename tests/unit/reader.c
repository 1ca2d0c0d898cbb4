/* reader/reader.h with valid files: every byte order, width, version and node order. */
#include "reader/reader.h"

#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/walk_datafile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void assert_text(struct reader_text t, const char *want)
{
	assert_int_equal(t.n, strlen(want));
	assert_memory_equal(t.at, want, t.n);
}

static struct reader *open_built(const struct built *b)
{
	struct reader *r = NULL;
	struct error e;
	if (reader_open_memory(b->bytes, b->n, &r, &e))
		fail_msg("%s", e.text);
	if (reader_warning(r))
		fail_msg("%s", reader_warning(r)->text);
	return r;
}

/* The file must have the contents of f, node by node, in any order. */
static void assert_head(const struct reader *r, const struct build_file *f)
{
	assert_text(reader_header(r)->version, f->version ? f->version : CSP_VERSION_FILE);
	assert_int_equal(reader_header(r)->big, f->big);
	assert_text(reader_header(r)->target, f->target);
	assert_int_equal(reader_header(r)->tramp_samples, f->tramp_samples);
	assert_int_equal(reader_num_metrics(r), f->num_metrics);
	for (uint32_t i = 0; i < f->num_metrics; i++) {
		const struct reader_metric *m = reader_metric(r, i);
		assert_text(m->name, f->metrics[i].name);
		assert_int_equal(m->has_flags, !f->no_flags);
		assert_int_equal(m->flags, f->no_flags ? 0 : f->metrics[i].flags);
		assert_int_equal(m->period, f->metrics[i].period);
	}
	assert_int_equal(reader_num_epochs(r), f->num_epochs);
	for (uint32_t i = 0; i < f->num_epochs; i++) {
		const struct reader_epoch *e = reader_epoch(r, i);
		assert_int_equal(e->num_modules, f->epochs[i].num_modules);
		for (uint32_t k = 0; k < e->num_modules; k++) {
			const struct build_module *m = &f->epochs[i].modules[k];
			assert_text(e->modules[k].name, m->name);
			assert_int_equal(e->modules[k].virtual_address, m->virtual_address);
			assert_int_equal(e->modules[k].mapped_address, m->mapped_address);
			assert_int_equal(e->modules[k].extent, f->no_trailer ? 0 : m->extent);
			assert_text(e->modules[k].build_id, f->no_trailer ? "" : m->build_id);
		}
	}
}

static bool same_node(const struct reader_node *got, const struct build_node *want, uint32_t n)
{
	return got->ip == want->ip && got->sp == want->sp &&
	       memcmp(got->metrics, want->metrics, n * sizeof got->metrics[0]) == 0;
}

/* Without relabel a node's id is its index. */
static void assert_trees(const struct reader *r, const struct build_file *f)
{
	assert_int_equal(reader_num_trees(r), f->num_trees);
	for (uint32_t i = 0; i < f->num_trees; i++) {
		const struct reader_tree *t = reader_tree(r, i);
		const struct reader_node *node;
		struct reader_nodes it;
		struct error e;
		assert_int_equal(t->width, f->width ? f->width : 8);
		assert_int_equal(t->num_nodes, f->trees[i].num_nodes);
		assert_int_equal(t->epoch, f->trees[i].epoch);
		assert_text(t->version, f->trees[i].version);
		assert_int_equal(reader_nodes_begin(&it, r, i, true, &e), 0);
		while (!f->relabel && (node = reader_nodes_next(&it))) {
			const struct build_node *want = &f->trees[i].nodes[node->id];
			assert_int_equal(node->parent, want->parent);
			assert_true(same_node(node, want, f->num_metrics));
		}
		reader_nodes_end(&it);
		reader_nodes_end(&it); /* a second call does no harm */
	}
}

static void assert_trailer(const struct reader *r, const struct build_file *f)
{
	struct reader_pairs about = reader_metric(r, 0)->about;
	uint64_t pid;
	assert_true(reader_has_trailer(r));
	assert_true(reader_pairs_u64(reader_process(r), "pid", &pid));
	assert_int_equal(pid, 4242);
	assert_false(reader_pairs_u64(reader_process(r), "host", &pid));
	assert_false(reader_pairs_u64(reader_process(r), "rank", &pid));
	assert_int_equal(pid, 4242);
	assert_int_equal(reader_pairs_get(reader_process(r), "command").n, 22);
	assert_text(reader_pairs_get(reader_process(r), "end"), "exit 0");
	assert_text(reader_pairs_get(about, "source"), "perf task-clock");
	assert_int_equal(reader_num_threads(r), f->num_threads);
	assert_text(reader_thread(r, 1)->name, "worker");
	assert_int_equal(reader_thread(r, 1)->tid, 4243);
	assert_int_equal(reader_thread(r, 1)->start_ns, 1000000);
	assert_int_equal(reader_thread(r, 1)->end_ns, 39000000);
	assert_int_equal(reader_thread(r, 1)->cpu_ns, 8200000);
	assert_int_equal(reader_tree(r, 1)->kind, CSP_TREE_PARTIAL);
	assert_int_equal(reader_tree(r, 2)->thread, 1);
	assert_int_equal(reader_tree(r, 2)->creator_tree, 0);
	assert_int_equal(reader_tree(r, 0)->creator_tree, CSP_NONE);
	assert_int_equal(reader_num_account(r), f->num_account);
	assert_text(reader_account(r, 2)->disposition, "unsafe code");
	assert_int_equal(reader_account(r, 2)->samples, 1);
	assert_int_equal(reader_account(r, 2)->weight, 100000);
	assert_int_equal(reader_num_trace(r), f->num_trace);
	for (uint64_t i = 0; i < f->num_trace; i++) {
		struct reader_trace row;
		reader_trace(r, i, &row);
		assert_int_equal(row.time_ns, f->trace[i].time_ns);
		assert_int_equal(row.tree, f->trace[i].tree);
		assert_int_equal(row.weight, f->trace[i].weight);
	}
}

static void every_shape(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 128; i++) {
		struct build_file f = build_example;
		struct built b;
		f.big = i & 1;
		f.width = i & 2 ? 4 : 8;
		f.version = i & 4 ? CSP_VERSION_FILE_LATER : CSP_VERSION_FILE;
		f.no_flags = i & 8;
		f.no_trailer = i & 16;
		f.shuffle = i & 32 ? i : 0;
		f.relabel = i & 64;
		build(&f, &b);
		struct reader *r = open_built(&b);
		assert_head(r, &f);
		assert_trees(r, &f);
		if (f.no_trailer)
			assert_false(reader_has_trailer(r));
		else
			assert_trailer(r, &f);
		assert_ptr_equal(walk_reader(r), NULL);
		reader_close(r);
		built_free(&b);
	}
}

/* With different ids the tree is the same: compare paths of addresses. */
static void relabelled_nodes_keep_their_paths(void **state)
{
	(void)state;
	struct build_file f = build_example;
	struct build_tree tree = f.trees[0];
	uint64_t ip_of[1000], depth_of[1000];
	const uint64_t n = 1000;
	struct build_node *nodes = build_random_nodes(n, 5);
	for (uint64_t i = 1; i < n; i++)
		nodes[i].ip = i; /* identifies the node */
	f.trees = &(struct build_tree){tree.version, 0, nodes, n, 0, 0, CSP_NONE, 0};
	f.num_trees = 1;
	f.num_trace = 0;
	f.shuffle = 77;
	f.relabel = true;
	struct built b;
	build(&f, &b);
	struct reader *r = open_built(&b);
	struct reader_nodes it;
	struct error e;
	const struct reader_node *node;
	assert_int_equal(reader_nodes_begin(&it, r, 0, true, &e), 0);
	while ((node = reader_nodes_next(&it))) {
		ip_of[node->id] = node->ip;
		depth_of[node->id] = node->id ? depth_of[node->parent] + 1 : 0;
		assert_int_equal(ip_of[node->parent], nodes[node->ip].parent);
	}
	reader_nodes_end(&it);
	reader_close(r);
	built_free(&b);
	free(nodes);
}

/* A chain from the last node to the first, against the order of the file, as deep as it is long.
 * This would fail with recursion or quadratic time. */
static void a_deep_chain_backwards(void **state)
{
	(void)state;
	const uint64_t n = 300000;
	struct build_file f = build_example;
	struct build_node *nodes = calloc(n, sizeof *nodes);
	assert_non_null(nodes);
	for (uint64_t i = 1; i < n; i++)
		nodes[i].parent = i + 1 < n ? i + 1 : 0;
	f.trees = &(struct build_tree){CSP_VERSION_TREE, 0, nodes, n, 0, 0, CSP_NONE, 0};
	f.num_trees = 1;
	f.no_trailer = true;
	struct built b;
	build(&f, &b);
	struct reader *r = open_built(&b);
	assert_ptr_equal(walk_reader(r), NULL);
	reader_close(r);
	built_free(&b);
	free(nodes);
}

/* Shuffled, but parents before children: the file's own order is kept. */
static void a_good_order_is_kept(void **state)
{
	(void)state;
	static const struct build_node nodes[] = {
	    {0, 0, 0, {0}}, {3, 1, 0, {0}}, {0, 2, 0, {0}}, {0, 3, 0, {0}}};
	static const uint64_t order[] = {0, 3, 1, 2};
	struct build_file f = build_example;
	f.trees = &(struct build_tree){CSP_VERSION_TREE, 0, nodes, 4, 0, 0, CSP_NONE, 0};
	f.num_trees = 1;
	f.no_trailer = true;
	struct built b;
	build(&f, &b);
	size_t bytes = 8 * (4 + f.num_metrics);
	uint8_t *first = b.bytes + b.n - 4 * bytes, copy[4 * 8 * 7];
	memcpy(copy, first, 4 * bytes);
	for (size_t i = 0; i < 4; i++)
		memcpy(first + i * bytes, copy + order[i] * bytes, bytes);
	struct reader *r = open_built(&b);
	for (int top_down = 0; top_down < 2; top_down++) {
		struct reader_nodes it;
		struct error e;
		assert_int_equal(reader_nodes_begin(&it, r, 0, top_down, &e), 0);
		assert_null(it.order);
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(reader_nodes_next(&it)->id, order[i]);
		assert_null(reader_nodes_next(&it));
		reader_nodes_end(&it);
	}
	reader_close(r);
	built_free(&b);
}

static void no_trees_and_no_metrics(void **state)
{
	(void)state;
	struct build_file f = build_example;
	struct built b;
	f.num_trees = f.num_metrics = f.num_epochs = 0;
	f.no_trailer = true;
	f.target = "";
	build(&f, &b);
	struct reader *r = open_built(&b);
	assert_head(r, &f);
	assert_int_equal(reader_num_trees(r), 0);
	reader_close(r);
	built_free(&b);
}

/* Bytes after the trees that are not a trailer belong to another tool and are ignored. */
static void foreign_bytes_behind_the_trees(void **state)
{
	(void)state;
	struct build_file f = build_example;
	struct built b;
	f.no_trailer = true;
	build(&f, &b);
	uint8_t *bytes = malloc(b.n + 40);
	assert_non_null(bytes);
	memcpy(bytes, b.bytes, b.n);
	memset(bytes + b.n, 0x5a, 40);
	for (size_t more = 1; more <= 40; more++) {
		struct reader *r;
		assert_int_equal(reader_open_memory(bytes, b.n + more, &r, NULL), 0);
		assert_null(reader_warning(r));
		assert_false(reader_has_trailer(r));
		reader_close(r);
	}
	free(bytes);
	built_free(&b);
}

static void unknown_and_missing_chunks(void **state)
{
	(void)state;
	static const struct build_chunk extra[] = {{999, "??", 2}, {1000, "", 0}};
	for (uint32_t tag = 1; tag <= CSP_CHUNK_THREADS; tag++) {
		struct build_file f = build_example;
		struct built b;
		f.without = 1u << tag;
		f.chunks = extra;
		f.num_chunks = 2;
		build(&f, &b);
		struct reader *r = open_built(&b);
		assert_ptr_equal(walk_reader(r), NULL);
		assert_int_equal(reader_num_chunks(r), 7 + 2 - (tag != CSP_CHUNK_VALUES));
		const struct reader_chunk *last = reader_chunk(r, reader_num_chunks(r) - 1);
		assert_int_equal(last->tag, 1000);
		assert_int_equal(last->length, 0);
		assert_int_equal(last->offset, b.n);
		assert_false(last->decoded);
		assert_true(reader_chunk(r, 0)->decoded);
		assert_int_equal(reader_process(r).n == 0, tag == CSP_CHUNK_PROCESS);
		assert_int_equal(reader_num_threads(r) == 0, tag == CSP_CHUNK_THREADS);
		assert_int_equal(reader_num_account(r) == 0, tag == CSP_CHUNK_ACCOUNT);
		assert_int_equal(reader_num_trace(r) == 0, tag == CSP_CHUNK_TRACE);
		assert_int_equal(reader_tree(r, 2)->thread == CSP_NONE, tag == CSP_CHUNK_TREES);
		assert_int_equal(reader_metric(r, 0)->about.n == 0, tag == CSP_CHUNK_METRICS);
		reader_close(r);
		built_free(&b);
	}
}

static void assert_value(const struct reader_value *v, const struct build_value *want)
{
	assert_int_equal(v->epoch, want->epoch);
	assert_int_equal(v->ip, want->ip);
	assert_int_equal(v->what, want->what);
	assert_int_equal(v->bytes, want->bytes);
	assert_int_equal(v->count, want->count);
	assert_int_equal(v->zeros, want->zeros);
	assert_int_equal(v->same, want->same);
	assert_int_equal(v->rest, want->rest);
	assert_int_equal(v->num_top, want->num_top);
	for (uint32_t i = 0; i < v->num_top; i++) {
		assert_int_equal(v->top[i].value, want->top[i].value);
		assert_int_equal(v->top[i].count, want->top[i].count);
		assert_int_equal(v->top[i].error, want->top[i].error);
	}
}

/* Also of a later version, which has more reasons. */
static void values_of_instructions(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct build_windows w = *build_values.windows;
		struct build_file f = build_values;
		struct built b;
		f.big = i & 1;
		f.windows = &w;
		f.num_chunks = !f.big; /* NAMES */
		w.num_refused = i & 2 ? 3 : CSP_VALUE_REFUSALS;
		build(&f, &b);
		struct reader *r = open_built(&b);
		assert_ptr_equal(walk_reader(r), NULL);
		const struct reader_windows *is = reader_windows(r);
		assert_non_null(is);
		assert_int_equal(is->windows, 100);
		assert_int_equal(is->steps, 790);
		assert_int_equal(is->ns, 1500000);
		assert_int_equal(is->dropped, 3);
		for (uint32_t k = 0; k < CSP_VALUE_REFUSALS; k++)
			assert_int_equal(is->refused[k], k < w.num_refused ? k + 1 : 0);
		assert_int_equal(reader_num_values(r), w.num_values);
		for (uint32_t k = 0; k < w.num_values; k++)
			assert_value(reader_value(r, k), &w.values[k]);
		reader_close(r);
		built_free(&b);
	}
}

static void names_of_kinds(void **state)
{
	(void)state;
	static const struct {
		uint32_t what, bytes;
		const char *name;
	} rows[] = {{0, 8, "rax"},
		    {0, 4, "eax"},
		    {0, 2, "ax"},
		    {0, 1, "al"},
		    {6, 1, "sil"},
		    {8, 8, "r8"},
		    {15, 4, "r15d"},
		    {15, 1, "r15b"},
		    {16, 8, "xmm0"},
		    {31, 8, "xmm15"},
		    {32, 8, "kind 32"},
		    {CSP_VALUE_BRANCH, 1, "taken"},
		    {CSP_VALUE_ALIAS, 8, "aliased store"},
		    {CSP_VALUE_ARGUMENT + 5, 8, "argument 6"},
		    {CSP_VALUE_ARGUMENT + 6, 8, "kind 86"},
		    {CSP_VALUE_DIFFERENCE | CSP_VALUE_ADDRESS, 8, "stride of address"},
		    {CSP_VALUE_DIFFERENCE | 3, 2, "stride of bx"},
		    {UINT32_MAX, 8, "stride of kind 4294967167"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char name[READER_VALUE_KIND_BYTES];
		assert_string_equal(
		    reader_value_kind(rows[i].what, rows[i].bytes, name, sizeof name),
		    rows[i].name);
	}
}

static void files_on_disk(void **state)
{
	(void)state;
	char dir[] = "/tmp/hpctest.XXXXXX", path[64];
	struct built b;
	struct reader *r;
	struct error e;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/x.csp", dir);
	build(&build_example, &b);
	built_write(&b, path);
	assert_int_equal(reader_open(path, &r, &e), 0);
	assert_ptr_equal(walk_reader(r), NULL);
	reader_close(r);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(reader_open(path, &r, &e), -1);
	assert_string_equal(e.text, "offset 0: expected magic HPC_CSPROF, found 0 bytes left");
	unlink(path);
	assert_int_equal(reader_open(path, &r, &e), -1);
	assert_int_equal(e.kind, ERROR_SYSTEM);
	assert_int_equal(mkfifo(path, 0600), 0); /* it has no writer: do not wait */
	assert_int_equal(reader_open(path, &r, &e), -1);
	assert_string_equal(e.text, "is a FIFO, not a regular file");
	unlink(path);
	assert_int_equal(reader_open(dir, &r, &e), -1);
	assert_string_equal(e.text, "is a directory, not a regular file");
	rmdir(dir);
	reader_close(NULL);
	built_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_shape),
	    cmocka_unit_test(relabelled_nodes_keep_their_paths),
	    cmocka_unit_test(a_deep_chain_backwards),
	    cmocka_unit_test(a_good_order_is_kept),
	    cmocka_unit_test(no_trees_and_no_metrics),
	    cmocka_unit_test(foreign_bytes_behind_the_trees),
	    cmocka_unit_test(unknown_and_missing_chunks),
	    cmocka_unit_test(values_of_instructions),
	    cmocka_unit_test(names_of_kinds),
	    cmocka_unit_test(files_on_disk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
