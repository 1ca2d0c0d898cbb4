/* Compares the store, its trees and their conversion to a datafile with a plain model: random paths
 * are inserted, the datafile is read back, and every path must have exactly the values of the
 * model. */
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/make_metrics.h"

#include "reader/reader.h"
#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/trees/cct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns of the first event. */
enum { VALUE_COLUMN, SAMPLES_COLUMN };

enum { MAX_DEPTH = 40, NUM_PATHS = 3000, SINK = 64 << 20 };

struct path {
	int kind, depth; /* ips[0] is innermost */
	enum csprof_leaf leaf;
	struct csprof_frame frames[MAX_DEPTH];
	uint64_t value, samples;
};

static struct path paths[NUM_PATHS];
static int num_paths;
static csprof_state_t state;
static uint8_t *bytes;
static size_t num_bytes;

static uint64_t random_state = 88172645463325252ull;
static uint64_t rnd(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

static bool same_path(const struct path *a, const struct path *b)
{
	if (a->kind != b->kind || a->depth != b->depth || a->leaf != b->leaf)
		return false;
	for (int i = 0; i < a->depth; i++)
		if (a->frames[i].ip + (i && a->frames[i].exact) !=
		    b->frames[i].ip + (i && b->frames[i].exact))
			return false;
	return true;
}

static struct path *model_of(const struct path *p)
{
	for (int i = 0; i < num_paths; i++)
		if (same_path(&paths[i], p))
			return &paths[i];
	paths[num_paths] = *p;
	paths[num_paths].value = paths[num_paths].samples = 0;
	return &paths[num_paths++];
}

/* Few distinct ips, so that paths share their outer frames as real ones do. */
static void make_path(struct path *p)
{
	memset(p, 0, sizeof *p);
	p->kind = rnd(10) == 0 ? CSP_TREE_PARTIAL : CSP_TREE_COMPLETE;
	p->leaf = rnd(4) == 0 ? CSPROF_LEAF_RECORDED : CSPROF_LEAF_SAMPLED;
	p->depth = 1 + (int)rnd(MAX_DEPTH - 1);
	for (int i = 0; i < p->depth; i++)
		p->frames[i] = (struct csprof_frame){
		    .ip = 0x1000 + rnd(3), .sp = 0x7000 + (uintptr_t)i, .exact = rnd(20) == 0};
}

static void insert(struct path *p)
{
	uint32_t columns[] = {VALUE_COLUMN, SAMPLES_COLUMN};
	uint64_t amounts[] = {1 + rnd(1000), 1};
	state.frames = p->frames;
	state.num_frames = (uint32_t)p->depth;
	assert_int_not_equal(
	    csprof_cct_insert(&state, (uint32_t)p->kind, p->leaf, columns, amounts, 2), 0);
	struct path *m = model_of(p);
	m->value += amounts[0];
	m->samples++;
}

static int to_memory(void *ctx, const uint8_t *from, size_t n)
{
	(void)ctx;
	assert_true(num_bytes + n <= SINK);
	memcpy(bytes + num_bytes, from, n);
	num_bytes += n;
	return 0;
}

static void begin_store(void)
{
	csprof_arena_forget();
	assert_int_equal(csprof_store_create(NULL, CSPROF_EVENT_COLUMNS, 1), 0);
	struct store_header *h = csprof_store_header();
	csprof_metrics_to_store(h);
	csprof_arena_init(&csprof_process.arena, 0);
	struct csprof_arena *a = &csprof_process.arena;
	h->executable = csprof_store_string(a, "/bin/model", 10);
	h->pid = 77;
	store_ref epoch = csprof_malloc(a, sizeof(struct store_epoch));
	h->first_epoch = epoch;
	csprof_process.epoch = epoch;
	memset(&state, 0, sizeof state);
	csprof_arena_init(&state.arena, 0);
	state.thread =
	    csprof_malloc(&state.arena, sizeof(struct store_thread) + sizeof(struct store_clock));
	h->first_thread = state.thread;
}

static struct reader *convert(void)
{
	static const struct store_memory memory = {os_map, os_unmap};
	uint8_t buffer[4096];
	struct csp_sink sink = {.buf = buffer, .cap = sizeof buffer, .flush = to_memory};
	struct store_view view = csprof_store_view();
	struct reader *r = NULL;
	struct error e;
	num_bytes = 0;
	sink.big = csp_host_is_big();
	assert_int_equal(store_write_datafile(&view, &memory, &sink), 0);
	if (reader_open_memory(bytes, num_bytes, &r, &e) < 0)
		fail_msg("%s", e.text);
	assert_null(reader_warning(r));
	return r;
}

struct seen {
	uint64_t parent, ip;
};

/* Check that the model has each node's path with the same values. Leaves of both kinds have equal
 * ips in the file, so values are compared over all that match. */
static void compare_tree(struct reader *r, uint32_t t, uint64_t *values, uint64_t *samples)
{
	const struct reader_tree *tree = reader_tree(r, t);
	struct seen *seen = calloc(tree->num_nodes, sizeof *seen);
	struct reader_nodes it;
	struct error e;
	const struct reader_node *n;
	assert_int_equal(reader_nodes_begin(&it, r, t, false, &e), 0);
	while ((n = reader_nodes_next(&it))) {
		seen[n->id] = (struct seen){n->parent, n->ip};
		assert_true(n->id == 0 || n->parent < n->id); /* parents first */
		if (!n->metrics[1])
			continue;
		*values += n->metrics[0];
		*samples += n->metrics[1];
		bool found = false;
		for (int i = 0; i < num_paths && !found; i++) {
			struct path *p = &paths[i];
			uint64_t at = n->id;
			int d = 0;
			if (p->kind != (int)tree->kind || p->value != n->metrics[0] ||
			    p->samples != n->metrics[1])
				continue;
			for (; d < p->depth && at; d++, at = seen[at].parent)
				if (seen[at].ip != p->frames[d].ip + (d && p->frames[d].exact))
					break;
			found = d == p->depth && at == 0;
		}
		assert_true(found);
	}
	reader_nodes_end(&it);
	free(seen);
}

static void every_path_comes_back(void **unused)
{
	(void)unused;
	begin_store();
	struct path p;
	make_path(&p);
	for (int i = 0; i < NUM_PATHS; i++) {
		if (rnd(3) == 0)
			make_path(&p);
		else /* as samples do, change a few inner frames only */
			for (int k = 0, n = (int)rnd(3); k < n && k < p.depth; k++)
				p.frames[k].ip = 0x1000 + rnd(5);
		insert(&p);
	}
	struct reader *r = convert();
	uint64_t values = 0, samples = 0, expected = 0;
	assert_int_equal(reader_num_trees(r), 2);
	for (uint32_t t = 0; t < 2; t++)
		compare_tree(r, t, &values, &samples);
	for (int i = 0; i < num_paths; i++)
		expected += paths[i].value;
	assert_int_equal(samples, NUM_PATHS);
	assert_int_equal(values, expected);
	reader_close(r);
	csprof_cct_deinit(&state.cct[0]);
	csprof_cct_deinit(&state.cct[1]);
	csprof_store_destroy();
}

/* Each role of an ip below one parent has its own node. */
static void roles_are_apart(void **unused)
{
	(void)unused;
	num_paths = 0;
	begin_store();
	struct path p = {.kind = CSP_TREE_COMPLETE, .depth = 2, .leaf = CSPROF_LEAF_SAMPLED};
	p.frames[0].ip = 0x2000;
	p.frames[1].ip = 0x1000;
	insert(&p);
	p.leaf = CSPROF_LEAF_RECORDED;
	insert(&p);
	p.depth = 3;
	p.frames[2] = p.frames[1];
	p.frames[1] = p.frames[0];
	p.frames[0].ip = 0x3000;
	insert(&p);
	struct reader *r = convert();
	assert_int_equal(reader_tree(r, 0)->num_nodes, 1 + 1 + 3 + 1);
	reader_close(r);
	csprof_cct_deinit(&state.cct[0]);
	csprof_store_destroy();
}

/* A new epoch gets its own trees; returning to the old epoch finds the old trees again. */
static void epochs_have_their_trees(void **unused)
{
	(void)unused;
	num_paths = 0;
	begin_store();
	struct path p = {.kind = CSP_TREE_COMPLETE, .depth = 1, .leaf = CSPROF_LEAF_SAMPLED};
	p.frames[0].ip = 0x2000;
	store_ref first = csprof_process.epoch;
	insert(&p);
	store_ref second = csprof_malloc(&csprof_process.arena, sizeof(struct store_epoch));
	((struct store_epoch *)csprof_store_at(first))->next = second;
	csprof_process.epoch = second;
	insert(&p);
	csprof_process.epoch = first;
	insert(&p);
	struct reader *r = convert();
	assert_int_equal(reader_num_epochs(r), 2);
	assert_int_equal(reader_num_trees(r), 2);
	uint64_t samples[2] = {0, 0};
	for (uint32_t t = 0; t < 2; t++) {
		struct reader_nodes it;
		const struct reader_node *n;
		assert_int_equal(reader_nodes_begin(&it, r, t, false, NULL), 0);
		while ((n = reader_nodes_next(&it)))
			samples[reader_tree(r, t)->epoch] += n->metrics[1];
		reader_nodes_end(&it);
	}
	assert_int_equal(samples[0], 2);
	assert_int_equal(samples[1], 1);
	reader_close(r);
	csprof_cct_deinit(&state.cct[0]);
	csprof_store_destroy();
}

/* A store of another kind is refused; invalid links are ignored. */
static void broken_stores_are_mended(void **unused)
{
	(void)unused;
	static const struct store_memory memory = {os_map, os_unmap};
	uint8_t buffer[4096];
	num_paths = 0;
	begin_store();
	struct path p = {.kind = CSP_TREE_COMPLETE, .depth = 1, .leaf = CSPROF_LEAF_SAMPLED};
	p.frames[0].ip = 0x2000;
	insert(&p);
	struct store_view view = csprof_store_view();
	struct store_header *h = csprof_store_header();
	struct csp_sink sink = {.buf = buffer, .cap = sizeof buffer, .flush = to_memory};
	num_bytes = 0;
	h->version++;
	assert_true(store_write_datafile(&view, &memory, &sink) < 0);
	h->version--;
	struct store_thread *t = csprof_store_at(state.thread);
	struct store_tree *tree = csprof_store_at(t->first_tree);
	store_ref root = tree->root;
	tree->root = 0xfffffff0u;
	struct reader *r = convert();
	assert_int_equal(reader_num_trees(r), 0);
	reader_close(r);
	tree->root = root;
	struct store_node *node = csprof_store_at(root);
	((struct store_node *)csprof_store_at(node->child))->left = root; /* a loop */
	r = convert();
	assert_int_equal(reader_num_trees(r), 1);
	assert_int_equal(reader_tree(r, 0)->num_nodes, 2);
	reader_close(r);
	csprof_cct_deinit(&state.cct[0]);
	csprof_store_destroy();
}

static void metrics_are_described_once(void **unused)
{
	(void)unused;
	assert_int_equal(csprof_num_metrics(), CSPROF_EVENT_COLUMNS);
	assert_true(csprof_set_max_metrics(4) < 0); /* too late */
	assert_true(csprof_new_metric() < 0);       /* none is left */
	assert_true(csprof_set_metric_info_and_period(2, "X", "count", 0, 1, 0) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_path_comes_back),
	    cmocka_unit_test(roles_are_apart),
	    cmocka_unit_test(epochs_have_their_trees),
	    cmocka_unit_test(broken_stores_are_mended),
	    cmocka_unit_test(metrics_are_described_once),
	};
	bytes = malloc(SINK);
	if (!bytes || make_metrics() < 0)
		return 1;
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	free(bytes);
	return r;
}
