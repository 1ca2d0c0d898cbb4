/* The calling context tree in the database. A context is a line of a function called by its parent.
 * Inlined functions are contexts of their own, below what they were inlined into. Addresses of one
 * line are one context. Contexts are numbered depth first, siblings in the order of the names of
 * function and line, so that the numbers depend only on the profile.
 *
 * Nothing recurses over the depth of a path. Used by one thread. */
#ifndef DB_BASE_TREE_H
#define DB_BASE_TREE_H

#include "formats/base/vec.h"
#include "hpcprof/load/profile.h"

#include <stdbool.h>
#include <stdint.h>

#define DB_TREE_ROOT UINT32_MAX /* the piece of a root */

struct db_piece {                /* what a context adds to its parent */
	uint32_t function, line; /* of the code */
	bool inlined;
};

/* Ids of the code, sorted by name. */
struct db_ranks {
	uint32_t *functions, *lines;     /* rank by id */
	uint32_t *function_at, *line_at; /* id by rank */
};

struct db_tree {
	VEC(struct db_piece) pieces;
	/* [len], by number; number 0 is the root of complete paths */
	uint32_t len, partial; /* partial: the number of the root of partial paths */
	uint32_t *parent, *last, *depth, *piece;
	uint64_t *hash;    /* of the path, from names and lines */
	uint32_t *numbers; /* [model contexts]: number of the innermost code of each */
};

int db_ranks_make(struct db_ranks *r, const struct profile *p, struct error *e);
void db_ranks_deinit(struct db_ranks *r);

/* 0, or -1 and *e if memory ran out. */
int db_tree_make(struct db_tree *t, const struct profile *p, const struct db_ranks *r,
		 struct error *e);
void db_tree_deinit(struct db_tree *t);

/* The texts in the column symbol (or symbols), by enum symbol_source. */
enum { DB_SOURCES = 4 };
extern const char *const db_sources[DB_SOURCES];

/* The texts in the column thread_group.kind, by enum thread_kind. */
enum { DB_THREAD_KINDS = 4 };
extern const char *const db_thread_kinds[DB_THREAD_KINDS];

/* The hash of a text appended to what has the hash seed: FNV-1a, 64 bits. */
uint64_t db_hash_text(uint64_t seed, const char *s);
/* The hash of a function's name and its module's name. It identifies the function in all
 * measurements. */
uint64_t db_hash_function(const struct profile *p, uint32_t function);

#endif
