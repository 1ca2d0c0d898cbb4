#include "hpcprof/load/new_rows.h"

#include <stdlib.h>
#include <string.h>

uint64_t new_rows_append(struct new_rows *w, uint64_t parent, uint64_t ip)
{
	uint64_t row = w->at.len / w->words;

	if (!vec_reserve(&w->at, w->at.len + w->words))
		return UINT64_MAX;
	memset(w->at.at + w->at.len, 0, w->words * sizeof *w->at.at);
	w->at.at[w->at.len + ROW_ID] = row;
	w->at.at[w->at.len + ROW_PARENT] = parent;
	w->at.at[w->at.len + ROW_IP] = ip;
	w->at.len += w->words;
	return row;
}

uint64_t new_rows_leaf(struct new_rows *w, uint64_t parent, uint64_t ip)
{
	uint32_t at = interner_add(&w->ips, ip);
	uint64_t key = parent << 32 | at, leaf;

	if (at == INTERNER_NONE)
		return UINT64_MAX;
	leaf = rows_made_find(&w->leaves, key);
	return leaf == UINT64_MAX ? rows_made_add(&w->leaves, w, key, parent, ip) : leaf;
}

void new_rows_add(struct new_rows *w, uint64_t row, uint32_t metric, uint64_t value)
{
	uint64_t *to = &w->at.at[row * w->words + ROW_METRICS + metric];

	*to += value;
	*to |= -(uint64_t)(*to < value); /* saturate */
}

void new_rows_give(struct new_rows *w, struct reader_rows *rows)
{
	uint64_t n = w->at.len / w->words;
	size_t bytes = rows->bytes;

	reader_rows_end(rows);
	*rows = (struct reader_rows){
	    .at = (const uint8_t *)w->at.at, .n = n, .bytes = bytes, .copy = w->at.at};
	w->at.at = NULL;
	w->at.len = w->at.cap = 0;
}

void new_rows_deinit(struct new_rows *w)
{
	vec_free(&w->at);
	interner_deinit(&w->ips);
	rows_made_deinit(&w->leaves);
}

uint64_t rows_made_find(const struct rows_made *made, uint64_t key)
{
	uint32_t id = interner_find(&made->keys, key);

	return id < made->rows.len ? made->rows.at[id] : UINT64_MAX;
}

bool rows_made_set(struct rows_made *made, uint64_t key, uint64_t row)
{
	uint32_t id = interner_add(&made->keys, key);

	return id == made->rows.len && row != UINT64_MAX && vec_push(&made->rows, row);
}

uint64_t rows_made_add(struct rows_made *made, struct new_rows *w, uint64_t key, uint64_t parent,
		       uint64_t ip)
{
	uint64_t row = new_rows_append(w, parent, ip);

	return rows_made_set(made, key, row) ? row : UINT64_MAX;
}

void rows_made_deinit(struct rows_made *made)
{
	interner_deinit(&made->keys);
	vec_free(&made->rows);
}
