#include "runtime/state.h"

#include "runtime/masks.h"
#include "runtime/os/os.h"

__thread csprof_state_t *csprof_self;
struct csprof_process csprof_process;

static atomic_flag lock = ATOMIC_FLAG_INIT;
static uint64_t mask_before;   /* the holder's signal mask; under the lock */
static _Atomic(void *) holder; /* its csprof_self, which no other thread has there */

/* One round of waiting. The holder may be of less priority than we are, and then runs only
 * while we sleep, if there is no other CPU for it. */
static void wait_for_holder(uint32_t round)
{
	enum { YIELDS = 100, PAUSE_NS = 50000 };
	if (round < YIELDS)
		os_yield();
	else
		os_sleep_ns(PAUSE_NS);
}

static bool take(void)
{
	if (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		return false;
	atomic_store_explicit(&holder, &csprof_self, memory_order_relaxed);
	return true;
}

bool csprof_lock_is_mine(void)
{
	return atomic_load_explicit(&holder, memory_order_relaxed) == &csprof_self;
}

bool csprof_try_lock(void)
{
	uint64_t mask = os_hold_signals(csprof_mask_virtual());
	if (!take()) {
		os_release_signals(mask);
		return false;
	}
	mask_before = mask;
	return true;
}

void csprof_lock(void)
{
	uint64_t mask = os_hold_signals(csprof_mask_virtual());
	for (uint32_t round = 0; !take(); round++)
		wait_for_holder(round);
	mask_before = mask;
}

bool csprof_try_lock_for(uint64_t ns)
{
	uint64_t mask = os_hold_signals(csprof_mask_virtual());
	uint64_t until = os_clock_mono() + ns;
	for (uint32_t round = 0; !take(); round++) {
		if (os_clock_mono() > until) {
			os_release_signals(mask);
			return false;
		}
		wait_for_holder(round);
	}
	mask_before = mask;
	return true;
}

void csprof_lock_anew(void)
{
	atomic_flag_clear_explicit(&lock, memory_order_relaxed);
	csprof_lock();
}

void csprof_unlock(void)
{
	uint64_t mask = mask_before;
	atomic_store_explicit(&holder, NULL, memory_order_relaxed);
	atomic_flag_clear_explicit(&lock, memory_order_release);
	os_release_signals(mask);
}
