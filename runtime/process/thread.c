#include "runtime/process/thread.h"

#include "runtime/base/message.h"
#include "runtime/base/options.h"
#include "runtime/base/scale.h"
#include "runtime/csprof.h"
#include "runtime/interception/masks.h"
#include "runtime/interception/signals.h"
#include "runtime/interception/stacks.h"
#include "runtime/os/os.h"
#include "runtime/process/control.h"
#include "runtime/process/labels.h"
#include "runtime/process/plugins.h"
#include "runtime/process/process.h"
#include "runtime/process/regions.h"
#include "runtime/process/states.h"
#include "runtime/sample/blame.h"
#include "runtime/sample/epoch.h"
#include "runtime/sample/marks.h"
#include "runtime/sample/sampler.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/values.h"
#include "runtime/sample/wall.h"
#include "runtime/sandboxes/seccomp.h"
#include "runtime/trees/cct.h"

#include <stddef.h>
#include <string.h>

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

/* Append to a string in n bytes, as much as there is room for. */
static void append(char *to, size_t n, const char *text)
{
	size_t at = strlen(to);
	while (*text && at + 1 < n)
		to[at++] = *text++;
	to[at] = '\0';
}

/* Add the source to the list of the event's sources for the report, without those of which it has
 * turned out that they are not permitted. */
static void name_source(const struct csprof_sampler *p)
{
	struct csprof_measured *measured = p->measured;
	struct store_metric *m = &csprof_store_header()->metrics[measured->column];
	char list[sizeof m->source] = "";
	if (measured->sources >> p->driver & 1)
		return;
	measured->sources |= 1u << p->driver;
	for (uint32_t i = 0; measured->by->drivers[i]; i++) {
		const struct csprof_driver *d = measured->by->drivers[i];
		if (!(measured->sources >> i & 1) || (d->refused && d->refused()))
			continue;
		if (list[0])
			append(list, sizeof list, " + ");
		append(list, sizeof list, d->name);
	}
	memcpy(m->source, list, sizeof list);
}

void csprof_thread_name_source(const struct csprof_sampler *p)
{
	if (p->measured->sources >> p->driver & 1 || !csprof_try_lock())
		return;
	name_source(p);
	csprof_unlock();
}

uint64_t csprof_thread_first(csprof_state_t *state, struct csprof_sampler *p)
{
	return p->measured->by->elapses ? csprof_wall_period(state, p)
					: first_sample(csprof_pace_mean(&p->pace));
}

static void start_source(csprof_state_t *state, struct csprof_sampler *p)
{
	const struct csprof_measured *m = p->measured;
	struct csprof_source *s = &p->source;
	if (!m->by->drivers[0]) /* sampled with another event */
		return;
	uint32_t share = csprof_options.budget / csprof_process.num_measured;
	csprof_pace_init(&p->pace, m->period, share ? share : 1, csprof_options.cost.timer);
	s->kind = &m->kind;
	s->per_second = atomic_load_explicit(&m->per_second, memory_order_relaxed);
	p->seen.cpu = state->began;
	csprof_sampler_ask(p);
	uint64_t first = csprof_thread_first(state, p);
	s->floor = csprof_pace_floor(&p->pace);
	s->drivers = m->by->drivers;
	int r = csprof_source_start(s, &p->driver, csprof_process.sig, p->pace.asked, first);
	if (r < 0) {
		__atomic_fetch_add(&csprof_store_header()->uncounted, 1, __ATOMIC_RELAXED);
		csprof_say(CSPROF_SAY_SOURCE, "a thread cannot be sampled:", strerrordesc_np(-r),
			   INT64_MIN);
		return;
	}
	bool counts = s->driver->counts;
	csprof_pace_armed(&p->pace, counts ? 0 : os_clock_self(), counts ? 0 : first, r == 0);
	if (m->by->elapses)
		csprof_blame_timer(state, s->mono_timer);
	/* while it waits for its first sample, it is not yet known which source it will use */
	if (!atomic_load(&s->later))
		name_source(p);
	csprof_store_header()->metrics[m->column].kernel = s->driver->kernel;
	csprof_say(CSPROF_SAY_SOURCE, "sampling by", s->driver->name, state->tid);
}

void csprof_thread_resample(csprof_state_t *state)
{
	CSPROF_EACH_SAMPLER (state, p) {
		p->rest = CSP_TAIL;
		start_source(state, p);
	}
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
	csprof_state_t *state = csprof_state_new();
	if (!state)
		return;
	state->tid = os_tid();
	CSPROF_EACH_SAMPLER (state, p)
		p->rest = CSP_TAIL;
	state->stack_low = low;
	state->stack_high = high;
	state->random = new_random() | 1;
	if (csprof_record_begin(state, promise)) {
		take_name(state, 0);
		csprof_state_link(state);
		state->began = csprof_cpu_clock_of(state)->start;
		csprof_regions_begin(state);
		csprof_labels_begin(state);
		csprof_wall_begin(state);
		csprof_self = state;
		if (csprof_process.use_marks)
			csprof_marks_begin(&state->memo);
		if (csprof_sampling_refused())
			csprof_samplers_rest(state, CSP_MEASURING_OFF);
		else
			CSPROF_EACH_SAMPLER (state, p)
				start_source(state, p);
		csprof_control_begin_thread(state);
		/* during an exec; csprof_process_resume continues it */
		if (!atomic_load(&csprof_process.measuring))
			csprof_samplers_quiet(state);
	} else {
		csprof_state_free(state);
	}
}

void csprof_thread_start(struct csprof_promise *promise, uintptr_t low, uintptr_t high)
{
	if (!csprof_self && csprof_process_counts()) {
		csprof_mask_adopt();
		csprof_lock();
		/* it may just have ended, and a handler may have adopted the thread */
		if (csprof_process_counts() && !csprof_self)
			begin(promise, low, high);
		if (csprof_self && promise && promise->labels) {
			csprof_self->labels = promise->labels;
			promise->labels = NULL;
		}
		csprof_unlock();
		csprof_mask_started();
		if (csprof_self)
			csprof_say(CSPROF_SAY_THREAD, "thread begins", NULL, csprof_self->tid);
	}
	if (promise)
		csprof_promise_drop(promise);
	csprof_own_start();
}

bool csprof_thread_adopt(uintptr_t low, uintptr_t high, void *ucontext)
{
	if (csprof_self || !csprof_process_counts() || !csprof_try_lock())
		return false;
	csprof_mask_adopt_in(ucontext);
	begin(NULL, low, high);
	csprof_unlock();
	if (!csprof_self)
		return false;
	csprof_say(CSPROF_SAY_THREAD, "thread begins", NULL, csprof_self->tid);
	csprof_own_start();
	return true;
}

bool csprof_thread_wait_idle(const csprof_state_t *state, uint64_t until)
{
	enum { PAUSE_NS = 50 * 1000 };
	while (state != csprof_self &&
	       (atomic_load(&state->busy) || atomic_load(&state->counting))) {
		if (os_clock_mono() >= until)
			return false;
		os_sleep_ns(PAUSE_NS);
	}
	return true;
}

/* Two periods plus the delay that a sample may have. The periods of a count are longer than
 * requested if samples would cost too much, or if a timer takes them, maybe at the kernel's tick.
 * Gaps between looks at a waiting thread are exponential: one in 3000 is longer than eight times
 * their mean. */
static uint64_t longest_rest(const csprof_state_t *state, const struct csprof_sampler *p)
{
	enum { NS_PER_S = 1000000000, TWO_TICKS_NS = 20 * 1000 * 1000, GAPS = 8 };
	const struct csprof_measured *m = p->measured;
	const struct csprof_driver *driver = p->source.driver;
	uint64_t asked = 2 * m->period + m->by->late;
	if (m->by->elapses && state->wall)
		return asked + GAPS * state->wall->gap;
	if (!m->by->clock)
		return asked;
	uint64_t ns =
	    2 * csprof_pace_mean(&p->pace) + (driver && driver->counts ? 0 : TWO_TICKS_NS);
	uint64_t paced = csprof_scale(ns, p->source.per_second, NS_PER_S) + 1;
	return paced > asked ? paced : asked;
}

/* Account for what the clock has advanced since the last sample. The weight of a sample is the
 * time before it, and the weight of a thread's first one is too small, because the thread began
 * within its period. The time after the last sample is exactly what is missing there, so it is
 * added to the first sample, as if the thread's time were a circle. So the shares are right even
 * for threads that last no longer than a period. Looks at a waiting thread become rarer, so that
 * the first one may be much closer to the thread's start than the last one to its end: what is
 * after the last look is added to that one, which was at as random a place.
 * If the time is longer than two periods plus the delay that a sample may have, it is a time
 * without samples, and so is the time after the thread's function returned. */
static void account_rest(const csprof_state_t *state, struct csprof_sampler *p,
			 struct store_clock *c)
{
	const struct csprof_measured *m = p->measured;
	enum csp_disposition why = atomic_load(&p->rest);
	uint64_t until = p->returned > c->last ? p->returned : c->end;
	uint64_t rest = until - c->last;
	c->account[why].weight += c->end - until;
	if (!m->by->clock)
		c->cost += c->end - until; /* counted as our cost */
	if (why == CSP_TAIL && p->rest_node && rest <= longest_rest(state, p)) {
		struct store_node *n = csprof_store_at(p->rest_node);
		n->metrics[m->column] += rest;
		why = p->rest_became;
		p->rest_node = 0; /* once */
	}
	c->account[why].weight += rest;
	c->last = c->end; /* a thread may be closed before a failed exec and at its end */
}

static void end_clock(struct store_clock *c, uint64_t end)
{
	c->end = end > c->last ? end : c->last;
}

static void close_clocks(csprof_state_t *state, bool self)
{
	struct store_clock *cpu = csprof_cpu_clock_of(state);
	end_clock(cpu, self ? os_clock_self() : os_clock_thread(state->tid));
	CSPROF_EACH_SAMPLER (state, p) {
		struct store_clock *c = csprof_clock_of(state, p);
		const struct csprof_sampling *by = p->measured->by;
		if (c != cpu)
			end_clock(c, self ? by->clock(&p->source)
					  : by->clock_of(&p->source, state->tid));
		csprof_clock_turns(state, p);
		if (c->end < p->returned) /* a difference of clocks may go back a little */
			c->end = p->returned;
		csprof_control_close(state, p);
		if (state->wall && p == state->wall->blocked)
			csprof_wall_close(state, self);
		account_rest(state, p, c);
	}
	if (!csprof_process.samples_cpu) {
		cpu->account[CSP_TAIL].weight += cpu->end - cpu->last;
		cpu->last = cpu->end;
	}
}

void csprof_thread_close(csprof_state_t *state)
{
	struct store_thread *t = csprof_store_at(state->thread);
	bool self = state == csprof_self;
	close_clocks(state, self);
	uintptr_t sp = self ? (uintptr_t)__builtin_frame_address(0) : 0;
	bool on_own = sp >= state->stack_low && sp < state->stack_high;
	csprof_marks_count(&state->memo, on_own ? sp : 0);
	t->end_ns = os_clock_mono() - csprof_process.start_mono;
	take_name(state, self ? 0 : state->tid);
	CSPROF_EACH_SAMPLER (state, p)
		if (p->source.driver && !atomic_load(&p->source.later))
			name_source(p); /* the source may have been replaced */
}

void csprof_thread_reopen(csprof_state_t *state)
{
	struct store_thread *t = csprof_store_at(state->thread);
	t->end_ns = csprof_cpu_clock_of(state)->end = 0;
	CSPROF_EACH_SAMPLER (state, p)
		csprof_clock_of(state, p)->end = 0;
}

void csprof_thread_returning(void)
{
	csprof_state_t *state = csprof_self;
	if (csprof_confined())
		return;
	os_block_signal(csprof_process.sig);
	if (!state)
		return;
	uint64_t cpu = os_clock_self();
	CSPROF_EACH_SAMPLER (state, p) {
		uint64_t (*clock)(struct csprof_source *) = p->measured->by->clock;
		if (p->source.sig && p->source.sig != csprof_process.sig)
			os_block_signal(p->source.sig);
		if (!p->returned)
			p->returned = clock ? clock(&p->source) : cpu;
	}
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
	csprof_plugins_thread_stop();
	csprof_epoch_change_left();
	csprof_regions_end(state);
	csprof_thread_returning(); /* not yet after pthread_exit or cancellation */
	csprof_lock();
	atomic_store(&state->busy, true);
	if (state->wall)
		csprof_blame_timer(state, -1);
	csprof_samplers_stop(state, false);
	if (atomic_load(&csprof_process.measuring)) /* an exec has set its own actions */
		csprof_signal_look();
	csprof_thread_close(state); /* also if an exec in progress has closed it already */
	csprof_marks_end(&state->memo);
	csprof_state_unlink(state);
	csprof_blame_end(state);
	csprof_self = NULL;
	csprof_stacks_thread_end();
	if (!csprof_process.detached)
		csprof_record_end(state);
	uint32_t tid = state->tid;
	csprof_state_free(state);
	csprof_process_let_go();
	csprof_unlock();
	csprof_say(CSPROF_SAY_THREAD, "thread ends", NULL, tid);
}

static void drop(csprof_state_t *state)
{
	csprof_state_unlink(state);
	csprof_blame_end(state);
	csprof_state_free(state);
	csprof_process_let_go();
}

bool csprof_thread_let_go(void *ucontext)
{
	csprof_state_t *state = csprof_self;
	if (!csprof_try_lock())
		return false;
	atomic_store(&state->busy, true);
	csprof_values_leave(state, ucontext);
	if (state->wall)
		csprof_blame_timer(state, -1);
	csprof_samplers_quiet(state);
	csprof_mask_drop_samples(); /* as long as it is known whose they are */
	csprof_samplers_stop(state, false);
	csprof_marks_end(&state->memo);
	csprof_self = NULL;
	drop(state);
	csprof_unlock();
	return true;
}

void csprof_threads_bury(void)
{
	if (!csprof_try_lock())
		return;
	for (csprof_state_t *s = csprof_process.threads, *next; s; s = next) {
		next = s->next;
		if (s == csprof_self || os_clock_thread(s->tid) != 0)
			continue;
		if (s->wall)
			csprof_blame_timer(s, -1);
		csprof_samplers_stop(s, false);
		csprof_marks_forget(&s->memo);
		drop(s);
	}
	csprof_unlock();
}

void csprof_threads_forget(uintptr_t *low, uintptr_t *high)
{
	csprof_state_t *self = csprof_self;
	*low = self ? self->stack_low : 0;
	*high = self ? self->stack_high : 0;
	csprof_self = NULL;
	if (self) {
		csprof_regions_keep(self);
		csprof_labels_keep(self);
	}
	csprof_control_forget(self);
	for (csprof_state_t *s = csprof_process.threads, *next; s; s = next) {
		next = s->next;
		csprof_samplers_stop(s, true);
		(s == self ? csprof_marks_keep : csprof_marks_forget)(&s->memo);
		csprof_state_free(s);
	}
	csprof_process.threads = NULL;
	random_state = 0; /* else all children of a process would be sampled at the same times */
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
	atomic_store(&state->busy, false);
	CSPROF_EACH_SAMPLER (state, p)
		if (atomic_exchange(&p->sampled, false) && p->source.driver &&
		    csprof_sampler_wanted(p))
			p->source.driver->arm(&p->source, csprof_pace_mean(&p->pace));
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
