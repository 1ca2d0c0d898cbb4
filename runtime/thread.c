#include "runtime/thread.h"

#include "runtime/cct.h"
#include "runtime/message.h"
#include "runtime/os/os.h"

#include <string.h>

/* What ended threads left of their arenas, for the next ones: a program that makes
 * threads without end must not use up the store by it. Under the process's lock. */
enum { MAX_SPARE = 64 };
static struct csprof_arena spare[MAX_SPARE];
static uint32_t num_spare;

static void take_arena(struct csprof_arena *a)
{
	if (num_spare > 0)
		*a = spare[--num_spare];
	else
		csprof_arena_init(a, csprof_process.first_arena);
}

static void leave_arena(const struct csprof_arena *a)
{
	if (num_spare < MAX_SPARE)
		spare[num_spare++] = *a;
}

static void link_thread(csprof_state_t *state)
{
	struct store_header *h = csprof_store_header();
	store_ref *link = &h->first_thread;
	if (csprof_process.last_thread)
		link = &((struct store_thread *)csprof_store_at(csprof_process.last_thread))->next;
	__atomic_store_n(link, state->thread, __ATOMIC_RELEASE);
	csprof_process.last_thread = state->thread;
	state->next = csprof_process.threads;
	csprof_process.threads = state;
}

static void unlink_thread(csprof_state_t *state)
{
	csprof_state_t **link = &csprof_process.threads;
	while (*link && *link != state)
		link = &(*link)->next;
	if (*link)
		*link = state->next;
}

static void free_state(csprof_state_t *state)
{
	for (int kind = 0; kind < CSPROF_TREE_KINDS; kind++)
		csprof_cct_deinit(&state->cct[kind]);
	if (state->frames)
		os_unmap(state->frames, state->max_frames * sizeof *state->frames);
	if (state->exec_memory)
		os_unmap(state->exec_memory, state->exec_bytes);
	os_unmap(state, sizeof *state);
}

static bool make_record(csprof_state_t *state, store_ref creator_tree, store_ref creator_node)
{
	struct store_header *h = csprof_store_header();
	state->thread =
	    csprof_malloc(&state->arena,
			  sizeof(struct store_thread) + h->num_events * sizeof(struct store_clock));
	if (!state->thread)
		return false;
	struct store_thread *t = csprof_store_at(state->thread);
	t->tid = state->tid;
	t->creator_tree = creator_tree;
	t->creator_node = creator_node;
	t->start_ns = os_clock_mono() - csprof_process.start_mono;
	t->clocks[0].start = t->clocks[0].last = os_clock_self();
	return true;
}

/* The sources in use, as the report names them. */
static void name_sources(uint32_t driver)
{
	struct store_metric *m = csprof_store_header()->metrics;
	if (csprof_process.sources >> driver & 1)
		return;
	csprof_process.sources |= 1u << driver;
	const char *name = csprof_drivers[driver]->name;
	size_t have = strlen(m->source), more = strlen(name);
	if (have + 3 + more < sizeof m->source) {
		if (have) {
			memcpy(m->source + have, " + ", 3);
			have += 3;
		}
		memcpy(m->source + have, name, more);
	}
	m->kernel = csprof_drivers[driver]->kernel;
}

static void start_source(csprof_state_t *state)
{
	uint64_t period = csprof_process.period_ns;
	uint64_t first = 1 + (uint64_t)((unsigned __int128)state->random * period >> 64);
	int r =
	    csprof_source_start(&state->source, &state->driver, csprof_process.sig, period, first);
	if (r < 0) {
		csprof_say(CSPROF_SAY_ALWAYS, "a thread has no source of samples:", strerror(-r),
			   INT64_MIN);
		return;
	}
	name_sources(state->driver);
	csprof_say(CSPROF_SAY_SOURCE, "sampling by", state->source.driver->name, state->tid);
}

void csprof_thread_start(store_ref creator_tree, store_ref creator_node, uintptr_t low,
			 uintptr_t high)
{
	if (csprof_self || !atomic_load(&csprof_process.measuring))
		return;
	csprof_state_t *state = os_map(sizeof *state);
	if (!state)
		return;
	state->tid = os_tid();
	state->rest = CSP_TAIL;
	state->stack_low = low;
	state->stack_high = high;
	state->random = os_random() | 1;
	csprof_lock();
	take_arena(&state->arena);
	if (make_record(state, creator_tree, creator_node)) {
		link_thread(state);
		csprof_self = state;
		start_source(state);
	} else {
		free_state(state);
	}
	csprof_unlock();
	csprof_say(CSPROF_SAY_THREAD, "thread begins", NULL, os_tid());
}

void csprof_thread_close(csprof_state_t *state)
{
	struct store_thread *t = csprof_store_at(state->thread);
	struct store_clock *c = &t->clocks[0];
	bool self = state == csprof_self;
	uint64_t end = self ? os_clock_self() : os_clock_thread(state->tid);
	c->end = end > c->last ? end : c->last;
	c->account[atomic_load(&state->rest)].weight += c->end - c->last;
	t->end_ns = os_clock_mono() - csprof_process.start_mono;
	os_thread_name(state->tid, t->name, sizeof t->name);
}

void csprof_thread_reopen(csprof_state_t *state)
{
	struct store_thread *t = csprof_store_at(state->thread);
	struct store_clock *c = &t->clocks[0];
	c->account[atomic_load(&state->rest)].weight -= c->end - c->last;
	c->end = t->end_ns = 0;
}

void csprof_thread_returning(void)
{
	os_block_signal(csprof_process.sig);
}

void csprof_thread_end(void)
{
	csprof_state_t *state = csprof_self;
	if (!state || csprof_process.pid != os_pid())
		return;
	csprof_thread_returning(); /* pthread_exit and cancellation come here at once */
	csprof_lock();
	atomic_store(&state->busy, true);
	if (state->source.driver)
		state->source.driver->stop(&state->source, false);
	csprof_thread_close(state); /* an exec under way that fails would not come back to it */
	unlink_thread(state);
	leave_arena(&state->arena);
	csprof_self = NULL;
	csprof_unlock();
	csprof_say(CSPROF_SAY_THREAD, "thread ends", NULL, state->tid);
	free_state(state);
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
		free_state(s);
	}
	csprof_process.threads = NULL;
	csprof_process.last_thread = 0;
	num_spare = 0;
	csprof_process.sources = 0;
}
