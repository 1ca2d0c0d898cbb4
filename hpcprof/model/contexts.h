/* The table of calling contexts: dense ids for (parent context, step), where a step is 64 bits that
 * identify a frame.
 *
 * Open addressing. The slot of a context depends on the hash of all steps of its path, not on its
 * parent's id. So a caller that looks up many contexts can compute the hashes of children before
 * their parents are found, and prefetch them (contexts_prefetch). A slot contains what is compared,
 * so a look-up usually reads one cache line. Equality is exact, of step and parent.
 *
 * Used by one thread at a time; not async-signal-safe. */
#ifndef HPCPROF_MODEL_CONTEXTS_H
#define HPCPROF_MODEL_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#define CONTEXT_NONE UINT32_MAX

struct context_slot {
	uint64_t path;
	uint32_t parent;
	uint32_t id; /* + 1; 0: empty */
};

/* All zeros is an empty table. */
struct contexts {
	uint64_t *keys;  /* [len] parent << 32 | frame, or | CONTEXT_NONE if it has none yet */
	uint64_t *paths; /* [len] hash of the path */
	struct context_slot *slots;
	uint32_t len, cap;
	unsigned shift; /* a hash >> shift is its slot */
};

void contexts_deinit(struct contexts *c); /* takes NULL */
/* Free what only look-ups need; keys, paths and len remain. */
void contexts_close(struct contexts *c);

/* The hash of the path with hash path, extended by a step. The multipliers are those of the golden
 * ratio and of MurmurHash3's finalizer. */
static inline uint64_t contexts_path(uint64_t path, uint64_t step)
{
	uint64_t h = (path ^ step) * UINT64_C(0x9e3779b97f4a7c15);
	h ^= h >> 32;
	return h * UINT64_C(0xff51afd7ed558ccd);
}

/* The step from its parent to a context that is not a root: the inverse of contexts_path, with the
 * inverses of its multipliers modulo 2^64. */
static inline uint64_t contexts_step(const struct contexts *c, uint32_t id)
{
	uint64_t h = c->paths[id] * UINT64_C(0x4f74430c22a54005);
	h ^= h >> 32;
	return h * UINT64_C(0xf1de83e19937733d) ^ c->paths[c->keys[id] >> 32];
}

static inline void contexts_prefetch(const struct contexts *c, uint64_t path)
{
	if (c->slots)
		__builtin_prefetch(&c->slots[path >> c->shift]);
}

/* The child of parent with the hash, or CONTEXT_NONE. */
static inline uint32_t contexts_find(const struct contexts *c, uint32_t parent, uint64_t path)
{
	const struct context_slot *s;
	uint64_t mask, i;

	if (!c->slots)
		return CONTEXT_NONE;
	mask = (UINT64_C(1) << (64 - c->shift)) - 1;
	for (i = path >> c->shift; (s = &c->slots[i])->id; i = (i + 1) & mask)
		if (s->path == path && s->parent == parent)
			return s->id - 1;
	return CONTEXT_NONE;
}

/* Assign the next id to a context that contexts_find did not find. CONTEXT_NONE if memory or the
 * 2^32 - 2 ids ran out; then the table is unchanged. */
uint32_t contexts_insert(struct contexts *c, uint32_t parent, uint64_t path, uint32_t frame);

/* Set the frame of a context that was inserted before its frame was known. */
static inline void contexts_set_frame(struct contexts *c, uint32_t id, uint32_t frame)
{
	c->keys[id] = (c->keys[id] & ~(uint64_t)UINT32_MAX) | frame;
}

#endif
