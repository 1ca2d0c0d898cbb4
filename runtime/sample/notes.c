/* A region belongs to the function that began it: what this one calls is in the region, and what
 * has called it is not. The program tells the CFA of that function, which is what the stack pointer
 * is when it has returned, and so that of its caller's frame in a walk, and where it returns to.
 *
 * If there is such a frame, it is its frame, and later walks must find it again: else the function
 * was left without an end of the region, by longjmp for example. If there is none, another function
 * began the region for its caller and has returned since: it is the caller's, whose stack pointer
 * was that CFA. If that is not found either, all of the path is in the region. */
#include "runtime/sample/notes.h"

#include "formats/identity/notes.h"
#include "runtime/interpreters/interpreters.h"
#include "runtime/process/labels.h"
#include "runtime/process/regions.h"
#include "runtime/sample/unwind.h"

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

/* Whether frame i is that of the function which began the region. The CFA of the outermost frame is
 * not known. */
static bool is_owner(const csprof_state_t *state, const struct csprof_region *in, uint32_t i)
{
	return i + 1 < total_of(state) && sp_of(state, i + 1) == in->where &&
	       (!in->to || ip_of(state, i + 1) == in->to);
}

/* The frame that the region belongs to; total_of: none does. */
static uint32_t find_owner(const csprof_state_t *state, const struct csprof_region *in, bool *exact)
{
	uint32_t total = total_of(state), caller = total;
	*exact = false;
	for (uint32_t i = 0; in->where && i < total; i++) {
		if (is_owner(state, in, i)) {
			*exact = true;
			return i;
		}
		if (caller == total && sp_of(state, i) == in->where)
			caller = i;
	}
	return caller;
}

/* Find out the depth of a region. Returns false if its function was left. keep: the walk is of the
 * thread's own stack, as later ones are. */
static bool place(const csprof_state_t *state, struct csprof_region *in, bool keep)
{
	uint32_t total = total_of(state);
	if (keep && in->placed)
		return !in->exact || (in->depth <= total && is_owner(state, in, total - in->depth));
	uint32_t owner = find_owner(state, in, &in->exact);
	in->depth = total - owner;
	in->placed = keep;
	if (in->exact)
		in->to = ip_of(state, owner + 1);
	return true;
}

/* A return address may be just behind the code that it belongs to. */
struct csprof_found csprof_notes_find(const csprof_state_t *state, uintptr_t code,
				      uintptr_t code_end, uint32_t nth)
{
	struct csprof_found found = {0};
	uint32_t total = total_of(state);
	for (uint32_t i = 0; i < total; i++) {
		uintptr_t ip = ip_of(state, i) - 1;
		found.frames += ip >= code && ip < code_end;
		if (nth && found.frames == nth) {
			found.cfa = i + 1 < total ? sp_of(state, i + 1) : 0;
			found.to = i + 1 < total ? ip_of(state, i + 1) : 0;
			return found;
		}
	}
	return found;
}

/* The regions that are known to be there. */
static uint32_t count_regions(const struct csprof_regions *r)
{
	uint32_t n = r ? atomic_load_explicit(&r->n, memory_order_relaxed) : 0;
	uint32_t left = r ? atomic_load_explicit(&r->left, memory_order_relaxed) : 0;
	if (n > CSPROF_REGIONS_KEPT)
		n = CSPROF_REGIONS_KEPT;
	return left && left <= n ? left - 1 : n;
}

void csprof_notes_place(csprof_state_t *state, bool complete)
{
	struct csprof_regions *r = state->regions;
	uint32_t n = count_regions(r), i = 0;
	if (n == 0 || state->num_frames == 0)
		return;
	bool keep = complete && on_own_stack(state, sp_of(state, 0));
	while (i < n && place(state, &r->in[i], keep))
		i++;
	if (i < n)
		atomic_store_explicit(&r->left, i + 1, memory_order_relaxed);
}

bool csprof_notes_put(csprof_state_t *state, uint64_t label)
{
	const struct csprof_regions *r = state->regions;
	uint64_t labels[CSPROF_LABELS_MOST];
	uint32_t num_labels = csprof_otel_ips(state, labels);
	num_labels = csprof_labels_ips(state, labels, num_labels);
	if (label)
		num_labels = csprof_labels_add(labels, num_labels, label);
	uint32_t regions = count_regions(r), n = regions + num_labels, k = n;
	if (n == 0 || state->num_frames == 0)
		return true;
	uintptr_t sp = state->frames[0].sp;
	struct csprof_frame *frames = csprof_unwind_prepend(state, n);
	if (!frames)
		return false;
	state->num_notes = n;
	for (uint32_t i = 0; i < n - regions; i++)
		frames[--k] = (struct csprof_frame){.ip = labels[i], .sp = sp};
	for (uint32_t i = 0; i < regions; i++) {
		const struct csprof_region *in = &r->in[i];
		uint32_t depth = csprof_interpreters_depth(state, in->depth, in->script);
		depth = depth < CSP_NOTE_DEPTH ? depth : CSP_NOTE_DEPTH;
		uint64_t ip = CSP_REGION_BASE |
			      (uint64_t)csprof_name_number(in->name) << CSP_NOTE_SHIFT | depth;
		frames[--k] = (struct csprof_frame){.ip = ip, .sp = sp};
	}
	return true;
}
