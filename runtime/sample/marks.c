#include "runtime/sample/marks.h"

#include "runtime/base/options.h"
#include "runtime/base/sections.h"
#include "runtime/cpu/slots.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/sample/marks_unsafe.h"
#include "runtime/trees/mem.h"

#include <stdatomic.h>
#include <stddef.h>

/* Threads take slots by chunks: frame k uses slot k % CHUNK of the thread's chunk k / CHUNK. */
enum { CHUNK = 64, CHUNKS = 1 + CSPROF_SLOTS / CHUNK, TABLE_BYTES = OS_PAGE };
enum { MOST_CHUNKS = TABLE_BYTES / sizeof(uint16_t), NO_CHUNK = 0 };
_Static_assert((int)CHUNKS <= (int)MOST_CHUNKS + 1, "a thread's table holds them all");

/* Of each chunk: whose it is, and which of its chunks. Chunk 0 is nobody's, so that a zeroed table
 * has none. */
static CSPROF_LARGE _Atomic(struct csprof_memo *) owner[CHUNKS];
static CSPROF_LARGE uint16_t place[CHUNKS];

static uint16_t *kept; /* see csprof_marks_keep */

static uintptr_t *cell_of(const struct csprof_memo_frame *f)
{
	return (uintptr_t *)f->sp - 1;
}

/* ---- counts --------------------------------------------------------------------- */

static void count(store_ref node, uint32_t column)
{
	if (!node || column == CSP_NONE)
		return;
	uint64_t *value = &((struct store_node *)csprof_store_at(node))->metrics[column];
	__atomic_store_n(value, *value + 1, __ATOMIC_RELAXED);
}

/* Frame k was marked: its callee, which has that node, is an activation. */
static void begin_activation(struct csprof_memo *m, uint32_t k, store_ref node)
{
	m->frames[k].node = node;
	m->frames[k].open = true;
	count(node, csprof_process.counts.activations);
}

/* Count the end of that activation, if it has ended and is not counted yet. left: it is not on the
 * stack any more. */
static void end_activation(struct csprof_memo *m, uint32_t k, bool left)
{
	struct csprof_memo_frame *f = &m->frames[k];
	if (!f->marked || !f->open)
		return;
	bool returned = csprof_slot_returns[csprof_marks_slot(m, k)];
	if (!returned && !left)
		return;
	f->open = false;
	if (csprof_options.returns == CSPROF_RETURNS_ALL || k + 1 == m->first)
		count(f->node,
		      returned ? csprof_process.counts.returns : csprof_process.counts.abandoned);
}

/* Whether it is seen to be left without a walk, at sp. */
static bool was_left(const struct csprof_memo *m, uint32_t k, uintptr_t sp)
{
	const uintptr_t *cell = cell_of(&m->frames[k]);
	return sp && m->frames[k].marked &&
	       ((uintptr_t)cell < sp || *cell != csprof_slot_begin(csprof_marks_slot(m, k)));
}

void csprof_marks_count(struct csprof_memo *m, uintptr_t sp)
{
	for (uint32_t k = 0; k < m->num_frames; k++)
		end_activation(m, k, was_left(m, k, sp));
}

void csprof_marks_moved(struct csprof_memo *m)
{
	for (uint32_t k = 0; k < m->num_frames; k++)
		m->frames[k].node = 0;
}

/* ---- slots ---------------------------------------------------------------------- */

static bool claim(struct csprof_memo *m, uint32_t number)
{
	static uint32_t next; /* a hint */
	for (uint32_t i = 0; i < CHUNKS; i++) {
		uint32_t chunk = (__atomic_load_n(&next, __ATOMIC_RELAXED) + i) % CHUNKS;
		struct csprof_memo *nobody = NULL;
		if (chunk == NO_CHUNK || !atomic_compare_exchange_strong(&owner[chunk], &nobody, m))
			continue;
		place[chunk] = (uint16_t)number;
		m->chunks[number] = (uint16_t)chunk;
		__atomic_store_n(&next, chunk + 1, __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

uint32_t csprof_marks_slot(const struct csprof_memo *m, uint32_t k)
{
	return (m->chunks[k / CHUNK] - 1u) * CHUNK + k % CHUNK;
}

static bool have_slot(struct csprof_memo *m, uint32_t k)
{
	if (k / CHUNK >= MOST_CHUNKS)
		return false;
	if (!m->chunks)
		m->chunks = os_map(TABLE_BYTES);
	return m->chunks && (m->chunks[k / CHUNK] != NO_CHUNK || claim(m, k / CHUNK));
}

static void free_slots(struct csprof_memo *m)
{
	for (uint32_t i = 0; m->chunks && i < MOST_CHUNKS; i++)
		if (m->chunks[i] != NO_CHUNK)
			atomic_store(&owner[m->chunks[i]], NULL);
	if (m->chunks)
		os_unmap(m->chunks, TABLE_BYTES);
	m->chunks = NULL;
}

void csprof_marks_begin(struct csprof_memo *m)
{
	m->marks = true;
	if (!kept)
		return;
	m->chunks = kept;
	kept = NULL;
	for (uint32_t i = 0; i < MOST_CHUNKS; i++)
		if (m->chunks[i] != NO_CHUNK)
			atomic_store(&owner[m->chunks[i]], m);
}

/* ---- walks ---------------------------------------------------------------------- */

void csprof_marks_resolve(struct csprof_memo *m, struct csprof_cursor *c)
{
	uint32_t slot = csprof_slot_of(c->ip), chunk = slot / CHUNK + 1;
	c->ip = csprof_slot_address[slot];
	if (!c->cell) {
		m->in_flight = true;
		return;
	}
	uint32_t k = place[chunk] * (uint32_t)CHUNK + slot % CHUNK;
	if (atomic_load_explicit(&owner[chunk], memory_order_relaxed) == m && k < m->num_frames &&
	    m->frames[k].marked && cell_of(&m->frames[k]) == c->cell)
		m->met = k + 1;
	else
		m->lost = true;
}

bool csprof_marks_must_stay(struct csprof_memo *m)
{
	enum { CLOSE = 3 }; /* to the code that was interrupted */
	uint8_t traits = 0;
	bool unsafe = false;
	m->certain = UINT32_MAX;
	for (uint32_t i = 0; i < m->num_steps; i++) {
		traits |= m->steps[i].traits;
		unsafe |= i < CLOSE && csprof_marks_is_unsafe(m->steps[i].ip);
		if (m->steps[i].traits & CSPROF_TRAIT_GUESSED && m->certain == UINT32_MAX)
			m->certain = i;
	}
	return m->in_flight || unsafe || traits & CSPROF_TRAIT_UNWINDER;
}

/* The code that was interrupted may be about to read its return address. */
bool csprof_marks_may(const struct csprof_memo *m, uint32_t k, uint32_t callee)
{
	const struct csprof_memo_frame *f = &m->frames[k];
	const struct csprof_memo_step *c = &m->steps[callee];
	return callee < m->certain && !f->exact && !c->exact && !c->own &&
	       !(c->traits & CSPROF_TRAIT_SYSTEM) && f->after_call && c->cell == cell_of(f);
}

/* ---- marks ---------------------------------------------------------------------- */

/* Whether the cell is in the part of the stack where this handler runs. */
static bool is_ours(const uintptr_t *cell, uintptr_t sp)
{
	return (uintptr_t)cell < sp && (uintptr_t)cell >= (uintptr_t)__builtin_frame_address(0);
}

/* A slot is used again only after its cell was seen not to hold it: the frame may be one of a stack
 * that is not the walk's, or one that the walk has missed. The thread may be another one, and be
 * running. */
static void restore(const struct csprof_memo *m, uint32_t k)
{
	uint32_t slot = csprof_marks_slot(m, k);
	uintptr_t *cell = cell_of(&m->frames[k]), marked = csprof_slot_begin(slot);
	if (*cell == marked)
		__atomic_compare_exchange_n(cell, &marked, csprof_slot_address[slot], false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void csprof_marks_drop(struct csprof_memo *m, uint32_t known, uintptr_t sp)
{
	for (uint32_t k = known; k < m->num_frames; k++) {
		end_activation(m, k, true);
		if (!m->frames[k].marked)
			continue;
		m->frames[k].marked = false;
		if (!is_ours(cell_of(&m->frames[k]), sp))
			restore(m, k);
	}
}

static void put(struct csprof_memo *m, uint32_t k, store_ref node)
{
	struct csprof_memo_frame *f = &m->frames[k];
	uint32_t slot = csprof_marks_slot(m, k);
	f->marked = true;
	begin_activation(m, k, node);
	csprof_slot_address[slot] = f->ip;
	csprof_slot_returns[slot] = 0;
	atomic_signal_fence(memory_order_seq_cst);
	*cell_of(f) = csprof_slot_begin(slot);
	/* the first check after those of this frame is of its cell */
	if (f->checks < m->num_checks)
		m->checks[f->checks].value = csprof_slot_begin(slot);
}

void csprof_marks_put(struct csprof_memo *m, const store_ref *nodes, uint32_t num_nodes)
{
	if (!m->marks || !m->current)
		return;
	for (uint32_t k = m->fresh; k < m->num_frames && k + 1 < num_nodes; k++) {
		const struct csprof_memo_frame *f = &m->frames[k];
		if (!f->may_mark || f->marked || *cell_of(f) != f->ip)
			continue;
		if (!have_slot(m, k))
			break;
		put(m, k, nodes[k + 1]);
	}
	m->fresh = m->first = m->num_frames;
	while (m->first && !m->frames[m->first - 1].marked)
		m->first--;
}

static void restore_all(struct csprof_memo *m)
{
	for (uint32_t k = 0; k < m->num_frames; k++)
		if (m->frames[k].marked)
			restore(m, k);
	m->num_frames = m->num_checks = m->inserted = 0;
}

void csprof_marks_give_up(struct csprof_memo *m, enum csprof_marks_end why)
{
	csprof_marks_count(m, 0);
	restore_all(m);
	m->marks = false;
	if (why == CSPROF_MARKS_LOST)
		__atomic_fetch_add(&csprof_store_header()->marks_lost, 1, __ATOMIC_RELAXED);
}

void csprof_marks_end(struct csprof_memo *m)
{
	restore_all(m);
	free_slots(m);
}

void csprof_marks_keep(struct csprof_memo *m)
{
	restore_all(m);
	kept = m->chunks;
	m->chunks = NULL;
}

void csprof_marks_forget(struct csprof_memo *m)
{
	free_slots(m);
}
