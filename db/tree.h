/* The calling context tree as the database has it: a context is a line of a function under
 * its caller; inlined functions are contexts of their own under what they were inlined into;
 * addresses of one line are one. Numbered depth first, siblings by function and line in the
 * order of their names, so that the numbers depend on the profile alone.
 *
 * Does not use the C stack for the depth of a path. Used by one thread. */
#ifndef DB_TREE_H
#define DB_TREE_H

#include "formats/base/vec.h"
#include "hpcprof/profile.h"

#include <stdbool.h>
#include <stdint.h>

#define DB_TREE_ROOT UINT32_MAX /* the piece of a root */

struct db_piece {                /* what a context is under its parent */
	uint32_t function, line; /* of the code */
	bool inlined;
};

/* Ids of the code, put into the order of their names. */
struct db_ranks {
	uint32_t *functions, *lines;     /* rank by id */
	uint32_t *function_at, *line_at; /* id by rank */
};

struct db_tree {
	VEC(struct db_piece) pieces;
	/* [len], in the order of numbers, which begins with the root of complete paths */
	uint32_t len, partial; /* partial: the number of the other root */
	uint32_t *parent, *last, *depth, *piece;
	uint64_t *hash;    /* of the path, from names and lines */
	uint32_t *numbers; /* [model contexts]: of the innermost code of each */
};

int db_ranks_make(struct db_ranks *r, const struct profile *p, struct error *e);
void db_ranks_deinit(struct db_ranks *r);

/* 0, or -1 and *e for want of memory. */
int db_tree_make(struct db_tree *t, const struct profile *p, const struct db_ranks *r,
		 struct error *e);
void db_tree_deinit(struct db_tree *t);

/* What the column symbol (or symbols) says, by enum symbol_source. */
enum { DB_SOURCES = 4 };
extern const char *const db_sources[DB_SOURCES];

/* A hash of a text behind what has the hash seed: FNV-1a, 64 bits. */
uint64_t db_hash_text(uint64_t seed, const char *s);
/* Of a function's name and its module's: what tells functions of measurements apart. */
uint64_t db_hash_function(const struct profile *p, uint32_t function);

#endif
