/* Sets of ids, to which one id is added at a time, as along a path: each distinct way to a set is
 * stored once and has a number. Sets that were made in different orders are different. Not
 * thread-safe, not async-signal-safe. */
#ifndef FORMATS_BASE_ID_SETS_H
#define FORMATS_BASE_ID_SETS_H

#include "formats/base/interner.h"

#include <stdbool.h>
#include <stdint.h>

#define ID_SETS_EMPTY 0         /* the number of the empty set */
#define ID_SETS_NONE UINT32_MAX /* no set */

/* All zeros has the empty set alone. Numbers of others are 1 .. id_sets_count. */
struct id_sets {
	struct interner sets; /* set - 1: by the set without its last id << 32 | that id */
};

static inline uint32_t id_sets_count(const struct id_sets *x)
{
	return x->sets.len;
}
/* Of a set that is not empty: the id that was added last, and the set without it, whose number is
 * smaller. */
static inline uint32_t id_sets_last(const struct id_sets *x, uint32_t set)
{
	return (uint32_t)x->sets.keys[set - 1];
}
static inline uint32_t id_sets_without_last(const struct id_sets *x, uint32_t set)
{
	return (uint32_t)(x->sets.keys[set - 1] >> 32);
}
static inline bool id_sets_has(const struct id_sets *x, uint32_t set, uint32_t id)
{
	for (; x->sets.keys && set != ID_SETS_EMPTY; set = id_sets_without_last(x, set))
		if (id_sets_last(x, set) == id)
			return true;
	return false;
}
/* The set with an id more: the same set if it has it. In time of the set's size. ID_SETS_NONE if
 * memory ran out. */
static inline uint32_t id_sets_with(struct id_sets *x, uint32_t set, uint32_t id)
{
	uint32_t at;

	if (id_sets_has(x, set, id))
		return set;
	at = interner_add(&x->sets, (uint64_t)set << 32 | id);
	return at == INTERNER_NONE ? ID_SETS_NONE : at + 1;
}
static inline void id_sets_deinit(struct id_sets *x)
{
	interner_deinit(&x->sets);
}

#endif
