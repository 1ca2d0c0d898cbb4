#include "runtime/process/thread.h"

#include "runtime/base/message.h"
#include "runtime/base/options.h"
#include "runtime/csprof.h"
#include "runtime/interception/masks.h"
#include "runtime/interception/signals.h"
#include "runtime/interception/stacks.h"
#include "runtime/os/os.h"
#include "runtime/sample/epoch.h"
#include "runtime/sample/marks.h"
#include "runtime/sample/unwind.h"
#include "runtime/sandboxes/seccomp.h"
#include "runtime/trees/cct.h"

#include <stddef.h>
#include <string.h>

enum { STATES_AT_ONCE = 16 };

/* Free states: a thread that begins maps nothing, except pages for long paths. Under the
 * process's lock. */
static CSPROF_TOGETHER csprof_state_t *spare_states;

/* States that were never used: linking them would touch their pages, and each costs a page fault
 * in every image. Under the process's lock. */
static CSPROF_TOGETHER struct {
	uint8_t *at;
	uint32_t left;
} fresh_states;

static csprof_state_t *take_state(void)
{
	csprof_state_t *state = spare_states;
	if (state) {
		spare_states = state->next;
		return state;
	}
	if (!fresh_states.left) {
		fresh_states.at = os_map((size_t)STATES_AT_ONCE * CSPROF_STATE_BYTES);
		fresh_states.left = fresh_states.at ? STATES_AT_ONCE : 0;
	}
	if (!fresh_states.left)
		return NULL;
	state = (void *)fresh_states.at;
	fresh_states.at += CSPROF_STATE_BYTES;
	fresh_states.left--;
	return state;
}

static csprof_state_t *new_state(void)
{
	csprof_state_t *state = take_state();
	if (state) {
		memset(state, 0, offsetof(csprof_state_t, few_keys));
		csprof_unwind_init(state);
		csprof_cct_init(state);
	}
	return state;
}

/* The thread's marks have been ended, kept or forgotten. */
static void free_state(csprof_state_t *state)
{
	for (int kind = 0; kind < CSPROF_TREE_KINDS; kind++)
		csprof_cct_deinit(&state->cct[kind]);
	csprof_unwind_deinit(state);
	csprof_memo_deinit(&state->memo);
	state->next = spare_states;
	spare_states = state;
}

static void link_state(csprof_state_t *state)
{
	state->next = csprof_process.threads;
	if (state->next)
		state->next->previous = state;
	csprof_process.threads = state;
}

static void unlink_state(csprof_state_t *state)
{
	*(state->previous ? &state->previous->next : &csprof_process.threads) = state->next;
	if (state->next)
		state->next->previous = state->previous;
}

/* For the seeds of the threads' own generators and their first samples: splitmix64 (Steele, Lea,
 * Flood, "Fast splittable pseudorandom number generators"). */
static CSPROF_TOGETHER uint64_t random_state; /* 0: none yet */

static uint64_t new_random(void)
{
	if (!random_state)
		random_state = os_random();
	uint64_t z = random_state += 0x9E3779B97F4A7C15ull;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
	z = (z ^ z >> 27) * 0x94D049BB133111EBull;
	return z ^ z >> 31;
}

static uint64_t below(uint64_t n)
{
	return (uint64_t)((unsigned __int128)new_random() * n >> 64);
}

/* The first sample comes as if sampling had begun long before the thread, so that no instant of
 * the thread is sampled more often than another, however short it lives: the thread begins at a
 * random point of a period, and the probability of a period is proportional to its length. */
static uint64_t first_sample(uint64_t period)
{
	uint64_t length;
	do
		length = period / 2 + below(period);
	while (below(period + period / 2) >= length);
	return 1 + below(length);
}

/* Add the thread's source to the list of sources for the report. */
static void name_source(const csprof_state_t *state)
{
	struct csprof_measured *measured = state->measured;
	struct store_metric *m = &csprof_store_header()->metrics[measured->column];
	if (measured->sources >> state->driver & 1)
		return;
	measured->sources |= 1u << state->driver;
	const char *name = measured->by->drivers[state->driver]->name;
	size_t have = strlen(m->source), more = strlen(name);
	if (have + 3 + more < sizeof m->source) {
		if (have) {
			memcpy(m->source + have, " + ", 3);
			have += 3;
		}
		memcpy(m->source + have, name, more);
	}
}

void csprof_thread_name_source(const csprof_state_t *state)
{
	if (state->measured->sources >> state->driver & 1 || !csprof_try_lock())
		return;
	name_source(state);
	csprof_unlock();
}

static void start_source(csprof_state_t *state)
{
	uint64_t period = state->measured->period;
	csprof_pace_init(&state->pace, period, csprof_options.budget, csprof_options.cost.timer);
	uint64_t first = first_sample(csprof_pace_mean(&state->pace));
	state->source.floor = csprof_pace_floor(&state->pace);
	state->source.drivers = state->measured->by->drivers;
	int r =
	    csprof_source_start(&state->source, &state->driver, csprof_process.sig, period, first);
	if (r < 0) {
		csprof_say(CSPROF_SAY_SOURCE, "a thread cannot be sampled:", strerrordesc_np(-r),
			   INT64_MIN);
		return;
	}
	csprof_pace_armed(&state->pace, os_clock_self(), first, r == 0);
	/* while it waits for its first sample, it is not yet known which source it will use */
	if (!atomic_load(&state->source.later))
		name_source(state);
	csprof_store_header()->metrics[state->measured->column].kernel =
	    state->source.driver->kernel;
	csprof_say(CSPROF_SAY_SOURCE, "sampling by", state->source.driver->name, state->tid);
}

void csprof_thread_resample(csprof_state_t *state)
{
	state->rest = CSP_TAIL;
	start_source(state);
}

static void take_name(const csprof_state_t *state, uint32_t tid)
{
	struct store_thread *t = csprof_store_at(state->thread);
	char name[sizeof t->name];
	if (os_thread_name(tid, name, sizeof name) >= 0)
		memcpy(t->name, name, sizeof name);
}

void csprof_thread_named(void)
{
	const csprof_state_t *state = csprof_self;
	if (state && !csprof_confined() && csprof_process.pid == os_pid())
		take_name(state, 0);
}

/* The caller holds the lock. The state is complete before the source's first signal. */
static void begin(struct csprof_promise *promise, uintptr_t low, uintptr_t high)
{
	csprof_state_t *state = new_state();
	if (!state)
		return;
	state->tid = os_tid();
	state->measured = &csprof_process.measured[0];
	state->rest = CSP_TAIL;
	state->stack_low = low;
	state->stack_high = high;
	state->random = new_random() | 1;
	if (csprof_record_begin(state, promise)) {
		take_name(state, 0);
		link_state(state);
		state->began = state->measured->by->clock == os_clock_self
				   ? csprof_clock_of(state)->start
				   : os_clock_self();
		csprof_self = state;
		if (csprof_process.use_marks)
			csprof_marks_begin(&state->memo);
		if (csprof_sampling_refused())
			state->rest = CSP_MEASURING_OFF;
		else
			start_source(state);
		/* during an exec; csprof_process_resume continues it */
		if (state->source.driver && !atomic_load(&csprof_process.measuring))
			state->source.driver->quiet(&state->source);
	} else {
		free_state(state);
	}
}

void csprof_thread_start(struct csprof_promise *promise, uintptr_t low, uintptr_t high)
{
	if (!csprof_self && csprof_process_counts()) {
		csprof_mask_adopt();
		csprof_lock();
		if (csprof_process_counts()) /* it may just have ended */
			begin(promise, low, high);
		csprof_unlock();
		csprof_mask_started();
		if (csprof_self)
			csprof_say(CSPROF_SAY_THREAD, "thread begins", NULL, csprof_self->tid);
	}
	if (promise)
		csprof_promise_drop(promise);
	csprof_own_start();
}

bool csprof_thread_wait_idle(const csprof_state_t *state, uint64_t until)
{
	enum { PAUSE_NS = 50 * 1000 };
	while (state != csprof_self && atomic_load(&state->busy)) {
		if (os_clock_mono() >= until)
			return false;
		os_sleep_ns(PAUSE_NS);
	}
	return true;
}

/* Account for what the clock has advanced since the last sample. The weight of a sample is the
 * time before it, and the weight of a thread's first one is too small, because the thread began
 * within its period. The time after the last sample is exactly what is missing there, so it is
 * added to the first sample, as if the thread's time were a circle. So the shares are right even
 * for threads that last no longer than a period. If the time is longer than two periods plus the
 * delay that a sample may have, it is a time without samples, and so is the time after the
 * thread's function returned. */
static void account_rest(csprof_state_t *state, struct store_clock *c)
{
	const struct csprof_measured *m = state->measured;
	enum csp_disposition why = atomic_load(&state->rest);
	uint64_t until = state->returned > c->last ? state->returned : c->end;
	uint64_t rest = until - c->last;
	c->account[why].weight += c->end - until;
	if (m->by->clock == os_clock_self)
		c->cost += c->end - until; /* counted as our cost */
	if (why == CSP_TAIL && state->first_node && rest <= 2 * m->period + m->by->late) {
		struct store_node *n = csprof_store_at(state->first_node);
		n->metrics[m->column] += rest;
		why = state->first_became;
		state->first_node = 0; /* once */
	}
	c->account[why].weight += rest;
	c->last = c->end; /* a thread may be closed before a failed exec and at its end */
}

void csprof_thread_close(csprof_state_t *state)
{
	struct store_thread *t = csprof_store_at(state->thread);
	struct store_clock *c = csprof_clock_of(state);
	const struct csprof_sampling *by = state->measured->by;
	bool self = state == csprof_self;
	uint64_t end = self ? by->clock() : by->clock_of(state->tid);
	c->end = end > c->last ? end : c->last;
	account_rest(state, c);
	uintptr_t sp = self ? (uintptr_t)__builtin_frame_address(0) : 0;
	bool on_own = sp >= state->stack_low && sp < state->stack_high;
	csprof_marks_count(&state->memo, on_own ? sp : 0);
	t->end_ns = os_clock_mono() - csprof_process.start_mono;
	take_name(state, self ? 0 : state->tid);
	if (state->source.driver && !atomic_load(&state->source.later))
		name_source(state); /* the source may have been replaced */
}

void csprof_thread_reopen(csprof_state_t *state)
{
	struct store_thread *t = csprof_store_at(state->thread);
	csprof_clock_of(state)->end = t->end_ns = 0;
}

void csprof_thread_returning(void)
{
	csprof_state_t *state = csprof_self;
	if (csprof_confined())
		return;
	os_block_signal(csprof_process.sig);
	if (state && state->source.sig && state->source.sig != csprof_process.sig)
		os_block_signal(state->source.sig);
	if (state && !state->returned)
		state->returned = state->measured->by->clock();
}

void csprof_thread_end(void)
{
	csprof_state_t *state = csprof_self;
	if (csprof_confined() || csprof_process.pid != os_pid())
		return;
	if (!state) {
		csprof_stacks_thread_end();
		return;
	}
	csprof_epoch_change_left();
	if (!state->returned) /* after pthread_exit or cancellation */
		csprof_thread_returning();
	csprof_lock();
	atomic_store(&state->busy, true);
	if (state->source.driver)
		state->source.driver->stop(&state->source, false);
	if (atomic_load(&csprof_process.measuring)) /* an exec has set its own actions */
		csprof_signal_look();
	csprof_thread_close(state); /* also if an exec in progress has closed it already */
	csprof_marks_end(&state->memo);
	unlink_state(state);
	csprof_self = NULL;
	csprof_stacks_thread_end();
	csprof_record_end(state);
	uint32_t tid = state->tid;
	free_state(state);
	csprof_unlock();
	csprof_say(CSPROF_SAY_THREAD, "thread ends", NULL, tid);
}

void csprof_threads_forget(uintptr_t *low, uintptr_t *high)
{
	csprof_state_t *self = csprof_self;
	*low = self ? self->stack_low : 0;
	*high = self ? self->stack_high : 0;
	csprof_self = NULL;
	for (csprof_state_t *s = csprof_process.threads, *next; s; s = next) {
		next = s->next;
		if (s->source.driver)
			s->source.driver->stop(&s->source, true);
		(s == self ? csprof_marks_keep : csprof_marks_forget)(&s->memo);
		free_state(s);
	}
	csprof_process.threads = NULL;
	random_state = 0; /* else all children of a process would be sampled at the same times */
	csprof_records_forget();
	for (uint32_t e = 0; e < csprof_process.num_measured; e++)
		csprof_process.measured[e].sources = 0;
}

/* Another thread's marks, while its handler cannot run. A sample that comes meanwhile is dropped,
 * and the thread's source is armed again. */
static void unmark_other(csprof_state_t *state)
{
	enum { WAIT_NS = 10 * 1000 * 1000 };
	if (!csprof_thread_wait_idle(state, os_clock_mono() + WAIT_NS) ||
	    atomic_exchange(&state->busy, true))
		return; /* its next walk does it */
	csprof_marks_give_up(&state->memo, CSPROF_MARKS_APART);
	bool sampled = state->sampled;
	state->sampled = false;
	atomic_store(&state->busy, false);
	if (sampled && state->source.driver)
		state->source.driver->arm(&state->source, csprof_pace_mean(&state->pace));
}

void csprof_threads_restore(void)
{
	if (!csprof_process.use_marks)
		return;
	if (csprof_self && !atomic_exchange(&csprof_self->busy, true))
		csprof_marks_give_up(&csprof_self->memo, CSPROF_MARKS_APART);
	if (!csprof_try_lock())
		return;
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		if (s != csprof_self && !atomic_exchange(&s->busy, true))
			csprof_marks_give_up(&s->memo, CSPROF_MARKS_APART);
	csprof_unlock();
}

void csprof_threads_unmark(void)
{
	csprof_lock();
	csprof_process.use_marks = false;
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		if (s != csprof_self)
			unmark_other(s);
	csprof_unlock();
	if (csprof_self && csprof_own_begin()) {
		csprof_marks_give_up(&csprof_self->memo, CSPROF_MARKS_APART);
		csprof_own_end();
	}
}
