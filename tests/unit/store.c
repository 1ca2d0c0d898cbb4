/* Converting a store to a datafile: valid stores, and damage of every kind. */
#include "formats/store/recover.h"
#include "formats/store/survey.h"
#include "tests/lib/builders/build_store.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/equations.h"
#include "tests/lib/unit/walk_datafile.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *datafile;
static const uint64_t ips[] = {0x10010, 0x10020, 0x10030, 0x20040};

static size_t mapped;

static void *map(size_t n)
{
	mapped += n;
	return calloc(1, n);
}

static void unmap(void *p, size_t n)
{
	(void)n;
	free(p);
}

static struct reader *read_copy(const struct store_copy *c)
{
	struct reader *r = NULL;
	struct error e = {0};
	bool opened, warned;
	size_t n;
	if (store_copy_to_datafile(c, &datafile, &n, &e) < 0)
		fail_msg("%s", e.text);
	const char *problem = walk_bytes(datafile, n, &opened, &warned);
	if (problem)
		fail_msg("%s", problem);
	if (reader_open_memory(datafile, n, &r, &e) < 0)
		fail_msg("%s", e.text);
	if (reader_warning(r))
		fail_msg("%s", reader_warning(r)->text);
	return r;
}

/* The datafile of the store in its current state. */
static struct reader *convert(const struct made_store *s)
{
	struct store_copy c;
	struct error e = {0};
	if (store_copy_from(&c, s->bytes, s->n, &e) < 0)
		fail_msg("%s", e.text);
	struct reader *r = read_copy(&c);
	store_copy_free(&c);
	return r;
}

static void done(struct reader *r)
{
	reader_close(r);
	free(datafile);
}

static uint64_t total(const struct reader *r, uint32_t column)
{
	uint64_t sum = 0;
	for (uint32_t t = 0; t < reader_num_trees(r); t++) {
		struct reader_nodes it;
		const struct reader_node *n;
		assert_int_equal(reader_nodes_begin(&it, r, t, false, NULL), 0);
		while ((n = reader_nodes_next(&it)))
			sum += n->metrics[column];
		reader_nodes_end(&it);
	}
	return sum;
}

/* The store that tests of damage begin with: a thread with one tree and three samples. */
struct simple {
	struct made_store s;
	store_ref epoch, thread, tree, root;
	store_ref path[3]; /* nodes of ips[0 .. 2]; the last has a sibling, for ips[3] */
};

static void simple(struct simple *x)
{
	made_begin(&x->s, 2);
	x->epoch = made_epoch(&x->s);
	made_module(&x->s, x->epoch, "/usr/bin/made", 0x10000);
	x->thread = made_thread(&x->s, 7);
	x->tree = made_tree(&x->s, made_thread_at(&x->s, x->thread), x->epoch, CSP_TREE_COMPLETE);
	x->root = made_tree_at(&x->s, x->tree)->root;
	made_sample(&x->s, x->thread, x->tree, ips, 3, 100);
	made_sample(&x->s, x->thread, x->tree, ips, 3, 100);
	x->path[2] = made_path(&x->s, x->tree, ips, 3);
	x->path[1] = made_node_at(&x->s, x->path[2])->parent;
	x->path[0] = made_node_at(&x->s, x->path[1])->parent;
	const uint64_t other[] = {ips[0], ips[1], ips[3]};
	made_sample(&x->s, x->thread, x->tree, other, 3, 10);
}

static void sound_stores(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 40; seed++) {
		struct made_store s;
		made_random(&s, seed);
		struct reader *r = convert(&s);
		const char *problem = equations_of_trees(r);
		if (!problem)
			problem = equation_of_clocks(r, MADE_V);
		if (problem)
			fail_msg("seed %u: %s", seed, problem);
		assert_int_equal(total(r, MADE_N), 24);
		assert_int_equal(reader_num_threads(r), 3);
		assert_int_equal(reader_num_trees(r), 6);
		assert_true(reader_num_epochs(r) <= 2);
		for (uint32_t t = 0; t < reader_num_trees(r); t++)
			assert_int_equal(reader_tree(r, t)->creator_tree,
					 reader_tree(r, t)->thread == 1 ? 1 : CSP_NONE);
		done(r);
		made_end(&s);
	}
}

/* Names that the program used, and what may be wrong with them. */
static void names(void **state)
{
	(void)state;
	static const char *const texts[] = {"", "assembly", "b", "c", "d"};
	store_ref refs[5];
	struct simple x;
	struct reader *r;
	simple(&x);
	for (unsigned i = 0; i < 5; i++)
		refs[i] = made_name(&x.s, texts[i]);
	r = convert(&x.s);
	assert_int_equal(reader_num_names(r), 5);
	for (unsigned i = 0; i < 5; i++) {
		struct reader_text text = reader_name_of(r, i + 1);
		assert_int_equal(text.n, strlen(texts[i]));
		assert_memory_equal(text.n ? text.at : "", texts[i], text.n);
	}
	done(r);
	struct store_name *top = made_at(&x.s, refs[0]), *other = made_at(&x.s, refs[1]);
	top->left = refs[0];    /* itself, */
	top->right = x.path[0]; /* another record, */
	r = convert(&x.s);
	assert_int_equal(reader_num_names(r), 1);
	done(r);
	top->left = refs[1];
	top->right = UINT32_MAX; /* and nothing */
	other->left = other->right = 0;
	r = convert(&x.s);
	assert_int_equal(reader_num_names(r), 2);
	done(r);
	other->n = CSP_NAME_BYTES + 1; /* longer than any, or than the store */
	r = convert(&x.s);
	assert_int_equal(reader_num_names(r), 1);
	done(r);
	top->number = CSP_NAMES; /* which cannot be */
	r = convert(&x.s);
	assert_int_equal(reader_num_names(r), 0);
	done(r);
	top->n = CSP_NAME_BYTES;
	made_header(&x.s)->names = x.s.next - 1;
	r = convert(&x.s);
	assert_int_equal(total(r, MADE_N), 3);
	done(r);
	made_end(&x.s);
}

/* Values of instructions of two epochs, and what may be wrong with them. */
static void values(void **state)
{
	(void)state;
	enum { N = 40 };
	store_ref refs[N];
	struct simple x;
	simple(&x);
	store_ref later = made_epoch(&x.s);
	made_tree(&x.s, made_thread_at(&x.s, x.thread), later, CSP_TREE_COMPLETE);
	for (unsigned i = 0; i < N; i++)
		refs[i] = made_value(&x.s, i % 4 ? x.epoch : later, 0x1000 + i, i % 8, i, i + 1);
	struct reader *r = convert(&x.s);
	uint64_t seen = 0;
	assert_int_equal(reader_num_values(r), N);
	assert_int_equal(reader_windows(r)->windows, N * (N + 1) / 2);
	for (unsigned k = 0; k < N; k++) {
		const struct reader_value *v = reader_value(r, k);
		unsigned i = (unsigned)(v->ip - 0x1000);
		assert_true(i < N);
		seen |= 1ull << i;
		assert_int_equal(v->epoch, i % 4 ? 0 : 1);
		assert_int_equal(v->what, i % 8);
		assert_int_equal(v->count, i + 1);
		assert_int_equal(v->zeros, i ? 0 : 1);
		assert_int_equal(v->same, i);
		assert_int_equal(v->num_top, 1);
		assert_int_equal(v->top[0].value, i);
		assert_int_equal(v->top[0].count, i + 1);
	}
	assert_int_equal(seen, (1ull << N) - 1);
	done(r);
	struct store_value *top = made_at(&x.s, refs[0]);
	top->left = refs[0];    /* itself, */
	top->right = x.path[0]; /* another record, */
	r = convert(&x.s);
	assert_int_equal(reader_num_values(r), 1 + N - N / 4);
	done(r);
	top->right = UINT32_MAX; /* and nothing */
	r = convert(&x.s);
	assert_int_equal(reader_num_values(r), 1 + N - N / 4);
	assert_int_equal(total(r, MADE_N), 3);
	done(r);
	made_end(&x.s);
}

static void shared_trees_have_no_thread(void **state)
{
	(void)state;
	struct simple x;
	simple(&x);
	store_ref shared = made_loose_thread(&x.s);
	store_ref tree = made_tree(&x.s, made_thread_at(&x.s, shared), x.epoch, CSP_TREE_COMPLETE);
	made_header(&x.s)->shared = shared;
	made_sample(&x.s, x.thread, tree, ips, 2, 5);
	struct reader *r = convert(&x.s);
	assert_int_equal(reader_num_threads(r), 1);
	assert_int_equal(reader_num_account(r), CSP_DISPOSITIONS);
	assert_int_equal(reader_num_trees(r), 2);
	assert_int_equal(reader_tree(r, 0)->thread, 0);
	assert_int_equal(reader_tree(r, 1)->thread, CSP_NONE);
	assert_null(equations_of_trees(r));
	done(r);
	made_header(&x.s)->shared = x.thread; /* it is in the list: it must not count twice */
	r = convert(&x.s);
	assert_int_equal(reader_num_trees(r), 1);
	assert_int_equal(reader_tree(r, 0)->thread, 0);
	done(r);
	made_end(&x.s);
}

static void unused_epochs_are_left_out(void **state)
{
	(void)state;
	struct made_store s;
	made_begin(&s, 2);
	for (int i = 0; i < 3; i++) {
		store_ref e = made_epoch(&s);
		made_module(&s, e, i == 1 ? "/used" : "/unused", 0x10000);
		if (i == 1)
			made_module(&s, e, "/used too", 0x90000);
	}
	store_ref t = made_thread(&s, 1);
	store_ref second = ((struct store_epoch *)made_at(&s, made_header(&s)->first_epoch))->next;
	store_ref tree = made_tree(&s, made_thread_at(&s, t), second, CSP_TREE_PARTIAL);
	made_sample(&s, t, tree, ips, 1, 9);
	struct reader *r = convert(&s);
	assert_int_equal(reader_num_epochs(r), 1);
	assert_int_equal(reader_epoch(r, 0)->num_modules, 2);
	assert_memory_equal(reader_epoch(r, 0)->modules[0].name.at, "/used", 5);
	assert_int_equal(reader_epoch(r, 0)->modules[1].extent, 0x10000);
	assert_int_equal(reader_epoch(r, 0)->modules[1].build_id.n, 16);
	done(r);
	made_end(&s);
}

/* Nodes after a bad link are lost, the others are kept. */
static void bad_links_between_nodes(void **state)
{
	(void)state;
	const store_ref beyond[] = {0xffffffffu, 0x40000000u, 2 * STORE_BLOCK_GRAINS - 1, 1};
	struct simple x;
	simple(&x);
	struct store_node *inner = made_node_at(&x.s, x.path[1]);
	store_ref was = inner->child;
	for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
		inner->child = beyond[i];
		struct reader *r = convert(&x.s);
		assert_int_equal(reader_tree(r, 0)->num_nodes, 3);
		assert_int_equal(total(r, MADE_V), 0);
		done(r);
	}
	const store_ref again[] = {x.root, x.path[0], x.path[1], x.tree, x.thread, x.epoch};
	for (size_t i = 0; i < sizeof again / sizeof *again; i++) {
		inner->child = again[i]; /* cycles, and other records */
		struct reader *r = convert(&x.s);
		assert_int_equal(reader_tree(r, 0)->num_nodes, 3);
		done(r);
	}
	inner->child = was;
	made_node_at(&x.s, was)->parent = x.path[0]; /* in the wrong place */
	struct reader *r = convert(&x.s);
	assert_int_equal(reader_tree(r, 0)->num_nodes, 3);
	done(r);
	made_node_at(&x.s, was)->parent = x.path[1];
	made_node_at(&x.s, x.root)->right = x.path[0]; /* in two places */
	r = convert(&x.s);
	assert_int_equal(reader_tree(r, 0)->num_nodes, 5);
	assert_int_equal(total(r, MADE_V), 210);
	done(r);
	made_end(&x.s);
}

static void bad_trees(void **state)
{
	(void)state;
	struct simple x;
	simple(&x);
	struct store_tree *tree = made_tree_at(&x.s, x.tree), good = *tree;
	struct store_tree bad[6];
	for (int i = 0; i < 6; i++)
		bad[i] = good;
	bad[0].root = 0;
	bad[1].root = x.path[0];
	bad[2].epoch = x.thread;
	bad[3].epoch = 0x7fffffff;
	bad[4].kind = 2;
	bad[5].root = x.tree;
	for (int i = 0; i < 6; i++) {
		*tree = bad[i];
		struct reader *r = convert(&x.s);
		assert_int_equal(reader_num_trees(r), 0);
		assert_int_equal(reader_num_epochs(r), 0);
		done(r);
	}
	*tree = good;
	tree->next = x.tree; /* a cycle */
	struct reader *r = convert(&x.s);
	assert_int_equal(reader_num_trees(r), 1);
	done(r);
	/* two trees with one root: the first one keeps it */
	tree->next = 0;
	store_ref twin = made_tree(&x.s, made_thread_at(&x.s, x.thread), x.epoch, 0);
	made_tree_at(&x.s, twin)->root = x.root;
	r = convert(&x.s);
	assert_int_equal(reader_num_trees(r), 1);
	assert_int_equal(reader_tree(r, 0)->num_nodes, 5);
	done(r);
	made_end(&x.s);
}

static void circles_in_lists(void **state)
{
	(void)state;
	struct simple x;
	simple(&x);
	struct store_epoch *epoch = made_at(&x.s, x.epoch);
	struct store_module *m = made_at(&x.s, epoch->first_module);
	made_thread_at(&x.s, x.thread)->next = x.thread;
	epoch->next = x.epoch;
	m->next = epoch->first_module;
	struct reader *r = convert(&x.s);
	assert_int_equal(reader_num_threads(r), 1);
	assert_int_equal(reader_num_epochs(r), 1);
	assert_int_equal(reader_epoch(r, 0)->num_modules, 1);
	done(r);
	/* an epoch whose list of modules continues in another's */
	epoch->next = 0;
	store_ref second = made_epoch(&x.s);
	((struct store_epoch *)made_at(&x.s, second))->first_module = epoch->first_module;
	made_tree(&x.s, made_thread_at(&x.s, x.thread), second, 0);
	r = convert(&x.s);
	assert_int_equal(reader_num_epochs(r), 2);
	assert_int_equal(reader_epoch(r, 0)->num_modules, 1);
	assert_int_equal(reader_epoch(r, 1)->num_modules, 0);
	done(r);
	made_end(&x.s);
}

/* Many modules may share a name: a long one would be written for each. */
static void names_of_modules_are_paths(void **state)
{
	(void)state;
	static char name[STORE_MAX_MODULE_NAME + 2];
	memset(name, 'x', sizeof name - 1);
	for (int longer = 0; longer < 2; longer++) {
		struct simple x;
		simple(&x);
		struct store_module *m =
		    made_at(&x.s, ((struct store_epoch *)made_at(&x.s, x.epoch))->first_module);
		m->name = made_string(&x.s, name + 1 - longer);
		struct reader *r = convert(&x.s);
		assert_int_equal(reader_epoch(r, 0)->modules[0].name.n,
				 longer ? 0 : STORE_MAX_MODULE_NAME);
		done(r);
		made_end(&x.s);
	}
}

static void bad_strings_and_creators(void **state)
{
	(void)state;
	struct simple x;
	simple(&x);
	struct store_header *h = made_header(&x.s);
	struct store_module *m =
	    made_at(&x.s, ((struct store_epoch *)made_at(&x.s, x.epoch))->first_module);
	((struct store_string *)made_at(&x.s, h->command))->n = UINT32_MAX;
	h->host = 0xfffffff0u;
	memset(h->metrics[0].name, 'x', sizeof h->metrics[0].name);
	memset(h->end, 'y', sizeof h->end);
	((struct store_string *)made_at(&x.s, m->build_id))->bytes[0] = 'g';
	m->name = made_string(&x.s, "/long");
	((struct store_string *)made_at(&x.s, m->name))->n = STORE_MAX_STRING + 1;
	made_thread_at(&x.s, x.thread)->creator_tree = x.tree;
	made_thread_at(&x.s, x.thread)->creator_node = x.thread;
	h->metrics[0].event = 99;
	struct reader *r = convert(&x.s);
	assert_int_equal(reader_pairs_get(reader_process(r), "command").n, 0);
	assert_int_equal(reader_pairs_get(reader_process(r), "host").n, 0);
	assert_int_equal(reader_pairs_get(reader_process(r), "end").n, sizeof h->end);
	assert_int_equal(reader_metric(r, 0)->name.n, sizeof h->metrics[0].name);
	assert_int_equal(reader_epoch(r, 0)->modules[0].name.n, 0);
	assert_int_equal(reader_epoch(r, 0)->modules[0].build_id.n, 0);
	assert_int_equal(reader_tree(r, 0)->creator_tree, CSP_NONE);
	assert_int_equal(reader_num_account(r), 0); /* no column has the event's clock */
	done(r);
	made_thread_at(&x.s, x.thread)->creator_node = x.path[2];
	r = convert(&x.s);
	assert_int_equal(reader_tree(r, 0)->creator_tree, 0);
	assert_int_not_equal(reader_tree(r, 0)->creator_node, 0);
	done(r);
	made_end(&x.s);
}

/* Each number of the header with critical values. */
static void bad_headers(void **state)
{
	(void)state;
	static const size_t numbers[] = {
	    offsetof(struct store_header, version),      offsetof(struct store_header, order_mark),
	    offsetof(struct store_header, block_bytes),  offsetof(struct store_header, node_bytes),
	    offsetof(struct store_header, num_metrics),  offsetof(struct store_header, num_events),
	    offsetof(struct store_header, first_thread), offsetof(struct store_header, first_epoch),
	    offsetof(struct store_header, shared),       offsetof(struct store_header, executable)};
	static const uint32_t values[] = {0,  1,  2,          3,          16,         17,
					  48, 64, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff};
	struct made_store s;
	made_random(&s, 3);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		uint32_t was;
		memcpy(&was, s.bytes + numbers[i], sizeof was);
		for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
			struct store_copy c;
			struct error e = {0};
			memcpy(s.bytes + numbers[i], &values[k], sizeof was);
			if (store_copy_from(&c, s.bytes, s.n, &e) < 0) {
				assert_int_equal(e.kind, ERROR_FORMAT);
				continue;
			}
			done(read_copy(&c));
			store_copy_free(&c);
		}
		memcpy(s.bytes + numbers[i], &was, sizeof was);
	}
	made_end(&s);
}

/* The numbers of samples must be in all nodes, as they are compared with the account. */
static void columns_that_nodes_lack(void **state)
{
	(void)state;
	struct store_copy c;
	struct error e = {0};
	struct simple x;
	simple(&x);
	made_header(&x.s)->node_bytes = sizeof(struct store_node) + sizeof(uint64_t);
	assert_int_equal(store_copy_from(&c, x.s.bytes, x.s.n, &e), -1);
	assert_int_equal(e.kind, ERROR_FORMAT);
	/* whatever else they are said to be */
	made_header(&x.s)->metrics[1].flags = CSP_METRIC_SAMPLES;
	assert_int_equal(store_copy_from(&c, x.s.bytes, x.s.n, &e), -1);
	assert_int_equal(e.kind, ERROR_FORMAT);
	made_end(&x.s);
}

/* Every word of the store is changed, and the store is cut everywhere: the reader always accepts
 * the resulting datafile. */
static void every_word_struck(void **state)
{
	(void)state;
	struct made_store s;
	for (uint32_t seed = 0; seed < 2; seed++) {
		made_random(&s, seed);
		size_t used = (size_t)s.next * STORE_GRAIN;
		for (size_t at = 0; at + 4 <= used; at += 4) {
			uint32_t was, other = (uint32_t)(at * 2654435761u) % s.next;
			struct store_copy c;
			struct error e;
			memcpy(&was, s.bytes + at, sizeof was);
			memcpy(s.bytes + at, &other, sizeof other);
			if (store_copy_from(&c, s.bytes, at % 64 ? s.n : at, &e) == 0) {
				done(read_copy(&c));
				store_copy_free(&c);
			}
			memcpy(s.bytes + at, &was, sizeof was);
		}
		made_end(&s);
	}
}

/* As in the runtime: blocks that are not adjacent in memory, some of them missing. */
static void blocks_anywhere(void **state)
{
	(void)state;
	static const struct store_memory memory = {map, unmap};
	struct made_store s;
	uint8_t *blocks[2] = {NULL, NULL};
	struct store_view view = {blocks, 2};
	struct store_survey survey;
	made_random(&s, 1);
	blocks[0] = malloc(STORE_BLOCK);
	assert_non_null(blocks[0]);
	memcpy(blocks[0], s.bytes, STORE_BLOCK);
	mapped = 0;
	assert_int_equal(store_survey_make(&survey, &view, &memory), 0);
	assert_in_range(mapped, 1, STORE_WORKING_BYTES(view.num_blocks));
	assert_int_equal(survey.num_threads, 3);
	store_survey_free(&survey, &memory);
	assert_null(store_at(&view, STORE_BLOCK_GRAINS - 1, STORE_GRAIN + 1));
	assert_non_null(store_at(&view, STORE_BLOCK_GRAINS - 1, STORE_GRAIN));
	free(blocks[0]);
	made_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sound_stores),
	    cmocka_unit_test(names),
	    cmocka_unit_test(values),
	    cmocka_unit_test(shared_trees_have_no_thread),
	    cmocka_unit_test(unused_epochs_are_left_out),
	    cmocka_unit_test(bad_links_between_nodes),
	    cmocka_unit_test(bad_trees),
	    cmocka_unit_test(circles_in_lists),
	    cmocka_unit_test(names_of_modules_are_paths),
	    cmocka_unit_test(bad_strings_and_creators),
	    cmocka_unit_test(bad_headers),
	    cmocka_unit_test(columns_that_nodes_lack),
	    cmocka_unit_test(every_word_struck),
	    cmocka_unit_test(blocks_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
