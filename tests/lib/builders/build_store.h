/* Builds stores for tests in memory, as a measured program would write them: valid ones and ones
 * that can be damaged.
 *
 *     struct made_store s;
 *     made_begin(&s, 64);
 *     store_ref epoch = made_epoch(&s), thread = made_thread(&s, 1);
 *     store_ref tree = made_tree(&s, made_thread_at(&s, thread), epoch, CSP_TREE_COMPLETE);
 *     made_sample(&s, thread, tree, ips, 3, 1000);
 *     ... store_copy_from(&copy, s.bytes, s.n, &e) or made_write(&s, path) ...
 *     made_end(&s);
 *
 * Metrics are CPUTIME (V and N) and BYTES, one event. If memory or space runs out, the test
 * ends. */
#ifndef TESTS_LIB_BUILDERS_BUILD_STORE_H
#define TESTS_LIB_BUILDERS_BUILD_STORE_H

#include "formats/store/store.h"

#include <stddef.h>
#include <stdint.h>

struct made_store {
	uint8_t *bytes;
	size_t n; /* a whole number of blocks */
	store_ref next;
};

enum { MADE_V = 0, MADE_N = 1, MADE_BYTES = 2, MADE_METRICS = 3 };

void made_begin(struct made_store *s, uint32_t blocks);
void made_end(struct made_store *s);
void made_write(const struct made_store *s, const char *path);

/* The record at ref. */
void *made_at(const struct made_store *s, store_ref ref);
struct store_header *made_header(const struct made_store *s);
struct store_thread *made_thread_at(const struct made_store *s, store_ref ref);
struct store_tree *made_tree_at(const struct made_store *s, store_ref ref);
struct store_node *made_node_at(const struct made_store *s, store_ref ref);

/* Allocate bytes of the store, zeroed. */
store_ref made_take(struct made_store *s, size_t bytes);
store_ref made_string(struct made_store *s, const char *text);
/* Add a name, which gets the next number. */
store_ref made_name(struct made_store *s, const char *text);
/* Add a source file, which gets the next number; a function of it, behind those before, with its
 * lines. */
store_ref made_source(struct made_store *s, const char *path);
store_ref made_code(struct made_store *s, store_ref source, const char *name, uint32_t extent,
		    const char *lines);
/* Add what an instruction has produced: the value v, `count` times. */
store_ref made_value(struct made_store *s, store_ref epoch, uint64_t ip, uint32_t what, uint64_t v,
		     uint64_t count);
/* Append to the header's lists, to the epoch, to the thread's trees. */
store_ref made_epoch(struct made_store *s);
store_ref made_module(struct made_store *s, store_ref epoch, const char *name, uint64_t mapped);
store_ref made_thread(struct made_store *s, uint32_t tid);
store_ref made_tree(struct made_store *s, struct store_thread *t, store_ref epoch, uint32_t kind);
/* A record of a thread that is in no list. */
store_ref made_loose_thread(struct made_store *s);

/* The node of a path below the root, outermost first, as the runtime would insert it. */
store_ref made_path(struct made_store *s, store_ref tree, const uint64_t *ips, unsigned n);
/* Add a sample there, only to the tree, or also to the account of a thread. */
void made_count(struct made_store *s, store_ref tree, const uint64_t *ips, unsigned n,
		uint64_t weight);
void made_sample(struct made_store *s, store_ref thread, store_ref tree, const uint64_t *ips,
		 unsigned n, uint64_t weight);
/* Add samples of another disposition. */
void made_dropped(struct made_store *s, store_ref thread, enum csp_disposition d, uint64_t samples,
		  uint64_t weight);

/* Make a valid store of two blocks with several threads, epochs and trees. Odd seeds: some trees
 * are shared. */
void made_random(struct made_store *s, uint32_t seed);

#endif
