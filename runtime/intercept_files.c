/* Functions that close whole ranges of descriptors, among them the one of the store's file.
 * That one stays: a process that has closed it and then become another user, or gone into
 * another root, could not open it again, and its store could not grow any more. What
 * closes each descriptor that it finds in /proc closes it all the same. */
#include "runtime/intercept.h"

#include "runtime/mem.h"
#include "runtime/os/os.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

int close_range(unsigned first, unsigned last, int flags);
void closefrom(int first);

/* Also in a vfork child. 0 or -errno. */
static int close_others(unsigned first, unsigned last, int flags)
{
	int kept = csprof_store_descriptor();
	unsigned ours = (unsigned)kept;
	if (kept < 0 || ours < first || ours > last)
		return os_close_range(first, last, flags);
	int r = ours > first ? os_close_range(first, ours - 1, flags) : 0;
	if (r == 0 && ours < last)
		r = os_close_range(ours + 1, last, flags);
	return r;
}

CSPROF_WRAPPER int close_range(unsigned first, unsigned last, int flags)
{
	int r = close_others(first, last, flags);
	if (r == 0)
		return 0;
	errno = -r;
	return -1;
}

CSPROF_WRAPPER void closefrom(int first)
{
	static _Atomic(void *) real;
	if (close_others(first < 0 ? 0 : (unsigned)first, UINT_MAX, 0) == 0)
		return;
	/* this kernel has no such call */
	CSPROF_GRAB_FUNCPTR(real, "closefrom");
	((void (*)(int))atomic_load(&real))(first);
}
