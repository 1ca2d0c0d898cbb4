/* Copies of stores: reading them, and settling, which makes account and trees agree exactly after a
 * process was killed at any point. */
#include "formats/store/recover.h"
#include "tests/lib/builders/build_store.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/equations.h"
#include "tests/lib/unit/walk_datafile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint8_t *datafile;
static const uint64_t ips[] = {0x10010, 0x10020, 0x10030};

/* Settle a copy of the store and read the datafile; the equations hold. */
static struct reader *settled(const struct made_store *s, const struct store_ending *ending)
{
	struct store_copy c;
	struct reader *r = NULL;
	struct error e = {0};
	const char *problem;
	bool opened, warned;
	size_t n;
	if (store_copy_from(&c, s->bytes, s->n, &e) < 0)
		fail_msg("%s", e.text);
	store_settle(&c, ending);
	if (store_copy_to_datafile(&c, &datafile, &n, &e) < 0)
		fail_msg("%s", e.text);
	problem = walk_bytes(datafile, n, &opened, &warned);
	if (problem || !opened || warned)
		fail_msg("%s", problem ? problem : "the reader is not content");
	assert_int_equal(reader_open_memory(datafile, n, &r, &e), 0);
	problem = equations_of_trees(r);
	if (!problem && store_value_column(store_copy_header(&c), 0) != CSP_NONE)
		problem = equation_of_clocks(r, store_value_column(store_copy_header(&c), 0));
	if (problem)
		fail_msg("%s", problem);
	store_copy_free(&c);
	return r;
}

static void done(struct reader *r)
{
	reader_close(r);
	free(datafile);
}

/* Samples and weight of a row as one number, with the weight in the upper half. */
static uint64_t row(const struct reader *r, uint32_t thread, enum csp_disposition d)
{
	uint32_t i = thread * CSP_DISPOSITIONS + d;
	assert_true(i < reader_num_account(r));
	const struct reader_account *a = reader_account(r, i);
	assert_int_equal(a->thread, thread);
	return a->weight << 32 | a->samples;
}
#define ROW(samples, weight) ((uint64_t)(weight) << 32 | (samples))

struct two {
	struct made_store s;
	store_ref epoch, threads[2], trees[2];
};

/* Two threads with a tree of complete paths each; 3 samples of 100 in each. */
static void two(struct two *x)
{
	made_begin(&x->s, 2);
	x->epoch = made_epoch(&x->s);
	for (int i = 0; i < 2; i++) {
		x->threads[i] = made_thread(&x->s, (uint32_t)i + 1);
		x->trees[i] = made_tree(&x->s, made_thread_at(&x->s, x->threads[i]), x->epoch, 0);
		for (unsigned k = 1; k <= 3; k++)
			made_sample(&x->s, x->threads[i], x->trees[i], ips, k, 100);
	}
}

static void sound_accounts_stand(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 20; seed++) {
		struct made_store s;
		struct store_copy c;
		struct error e;
		made_random(&s, seed);
		assert_int_equal(store_copy_from(&c, s.bytes, s.n, &e), 0);
		store_settle(&c, NULL);
		for (store_ref t = made_header(&s)->first_thread; t;
		     t = made_thread_at(&s, t)->next)
			assert_memory_equal(made_thread_at(&s, t)->clocks[0].account,
					    ((const struct store_thread *)store_at(
						 &c.view, t, sizeof(struct store_thread)))
						->clocks[0]
						.account,
					    sizeof(struct store_count) * CSP_DISPOSITIONS);
		store_copy_free(&c);
		made_end(&s);
	}
}

static void trees_win(void **state)
{
	(void)state;
	struct two x;
	two(&x);
	/* killed between the updates of tree and account, in either order */
	made_count(&x.s, x.trees[0], ips, 2, 30);
	made_dropped(&x.s, x.threads[1], CSP_RECORDED, 1, 40);
	made_dropped(&x.s, x.threads[1], CSP_UNSAFE_CODE, 2, 7);
	struct reader *r = settled(&x.s, NULL);
	assert_int_equal(row(r, 0, CSP_RECORDED), ROW(4, 330));
	assert_int_equal(row(r, 0, CSP_OUT_OF_MEMORY), ROW(0, 0));
	assert_int_equal(row(r, 1, CSP_RECORDED), ROW(3, 300));
	assert_int_equal(row(r, 1, CSP_OUT_OF_MEMORY), ROW(1, 40));
	assert_int_equal(row(r, 1, CSP_UNSAFE_CODE), ROW(2, 7));
	assert_int_equal(reader_thread(r, 0)->cpu_ns, 330);
	assert_int_equal(reader_thread(r, 1)->cpu_ns, 347);
	done(r);
	made_end(&x.s);
}

static void what_is_cut_off_is_out_of_memory(void **state)
{
	(void)state;
	struct two x;
	two(&x);
	store_ref first = made_path(&x.s, x.trees[0], ips, 1);
	for (store_ref n = made_node_at(&x.s, made_tree_at(&x.s, x.trees[0])->root)->child; n;
	     n = made_node_at(&x.s, n)->left) /* as if there was no room for a block */
		memset(made_node_at(&x.s, n)->metrics, 0, sizeof(uint64_t));
	memset(made_node_at(&x.s, first), 0, made_header(&x.s)->node_bytes);
	struct reader *r = settled(&x.s, NULL);
	uint64_t kept = row(r, 0, CSP_RECORDED), lost = row(r, 0, CSP_OUT_OF_MEMORY);
	assert_true((kept & UINT32_MAX) < 3);
	assert_int_equal(kept + lost, ROW(3, 300));
	assert_int_equal(row(r, 1, CSP_RECORDED), ROW(3, 300));
	done(r);
	/* the whole tree */
	made_thread_at(&x.s, x.threads[0])->first_tree = 0xffffff00u;
	r = settled(&x.s, NULL);
	assert_int_equal(row(r, 0, CSP_RECORDED), 0);
	assert_int_equal(row(r, 0, CSP_OUT_OF_MEMORY), ROW(3, 300));
	assert_int_equal(reader_num_trees(r), 1);
	done(r);
	made_end(&x.s);
}

static void times_and_end(void **state)
{
	(void)state;
	static const struct store_ending ending = {"signal 9", 1000 + 5000};
	struct two x;
	uint64_t wall;
	two(&x);
	made_thread_at(&x.s, x.threads[0])->end_ns = 350;
	struct reader *r = settled(&x.s, &ending);
	assert_memory_equal(reader_pairs_get(reader_process(r), "end").at, "signal 9", 8);
	assert_true(reader_pairs_u64(reader_process(r), "wall_ns", &wall));
	assert_int_equal(wall, 5000);
	assert_int_equal(reader_thread(r, 0)->end_ns, 350);
	assert_int_equal(reader_thread(r, 1)->end_ns, 5000);
	done(r);
	/* nothing is known: the last time of the threads */
	r = settled(&x.s, NULL);
	assert_memory_equal(reader_pairs_get(reader_process(r), "end").at, "unknown", 7);
	assert_true(reader_pairs_u64(reader_process(r), "wall_ns", &wall));
	assert_int_equal(wall, 350);
	assert_int_equal(reader_thread(r, 1)->end_ns, 350);
	done(r);
	/* what the process wrote is kept */
	memcpy(made_header(&x.s)->end, "exit 3", 7);
	made_header(&x.s)->end_mono_ns = 1000 + 777;
	r = settled(&x.s, &ending);
	assert_memory_equal(reader_pairs_get(reader_process(r), "end").at, "exit 3", 6);
	assert_true(reader_pairs_u64(reader_process(r), "wall_ns", &wall));
	assert_int_equal(wall, 777);
	done(r);
	made_end(&x.s);
}

/* A thread that was in a wait when the process ended: the wait is charged up to there. */
static void open_waits(void **state)
{
	(void)state;
	static const struct store_ending ending = {"signal 9", 1000 + 5000};
	static const struct {
		int64_t node;   /* of the thread's tree; -1: none, -2: no node, -3: a name */
		uint64_t ahead; /* of the monotonic clock */
		uint32_t clock;
		uint64_t more; /* is charged */
	} cases[] = {
	    {1, 1000, 0, 4200}, /* up to 5000, of a clock that was at 800 */
	    {1, 5200, 0, 0},    {1, 5190, 0, 10}, {1, 7000, 0, 0}, /* these are not plausible */
	    {1, 0, 0, 0},       {-1, 1000, 0, 0}, {-2, 1000, 0, 0},
	    {1, 1000, 7, 0},    {-3, 1000, 0, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct two x;
		two(&x);
		struct store_thread *t = made_thread_at(&x.s, x.threads[0]);
		const struct store_tree *tree = made_tree_at(&x.s, t->first_tree);
		store_ref leaf = made_node_at(&x.s, tree->root)->child;
		while (made_node_at(&x.s, leaf)->child)
			leaf = made_node_at(&x.s, leaf)->child;
		store_ref name = made_name(&x.s, "assembly");
		t->wait_node = cases[i].node == 1    ? leaf
			       : cases[i].node == -1 ? 0
			       : cases[i].node == -3 ? name
						     : x.threads[1];
		t->wait_clock = cases[i].clock;
		t->wait_ahead = cases[i].ahead;
		struct reader *r = settled(&x.s, NULL);
		uint64_t lost = row(r, 0, CSP_OUT_OF_MEMORY);
		done(r);
		r = settled(&x.s, &ending);
		assert_int_equal(row(r, 0, CSP_RECORDED), ROW(3, 300 + cases[i].more));
		assert_int_equal(row(r, 0, CSP_OUT_OF_MEMORY), lost);
		done(r);
		r = settled(&x.s, NULL); /* the end is not known */
		assert_int_equal(row(r, 0, CSP_RECORDED), ROW(3, 300));
		done(r);
		t->end_ns = 4000;
		r = settled(&x.s, &ending);
		assert_int_equal(row(r, 0, CSP_RECORDED), ROW(3, 300));
		done(r);
		made_end(&x.s);
	}
}

/* -t all: rows stay with the threads; one thread was being merged. */
static void shared_trees(void **state)
{
	(void)state;
	struct two x;
	two(&x);
	store_ref shared = made_loose_thread(&x.s);
	store_ref tree = made_tree(&x.s, made_thread_at(&x.s, shared), x.epoch, 0);
	made_header(&x.s)->shared = shared;
	/* thread 0 ended long ago: its counts are in the shared tree */
	made_thread_at(&x.s, x.threads[0])->first_tree = 0;
	for (unsigned k = 1; k <= 3; k++)
		made_count(&x.s, tree, ips, k, 100);
	struct reader *r = settled(&x.s, NULL);
	assert_int_equal(row(r, 0, CSP_RECORDED), ROW(3, 300));
	assert_int_equal(row(r, 1, CSP_RECORDED), ROW(3, 300));
	assert_int_equal(row(r, 0, CSP_OUT_OF_MEMORY) + row(r, 1, CSP_OUT_OF_MEMORY), 0);
	done(r);
	/* thread 1 is being merged: one sample has been moved, and one was lost */
	made_header(&x.s)->merging = x.threads[1];
	made_count(&x.s, tree, ips, 1, 100);
	for (unsigned k = 1; k <= 2; k++) {
		struct store_node *n = made_node_at(&x.s, made_path(&x.s, x.trees[1], ips, k));
		n->metrics[MADE_V] = n->metrics[MADE_N] = 0;
	}
	r = settled(&x.s, NULL);
	assert_int_equal(row(r, 0, CSP_RECORDED), ROW(3, 300));
	assert_int_equal(row(r, 1, CSP_RECORDED), ROW(2, 200));
	assert_int_equal(row(r, 1, CSP_OUT_OF_MEMORY), ROW(1, 100));
	done(r);
	/* the merged thread is not known: the last thread's row gets it */
	made_header(&x.s)->merging = 0;
	made_thread_at(&x.s, x.threads[1])->first_tree = 0;
	made_count(&x.s, tree, ips, 1, 23);
	r = settled(&x.s, NULL);
	assert_int_equal(row(r, 0, CSP_RECORDED), ROW(3, 300));
	assert_int_equal(row(r, 1, CSP_RECORDED), ROW(2, 123));
	assert_int_equal(row(r, 1, CSP_OUT_OF_MEMORY), ROW(1, 177));
	done(r);
	/* the shared tree is almost empty */
	made_node_at(&x.s, made_tree_at(&x.s, tree)->root)->child = 0;
	r = settled(&x.s, NULL);
	assert_int_equal(row(r, 0, CSP_RECORDED) + row(r, 1, CSP_RECORDED), 0);
	assert_int_equal(row(r, 1, CSP_OUT_OF_MEMORY), ROW(6, 600));
	done(r);
	/* no tree: then none is shared */
	made_tree_at(&x.s, tree)->root = 0;
	r = settled(&x.s, NULL);
	assert_int_equal(row(r, 0, CSP_OUT_OF_MEMORY), ROW(3, 300));
	assert_int_equal(row(r, 1, CSP_OUT_OF_MEMORY), ROW(3, 300));
	done(r);
	made_end(&x.s);
}

/* Half of a thread's counts were moved to the row of ended threads. */
static void merged_into_ended(void **state)
{
	(void)state;
	struct two x;
	two(&x);
	made_header(&x.s)->ended = x.threads[0];
	made_header(&x.s)->merging = x.threads[1];
	struct store_node *n = made_node_at(&x.s, made_path(&x.s, x.trees[1], ips, 2));
	n->metrics[MADE_V] = n->metrics[MADE_N] = 0;
	made_count(&x.s, x.trees[0], ips, 2, 100);
	struct reader *r = settled(&x.s, NULL);
	assert_int_equal(row(r, 0, CSP_RECORDED), ROW(4, 400));
	assert_int_equal(row(r, 1, CSP_RECORDED), ROW(2, 200));
	assert_int_equal(row(r, 0, CSP_OUT_OF_MEMORY) + row(r, 1, CSP_OUT_OF_MEMORY), 0);
	done(r);
	/* the rows were moved before the trees */
	made_dropped(&x.s, x.threads[0], CSP_RECORDED, 2, 200);
	made_thread_at(&x.s, x.threads[1])->clocks[0].account[CSP_RECORDED] =
	    (struct store_count){1, 100};
	r = settled(&x.s, NULL);
	assert_int_equal(row(r, 0, CSP_RECORDED), ROW(4, 400));
	assert_int_equal(row(r, 1, CSP_RECORDED), ROW(2, 200));
	assert_int_equal(row(r, 0, CSP_OUT_OF_MEMORY) + row(r, 1, CSP_OUT_OF_MEMORY), 0);
	done(r);
	/* already removed from the list: nothing is shared between the two */
	made_thread_at(&x.s, x.threads[0])->next = 0;
	r = settled(&x.s, NULL);
	assert_int_equal(reader_num_threads(r), 1);
	done(r);
	made_end(&x.s);
}

static void unfinished_samples(void **state)
{
	(void)state;
	struct two x;
	two(&x);
	struct store_clock *clock = made_thread_at(&x.s, x.threads[1])->clocks;
	clock->last = clock->start + 300 + 55;
	struct reader *r = settled(&x.s, NULL);
	assert_int_equal(row(r, 0, CSP_TAIL), ROW(0, 0));
	assert_int_equal(row(r, 1, CSP_TAIL), ROW(0, 55));
	assert_int_equal(row(r, 1, CSP_RECORDED), ROW(3, 300));
	done(r);
	/* in the tree already, but not in the row */
	made_count(&x.s, x.trees[1], ips, 2, 55);
	r = settled(&x.s, NULL);
	assert_int_equal(row(r, 1, CSP_TAIL), ROW(0, 0));
	assert_int_equal(row(r, 1, CSP_RECORDED), ROW(4, 355));
	done(r);
	clock->last = UINT64_MAX;
	done(settled(&x.s, NULL));
	made_end(&x.s);
}

static void wild_numbers(void **state)
{
	(void)state;
	struct two x;
	two(&x);
	struct store_clock *clock = made_thread_at(&x.s, x.threads[0])->clocks;
	for (int d = 0; d < CSP_DISPOSITIONS; d++)
		clock->account[d] = (struct store_count){UINT64_MAX - (uint64_t)d, UINT64_MAX / 3};
	clock->start = UINT64_MAX - 5;
	made_node_at(&x.s, made_path(&x.s, x.trees[0], ips, 2))->metrics[MADE_V] = UINT64_MAX;
	made_node_at(&x.s, made_path(&x.s, x.trees[1], ips, 2))->metrics[MADE_N] = UINT64_MAX / 2;
	done(settled(&x.s, NULL));
	made_header(&x.s)->metrics[0].event = 3;
	done(settled(&x.s, NULL));
	made_header(&x.s)->num_events = 16; /* the threads' records overlap now */
	done(settled(&x.s, NULL));
	made_end(&x.s);
}

/* Every word is changed, and then the store is settled. */
static void every_word_struck(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 2; seed++) {
		struct made_store s;
		made_random(&s, seed);
		for (size_t at = 32; at + 8 <= (size_t)s.next * STORE_GRAIN; at += 8) {
			uint64_t was, other = at * UINT64_C(0x9E3779B97F4A7C15);
			uint32_t refs[2] = {(uint32_t)other % s.next,
					    (uint32_t)(other >> 32) % 600};
			struct store_copy c;
			struct error e;
			memcpy(&was, s.bytes + at, 8);
			memcpy(s.bytes + at, at % 16 ? (void *)refs : (void *)&other, 8);
			if (store_copy_from(&c, s.bytes, s.n, &e) == 0) {
				store_copy_free(&c);
				done(settled(&s, NULL));
			}
			memcpy(s.bytes + at, &was, 8);
		}
		made_end(&s);
	}
}

static void files(void **state)
{
	(void)state;
	char dir[] = "/tmp/recover.XXXXXX", path[64];
	struct made_store s;
	struct store_copy c = {0};
	struct error e;
	store_copy_free(&c);
	made_random(&s, 1);
	assert_non_null(mkdtemp(dir));
	int fd = open(dir, O_RDONLY | O_DIRECTORY);
	snprintf(path, sizeof path, "%s/a", dir);
	made_write(&s, path);
	assert_int_equal(store_copy_read(&c, fd, "a", &e), 0);
	assert_int_equal(c.bytes, s.n);
	assert_memory_equal(c.memory, s.bytes, s.n);
	store_copy_free(&c);
	/* a hole at its end, and an end within a block */
	assert_int_equal(truncate(path, (off_t)s.n * 1000 + 5), 0);
	assert_int_equal(store_copy_read(&c, fd, "a", &e), 0);
	assert_int_equal(c.view.num_blocks, 2001);
	assert_memory_equal(c.memory, s.bytes, s.n);
	store_copy_free(&c);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(store_copy_read(&c, fd, "a", &e), -1);
	assert_int_equal(e.kind, ERROR_FORMAT);
	assert_int_equal(symlinkat("a", fd, "link"), 0);
	assert_int_equal(store_copy_read(&c, fd, "link", &e), -1);
	assert_int_equal(store_copy_read(&c, fd, "nothing", &e), -1);
	assert_int_equal(e.kind, ERROR_SYSTEM);
	assert_int_equal(store_copy_read(&c, fd, ".", &e), -1);
	struct store_header *h = made_header(&s);
	static const struct {
		size_t at;
		const char *text;
	} wrong[] = {{0, "a store"},
		     {offsetof(struct store_header, order_mark), "byte order"},
		     {offsetof(struct store_header, version), "version"},
		     {offsetof(struct store_header, block_bytes), "sizes"}};
	for (size_t i = 0; i < 4; i++) {
		((uint8_t *)h)[wrong[i].at] ^= 0x40;
		assert_int_equal(store_copy_from(&c, s.bytes, s.n, &e), -1);
		assert_int_equal(e.offset, wrong[i].at);
		assert_non_null(strstr(e.text, wrong[i].text));
		((uint8_t *)h)[wrong[i].at] ^= 0x40;
	}
	unlinkat(fd, "a", 0);
	unlinkat(fd, "link", 0);
	close(fd);
	assert_int_equal(rmdir(dir), 0);
	made_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sound_accounts_stand),
	    cmocka_unit_test(trees_win),
	    cmocka_unit_test(what_is_cut_off_is_out_of_memory),
	    cmocka_unit_test(times_and_end),
	    cmocka_unit_test(open_waits),
	    cmocka_unit_test(shared_trees),
	    cmocka_unit_test(merged_into_ended),
	    cmocka_unit_test(unfinished_samples),
	    cmocka_unit_test(wild_numbers),
	    cmocka_unit_test(every_word_struck),
	    cmocka_unit_test(files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
