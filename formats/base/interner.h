/* Dense ids for 64-bit keys: the first distinct key gets 0, the next 1, and so on. Open addressing
 * over a table of ids. The keys are in the order of ids, so that an id gives its key. A table takes
 * about 16 bytes per key. Not thread-safe, not async-signal-safe. */
#ifndef FORMATS_BASE_INTERNER_H
#define FORMATS_BASE_INTERNER_H

#include "formats/base/hash.h"

#include <stdbool.h>
#include <stdint.h>

#define INTERNER_NONE UINT32_MAX

/* All zeros is an empty interner. */
struct interner {
	uint64_t *keys;  /* [len]; lent if cap is 0 */
	uint32_t *slots; /* [mask + 1], id + 1 or 0; NULL while empty */
	uint32_t len, cap;
	uint32_t mask;
};

void interner_deinit(struct interner *in); /* takes NULL */

/* The id of key, which is added if it is new. INTERNER_NONE if memory (or the 2^32 - 1 ids) ran
 * out; then the interner is unchanged. */
static inline uint32_t interner_add(struct interner *in, uint64_t key);
/* The id of key, or INTERNER_NONE. */
static inline uint32_t interner_find(const struct interner *in, uint64_t key);

/* Build an interner over n distinct keys, which it does not copy: they must outlive it. It answers
 * interner_find; nothing can be added. False if memory ran out. */
bool interner_over(struct interner *in, const uint64_t *keys, uint32_t n);

/* The part of interner_add for a new key. */
uint32_t interner_insert(struct interner *in, uint64_t key);

static inline uint32_t interner_find(const struct interner *in, uint64_t key)
{
	uint32_t id;

	if (!in->slots)
		return INTERNER_NONE;
	for (uint32_t i = (uint32_t)hash_number(key) & in->mask; (id = in->slots[i]);
	     i = (i + 1) & in->mask)
		if (in->keys[id - 1] == key)
			return id - 1;
	return INTERNER_NONE;
}

static inline uint32_t interner_add(struct interner *in, uint64_t key)
{
	uint32_t id = interner_find(in, key);
	return id != INTERNER_NONE ? id : interner_insert(in, key);
}

#endif
