#include "runtime/sample/unwind.h"

#include "runtime/base/message.h"
#include "runtime/base/options.h"
#include "runtime/cpu/slots.h"
#include "runtime/os/os.h"
#include "runtime/sample/epoch.h"
#include "runtime/sample/marks.h"
#include "runtime/sample/unwind_libunwind.h"

#include <string.h>
#include <ucontext.h>

enum { FIRST_FRAMES = 256 };

/* The least number of frames that are worth remembering. To walk fewer takes less than a sample's
 * other parts; recordings have none, and often come from the same place again. */
enum { WORTH_SAMPLED = 64, WORTH_RECORDED = 24 };

static bool more_frames(csprof_state_t *state)
{
	uint32_t max = state->max_frames < FIRST_FRAMES ? FIRST_FRAMES : state->max_frames * 2;
	if (max > CSPROF_MAX_FRAMES)
		return false;
	struct csprof_frame *frames = os_map(max * sizeof *frames);
	if (!frames)
		return false;
	uint32_t n = state->num_frames;
	if (n)
		memcpy(frames, state->frames, n * sizeof *frames);
	csprof_unwind_deinit(state);
	state->frames = frames;
	state->num_frames = n;
	state->max_frames = max;
	return true;
}

void csprof_unwind_init(csprof_state_t *state)
{
	state->frames = state->few_frames;
	state->num_frames = 0;
	state->max_frames = CSPROF_FEW_FRAMES;
}

void csprof_unwind_deinit(csprof_state_t *state)
{
	if (state->frames && state->frames != state->few_frames)
		os_unmap(state->frames, state->max_frames * sizeof *state->frames);
	state->frames = NULL;
	state->num_frames = state->max_frames = 0;
}

static bool add_frame(csprof_state_t *state, const struct csprof_cursor *c)
{
	if (state->num_frames == state->max_frames && !more_frames(state))
		return false;
	state->frames[state->num_frames++] =
	    (struct csprof_frame){.ip = c->ip, .sp = c->sp, .exact = c->exact};
	return true;
}

/* Probe as many further pages as one call can check. */
static bool probe(csprof_state_t *state)
{
	if (state->probed_all)
		return false;
	uint32_t n = os_readable_pages(state->probed_high);
	state->probed_high += (uintptr_t)n * OS_PAGE;
	state->probed_all = n < OS_PAGES_AT_ONCE;
	return n > 0;
}

/* Where a step from c may read. On the thread's own stack: up to its base. On other stacks (an
 * alternate stack, a coroutine's) the base is unknown: page by page, as far as the kernel
 * reports them readable. */
static void bounds(csprof_state_t *state, const struct csprof_cursor *c, uintptr_t *low,
		   uintptr_t *high)
{
	*low = c->sp > CSPROF_RED_ZONE ? c->sp - CSPROF_RED_ZONE : 0;
	if (c->sp >= state->stack_low && c->sp < state->stack_high) {
		*high = state->stack_high;
		return;
	}
	if (c->sp < state->probed_low || c->sp >= state->probed_high) {
		state->probed_low = state->probed_high = c->sp & ~(uintptr_t)(OS_PAGE - 1);
		state->probed_all = false;
	}
	if (*low < state->probed_low)
		*low = state->probed_low;
	/* two pages ahead are enough for all but the largest frames; beyond them step returns
	 * BAD */
	while (state->probed_high < c->sp + 2 * OS_PAGE && probe(state))
		;
	*high = state->probed_high;
}

/* A frame extends beyond the probed pages: probe further, up to a limit. */
static bool probe_further(csprof_state_t *state, const struct csprof_cursor *c)
{
	enum { FURTHER = 256 / OS_PAGES_AT_ONCE };
	if (c->sp >= state->stack_low && c->sp < state->stack_high)
		return false;
	uintptr_t before = state->probed_high;
	for (int i = 0; i < FURTHER && probe(state); i++)
		;
	return state->probed_high > before;
}

static int step(csprof_state_t *state, struct csprof_cursor *c)
{
	uintptr_t low, high;
	bounds(state, c, &low, &high);
	int r = csprof_cpu.step(c, low, high);
	if (r == CSPROF_STEP_BAD && probe_further(state, c))
		r = csprof_cpu.step(c, low, state->probed_high);
	state->memo.met = 0;
	if (r == CSPROF_STEP_OK && csprof_is_slot(c->ip))
		csprof_marks_resolve(&state->memo, c);
	return r;
}

/* The main thread's outermost frame is where the kernel put the arguments. The unwind
 * information of the loader's entry, which calls the constructors, does not mark the end of the
 * stack. */
static bool at_entry(const csprof_state_t *state, const struct csprof_cursor *c)
{
	enum { ARGUMENTS = 4 * sizeof(uintptr_t) };
	return c->sp <= state->stack_high && state->stack_high - c->sp <= ARGUMENTS;
}

/* The return address of a coroutine's function (glibc's __start_context, a local symbol). Its
 * unwind information does not say where its caller is. */
static uintptr_t coroutine_base;

static void nothing(void)
{
}

void csprof_unwind_learn(void)
{
	enum { ENOUGH = 1024 };
	static _Alignas(16) char stack[ENOUGH];
	static ucontext_t context;
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof stack;
	makecontext(&context, nothing, 0);
	coroutine_base = csprof_cpu.context_return(&context);
}

/* Whether a walk that goes on as the last one would end where that one did. The step from the
 * outermost frame may read more than was remembered, so it is made again. */
static bool ends_as_before(csprof_state_t *state)
{
	const struct csprof_memo_frame *f = &state->memo.frames[0];
	struct csprof_cursor base = {.ip = f->ip, .sp = f->sp, .bp = f->bp, .exact = f->exact};
	return step(state, &base) == CSPROF_STEP_END;
}

/* Whether the frames from c on are known. */
static bool is_known(csprof_state_t *state, const struct csprof_cursor *c, uint32_t least)
{
	struct csprof_memo *m = &state->memo;
	uint32_t known;
	if (state->num_frames <= least)
		return false;
	if (m->met && !m->whole) {
		state->outer = m->met;
		m->by_mark = true;
		return true;
	}
	if (!m->usable || !csprof_memo_meets(m, c, &known))
		return false;
	m->usable = ends_as_before(state);
	if (m->usable)
		state->outer = known;
	return m->usable;
}

static bool walk_on(csprof_state_t *state, struct csprof_cursor *c, uint32_t least)
{
	enum { LOWEST_CODE = 1 << 16 }; /* mmap_min_addr: nothing is mapped below */
	enum { MOST_SIGNALS = 64 };     /* in each other; a damaged frame can lead to itself */
	int r, signals = 0;
	do {
		bool own = csprof_own_code(c->ip);
		if (coroutine_base && c->ip == coroutine_base)
			return state->num_frames > 0 || add_frame(state, c);
		if (c->ip < LOWEST_CODE && state->num_frames > 0)
			return false;
		if (!own && is_known(state, c, least))
			return true;
		if (!own && !add_frame(state, c))
			return false;
		csprof_memo_leaves(&state->memo, c, own);
		r = step(state, c);
		if (r == CSPROF_STEP_OK)
			csprof_memo_left(&state->memo, c);
		/* the frame of a signal's restorer was not called: its address is exact as well */
		if (r == CSPROF_STEP_OK && c->exact && !own)
			state->frames[state->num_frames - 1].exact = true;
		if (r == CSPROF_STEP_OK && c->exact && ++signals > MOST_SIGNALS)
			return false;
	} while (r == CSPROF_STEP_OK);
	return r == CSPROF_STEP_END || at_entry(state, c);
}

static bool same_frames(const struct csprof_frame *frames, const struct csprof_memo *m,
			uint32_t known)
{
	for (uint32_t i = 0; i < known; i++) {
		const struct csprof_memo_frame *f = &m->frames[known - 1 - i];
		if (frames[i].ip != f->ip || frames[i].sp != f->sp || frames[i].exact != f->exact)
			return false;
	}
	return true;
}

/* For -D: go on with a walk that has ended at a remembered frame. If that was wrong, it is whole
 * now, and what was remembered is dropped. Returns whether the walk is complete. */
static bool check_known(csprof_state_t *state, const struct csprof_cursor *met)
{
	struct csprof_memo *m = &state->memo;
	struct csprof_cursor c = *met;
	uint32_t n = state->num_frames, known = state->outer;
	bool recording = m->recording;
	m->recording = m->usable = false;
	m->whole = true;
	bool complete = walk_on(state, &c, 0);
	m->recording = recording;
	atomic_fetch_add(&csprof_process.walks_compared, 1);
	if (complete && state->num_frames - n == known &&
	    same_frames(state->frames + n, m, known)) {
		state->num_frames = n;
		return true;
	}
	atomic_fetch_add(&csprof_process.walks_different, 1);
	state->outer = 0;
	m->recording = false;
	if (m->marks)
		csprof_marks_give_up(m, CSPROF_MARKS_LOST);
	m->num_frames = m->inserted = 0;
	return complete;
}

/* Whether a walk that ended at c has found the frame that all outer ones can be remembered from: c
 * may also be our own, or a coroutine's return address. */
static bool has_base(const csprof_state_t *state, const struct csprof_cursor *c)
{
	const struct csprof_frame *last = &state->frames[state->num_frames - 1];
	return state->outer > 0 ||
	       (state->num_frames > 0 && last->ip == c->ip && last->sp == c->sp);
}

/* Paths with fewer frames than worth are walked at once. */
static bool walk(csprof_state_t *state, struct csprof_cursor *c, uint32_t least, uint32_t worth)
{
	bool complete, debug = csprof_options.debug & CSPROF_DEBUG_WALKS;
	bool own = c->sp >= state->stack_low && c->sp < state->stack_high;
	if (state->memo.marks && !csprof_process.use_marks)
		csprof_marks_give_up(&state->memo, CSPROF_MARKS_APART);
	if (csprof_process.use_memo)
		csprof_memo_begin(&state->memo, debug || state->cct[CSP_TREE_COMPLETE].len >= worth,
				  csprof_epoch_generation(), own);
	if (csprof_is_slot(c->ip)) {
		csprof_marks_resolve(&state->memo, c);
		__atomic_fetch_add(&csprof_store_header()->tramp_samples, 1, __ATOMIC_RELAXED);
	}
	complete = walk_on(state, c, least);
	/* an unwinder that is about to leave copies the return address of where it goes to; a guess
	 * may have found what a frame that is gone has left on the stack */
	if (own && state->memo.marks && state->memo.lost && !csprof_marks_must_stay(&state->memo) &&
	    state->memo.certain == UINT32_MAX)
		csprof_marks_give_up(&state->memo, CSPROF_MARKS_LOST);
	if (state->outer && debug)
		complete = check_known(state, c);
	if (complete && has_base(state, c))
		csprof_memo_end(&state->memo, c, state->outer, state->stack_low, state->stack_high);
	return complete;
}

static void begin(csprof_state_t *state)
{
	state->num_frames = state->outer = state->num_notes = state->num_scripts = 0;
	state->probed_low = state->probed_high = 0;
	state->probed_all = false;
}

static bool walk_libunwind(csprof_state_t *state, const void *ucontext)
{
	int n;
	while ((n = csprof_libunwind_walk(ucontext, state->frames, (int)state->max_frames)) ==
	       (int)state->max_frames)
		if (!more_frames(state))
			break;
	uint32_t kept = 0;
	for (int i = 0; i < n; i++)
		if (!csprof_own_code(state->frames[i].ip))
			state->frames[kept++] = state->frames[i];
	state->num_frames = kept;
	return n > 0;
}

bool csprof_unwind_context(csprof_state_t *state, const void *ucontext)
{
	struct csprof_cursor c;
	begin(state);
	if (csprof_process.use_libunwind)
		return walk_libunwind(state, ucontext);
	csprof_cpu.from_context(&c, ucontext);
	return walk(state, &c, 0, WORTH_SAMPLED);
}

bool csprof_unwind_here(csprof_state_t *state, uint32_t least)
{
	struct csprof_cursor c;
	begin(state);
	csprof_cpu_here(&c);
	return walk(state, &c, least, WORTH_RECORDED);
}

bool csprof_unwind_expand(csprof_state_t *state)
{
	for (; state->outer > 0; state->outer--) {
		const struct csprof_memo_frame *f = &state->memo.frames[state->outer - 1];
		if (state->num_frames == state->max_frames && !more_frames(state))
			return false;
		state->frames[state->num_frames++] =
		    (struct csprof_frame){.ip = f->ip, .sp = f->sp, .exact = f->exact};
	}
	return true;
}

struct csprof_frame *csprof_unwind_prepend(csprof_state_t *state, uint32_t n)
{
	while (state->num_frames + n > state->max_frames)
		if (!more_frames(state))
			return NULL;
	memmove(state->frames + n, state->frames, state->num_frames * sizeof *state->frames);
	state->num_frames += n;
	return state->frames;
}

void csprof_unwind_mark(csprof_state_t *state)
{
	const struct csprof_cct *cct = &state->cct[CSP_TREE_COMPLETE];
	uint32_t notes = state->num_notes;
	if (state->num_scripts)
		return;
	csprof_marks_put(&state->memo, cct->nodes, cct->len > notes ? cct->len - notes : 0);
}
