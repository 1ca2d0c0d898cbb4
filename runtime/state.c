#include "runtime/state.h"

#include "runtime/os/os.h"

__thread csprof_state_t *csprof_self;
struct csprof_process csprof_process;

static atomic_flag lock = ATOMIC_FLAG_INIT;

void csprof_lock(void)
{
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		os_yield();
}

bool csprof_try_lock_for(uint64_t ns)
{
	uint64_t until = os_clock_mono() + ns;
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
		if (os_clock_mono() > until)
			return false;
		os_yield();
	}
	return true;
}

void csprof_unlock(void)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
}
