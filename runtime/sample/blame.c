/* Time that threads wait for each other is charged twice: as BLOCKED to what the waiting thread
 * does, and as BLAME to what the other one does meanwhile (blame shifting: Tallent,
 * Mellor-Crummey, Porterfield, "Analyzing lock contention in multithreaded applications", 2010;
 * there it is done when the lock is released, and each release pays for that. Here nothing is added
 * to locks).
 *
 * A look has found a thread in a futex call. If the futex is part of something that names its
 * owner - a mutex, a rwlock that a writer holds, the thread that is joined - then
 *
 * - each sample of the owner, and each of its own waits that ends, takes the time that has passed
 *   since the last one that did, as long as it is the owner;
 * - the owner's timer expires at once, for a sample of its own, because it may soon own it no more;
 * - what is left when the wait ends is posted to the owner, which charges it to where it was last.
 *
 * A condition, a barrier and a semaphore have no owner. Who ends the wait calls a function for that
 * (interception/intercept_release.c), and is charged for what it did since it last did that: for
 * the part of that time for which it ran, one of its samples while it ran, chosen at random by
 * their weights, and for the rest one of those while it waited. So over many waits each part of
 * what it did gets its share. Nobody is charged for a wait that ends because its time is over.
 *
 * So for each wait as much is charged as BLAME as was as BLOCKED, unless the owner is not known: of
 * a rwlock that readers hold, or a futex that is not libc's; and but for what a thread that is
 * joined takes to end after csprof_thread_end. */
#include "runtime/sample/blame.h"

#include "runtime/base/random.h"
#include "runtime/base/scale.h"
#include "runtime/base/sections.h"
#include "runtime/os/os.h"
#include "runtime/sample/fault.h"
#include "runtime/sample/owner.h"

#include <stddef.h>

/* A thread: that waits, and for which others wait. A cache line. */
struct csprof_party {
	_Atomic(uint64_t) who;    /* process << 32 | thread; 0: free, like one of another process */
	atomic_int timer;         /* negative: none */
	atomic_bool asked, quiet; /* its timer has expired for another one; it must not */
	/* As one that waits: where its owner is named, NULL: nowhere; the futex; the owner, or who
	 * was charged last; and until when (monotonic clock) it is charged. 0: it does not wait. */
	_Atomic(const uint32_t *) word;
	_Atomic(uintptr_t) futex;
	_Atomic(uint32_t) owner;
	_Atomic(uint64_t) until;
	/* ns to be charged to where it was last, and to what it did before it released others. */
	_Atomic(uint64_t) owned, released;
};

enum {
	PARTIES = 4096, /* more threads than that are not charged, nor charge others */
	NEAR = 8,       /* a thread is in one of so many places */
	BITS = 64,
	WHO_SHIFT = 32,
	RELEASER_SHIFT = 32,
};
static CSPROF_LARGE struct csprof_party parties[PARTIES];
/* Bit i: parties[i] waits for what names its owner; parties[i] waits. */
static CSPROF_LARGE _Atomic(uint64_t) owned[PARTIES / BITS], waiting[PARTIES / BITS];
static _Atomic(uint32_t) num_owned;
static _Atomic(uint32_t) num_waiting;

/* By cache line of futexes: how many threads wait there, and who last released some. So a function
 * that releases others finds at once that nobody waits. */
enum { LINES = 256, LINE_SHIFT = 6 };
static CSPROF_LARGE struct {
	_Atomic(uint32_t) waiting;
	_Atomic(uint64_t) releaser; /* of what: the lower half of its address << 32 | thread */
} lines[LINES];

static size_t line_of(uintptr_t address)
{
	return (store_hash(address >> LINE_SHIFT) >> 32) % LINES;
}

static uint64_t who_is(uint32_t tid)
{
	return (uint64_t)csprof_process.pid << WHO_SHIFT | tid;
}

static struct csprof_party *find(uint32_t tid)
{
	uint64_t who = who_is(tid);
	for (uint32_t i = 0; tid && i < NEAR; i++) {
		struct csprof_party *p = &parties[(tid + i) % PARTIES];
		if (atomic_load_explicit(&p->who, memory_order_acquire) == who)
			return p;
	}
	return NULL;
}

bool csprof_blame_knows(uint32_t tid)
{
	return find(tid);
}

/* ---- threads ------------------------------------------------------------------------------ */

void csprof_blame_begin(csprof_state_t *state)
{
	uint64_t who = who_is(state->tid);
	for (uint32_t i = 0; i < NEAR; i++) {
		struct csprof_party *p = &parties[(state->tid + i) % PARTIES];
		uint64_t before = atomic_load(&p->who);
		if (before >> WHO_SHIFT == csprof_process.pid && before != who)
			continue;
		atomic_store(&p->timer, -1);
		atomic_store(&p->asked, false);
		atomic_store(&p->quiet, false);
		atomic_store(&p->word, NULL);
		atomic_store(&p->until, 0);
		atomic_store(&p->owned, 0);
		atomic_store(&p->released, 0);
		if (atomic_compare_exchange_strong(&p->who, &before, who)) {
			state->wall->blame.party = p;
			state->wall->blame.since = os_clock_mono();
			state->wall->blame.since_cpu = state->began;
			return;
		}
	}
}

void csprof_blame_timer(csprof_state_t *state, int timer)
{
	struct csprof_party *me = state->wall->blame.party;
	if (me)
		atomic_store(&me->timer, timer);
}

void csprof_blame_quiet(csprof_state_t *state, bool quiet)
{
	struct csprof_party *me = state->wall->blame.party;
	if (me)
		atomic_store(&me->quiet, quiet);
}

void csprof_blame_end(csprof_state_t *state)
{
	if (state->wall && state->wall->blame.party)
		atomic_store(&state->wall->blame.party->who, 0);
}

void csprof_blame_forget(void)
{
	if (!atomic_exchange(&num_waiting, 0))
		return;
	atomic_store(&num_owned, 0);
	for (uint32_t i = 0; i < PARTIES / BITS; i++) {
		atomic_store(&owned[i], 0);
		atomic_store(&waiting[i], 0);
	}
	for (uint32_t i = 0; i < LINES; i++)
		atomic_store(&lines[i].waiting, 0);
}

/* ---- charging ----------------------------------------------------------------------------- */

static void add(uint64_t *to, uint64_t more)
{
	__atomic_store_n(to, *to + more, __ATOMIC_RELAXED);
}

static void charge(store_ref node, uint64_t ns)
{
	if (!node || !ns)
		return;
	struct store_node *n = csprof_store_at(node);
	add(&n->metrics[csprof_process.blame], ns);
	add(&n->metrics[csprof_process.blame + 1], 1);
}

/* The time of a wait up to now that nobody was charged with. */
static uint64_t take(struct csprof_party *p, uint64_t now)
{
	uint64_t until = atomic_load(&p->until);
	do
		if (!until || until >= now)
			return 0;
	while (!atomic_compare_exchange_weak(&p->until, &until, now));
	return now - until;
}

/* The arguments of take_owned for csprof_attempt. */
struct blame_taking {
	bool asked;
	uint64_t now, ns; /* result */
};

static void take_from(struct blame_taking *t, uint32_t tid, struct csprof_party *p)
{
	const uint32_t *word = atomic_load(&p->word);
	if (!word || !atomic_load(&p->until))
		return;
	bool owns = (*word & OS_FUTEX_OWNER) == tid;
	if (!owns && !(t->asked && atomic_load(&p->owner) == tid))
		return;
	atomic_store(&p->owner, tid);
	t->ns += take(p, t->now);
}

static void take_owned(csprof_state_t *state, void *arg)
{
	struct blame_taking *t = arg;
	for (uint32_t w = 0; w < PARTIES / BITS; w++)
		for (uint64_t bits = atomic_load(&owned[w]); bits; bits &= bits - 1)
			take_from(t, state->tid,
				  &parties[w * BITS + (uint32_t)__builtin_ctzll(bits)]);
}

/* ns of what a thread made others wait for are charged for what it did before it released them. */
static void charge_done(struct csprof_done *d, uint64_t ns)
{
	d->ns += ns;
	if (!d->before)
		return; /* there was no sample of that: one will stand for it, too */
	charge(d->before, d->ns);
	d->ns = 0;
}

static void end_done(struct csprof_done *d)
{
	if (d->chosen)
		d->before = d->chosen;
	d->weights = 0;
}

/* One of the samples since the thread last released others, by their weights. */
static void choose(csprof_state_t *state, struct csprof_done *d, const struct csprof_place *at)
{
	d->weights += at->weight + 1;
	uint64_t chosen =
	    (uint64_t)((unsigned __int128)csprof_random(&state->random) * d->weights >> 64);
	if (chosen <= at->weight)
		d->chosen = at->node;
}

static void charge_released(struct csprof_blame *b, uint64_t cpu)
{
	enum { WHOLE = 1 << 16 };
	if (atomic_exchange(&b->released, false)) {
		uint64_t now = os_clock_mono(), passed = now - b->since, ran = cpu - b->since_cpu;
		b->part_ran = ran < passed ? (uint32_t)csprof_scale(ran, WHOLE, passed) : WHOLE;
		b->since = now;
		b->since_cpu = cpu;
		end_done(&b->ran);
		end_done(&b->waited);
	}
	uint64_t ns = atomic_exchange(&b->party->released, 0);
	if (!ns)
		return;
	uint64_t ran = csprof_scale(ns, b->part_ran, WHOLE);
	charge_done(&b->ran, ran);
	charge_done(&b->waited, ns - ran);
}

/* As an owner. What it has run since the last charge was not this wait. */
static void charge_owned(csprof_state_t *state, struct csprof_blame *b,
			 const struct csprof_place *at)
{
	uint64_t ran = at->cpu - b->cpu;
	struct blame_taking t = {.asked = at->asked, .now = os_clock_mono()};
	csprof_attempt(state, take_owned, &t);
	if (!t.ns)
		return;
	if (!at->waits || at->asked || !b->last_ran)
		ran = 0;
	ran = ran < t.ns ? ran : t.ns;
	charge(b->last_ran, ran);
	charge(at->node, t.ns - ran);
	b->last = at->node;
	b->last_ran = at->waits ? b->last_ran : at->node;
}

void csprof_blame_at(csprof_state_t *state, const struct csprof_place *at)
{
	struct csprof_blame *b = &state->wall->blame;
	if (!b->party)
		return;
	uint64_t posted = atomic_exchange(&b->party->owned, 0);
	charge(b->last ? b->last : at->node, posted);
	charge_released(b, at->cpu);
	choose(state, at->waits ? &b->waited : &b->ran, at);
	if (atomic_load_explicit(&num_owned, memory_order_relaxed))
		charge_owned(state, b, at);
	else
		b->last_ran = 0;
	b->cpu = at->cpu;
}

/* A thread that is joined has made the other one wait up to its end. */
void csprof_blame_close(csprof_state_t *state, bool self)
{
	struct csprof_blame *b = &state->wall->blame;
	if (!b->party)
		return;
	store_ref any = b->ran.chosen ? b->ran.chosen : b->waited.chosen;
	struct blame_taking t = {.now = os_clock_mono(),
				 .ns = atomic_exchange(&b->party->owned, 0)};
	if (self && atomic_load_explicit(&num_owned, memory_order_relaxed))
		csprof_attempt(state, take_owned, &t);
	charge(b->last ? b->last : any, t.ns);
	charge(any, atomic_exchange(&b->party->released, 0) + b->ran.ns + b->waited.ns);
	b->last = b->last_ran = 0;
	b->ran = b->waited = (struct csprof_done){0};
}

bool csprof_blame_asked(csprof_state_t *state)
{
	struct csprof_party *me = state->wall->blame.party;
	return me && atomic_exchange(&me->asked, false);
}

/* ---- waits -------------------------------------------------------------------------------- */

static void set_bit(_Atomic(uint64_t) *bits, const struct csprof_party *p, bool on)
{
	size_t i = (size_t)(p - parties);
	uint64_t bit = 1ull << i % BITS;
	if (on)
		atomic_fetch_or(&bits[i / BITS], bit);
	else
		atomic_fetch_and(&bits[i / BITS], ~bit);
}

/* Let the owner take a sample, unless it is known to wait, too. */
static void ask(uint32_t tid)
{
	struct csprof_party *p = find(tid);
	int timer = p ? atomic_load(&p->timer) : -1;
	if (timer < 0 || atomic_load(&p->quiet) || atomic_exchange(&p->asked, true))
		return;
	os_timer_arm(timer, 1);
}

void csprof_blame_wait(csprof_state_t *state, const void *ucontext, store_ref node, uint64_t waited,
		       uint64_t now)
{
	struct csprof_blame *b = &state->wall->blame;
	struct csprof_party *me = b->party;
	if (!me)
		return;
	b->last = node;
	atomic_store(&me->quiet, true);
	const uint32_t *word;
	uintptr_t futex = csprof_owner_find(state, ucontext, node, &word);
	if (!futex)
		return;
	uint32_t owner = word ? *word & OS_FUTEX_OWNER : 0;
	uint64_t ahead = b->ahead < waited ? b->ahead : waited;
	b->ahead -= ahead;
	atomic_store(&me->word, word);
	atomic_store(&me->futex, futex);
	atomic_store(&me->owner, owner);
	atomic_store(&me->until, now - waited + ahead);
	atomic_fetch_add(&lines[line_of(futex)].waiting, 1);
	atomic_fetch_add(&num_waiting, 1);
	set_bit(waiting, me, true);
	if (!word)
		return;
	set_bit(owned, me, true);
	atomic_fetch_add(&num_owned, 1);
	if (owner && owner != state->tid)
		ask(owner);
}

/* Who was the last to release those who wait for what the futex is a part of; 0: not known. */
static uint32_t releaser_of(uintptr_t futex)
{
	enum { LARGEST = 64 };
	uint64_t releaser = atomic_load(&lines[line_of(futex)].releaser);
	return (uint32_t)futex - (uint32_t)(releaser >> RELEASER_SHIFT) < LARGEST
		   ? (uint32_t)releaser
		   : 0;
}

/* Post what nobody has taken to the last owner, or to who released it. */
static void post_rest(const struct csprof_party *me, uint64_t ns)
{
	bool by_owner = atomic_load(&me->word);
	struct csprof_party *to =
	    find(by_owner ? atomic_load(&me->owner) : releaser_of(atomic_load(&me->futex)));
	if (to)
		atomic_fetch_add(by_owner ? &to->owned : &to->released, ns);
}

/* What is left to the next look is charged as BLAME now: it is not the time of those who make the
 * thread wait then. */
void csprof_blame_over(csprof_state_t *state, uint64_t end, uint64_t left, bool came)
{
	struct csprof_blame *b = &state->wall->blame;
	struct csprof_party *me = b->party;
	if (!me)
		return;
	atomic_store(&me->quiet, false);
	uint64_t charged = atomic_exchange(&me->until, 0);
	if (!charged)
		return;
	b->ahead += left;
	if (charged > end)
		b->ahead += charged - end;
	else if (came || atomic_load(&me->word))
		post_rest(me, end - charged);
	if (atomic_load(&me->word)) {
		set_bit(owned, me, false);
		atomic_fetch_sub(&num_owned, 1);
	}
	set_bit(waiting, me, false);
	atomic_fetch_sub(&num_waiting, 1);
	atomic_fetch_sub(&lines[line_of(atomic_load(&me->futex))].waiting, 1);
}

/* ---- releases ----------------------------------------------------------------------------- */

struct release {
	uintptr_t from, to;
	enum csprof_release how;
	uint64_t now, ns; /* result */
};

/* Returns whether it is done. */
static bool release(struct release *r, struct csprof_party *p)
{
	uintptr_t futex = atomic_load(&p->futex);
	if (futex < r->from || futex >= r->to || atomic_load(&p->word) || !atomic_load(&p->until))
		return false;
	r->ns += take(p, r->now);
	return r->how == CSPROF_RELEASES_ONE;
}

static void release_all(struct release *r)
{
	for (uint32_t w = 0; w < PARTIES / BITS; w++)
		for (uint64_t bits = atomic_load(&waiting[w]); bits; bits &= bits - 1)
			if (release(r, &parties[w * BITS + (uint32_t)__builtin_ctzll(bits)]))
				return;
}

/* Returns whether threads wait there. */
static bool release_line(size_t line, uint64_t releaser)
{
	if (!atomic_load_explicit(&lines[line].waiting, memory_order_relaxed))
		return false;
	atomic_store(&lines[line].releaser, releaser);
	return true;
}

void csprof_blame_release(const void *object, size_t bytes, enum csprof_release how)
{
	csprof_state_t *state = csprof_self;
	if (!state || !state->wall || !state->wall->blame.party)
		return;
	struct csprof_blame *b = &state->wall->blame;
	uintptr_t from = (uintptr_t)object;
	atomic_store_explicit(&b->released, true, memory_order_relaxed);
	if (!atomic_load_explicit(&num_waiting, memory_order_relaxed))
		return;
	size_t first = line_of(from), last = line_of(from + bytes - 1);
	uint64_t releaser = (uint64_t)from << RELEASER_SHIFT | state->tid;
	bool waited = release_line(first, releaser);
	if (last != first)
		waited |= release_line(last, releaser);
	if (!waited)
		return;
	struct release r = {.from = from, .to = from + bytes, .how = how};
	if (how != CSPROF_ARRIVES) {
		r.now = os_clock_mono();
		release_all(&r);
	}
	atomic_fetch_add(&b->party->released, r.ns);
}
