/* Rows of a tree that is rewritten while it is read. Part of ingesting. Row numbers are UINT64_MAX
 * where memory ran out. */
#ifndef HPCPROF_LOAD_NEW_ROWS_H
#define HPCPROF_LOAD_NEW_ROWS_H

#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "reader/reader.h"

/* Rows that were made, by the number of their key. */
struct rows_made {
	struct interner keys;
	VEC(uint64_t) rows;
};

struct new_rows {
	uint32_t words; /* of a row */
	VEC(uint64_t) at;
	struct interner ips;
	struct rows_made leaves; /* by parent and ip */
};

/* Append a row without values; its number. */
uint64_t new_rows_append(struct new_rows *w, uint64_t parent, uint64_t ip);
/* The row of a leaf with that parent and ip, which is made if it is missing. */
uint64_t new_rows_leaf(struct new_rows *w, uint64_t parent, uint64_t ip);
/* Add to a value of a row, up to 2^64 - 1. */
void new_rows_add(struct new_rows *w, uint64_t row, uint32_t metric, uint64_t value);
/* Replace *rows by those that were made. */
void new_rows_give(struct new_rows *w, struct reader_rows *rows);
void new_rows_deinit(struct new_rows *w); /* takes all zeros */

static inline uint64_t new_rows_word(const struct new_rows *w, uint64_t row, unsigned word)
{
	return w->at.at[row * w->words + word];
}

/* The row with that key; UINT64_MAX if it was not made. */
uint64_t rows_made_find(const struct rows_made *made, uint64_t key);
/* Append a row with a new key. */
uint64_t rows_made_add(struct rows_made *made, struct new_rows *w, uint64_t key, uint64_t parent,
		       uint64_t ip);
/* Let a new key have a row. False if memory ran out. */
bool rows_made_set(struct rows_made *made, uint64_t key, uint64_t row);
void rows_made_deinit(struct rows_made *made);

#endif
