#include "runtime/process/control.h"

#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/process/process.h"
#include "runtime/process/samplers.h"
#include "runtime/process/thread.h"
#include "runtime/sample/wall.h"
#include "runtime/sandboxes/seccomp.h"
#include "runtime/trees/output.h"

/* Whether the process is stopped, and the thread that a forked child had in its parent; under the
 * lock. */
static CSPROF_TOGETHER bool stopped, was_stopped;
/* A request came while the lock was held. */
static CSPROF_TOGETHER atomic_bool asked;

static uint64_t read_clock(csprof_state_t *state, struct csprof_sampler *p)
{
	const struct csprof_sampling *by = p->measured->by;
	if (!by->clock)
		return state == csprof_self ? os_clock_self() : os_clock_thread(state->tid);
	return state == csprof_self ? by->clock(&p->source) : by->clock_of(&p->source, state->tid);
}

/* From here on the thread's handlers return at once, and nothing adds to its clocks. */
static void silence(csprof_state_t *state)
{
	atomic_store(&state->stopped, true);
	CSPROF_EACH_SAMPLER (state, p) {
		atomic_store(&p->stopped, true);
		csprof_sampler_hush(state, p);
	}
}

/* The clocks of the calling thread when it called us: what we take is not the program's. */
struct before {
	uint64_t cpu, events[CSPROF_MAX_MEASURED];
};

static struct before read_clocks(csprof_state_t *self)
{
	struct before b = {0};
	if (!self)
		return b;
	b.cpu = os_clock_self();
	for (uint32_t e = 0; e < csprof_process.num_measured; e++)
		b.events[e] = self->samplers[e].measured->by->clock
				  ? read_clock(self, &self->samplers[e])
				  : b.cpu;
	return b;
}

static void note_clocks(csprof_state_t *state, const struct before *mine)
{
	CSPROF_EACH_SAMPLER (state, p)
		csprof_clock_of(state, p)->stopped =
		    (state == csprof_self ? mine->events[p - state->samplers]
					  : read_clock(state, p)) +
		    1;
}

/* What the clock has advanced from when it was stopped to `now`. What it had advanced before since
 * the last sample belongs to the next one. */
static void count_stopped(struct store_clock *clock, uint64_t now)
{
	uint64_t since = clock->stopped ? clock->stopped - 1 : now;
	if (since < clock->last)
		since = clock->last;
	if (now <= since)
		return;
	clock->account[CSP_STOPPED].weight += now - since;
	clock->last += now - since;
}

static void start(csprof_state_t *state)
{
	CSPROF_EACH_SAMPLER (state, p) {
		csprof_pace_armed(&p->pace, 0, 0, false);
		atomic_store(&p->stopped, false);
	}
	atomic_store(&state->stopped, false);
}

static void end_stopped(csprof_state_t *state)
{
	CSPROF_EACH_SAMPLER (state, p) {
		struct store_clock *clock = csprof_clock_of(state, p);
		count_stopped(clock, read_clock(state, p));
		clock->stopped = 0;
	}
}

/* The next sample comes as if the time in which the thread was stopped had not been. */
static void resume(csprof_state_t *state)
{
	CSPROF_EACH_SAMPLER (state, p)
		if (p->source.driver && atomic_load(&p->rest) == CSP_TAIL &&
		    !(p->measured->by->elapses && csprof_wall_quiet(state)))
			p->source.driver->resume(&p->source, csprof_thread_first(state, p));
}

/* The calling thread: a sample that comes before its clocks are right is put off. */
static void start_self(csprof_state_t *state)
{
	bool was_busy = atomic_exchange(&state->busy, true);
	start(state);
	if (atomic_load(&csprof_process.measuring))
		resume(state);
	end_stopped(state);
	if (was_busy)
		return;
	atomic_store(&state->busy, false);
	if (csprof_samplers_pending(state))
		csprof_sample_defer(NULL);
}

static void start_other(csprof_state_t *state, uint64_t until)
{
	if (!csprof_thread_wait_idle(state, until) || atomic_exchange(&state->busy, true))
		return; /* it remains stopped */
	end_stopped(state);
	start(state);
	atomic_store(&state->busy, false);
	if (atomic_load(&csprof_process.measuring))
		resume(state);
}

/* All threads whose state is not what it is to be. */
static void change(const struct before *mine)
{
	uint64_t until = os_clock_mono() + CSPROF_WAIT_NS;
	bool any = false;
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		if ((stopped || s->stops) && !atomic_load(&s->stopped)) {
			silence(s);
			any = s->stopping = true;
		} else if (!stopped && !s->stops && atomic_load(&s->stopped)) {
			if (s == csprof_self)
				start_self(s);
			else
				start_other(s, until);
		}
	for (csprof_state_t *s = csprof_process.threads; s && any; s = s->next)
		if (s->stopping) {
			csprof_thread_wait_idle(s, until);
			note_clocks(s, mine);
			s->stopping = false;
		}
}

/* ---- begin and end ------------------------------------------------------------------- */

void csprof_control_begin(bool in_child)
{
	if (!in_child)
		stopped = csprof_output_is_stopped();
	atomic_store(&asked, false);
}

void csprof_control_begin_thread(csprof_state_t *state)
{
	state->stops = was_stopped;
	was_stopped = false;
	if (!stopped && !state->stops)
		return;
	silence(state);
	CSPROF_EACH_SAMPLER (state, p)
		csprof_clock_of(state, p)->stopped = csprof_clock_of(state, p)->start + 1;
}

void csprof_control_forget(const csprof_state_t *self)
{
	was_stopped = self && self->stops;
}

void csprof_control_close(csprof_state_t *state, const struct csprof_sampler *p)
{
	struct store_clock *clock = csprof_clock_of(state, p);
	if (!atomic_load(&p->stopped))
		return;
	count_stopped(clock, clock->end);
	clock->stopped = clock->end + 1; /* if it goes on after a failed exec */
}

/* ---- by the program -------------------------------------------------------------------- */

static void add_cost(csprof_state_t *self, const struct before *mine)
{
	if (!self)
		return;
	struct store_clock *cpu = csprof_cpu_clock_of(self);
	__atomic_store_n(&cpu->cost, cpu->cost + os_clock_self() - mine->cpu, __ATOMIC_RELAXED);
}

static void set(bool *what, bool stop)
{
	struct before mine = read_clocks(csprof_self);
	csprof_lock();
	__atomic_store_n(what, stop, __ATOMIC_RELAXED);
	change(&mine);
	add_cost(csprof_self, &mine);
	csprof_unlock();
}

void csprof_control_process(bool stop)
{
	if (csprof_process_measured() && __atomic_load_n(&stopped, __ATOMIC_RELAXED) != stop)
		set(&stopped, stop);
}

void csprof_control_thread(bool stop)
{
	csprof_state_t *state = csprof_self;
	if (state && csprof_process_measured() && state->stops != stop)
		set(&state->stops, stop);
}

/* ---- from outside ------------------------------------------------------------------------ */

/* The caller holds the lock. */
static void answer(void)
{
	if (!atomic_exchange(&asked, false) || !csprof_process_measured())
		return;
	struct store_header *h = csprof_store_header();
	uint32_t wanted = __atomic_load_n(&h->control, __ATOMIC_ACQUIRE);
	if (wanted == h->controlled)
		return;
	struct before mine = read_clocks(csprof_self);
	stopped = wanted & STORE_CONTROL_STOP;
	change(&mine);
	add_cost(csprof_self, &mine);
	__atomic_store_n(&h->controlled, wanted, __ATOMIC_RELEASE);
}

void csprof_control_unlocked(void)
{
	if (atomic_load(&asked) && csprof_try_lock()) {
		answer();
		csprof_unlock();
	}
}

bool csprof_control_signal(const siginfo_t *info)
{
	if (info->si_code != SI_QUEUE ||
	    (uintptr_t)info->si_value.sival_ptr != (uintptr_t)STORE_CONTROL_VALUE)
		return false;
	if (!csprof_confined()) {
		atomic_store(&asked, true);
		csprof_control_unlocked();
	}
	return true;
}
