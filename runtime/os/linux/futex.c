/* What a thread waits for in a futex call. */
#include "runtime/os/linux/call.h"
#include "runtime/os/os.h"

#include <linux/futex.h>

#ifndef FUTEX_LOCK_PI2
enum { FUTEX_LOCK_PI2 = 13 };
#endif

bool os_futex_wait(int call, const long *args, struct os_futex *out)
{
	enum { FLAGS = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME, VALUE = 2 };
	int operation = (int)args[1] & ~FLAGS;
	if (call != SYS_futex)
		return false;
	*out = (struct os_futex){
	    .at = (uintptr_t)args[0],
	    .value = (uint32_t)args[VALUE],
	    .shared = !(args[1] & FUTEX_PRIVATE_FLAG),
	    .plain = operation == FUTEX_WAIT,
	    .names_owner = operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2,
	};
	return out->plain || out->names_owner || operation == FUTEX_WAIT_BITSET;
}
