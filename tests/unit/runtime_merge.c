/* Compares the merging of threads' trees and accounts with a plain model: random trees of random
 * kinds and epochs are merged, and every path must have the sum of its values. A merge that is
 * interrupted anywhere, even between two instructions, has lost nothing, and has at most one node's
 * counts twice. */
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/make_metrics.h"

#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/sample/unwind.h"
#include "runtime/trees/cct.h"
#include "runtime/trees/cct_merge.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The columns of the first event. */
enum { VALUE_COLUMN, SAMPLES_COLUMN };

enum { MAX_DEPTH = 24, EPOCHS = 3, MAX_PATHS = 20000, ROOM = 1 << 20, DEEP = 200000 };

/* One path of the model; ips[0] is innermost. */
struct path {
	store_ref epoch;
	uint32_t kind;
	enum csprof_leaf leaf;
	uint32_t depth;
	uint64_t ips[MAX_DEPTH];
	uint64_t weight, samples;
};

struct sums {
	uint64_t weight, samples, largest_weight, largest_samples;
};

static struct path model[MAX_PATHS];
static uint32_t num_paths;
static csprof_state_t thread;
static store_ref epochs[EPOCHS], target;
static struct csprof_arena *const arena = &csprof_process.arena;

static uint64_t random_state;
static uint64_t rnd(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

/* ---- building ----------------------------------------------------------------------- */

static store_ref new_record(void)
{
	return csprof_malloc(arena, sizeof(struct store_thread) + sizeof(struct store_clock));
}

static struct store_thread *record(store_ref ref)
{
	return csprof_store_at(ref);
}

static struct store_count *rows(store_ref ref)
{
	return record(ref)->clocks[0].account;
}

/* A store at path (NULL: in memory) with a record to merge into. */
static void begin_store(const char *path)
{
	csprof_arena_forget();
	assert_int_equal(csprof_store_create(path, CSPROF_EVENT_COLUMNS, 1), 0);
	csprof_metrics_to_store(csprof_store_header());
	csprof_arena_init(arena, ROOM);
	for (int i = 0; i < EPOCHS; i++)
		epochs[i] = csprof_malloc(arena, sizeof(struct store_epoch));
	target = new_record();
	num_paths = 0;
	random_state = 88172645463325252ull;
}

static void begin_thread(void)
{
	memset(&thread, 0, sizeof thread);
	csprof_arena_init(&thread.arena, 0);
	csprof_unwind_init(&thread);
	csprof_cct_init(&thread);
	thread.thread = new_record();
}

static void end_thread(void)
{
	for (int kind = 0; kind < CSPROF_TREE_KINDS; kind++)
		csprof_cct_deinit(&thread.cct[kind]);
	csprof_unwind_deinit(&thread);
}

static struct path *find_path(const struct path *p)
{
	for (uint32_t i = 0; i < num_paths; i++)
		if (memcmp(&model[i], p, offsetof(struct path, weight)) == 0)
			return &model[i];
	return NULL;
}

/* Few ips, so that paths share their outer frames, within a thread and between them. */
static void make_path(struct path *p)
{
	memset(p, 0, sizeof *p);
	p->epoch = epochs[rnd(EPOCHS)];
	p->kind = rnd(4) == 0 ? CSP_TREE_PARTIAL : CSP_TREE_COMPLETE;
	p->leaf = rnd(5) == 0 ? CSPROF_LEAF_RECORDED : CSPROF_LEAF_SAMPLED;
	p->depth = 1 + (uint32_t)rnd(MAX_DEPTH - 1);
	for (uint32_t i = 0; i < p->depth; i++)
		p->ips[i] = 0x1000 + rnd(3);
}

static store_ref insert(const struct path *p, uint64_t weight)
{
	struct csprof_frame frames[MAX_DEPTH];
	uint32_t columns[] = {VALUE_COLUMN, SAMPLES_COLUMN};
	uint64_t amounts[] = {weight, 1};
	struct csprof_frame *own = thread.frames;
	for (uint32_t i = 0; i < p->depth; i++)
		frames[i] = (struct csprof_frame){.ip = p->ips[i], .sp = 0x7000 + i};
	thread.frames = frames;
	thread.num_frames = p->depth;
	csprof_process.epoch = p->epoch;
	store_ref node = csprof_cct_insert(&thread, p->kind, p->leaf, columns, amounts, 2);
	thread.frames = own;
	assert_int_not_equal(node, 0);
	struct store_count *row =
	    &rows(thread.thread)[p->kind == CSP_TREE_COMPLETE ? CSP_RECORDED : CSP_PARTIAL];
	row->weight += weight;
	row->samples++;
	record(thread.thread)->clocks[0].end += weight;
	return node;
}

static void insert_some(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct path p, *m;
		uint64_t weight = 1 + rnd(1000);
		make_path(&p);
		insert(&p, weight);
		if (!(m = find_path(&p))) {
			assert_true(num_paths < MAX_PATHS);
			m = &model[num_paths++];
			*m = p;
		}
		m->weight += weight;
		m->samples++;
	}
}

/* ---- reading ------------------------------------------------------------------------ */

static const struct store_node *node_at(store_ref ref)
{
	return csprof_store_at(ref);
}

static void larger(uint64_t *most, uint64_t v)
{
	if (v > *most)
		*most = v;
}

/* Trees may be deep. */
static void add_nodes(struct sums *s, store_ref root)
{
	static store_ref stack[2 * DEEP];
	uint32_t n = 0;
	stack[n++] = root;
	while (n > 0) {
		const struct store_node *node = node_at(stack[--n]);
		const store_ref next[] = {node->left, node->right, node->child};
		s->weight += node->metrics[VALUE_COLUMN];
		s->samples += node->metrics[SAMPLES_COLUMN];
		larger(&s->largest_weight, node->metrics[VALUE_COLUMN]);
		larger(&s->largest_samples, node->metrics[SAMPLES_COLUMN]);
		for (int i = 0; i < 3; i++)
			if (next[i])
				stack[n++] = next[i];
	}
}

static void add_trees(struct sums *s, store_ref thread_ref)
{
	const struct store_tree *tree;
	for (store_ref ref = record(thread_ref)->first_tree; ref; ref = tree->next) {
		tree = csprof_store_at(ref);
		add_nodes(s, tree->root);
	}
}

static struct sums sums_of_both(void)
{
	struct sums s = {0};
	add_trees(&s, thread.thread);
	add_trees(&s, target);
	return s;
}

/* The path of a node in the model's form. */
static void path_of(const struct store_tree *tree, store_ref ref, struct path *p)
{
	memset(p, 0, sizeof *p);
	p->epoch = tree->epoch;
	p->kind = tree->kind;
	uint64_t role = node_at(ref)->key >> STORE_ROLE_SHIFT;
	p->leaf = role == STORE_ROLE_RECORDED ? CSPROF_LEAF_RECORDED : CSPROF_LEAF_SAMPLED;
	for (; ref != tree->root; ref = node_at(ref)->parent)
		p->ips[p->depth++] = node_at(ref)->key & STORE_IP_MASK;
}

static uint32_t compare_nodes(const struct store_tree *tree, store_ref ref)
{
	if (!ref)
		return 0;
	const struct store_node *n = node_at(ref);
	uint32_t found = 0;
	if (n->metrics[SAMPLES_COLUMN]) {
		struct path p;
		path_of(tree, ref, &p);
		const struct path *m = find_path(&p);
		assert_non_null(m);
		assert_int_equal(m->weight, n->metrics[VALUE_COLUMN]);
		assert_int_equal(m->samples, n->metrics[SAMPLES_COLUMN]);
		found = 1;
	}
	return found + compare_nodes(tree, n->left) + compare_nodes(tree, n->right) +
	       compare_nodes(tree, n->child);
}

static void compare_with_model(void)
{
	const struct store_tree *tree;
	uint32_t found = 0;
	for (store_ref ref = record(target)->first_tree; ref; ref = tree->next) {
		tree = csprof_store_at(ref);
		assert_int_equal(tree->thread, target);
		found += compare_nodes(tree, tree->root);
	}
	assert_int_equal(found, num_paths);
}

static void merge(void)
{
	struct csprof_merge m;
	csprof_merge_begin(&m, thread.thread, target, arena);
	while (csprof_merge_step(&m))
		;
	assert_int_equal(record(thread.thread)->first_tree, 0);
}

/* ---- the tests ------------------------------------------------------------------------ */

static void merging_is_summing(void **unused)
{
	(void)unused;
	begin_store(NULL);
	for (int i = 0; i < 20; i++) {
		begin_thread();
		insert_some((uint32_t)rnd(200));
		merge();
		csprof_merge_account(thread.thread, target);
		csprof_arena_recycle(&thread.arena);
		end_thread();
	}
	compare_with_model();
	struct sums s = {0};
	add_trees(&s, target);
	const struct store_clock *c = &record(target)->clocks[0];
	const struct store_count *complete = &c->account[CSP_RECORDED];
	const struct store_count *partial = &c->account[CSP_PARTIAL];
	assert_int_equal(complete->weight + partial->weight, s.weight);
	assert_int_equal(complete->samples + partial->samples, s.samples);
	assert_true(complete->samples > 0 && partial->samples > 0);
	assert_int_equal(c->end - c->start, s.weight);
	csprof_store_destroy();
}

static void moved_nodes_are_found(void **unused)
{
	(void)unused;
	enum { N = 200 };
	static struct path paths[N];
	static store_ref trees[N], nodes[N];
	begin_store(NULL);
	begin_thread();
	insert_some(100); /* for the target: not all merged nodes are new */
	merge();
	end_thread();
	begin_thread();
	for (int i = 0; i < N; i++) {
		make_path(&paths[i]);
		nodes[i] = insert(&paths[i], 1);
		trees[i] = thread.cct[paths[i].kind].tree;
	}
	merge();
	for (int i = 0; i < N; i++) {
		struct path p;
		csprof_merge_follow(&trees[i], &nodes[i]);
		const struct store_tree *tree = csprof_store_at(trees[i]);
		assert_int_equal(tree->thread, target);
		path_of(tree, nodes[i], &p);
		assert_memory_equal(&p, &paths[i], offsetof(struct path, weight));
	}
	end_thread();
	csprof_store_destroy();
}

static void every_step_keeps_the_sums(void **unused)
{
	(void)unused;
	struct sums before = {0};
	uint32_t steps = 0;
	bool more = true;
	for (uint32_t k = 0; more; k++) {
		struct csprof_merge m;
		begin_store(NULL);
		begin_thread();
		insert_some(30);
		merge();
		end_thread();
		begin_thread();
		insert_some(30);
		before = sums_of_both();
		csprof_merge_begin(&m, thread.thread, target, arena);
		for (steps = 0; steps < k && more; steps++)
			more = csprof_merge_step(&m);
		struct sums now = sums_of_both();
		assert_int_equal(now.weight, before.weight);
		assert_int_equal(now.samples, before.samples);
		end_thread();
		csprof_store_destroy();
	}
	assert_true(steps > 30 && before.samples == 60);
}

/* The child merges, one instruction at a time. Check what a reader of its store would find if it
 * were killed there. */
static void watch(pid_t child, const struct sums *before, uint32_t *doubled)
{
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	while (WIFSTOPPED(status)) {
		struct sums now = sums_of_both();
		assert_true(now.weight >= before->weight);
		assert_true(now.weight <= before->weight + before->largest_weight);
		assert_true(now.samples >= before->samples);
		assert_true(now.samples <= before->samples + before->largest_samples);
		*doubled += now.weight > before->weight;
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void every_instruction_keeps_the_sums(void **unused)
{
	(void)unused;
	char path[64];
	uint32_t doubled = 0;
	snprintf(path, sizeof path, "merge.%d" STORE_SUFFIX, (int)getpid());
	begin_store(path);
	unlink(path);
	begin_thread();
	insert_some(10);
	merge();
	end_thread();
	begin_thread();
	insert_some(10);
	struct sums before = sums_of_both();
	pid_t child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		merge();
		_exit(0);
	}
	watch(child, &before, &doubled);
	assert_true(doubled > 0);
	struct sums now = sums_of_both();
	assert_int_equal(record(thread.thread)->first_tree, 0);
	assert_int_equal(now.weight, before.weight);
	assert_int_equal(now.samples, before.samples);
	end_thread();
	csprof_store_destroy();
}

/* Deep paths, and children whose search tree is a list, on a small stack. */
static void *merge_it(void *unused)
{
	merge();
	return unused;
}

static int by_hash(const void *a, const void *b)
{
	uint64_t x = store_hash(((const struct csprof_frame *)a)->ip | 1ull << STORE_ROLE_SHIFT);
	uint64_t y = store_hash(((const struct csprof_frame *)b)->ip | 1ull << STORE_ROLE_SHIFT);
	return x < y ? -1 : x > y;
}

static void depth_costs_no_stack(void **unused)
{
	(void)unused;
	enum { WIDE = 4000 };
	uint32_t columns[] = {SAMPLES_COLUMN};
	uint64_t amounts[] = {1};
	struct csprof_frame *frames = calloc(DEEP, sizeof *frames);
	pthread_attr_t small;
	pthread_t t;
	begin_store(NULL);
	begin_thread();
	csprof_process.epoch = epochs[0];
	for (uint32_t i = 0; i < DEEP; i++)
		frames[i].ip = 0x1000 + i;
	thread.num_frames = DEEP;
	thread.frames = frames;
	assert_int_not_equal(
	    csprof_cct_insert(&thread, 0, CSPROF_LEAF_SAMPLED, columns, amounts, 1), 0);
	qsort(frames, WIDE, sizeof *frames, by_hash);
	thread.num_frames = 1;
	for (uint32_t i = 0; i < WIDE; i++, thread.frames++)
		assert_int_not_equal(
		    csprof_cct_insert(&thread, 0, CSPROF_LEAF_SAMPLED, columns, amounts, 1), 0);
	thread.frames = NULL;
	assert_int_equal(pthread_attr_init(&small), 0);
	assert_int_equal(pthread_attr_setstacksize(&small, 64 * 1024), 0);
	assert_int_equal(pthread_create(&t, &small, merge_it, NULL), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	struct sums s = {0};
	add_trees(&s, target);
	assert_int_equal(s.samples, 1 + WIDE);
	end_thread();
	free(frames);
	csprof_store_destroy();
}

static void no_memory_is_accounted_for(void **unused)
{
	(void)unused;
	struct rlimit old, none;
	begin_store(NULL);
	begin_thread();
	insert_some(400);
	struct sums before = sums_of_both();
	while (arena->left > 4096)
		assert_int_not_equal(csprof_malloc(arena, 1024), 0);
	assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
	none = (struct rlimit){1, old.rlim_max};
	csprof_arena_forget(); /* nothing is freed either */
	assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
	merge();
	assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
	csprof_merge_account(thread.thread, target);
	struct sums s = {0};
	add_trees(&s, target);
	const struct store_count *a = rows(target);
	assert_true(s.samples > 0);
	assert_true(a[CSP_OUT_OF_MEMORY].samples > 0);
	assert_int_equal(a[CSP_RECORDED].weight + a[CSP_PARTIAL].weight, s.weight);
	assert_int_equal(a[CSP_RECORDED].samples + a[CSP_PARTIAL].samples, s.samples);
	assert_int_equal(s.weight + a[CSP_OUT_OF_MEMORY].weight, before.weight);
	assert_int_equal(s.samples + a[CSP_OUT_OF_MEMORY].samples, before.samples);
	end_thread();
	csprof_store_destroy();
}

/* Memory that was given back is zeroed and reused. */
static void memory_is_used_again(void **unused)
{
	(void)unused;
	uint32_t blocks = 0;
	begin_store(NULL);
	for (int i = 0; i < 2000; i++) {
		begin_thread();
		for (int k = 0; k < 100; k++) {
			store_ref ref = csprof_malloc(&thread.arena, 80);
			const uint8_t *p = csprof_store_at(ref);
			assert_int_not_equal(ref, 0);
			for (int b = 0; b < 80; b++)
				assert_int_equal(p[b], 0);
			memset(csprof_store_at(ref), 0xff, 80);
		}
		if (i < 1000) /* these are kept, and give back the rest of their memory */
			csprof_arena_keep(&thread.arena);
		else
			csprof_arena_recycle(&thread.arena);
		end_thread();
		if (i == 1010)
			blocks = csprof_store_view().num_blocks;
		if (i < 1000)
			assert_true(csprof_store_view().num_blocks * (uint64_t)STORE_BLOCK <
				    2 * ROOM + (uint64_t)i * 100 * (80 + 16));
	}
	/* the threads' records are in the arena, which has not grown */
	assert_in_range(csprof_store_view().num_blocks, blocks, blocks + 2 * ROOM / STORE_BLOCK);
	csprof_store_destroy();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(merging_is_summing),
	    cmocka_unit_test(moved_nodes_are_found),
	    cmocka_unit_test(every_step_keeps_the_sums),
	    cmocka_unit_test(every_instruction_keeps_the_sums),
	    cmocka_unit_test(depth_costs_no_stack),
	    cmocka_unit_test(no_memory_is_accounted_for),
	    cmocka_unit_test(memory_is_used_again),
	};
	if (make_metrics() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
