/* The model's ids of the rows of a table. All zeros is empty. */
#ifndef DB_IMPORT_IDS_H
#define DB_IMPORT_IDS_H

#include "formats/base/interner.h"
#include "formats/base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct ids {
	struct interner rows;
	VEC(uint32_t) of;
};

/* False if the row was added before, or memory ran out. */
static inline bool ids_add(struct ids *ids, int64_t row, uint32_t id)
{
	return interner_add(&ids->rows, (uint64_t)row) == ids->of.len && vec_push(&ids->of, id);
}

/* UINT32_MAX if there is no such row. */
static inline uint32_t ids_get(const struct ids *ids, uint64_t row)
{
	uint32_t at = interner_find(&ids->rows, row);
	return at == INTERNER_NONE ? UINT32_MAX : ids->of.at[at];
}

static inline void ids_deinit(struct ids *ids)
{
	interner_deinit(&ids->rows);
	vec_free(&ids->of);
}

#endif
