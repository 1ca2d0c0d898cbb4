/* Synchronous recordings: of metrics of the program's own, and of the creators of threads. */
#include "runtime/csprof.h"

#include "runtime/interception/masks.h"
#include "runtime/interpreters/interpreters.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/sample/fault.h"
#include "runtime/sample/marks.h"
#include "runtime/sample/notes.h"
#include "runtime/sample/sampler.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/wall.h"
#include "runtime/trees/cct.h"

#include <errno.h>

/* Until leave no handler of the program runs: it might leave by longjmp, or fork. wanted: of
 * samplers.h. */
static bool enter(csprof_state_t *state, uint64_t *mask,
		  bool (*wanted)(const csprof_state_t *state))
{
	if (!state || !wanted(state))
		return false;
	*mask = os_hold_signals(csprof_mask_virtual());
	if (!atomic_exchange(&state->busy, true)) {
		/* check again: the end of the measurement looks at busy after that */
		if (wanted(state))
			return true;
		atomic_store(&state->busy, false);
	}
	os_release_signals(*mask);
	return false;
}

/* A sample that came during the recording is taken now, at the recorded path: dropping it would
 * hide time of programs that record much. */
static void take_deferred(csprof_state_t *state, struct csprof_sampler *p, uint32_t kind)
{
	if (!atomic_exchange(&p->sampled, false) || !csprof_sampler_wanted(p))
		return;
	struct csprof_instant now = csprof_sampler_now(p);
	if (p->measured->by->elapses) { /* the thread runs */
		csprof_sampler_arm(state, p, now, csprof_wall_period(state, p));
		return;
	}
	uint64_t weight = csprof_sampler_weight(state, p, now);
	uint32_t metric = p->measured->column;
	uint32_t columns[CSPROF_EVENT_COLUMNS] = {metric, metric + 1};
	uint64_t amounts[CSPROF_EVENT_COLUMNS] = {weight, 1};
	enum csp_disposition d = kind == CSP_TREE_COMPLETE ? CSP_RECORDED : CSP_PARTIAL;
	if (!csprof_cct_insert(state, kind, CSPROF_LEAF_SAMPLED, columns, amounts,
			       CSPROF_EVENT_COLUMNS))
		d = CSP_OWN_CODE;
	csprof_sampler_account(state, p, d, weight);
	csprof_sampler_arm(state, p, now, csprof_sampler_period(state, p));
}

/* A sample that comes just before busy is cleared is handled after that: nothing else would arm
 * its source again. */
static void leave(csprof_state_t *state, uint32_t kind, uint64_t mask)
{
	do {
		CSPROF_EACH_SAMPLER (state, p)
			take_deferred(state, p, kind);
		atomic_store(&state->busy, false);
	} while (csprof_samplers_pending(state) && !atomic_exchange(&state->busy, true));
	os_release_signals(mask);
}

static void drop_frames(csprof_state_t *state, uint32_t n)
{
	if (n >= state->num_frames)
		n = state->num_frames ? state->num_frames - 1 : 0;
	for (uint32_t i = n; i < state->num_frames; i++)
		state->frames[i - n] = state->frames[i];
	state->num_frames -= n;
}

/* The arguments of a synchronous recording for csprof_guarded. */
struct record_work {
	uint32_t drop;                    /* frames */
	const struct csprof_recording *r; /* NULL: nothing is added */
	const void *ucontext;             /* of interrupted code; NULL: our caller's path */
	uint32_t kind;
	store_ref node; /* result; 0: no memory, or a fault */
};

/* The frames of a driver's own code, of which there are few. */
enum { MOST_OF_CODE = 8 };
static uint32_t count_code(const csprof_state_t *state, const struct csprof_recording *r)
{
	uint32_t n = 0;
	while (n < state->num_frames && state->frames[n].ip >= r->code &&
	       state->frames[n].ip < r->code_end)
		n++;
	return n;
}

/* Those inside of the nth frame that is in the code, or of the function that an interpreter has
 * called it for. */
static uint32_t count_inside(const csprof_state_t *state, const struct csprof_recording *r)
{
	uint32_t left = r->nth, caller = 0;
	if (csprof_interpreters_caller(state, &caller))
		return caller;
	for (uint32_t i = 0; i < state->num_frames; i++) {
		uintptr_t ip = state->frames[i].ip - 1;
		left -= ip >= r->code && ip < r->code_end;
		if (left == 0)
			return i;
	}
	return 0;
}

static bool walk(csprof_state_t *state, const struct record_work *w)
{
	if (w->ucontext)
		return csprof_unwind_context(state, w->ucontext);
	if (w->r && w->r->nth) {
		bool complete = csprof_unwind_here(state, w->drop);
		return csprof_unwind_expand(state) && complete;
	}
	return csprof_unwind_here(state, w->drop + (w->r && w->r->code ? MOST_OF_CODE : 0));
}

/* Insert the path as a recorded call: of our caller's caller, without our own frames, or of
 * interrupted code. */
static void do_record(csprof_state_t *state, void *arg)
{
	struct record_work *w = arg;
	if (walk(state, w))
		w->kind = CSP_TREE_COMPLETE;
	if (state->num_frames == 0)
		return;
	csprof_notes_place(state, w->kind == CSP_TREE_COMPLETE);
	if (!csprof_interpreters_merge(state, w->ucontext, w->kind == CSP_TREE_COMPLETE, false))
		w->kind = CSP_TREE_PARTIAL;
	if (state->num_frames == 0)
		return;
	drop_frames(state, w->drop);
	if (w->r && w->r->nth)
		drop_frames(state, count_inside(state, w->r));
	else if (w->r && w->r->code)
		drop_frames(state, count_code(state, w->r));
	state->frames[0].ip += state->frames[0].exact; /* as a call's: see key_of in cct.c */
	if (w->r && !csprof_notes_put(state, w->r->label))
		return;
	w->node =
	    csprof_cct_insert(state, w->kind, CSPROF_LEAF_RECORDED, w->r ? w->r->columns : NULL,
			      w->r ? w->r->amounts : NULL, w->r ? w->r->n : 0);
	if (w->node && w->kind == CSP_TREE_COMPLETE)
		csprof_unwind_mark(state);
}

static void record_here(csprof_state_t *state, struct record_work *w, uint64_t mask)
{
	w->kind = CSP_TREE_PARTIAL;
	if (!csprof_guarded(state, do_record, w))
		w->node = 0;
	leave(state, w->kind, mask);
}

/* reading: what that of the clock takes, or 0. */
static void add_cost_since(csprof_state_t *state, uint64_t began, uint64_t reading, uint64_t times)
{
	struct store_clock *clock = csprof_cpu_clock_of(state);
	uint64_t took = os_clock_self() - began;
	took = took > reading ? (took - reading) * times : 0;
	__atomic_store_n(&clock->cost, clock->cost + took, __ATOMIC_RELAXED);
}

/* Reading the clock takes as long as a short recording: one in so many stands for others. */
enum { TIMED = 16 };
struct cost_timing {
	bool timed;
	uint64_t began, reading;
};

static struct cost_timing begin_timing(csprof_state_t *state)
{
	struct cost_timing t = {.timed = state && csprof_one_in(state, TIMED)};
	if (t.timed) {
		uint64_t before = os_clock_self();
		t.began = os_clock_self();
		t.reading = t.began - before;
	}
	return t;
}

static void end_timing(csprof_state_t *state, const struct cost_timing *t)
{
	if (t->timed)
		add_cost_since(state, t->began, t->reading, TIMED);
}

bool csprof_recording_add(struct csprof_recording *r, uint32_t metric, uint64_t amount)
{
	if (r->n + 2 > sizeof r->columns / sizeof *r->columns ||
	    !csprof_metric_is_of_program(metric))
		return false;
	r->columns[r->n] = metric;
	r->columns[r->n + 1] = metric + 1;
	r->amounts[r->n] = amount;
	r->amounts[r->n + 1] = 1;
	r->n += 2;
	return true;
}

/* unwinds: begins with the frame of who has called us at `caller`. */
static inline __attribute__((always_inline)) int record(const struct csprof_recording *r,
							uintptr_t caller, uint32_t unwinds)
{
	csprof_state_t *state = csprof_self;
	uint64_t mask;
	struct cost_timing timing = begin_timing(state);
	if (!enter(state, &mask, csprof_samplers_wanted))
		return -ENOTSUP;
	/* the walk has already left out our own frames: this one, and the wrapper's if it is
	 * ours */
	uint32_t own = csprof_own_code(caller) ? 2 : 1;
	uint32_t drop = unwinds > own ? unwinds - own : 0;
	struct record_work w = {.drop = drop, .r = r};
	record_here(state, &w, mask);
	end_timing(state, &timing);
	return w.node ? 0 : -ENOMEM;
}

int csprof_record(const struct csprof_recording *r)
{
	return record(r, (uintptr_t)__builtin_return_address(0), r->unwinds);
}

int csprof_record_metric_with_unwind(uint32_t metric, uint64_t amount, uint32_t unwinds)
{
	struct csprof_recording r = {.n = 0};
	if (!csprof_recording_add(&r, metric, amount))
		return -EINVAL;
	return record(&r, (uintptr_t)__builtin_return_address(0), unwinds);
}

bool csprof_record_interrupted(const void *ucontext, const struct csprof_recording *r)
{
	struct record_work w = {.r = r, .ucontext = ucontext, .kind = CSP_TREE_PARTIAL};
	return csprof_guarded(csprof_self, do_record, &w) && w.node;
}

/* The arguments of csprof_find_frame for csprof_guarded. */
struct find_work {
	uintptr_t code, code_end;
	uint32_t nth, kind;
	struct csprof_found found;
};

static void do_find(csprof_state_t *state, void *arg)
{
	struct find_work *w = arg;
	if (csprof_unwind_here(state, 0))
		w->kind = CSP_TREE_COMPLETE;
	w->found = csprof_notes_find(state, w->code, w->code_end, w->nth);
	if (!w->nth || state->num_frames == 0)
		return;
	uint32_t i;
	if (!csprof_interpreters_merge(state, NULL, w->kind == CSP_TREE_COMPLETE, false))
		w->kind = CSP_TREE_PARTIAL;
	w->found.script = csprof_interpreters_caller(state, &i);
}

struct csprof_found csprof_find_frame(uintptr_t code, uintptr_t code_end, uint32_t nth)
{
	csprof_state_t *state = csprof_self;
	struct find_work w = {code, code_end, nth, CSP_TREE_PARTIAL, {0}};
	uint64_t mask;
	struct cost_timing timing = begin_timing(state);
	if (!enter(state, &mask, csprof_samplers_measured))
		return w.found;
	if (!csprof_guarded(state, do_find, &w))
		w.found = (struct csprof_found){0};
	leave(state, w.kind, mask);
	end_timing(state, &timing);
	return w.found;
}

/* The arguments of csprof_record_path for csprof_guarded. */
struct path_work {
	const uint64_t *keys;
	uint32_t n, kind;
	store_ref *nodes;
	bool made;
};

/* The walk is for the samples that come meanwhile. */
static void do_path(csprof_state_t *state, void *arg)
{
	struct path_work *w = arg;
	if (csprof_unwind_here(state, 0))
		w->kind = CSP_TREE_COMPLETE;
	if (!csprof_interpreters_merge(state, NULL, w->kind == CSP_TREE_COMPLETE, false))
		w->kind = CSP_TREE_PARTIAL;
	w->made = csprof_cct_path(state, w->keys, w->n, w->nodes);
}

bool csprof_record_path(const uint64_t *keys, uint32_t n, store_ref *tree, store_ref *nodes)
{
	csprof_state_t *state = csprof_self;
	struct path_work w = {.keys = keys, .n = n, .kind = CSP_TREE_PARTIAL, .nodes = nodes};
	uint64_t mask;
	if (!enter(state, &mask, csprof_samplers_wanted))
		return false;
	if (!csprof_guarded(state, do_path, &w))
		w.made = false;
	*tree = state->cct[CSP_TREE_COMPLETE].tree;
	leave(state, w.kind, mask);
	return w.made;
}

/* Also while measuring is stopped: the thread may be measured later. */
void csprof_record_creator(store_ref *tree, store_ref *node)
{
	csprof_state_t *state = csprof_self;
	struct record_work w = {.drop = 0};
	uint64_t mask;
	*tree = *node = 0;
	if (!enter(state, &mask, csprof_samplers_measured))
		return;
	uint64_t began = os_clock_self();
	record_here(state, &w, mask);
	add_cost_since(state, began, 0, 1);
	*node = w.node;
	if (*node)
		*tree = state->cct[w.kind].tree;
}
