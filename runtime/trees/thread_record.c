#include "runtime/trees/thread_record.h"

#include "runtime/base/options.h"
#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/process/labels.h"
#include "runtime/process/regions.h"
#include "runtime/process/samplers.h"
#include "runtime/sample/marks.h"
#include "runtime/trees/cct.h"
#include "runtime/trees/cct_merge.h"

#include <string.h>

static CSPROF_TOGETHER uint32_t num_ended;              /* with a row of their own */
static CSPROF_TOGETHER store_ref spare_records;         /* zeroed; linked through next */
static CSPROF_TOGETHER struct csprof_promise *promises; /* of threads that have not begun */
static uint32_t joins;                                  /* how often all trees were moved */

static struct store_thread *record_at(store_ref ref)
{
	return csprof_store_at(ref);
}

static size_t record_bytes(void)
{
	return sizeof(struct store_thread) +
	       csprof_store_header()->num_events * sizeof(struct store_clock);
}

/* ---- the list ---------------------------------------------------------------------- */

static store_ref new_record(void)
{
	store_ref ref = spare_records;
	if (!ref)
		return csprof_malloc(&csprof_process.arena, record_bytes());
	spare_records = record_at(ref)->next;
	record_at(ref)->next = 0;
	return ref;
}

static void free_record(store_ref ref)
{
	memset(record_at(ref), 0, record_bytes());
	record_at(ref)->next = spare_records;
	spare_records = ref;
}

static store_ref *link_to(store_ref previous)
{
	return previous ? &record_at(previous)->next : &csprof_store_header()->first_thread;
}

/* Append the record: threads are in the order in which they began. */
static void link_record(store_ref ref)
{
	store_ref last = csprof_process.last_thread;
	record_at(ref)->previous = last;
	__atomic_store_n(link_to(last), ref, __ATOMIC_RELEASE);
	csprof_process.last_thread = ref;
}

static void unlink_record(store_ref ref)
{
	struct store_thread *t = record_at(ref);
	__atomic_store_n(link_to(t->previous), t->next, __ATOMIC_RELEASE);
	if (t->next)
		record_at(t->next)->previous = t->previous;
	else
		csprof_process.last_thread = t->previous;
}

/* ---- creators of threads ------------------------------------------------------------ */

void csprof_promise_make(struct csprof_promise *p)
{
	csprof_state_t *state = csprof_self;
	uint32_t before = __atomic_load_n(&joins, __ATOMIC_ACQUIRE);
	memset(p, 0, sizeof *p);
	p->labels = csprof_labels_copy();
	csprof_record_creator(&p->creator_tree, &p->creator_node);
	if (!p->creator_tree)
		return;
	csprof_lock();
	if (joins == before) {
		state->creator = true;
		p->pid = csprof_process.pid;
		p->next = promises;
		if (promises)
			promises->previous = p;
		promises = p;
	} else {
		p->creator_tree = p->creator_node = 0; /* our trees have just been moved */
	}
	csprof_unlock();
}

static void drop(struct csprof_promise *p)
{
	if (p->pid != csprof_process.pid)
		return; /* not made, or made by the parent process */
	*(p->previous ? &p->previous->next : &promises) = p->next;
	if (p->next)
		p->next->previous = p->previous;
	p->pid = 0;
}

void csprof_promise_drop(struct csprof_promise *p)
{
	csprof_labels_free(p->labels);
	p->labels = NULL;
	if (!p->pid)
		return;
	csprof_lock();
	drop(p);
	csprof_unlock();
}

static void follow(store_ref thread, store_ref *tree, store_ref *node)
{
	if (*tree && ((const struct store_tree *)csprof_store_at(*tree))->thread == thread)
		csprof_merge_follow(tree, node);
}

/* The trees of a creator have been moved: update the references from the threads that it made.
 * Their records come after its own. */
static void redirect(csprof_state_t *state)
{
	if (!state->creator)
		return;
	for (store_ref ref = record_at(state->thread)->next; ref; ref = record_at(ref)->next)
		follow(state->thread, &record_at(ref)->creator_tree, &record_at(ref)->creator_node);
	for (struct csprof_promise *p = promises; p; p = p->next)
		follow(state->thread, &p->creator_tree, &p->creator_node);
	state->creator = false;
}

/* ---- threads ------------------------------------------------------------------------- */

bool csprof_record_begin(csprof_state_t *state, struct csprof_promise *promise)
{
	state->thread = new_record();
	if (promise)
		drop(promise);
	if (!state->thread)
		return false;
	struct store_thread *t = record_at(state->thread);
	t->tid = state->tid;
	if (promise) {
		t->creator_tree = promise->creator_tree;
		t->creator_node = promise->creator_node;
	}
	t->start_ns = os_clock_mono() - csprof_process.start_mono;
	t->clocks[CSPROF_CPU_CLOCK].start = t->clocks[CSPROF_CPU_CLOCK].last = os_clock_self();
	CSPROF_EACH_SAMPLER (state, p) {
		struct store_clock *clock = &t->clocks[p->measured->clock];
		if (p->measured->by->clock)
			clock->start = clock->last = p->measured->by->clock(&p->source);
	}
	link_record(state->thread);
	csprof_arena_init(&state->arena, csprof_process.first_arena);
	return true;
}

/* ---- ended threads -------------------------------------------------------------------- */

/* The record at *ref, made at the first use; 0 if there is no memory. */
static store_ref gathering(store_ref *ref)
{
	store_ref made;
	if (*ref || !(made = new_record()))
		return *ref;
	static const char name[] = CSP_ENDED_THREADS;
	struct store_thread *t = record_at(made);
	if (ref == &csprof_store_header()->ended) {
		memcpy(t->name, name, sizeof name);
		link_record(made);
	}
	__atomic_store_n(ref, made, __ATOMIC_RELEASE);
	return made;
}

static void set_merging(store_ref thread)
{
	__atomic_store_n(&csprof_store_header()->merging, thread, __ATOMIC_RELEASE);
}

static void move_trees(csprof_state_t *state, store_ref to)
{
	struct csprof_merge m;
	csprof_merge_begin(&m, state->thread, to, &csprof_process.arena);
	while (csprof_merge_step(&m))
		;
	redirect(state);
	for (int kind = 0; kind < CSPROF_TREE_KINDS; kind++)
		csprof_cct_forget(&state->cct[kind]);
	csprof_regions_forget(state);
	CSPROF_EACH_SAMPLER (state, p)
		p->rest_node = 0;
	csprof_marks_moved(&state->memo);
	csprof_arena_recycle(&state->arena);
}

/* Returns false if there is no memory for the shared record; then the thread keeps its trees. */
static bool share_trees(csprof_state_t *state)
{
	store_ref shared = gathering(&csprof_store_header()->shared);
	if (!shared)
		return false;
	set_merging(state->thread);
	move_trees(state, shared);
	set_merging(0);
	csprof_arena_init(&state->arena, csprof_process.first_arena);
	return true;
}

/* The thread remains in the list until all its data is moved, and the header names it during the
 * move. So a reader of a dead process's store has all counts, and knows which trees may not
 * match their account. */
static bool merge_thread(csprof_state_t *state)
{
	store_ref ended = gathering(&csprof_store_header()->ended);
	if (!ended)
		return false;
	set_merging(state->thread);
	move_trees(state, ended);
	csprof_merge_account(state->thread, ended);
	unlink_record(state->thread);
	set_merging(0);
	free_record(state->thread);
	return true;
}

void csprof_record_end(csprof_state_t *state)
{
	if (csprof_options.one_tree)
		share_trees(state);
	if (num_ended < CSPROF_MAX_ENDED)
		num_ended++;
	else if (merge_thread(state))
		return;
	csprof_arena_keep(&state->arena);
}

void csprof_records_join(void)
{
	if (!csprof_options.one_tree)
		return;
	__atomic_store_n(&joins, joins + 1, __ATOMIC_RELEASE);
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		if (!atomic_load(&s->busy) && !atomic_load(&s->counting))
			share_trees(s);
}

void csprof_records_forget(bool in_child)
{
	csprof_process.last_thread = 0;
	num_ended = 0;
	spare_records = 0;
	if (in_child) /* they are of the parent's threads */
		promises = NULL;
	for (struct csprof_promise *p = promises; p; p = p->next)
		p->creator_tree = p->creator_node = 0;
	csprof_arena_forget();
}
