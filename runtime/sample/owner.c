/* Mutexes, rwlocks and joins of libc: their futexes, or what is beside these, name the owner. Which
 * of them it is, the functions tell that have made the call. */
#include "runtime/sample/owner.h"

#include "runtime/cpu/cpu.h"
#include "runtime/interception/intercept.h"
#include "runtime/os/os.h"
#include "runtime/sample/blame.h"
#include "runtime/sample/fault.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

enum wait_kind { OTHER, MUTEX, RWLOCK, CONDITION, BARRIER };

#define FUNCTIONS(FUNCTION)                                                                        \
	FUNCTION(MUTEX, pthread_mutex_lock)                                                        \
	FUNCTION(MUTEX, pthread_mutex_timedlock)                                                   \
	FUNCTION(MUTEX, pthread_mutex_clocklock)                                                   \
	FUNCTION(RWLOCK, pthread_rwlock_rdlock)                                                    \
	FUNCTION(RWLOCK, pthread_rwlock_wrlock)                                                    \
	FUNCTION(RWLOCK, pthread_rwlock_timedrdlock)                                               \
	FUNCTION(RWLOCK, pthread_rwlock_timedwrlock)                                               \
	FUNCTION(RWLOCK, pthread_rwlock_clockrdlock)                                               \
	FUNCTION(RWLOCK, pthread_rwlock_clockwrlock)                                               \
	FUNCTION(CONDITION, pthread_cond_wait)                                                     \
	FUNCTION(CONDITION, pthread_cond_timedwait)                                                \
	FUNCTION(CONDITION, pthread_cond_clockwait)                                                \
	FUNCTION(BARRIER, pthread_barrier_wait)

#ifdef CSPROF_STATIC
#define DECLARE(kind, name) extern char name##_here[] __asm__(#name) __attribute__((weak));
FUNCTIONS(DECLARE)
#define ROW(kind, name) {kind, (uintptr_t)name##_here},
#else
#define ROW(kind, name) {kind, (uintptr_t)CSPROF_NEXT(#name)},
#endif
#define COUNT(kind, name) +1
enum { NUM_FUNCTIONS = 0 FUNCTIONS(COUNT) };
struct wait_function {
	enum wait_kind kind;
	uintptr_t start;
};
static struct wait_function functions[NUM_FUNCTIONS];
static uintptr_t any_call; /* libc's function for any system call */

void csprof_owner_learn(void)
{
	any_call = (uintptr_t)CSPROF_NEXT("syscall");
	const struct wait_function found[] = {FUNCTIONS(ROW)};
	for (uint32_t i = 0; i < NUM_FUNCTIONS; i++)
		functions[i] = found[i];
#ifndef CSPROF_STATIC
	(void)dlerror(); /* an old libc lacks some */
#endif
}

static enum wait_kind kind_of(uintptr_t start)
{
	for (uint32_t i = 0; start && i < NUM_FUNCTIONS; i++)
		if (functions[i].start == start)
			return functions[i].kind;
	return OTHER;
}

/* The code at a node: it, or the call there. */
static uintptr_t code_at(store_ref node)
{
	return (((const struct store_node *)csprof_store_at(node))->key & STORE_IP_MASK) - 1;
}

static store_ref caller_of(store_ref node)
{
	return ((const struct store_node *)csprof_store_at(node))->parent;
}

/* libc's functions call one another before they wait. */
static enum wait_kind find_kind(store_ref node)
{
	enum { CALLS = 6 };
	enum wait_kind kind = OTHER;
	for (int i = 0; i < CALLS && kind == OTHER && caller_of(node) != node; i++) {
		kind = kind_of(csprof_function_start(code_at(node)));
		node = caller_of(node);
	}
	return kind;
}

/* Whether a function of libc has made the system call for itself. node: the kernel's. */
static bool is_of_libc(store_ref node)
{
	uintptr_t code = code_at(caller_of(node));
	return csprof_same_module(any_call, code) && csprof_function_start(code) != any_call;
}

static const uint32_t *word_at(uintptr_t address, size_t from, size_t to)
{
	return (const uint32_t *)(address - from + to);
}

#define MUTEX_AT(part) offsetof(pthread_mutex_t, __data.part)
#define RWLOCK_AT(part) offsetof(pthread_rwlock_t, __data.part)

/* For csprof_attempt: what is at that address. */
struct word {
	const uint32_t *at;
	uint32_t value;
};

static void read_word(csprof_state_t *state, void *arg)
{
	struct word *w = arg;
	(void)state;
	w->value = *w->at;
}

/* Whether it may be libc's lock that a function without a name waits for, as that of
 * pthread_mutex_timedlock does, to which it jumps: it then names one of our threads. */
static bool names_thread(csprof_state_t *state, const uint32_t *at)
{
	struct word w = {.at = at};
	return csprof_attempt(state, read_word, &w) && csprof_blame_knows(w.value & OS_FUTEX_OWNER);
}

/* Whether the futex is that of a join, of a thread that may not have begun yet: its word, which the
 * kernel clears, is the thread, and the wait is for all processes. Those of locks between processes
 * have flags, or are known by their functions; that of a semaphore is 0. */
static bool is_join(const struct os_futex *f, enum wait_kind kind, store_ref node)
{
	return kind == OTHER && f->shared && !f->names_owner && f->value &&
	       !(f->value & ~(uint32_t)OS_FUTEX_OWNER) && is_of_libc(node);
}

/* Where the owner is named of what the thread waits for; NULL: nowhere. */
static const uint32_t *owner_of(csprof_state_t *state, const struct os_futex *f, store_ref node)
{
	enum { CONTENDED = 2 }; /* the value of a lock for which threads wait */
	enum wait_kind kind = find_kind(node);
	bool names =
	    f->names_owner || f->value & OS_FUTEX_WAITERS || (f->shared && f->value != CONTENDED);
	if (names && (csprof_blame_knows(f->names_owner ? *(const uint32_t *)f->at & OS_FUTEX_OWNER
							: f->value & OS_FUTEX_OWNER) ||
		      is_join(f, kind, node)))
		return (const uint32_t *)f->at;
	if (kind == RWLOCK) {
		bool of_phase = f->at % _Alignof(pthread_rwlock_t) ==
				RWLOCK_AT(__wrphase_futex) % _Alignof(pthread_rwlock_t);
		return word_at(f->at,
			       of_phase ? RWLOCK_AT(__wrphase_futex) : RWLOCK_AT(__writers_futex),
			       RWLOCK_AT(__cur_writer));
	}
	const uint32_t *owner = word_at(f->at, MUTEX_AT(__lock), MUTEX_AT(__owner));
	if (f->value != CONTENDED)
		return NULL;
	/* a condition's wait locks its mutex again */
	if (kind == MUTEX || (kind == CONDITION && f->plain))
		return owner;
	return is_of_libc(node) && names_thread(state, owner) ? owner : NULL;
}

static bool is_futex(const void *ucontext, struct os_futex *f)
{
	struct csprof_call call;
	if (csprof_cpu.call_restarts(ucontext))
		csprof_cpu.restarted_call(ucontext, &call);
	else if (!csprof_cpu.last_call(ucontext, &call))
		return false;
	return os_futex_wait(call.number, call.args, f);
}

uintptr_t csprof_owner_find(csprof_state_t *state, const void *ucontext, store_ref node,
			    const uint32_t **word)
{
	struct os_futex f;
	if (!is_futex(ucontext, &f))
		return 0;
	*word = owner_of(state, &f, node);
	return f.at;
}
