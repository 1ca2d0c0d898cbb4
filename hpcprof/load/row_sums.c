#include "hpcprof/load/row_sums.h"

#include "formats/base/vec.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

void row_sums_open(struct row_sums *s, uint32_t threads, uint32_t metrics)
{
	*s = (struct row_sums){.threads = threads, .metrics = metrics};
}

void row_sums_close(struct row_sums *s)
{
	interner_deinit(&s->row_of);
	free(s->at);
	*s = (struct row_sums){0};
}

static size_t length(const struct row_sums *s)
{
	return s->metrics + (size_t)1;
}

static uint32_t key_of(const struct row_sums *s, uint32_t thread)
{
	return thread < s->threads ? thread : s->threads;
}

uint64_t *row_sums_add(struct row_sums *s, uint32_t thread)
{
	uint32_t before = s->row_of.len, row;

	if (before == s->room &&
	    !vec_grow((void **)&s->at, &s->room, before + (size_t)1, length(s) * sizeof *s->at))
		return NULL;
	row = interner_add(&s->row_of, key_of(s, thread));
	if (row == INTERNER_NONE)
		return NULL;
	if (row == before)
		memset(s->at + row * length(s), 0, length(s) * sizeof *s->at);
	return s->at + row * length(s);
}

const uint64_t *row_sums_row(const struct row_sums *s, uint32_t thread)
{
	uint32_t row = interner_find(&s->row_of, key_of(s, thread));

	return row == INTERNER_NONE ? NULL : s->at + row * length(s);
}

uint64_t row_sums_total(const struct row_sums *s, uint32_t metric)
{
	uint64_t sum = 0;
	bool passed = false;

	for (size_t row = 0; row < s->row_of.len; row++)
		sum = sum_add(sum, s->at[row * length(s) + metric], &passed);
	return sum;
}
