#include "runtime/process/state.h"

#include "runtime/interception/masks.h"
#include "runtime/os/os.h"
#include "runtime/process/control.h"

__thread csprof_state_t *csprof_self;
CSPROF_TOGETHER struct csprof_process csprof_process;

/* 0: free, HELD, or WAITED_FOR: held, and others may wait ("mutex2" in Drepper, "Futexes
 * Are Tricky"). */
enum { HELD = 1, WAITED_FOR = 2 };
static CSPROF_TOGETHER _Atomic(uint32_t) lock;
static CSPROF_TOGETHER uint64_t mask_before; /* signal mask of the holder; under the lock */
static CSPROF_TOGETHER _Atomic(void *)
    holder; /* address of the holder's csprof_self, unique to its thread */

static bool take(void)
{
	uint32_t is_free = 0;
	return atomic_compare_exchange_strong(&lock, &is_free, HELD);
}

/* Sleep instead of spin: CPU time used here would not be sampled, because our signal may be
 * blocked. False if it took longer than ns. */
static bool take_within(uint64_t ns)
{
	enum { LOOK_AGAIN_NS = 10 * 1000 * 1000 }; /* if no call wakes us */
	uint64_t until = ns == UINT64_MAX ? ns : os_clock_mono() + ns;
	while (atomic_exchange(&lock, WAITED_FOR) != 0) {
		if (until != UINT64_MAX && os_clock_mono() > until)
			return false;
		os_wait_while(&lock, WAITED_FOR, LOOK_AGAIN_NS);
	}
	return true;
}

bool csprof_lock_is_mine(void)
{
	return atomic_load_explicit(&holder, memory_order_relaxed) == &csprof_self;
}

static void own(uint64_t mask)
{
	atomic_store_explicit(&holder, &csprof_self, memory_order_relaxed);
	mask_before = mask;
}

bool csprof_try_lock(void)
{
	return csprof_try_lock_for(0);
}

void csprof_lock(void)
{
	csprof_try_lock_for(UINT64_MAX);
}

bool csprof_try_lock_for(uint64_t ns)
{
	uint64_t mask = os_hold_signals(csprof_mask_virtual());
	if (!take() && (ns == 0 || !take_within(ns))) {
		os_release_signals(mask);
		return false;
	}
	own(mask);
	return true;
}

void csprof_lock_anew(void)
{
	atomic_store(&lock, 0);
	csprof_lock();
}

void csprof_unlock(void)
{
	uint64_t mask = mask_before;
	atomic_store_explicit(&holder, NULL, memory_order_relaxed);
	if (atomic_exchange(&lock, 0) == WAITED_FOR)
		os_wake_one(&lock);
	csprof_control_unlocked();
	os_release_signals(mask);
}
