/* A region belongs to the function that began it: what this one calls is in the region, and what
 * has called it is not. The program tells the CFA of that function, which is what the stack pointer
 * is when it has returned, and so that of its caller's frame in a walk.
 *
 * If a frame has exactly that CFA, it is its frame, and later walks must find it again, called from
 * the same place: else the function was left without an end of the region, by longjmp for example.
 * If none has it, another function began the region for one that called it and has returned since:
 * it belongs to the innermost frame whose CFA is above that. */
#include "runtime/sample/notes.h"

#include "formats/identity/notes.h"
#include "runtime/process/regions.h"
#include "runtime/sample/unwind.h"
#include "runtime/trees/names.h"

/* The stack pointer and the ip of a frame of the last walk, of which 0 is the innermost. */
static uintptr_t sp_of(const csprof_state_t *state, uint32_t i)
{
	if (i < state->num_frames)
		return state->frames[i].sp;
	return state->memo.frames[state->outer - 1 - (i - state->num_frames)].sp;
}

static uintptr_t ip_of(const csprof_state_t *state, uint32_t i)
{
	if (i < state->num_frames)
		return state->frames[i].ip;
	return state->memo.frames[state->outer - 1 - (i - state->num_frames)].ip;
}

static uint32_t total_of(const csprof_state_t *state)
{
	return state->num_frames + state->outer;
}

static bool on_own_stack(const csprof_state_t *state, uintptr_t sp)
{
	return sp >= state->stack_low && sp < state->stack_high;
}

/* Whether frame i has the CFA. That of the outermost one is not known. */
static bool has_cfa(const csprof_state_t *state, uint32_t i, uintptr_t cfa)
{
	return i + 1 < total_of(state) && sp_of(state, i + 1) == cfa;
}

/* The innermost frame, from i on, that the region belongs to; total_of: none does. The addresses of
 * other stacks say nothing about the order of frames on this one. */
static uint32_t owner_of(const csprof_state_t *state, uint32_t i, uintptr_t where)
{
	enum { NEAR = 1 << 20 };
	uint32_t total = total_of(state);
	bool own = on_own_stack(state, where);
	for (; i + 1 < total; i++) {
		uintptr_t cfa = sp_of(state, i + 1);
		if (cfa >= where && (own ? on_own_stack(state, cfa) : cfa - where < NEAR))
			return i;
	}
	return own && total && on_own_stack(state, sp_of(state, total - 1)) ? total - 1 : total;
}

/* Find out the depth of a region. Returns false if its function was left. keep: the walk is of the
 * thread's own stack, as later ones are. */
static bool place(const csprof_state_t *state, struct csprof_region *in, bool keep)
{
	uint32_t total = total_of(state);
	if (keep && in->placed) {
		uint32_t owner = total - in->depth;
		if (!in->exact || (in->depth <= total && has_cfa(state, owner, in->where) &&
				   ip_of(state, owner + 1) == in->caller))
			return true;
		return false;
	}
	uint32_t owner = in->where ? owner_of(state, 0, in->where) : total;
	in->depth = total - owner;
	in->exact = keep && owner < total && has_cfa(state, owner, in->where);
	if (in->exact)
		in->caller = ip_of(state, owner + 1);
	in->placed = keep;
	return true;
}

bool csprof_notes_put(csprof_state_t *state, bool complete)
{
	struct csprof_regions *r = state->regions;
	struct csprof_frame frames[CSPROF_REGIONS_KEPT];
	uint32_t n = r ? atomic_load_explicit(&r->n, memory_order_relaxed) : 0, i;
	if (n == 0 || state->num_frames == 0)
		return true;
	if (n > CSPROF_REGIONS_KEPT)
		n = CSPROF_REGIONS_KEPT;
	bool keep = complete && on_own_stack(state, sp_of(state, 0));
	uint32_t left = atomic_load_explicit(&r->left, memory_order_relaxed);
	if (left && left <= n)
		n = left - 1;
	for (i = 0; i < n && place(state, &r->in[i], keep); i++)
		;
	if (i < n)
		atomic_store_explicit(&r->left, i + 1, memory_order_relaxed);
	n = i;
	for (i = 0; i < n; i++) {
		const struct csprof_region *in = &r->in[i];
		uint32_t depth = in->depth < CSP_NOTE_DEPTH ? in->depth : CSP_NOTE_DEPTH;
		uint64_t ip = CSP_REGION_BASE |
			      (uint64_t)csprof_name_number(in->name) << CSP_NOTE_SHIFT | depth;
		frames[n - 1 - i] = (struct csprof_frame){.ip = ip, .sp = state->frames[0].sp};
	}
	return csprof_unwind_prepend(state, frames, n);
}
