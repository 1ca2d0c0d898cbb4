#include "runtime/interpreters/interpreters.h"

#include "runtime/base/options.h"
#include "runtime/interpreters/code.h"
#include "runtime/interpreters/interpreter.h"
#include "runtime/sample/fault.h"
#include "runtime/sample/unwind.h"

#include <string.h>

enum { KINDS = 1 };
static const struct interpreter *const kinds[KINDS] = {&csprof_cpython};

/* The one whose frames are read. The program may have several; it is the one found first. */
static const struct interpreter *_Atomic known;
static const char *unknown; /* why those of one cannot be read; under the lock */

/* ---- which one ---------------------------------------------------------------------- */

static struct {
	const struct interpreter *found;
	const char *why;
} look;

void csprof_interpreters_begin_look(void)
{
	look.found = NULL;
	look.why = NULL;
}

void csprof_interpreters_look(const struct os_module *m)
{
	for (uint32_t i = 0; csprof_options.interpreter && !look.found && i < KINDS; i++) {
		const char *why = NULL;
		if (kinds[i]->recognise(m, &why))
			look.found = kinds[i];
		if (why && !look.why)
			look.why = why;
	}
}

static void say_why(void)
{
	struct store_header *h = csprof_store_header();
	if (unknown && !h->uninterpreted)
		h->uninterpreted =
		    csprof_store_string(&csprof_process.arena, unknown, strlen(unknown));
}

void csprof_interpreters_end_look(void)
{
	const struct interpreter *was = atomic_load(&known);
	atomic_store(&known, look.found);
	if (was && !look.found)
		was->forget();
	if (look.why)
		unknown = look.why;
	say_why();
}

void csprof_interpreters_begin(void)
{
	csprof_code_begin();
	say_why();
}

/* ---- memory of a thread ------------------------------------------------------------- */

enum { FIRST_SCRIPTS = 256 };

static bool more_scripts(struct csprof_scripts *s)
{
	uint32_t max = s->max ? 2 * s->max : FIRST_SCRIPTS;
	struct csprof_script *list =
	    max <= CSPROF_MAX_FRAMES ? os_map(max * sizeof *s->list) : NULL;
	if (!list)
		return false;
	if (s->list) {
		memcpy(list, s->list, s->n * sizeof *list);
		os_unmap(s->list, s->max * sizeof *list);
	}
	s->list = list;
	s->max = max;
	return true;
}

bool csprof_scripts_add(struct csprof_scripts *s, uint64_t ip, uintptr_t at)
{
	if (s->n == s->max && !more_scripts(s))
		return false;
	s->list[s->n++] = (struct csprof_script){ip, at};
	return true;
}

void csprof_interpreters_deinit(csprof_state_t *state)
{
	struct csprof_scripts *s = state->scripts;
	if (s && s->list)
		os_unmap(s->list, s->max * sizeof *s->list);
	if (s)
		os_unmap(s, sizeof *s);
	state->scripts = NULL;
}

/* ---- reading ------------------------------------------------------------------------ */

/* The arguments of a reading for csprof_attempt. */
struct script_reading {
	const struct interpreter *by;
	uintptr_t futex;
	bool whole, locks;
};

static void do_walk(csprof_state_t *state, void *arg)
{
	struct script_reading *r = arg;
	r->whole = r->by->walk(state);
}

static void do_locks(csprof_state_t *state, void *arg)
{
	struct script_reading *r = arg;
	r->locks = r->by->locks(state, r->futex);
}

static bool waits_for_lock(csprof_state_t *state, struct script_reading *r, const void *ucontext)
{
	struct csprof_call call;
	struct os_futex futex;
	if (!csprof_cpu.last_call(ucontext, &call) ||
	    !os_futex_wait((int)call.number, call.args, &futex))
		return false;
	r->futex = futex.at;
	return csprof_attempt(state, do_locks, r) && r->locks;
}

/* The ip of a thread that waits for the interpreter's lock; 0: there is no memory. */
static uint64_t lock_ip(void)
{
	static const uint8_t no_lines[1];
	const struct csprof_code_facts facts = {
	    .file = CSP_SOURCE_INTERPRETER,
	    .name = CSP_WAITS_FOR_GIL,
	    .lines = no_lines,
	    .file_bytes = sizeof CSP_SOURCE_INTERPRETER - 1,
	    .name_bytes = sizeof CSP_WAITS_FOR_GIL - 1,
	    .extent = 1,
	};
	enum { KEY = 1 }; /* no address has it */
	store_ref code = csprof_code_find(KEY);
	if (!code)
		code = csprof_code_add(KEY, &facts);
	return code ? csprof_code_ip(code, 0) : 0;
}

/* ---- merging ------------------------------------------------------------------------ */

/* Let each frame have as its `at` the number of the native frame that runs it, from 1; 0: that was
 * not walked, and neither were those outside of it. */
static void find_runners(const csprof_state_t *state, const struct csprof_scripts *s)
{
	uint32_t native = 0, n = state->num_frames, i = 0;
	uintptr_t last = 0;
	for (; i < s->n; i++) {
		uintptr_t at = s->list[i].at;
		if (i == 0 || at != last)
			while (native + 1 < n && !(at >= state->frames[native].sp &&
						   at < state->frames[native + 1].sp))
				native++;
		if (native + 1 >= n)
			break;
		last = at;
		s->list[i].at = native + 1;
	}
	for (; i < s->n; i++)
		s->list[i].at = 0;
}

/* The same where each native frame that runs frames runs one. The innermost one may just begin, or
 * be about to end. Returns false if the numbers do not fit. */
static bool count_runners(const csprof_state_t *state, const struct interpreter *by,
			  const struct csprof_scripts *s)
{
	uint32_t runners = 0, i = s->n;
	for (uint32_t k = 0; k < state->num_frames; k++)
		runners += by->runs(state->frames[k].ip - !state->frames[k].exact);
	if (runners != s->n && runners != s->n + 1)
		return false;
	for (uint32_t k = state->num_frames; k > 0 && i > 0; k--)
		if (by->runs(state->frames[k - 1].ip - !state->frames[k - 1].exact))
			s->list[--i].at = k;
	return true;
}

/* The frames of a walk, innermost first, and those of the interpreter become one list. It is made
 * before the former, which have been moved by so many. */
struct merging {
	csprof_state_t *state;
	const struct csprof_scripts *scripts;
	uint32_t script, to;
};

static void put_script(struct merging *m, uintptr_t sp)
{
	m->state->frames[m->to++] = (struct csprof_frame){
	    .ip = m->scripts->list[m->script++].ip, .sp = sp, .exact = true, .script = true};
	m->state->num_scripts++;
}

static void put_scripts_of(struct merging *m, uint32_t native, uintptr_t sp)
{
	while (m->script < m->scripts->n && m->scripts->list[m->script].at == native)
		put_script(m, sp);
}

/* complete: else frames whose native ones were not walked are outside of all. lock: the ip of a
 * wait for the interpreter's lock, in place of what was called for that; 0: there is none. */
static bool merge(csprof_state_t *state, const struct csprof_scripts *s, bool complete,
		  uint64_t lock)
{
	struct merging m = {.state = state, .scripts = s};
	uint32_t moved = s->n + 1, total = state->num_frames, from = 1;
	if (!csprof_unwind_prepend(state, moved))
		return false;
	struct csprof_frame *frames = state->frames;
	if (lock) {
		from = s->n && s->list[0].at ? (uint32_t)s->list[0].at : 2;
		frames[m.to++] = (struct csprof_frame){
		    .ip = lock, .sp = frames[moved].sp, .exact = true, .script = true};
		state->num_scripts++;
	}
	for (uint32_t k = from; k <= total; k++) {
		struct csprof_frame native = frames[moved + k - 1];
		put_scripts_of(&m, k, native.sp);
		frames[m.to++] = native;
	}
	while (!complete && m.script < s->n)
		put_script(&m, frames[m.to - 1].sp);
	state->num_frames = m.to;
	return true;
}

static struct csprof_scripts *scripts_of(csprof_state_t *state)
{
	if (!state->scripts)
		state->scripts = os_map(sizeof *state->scripts);
	return state->scripts;
}

bool csprof_interpreters_merge(csprof_state_t *state, const void *ucontext, bool complete,
			       bool in_kernel)
{
	struct script_reading r = {.by = atomic_load_explicit(&known, memory_order_acquire)};
	struct csprof_scripts *s = r.by ? scripts_of(state) : NULL;
	if (!s)
		return complete;
	s->n = 0;
	bool whole = csprof_attempt(state, do_walk, &r) && r.whole;
	bool waits = in_kernel && waits_for_lock(state, &r, ucontext);
	if (!whole)
		s->n = 0;
	if (s->n == 0 && !waits)
		return complete && whole;
	if (!csprof_unwind_expand(state)) {
		state->num_frames = 0;
		return false;
	}
	if (!r.by->counts())
		find_runners(state, s);
	else if (!complete || !count_runners(state, r.by, s))
		s->n = 0, whole = false;
	if (!merge(state, s, complete, waits ? lock_ip() : 0))
		state->num_frames = 0;
	return complete && whole;
}

/* ---- for notes and recordings ------------------------------------------------------- */

uint32_t csprof_interpreters_depth(const csprof_state_t *state, uint32_t depth, uint32_t script)
{
	bool scripts = script && script <= state->num_scripts;
	uint32_t left = scripts ? script : depth, path = 0;
	if (state->num_scripts == 0)
		return depth;
	for (uint32_t i = state->num_frames; left && i > 0; i--) {
		path++;
		left -= state->frames[i - 1].script == scripts;
	}
	return path;
}

uint32_t csprof_interpreters_caller(const csprof_state_t *state, uint32_t *i)
{
	uint32_t number = state->num_scripts, first = number;
	const struct csprof_frame *own = NULL;
	for (uint32_t k = 0; k < state->num_frames; k++) {
		const struct csprof_frame *f = &state->frames[k];
		if (!f->script)
			continue;
		if (!own) {
			own = f;
			*i = k;
		}
		if (f->ip >> CSP_SOURCE_SHIFT != own->ip >> CSP_SOURCE_SHIFT) {
			*i = k;
			return number;
		}
		number--;
	}
	return first;
}
