/* Functions on files.
 *
 * Some close ranges of descriptors. Ours stay open. A process that has closed its
 * store's file and then become another user, or changed its root, could not open it again, and
 * its store could not grow any more; a thread whose event is closed needs another source. A
 * program that closes each descriptor that it finds in /proc closes ours as well. */
#include "runtime/interception/intercept.h"

#include "runtime/drivers/driver.h"
#include "runtime/interception/signals.h"
#include "runtime/os/os.h"
#include "runtime/trees/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

int close_range(unsigned first, unsigned last, int flags);
void closefrom(int first);

/* Our lowest descriptor from first to last, or -1. */
static int lowest_of_ours(unsigned first, unsigned last)
{
	int store = csprof_store_descriptor(), source = csprof_source_descriptor(first);
	int lowest = store < 0 || (unsigned)store < first ? source
		     : source < 0 || store < source       ? store
							  : source;
	return lowest >= 0 && (unsigned)lowest <= last ? lowest : -1;
}

/* Also in a vfork child. 0 or -errno. */
static int close_others(unsigned first, unsigned last, int flags)
{
	int r = 0, ours;
	while (r == 0 && (ours = lowest_of_ours(first, last)) >= 0) {
		if ((unsigned)ours > first)
			r = os_close_range(first, (unsigned)ours - 1, flags);
		first = (unsigned)ours + 1;
	}
	if (r == 0 && first <= last)
		r = os_close_range(first, last, flags);
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

/* In memory and on some other file systems, the kernel gives up reserving space when a signal is
 * pending, and gives back what it had: a large request, made again and again, would never end. */
#define HELD_WRAPPER(name, parameters, arguments)                                                  \
	CSPROF_WRAPPER int name parameters                                                         \
	{                                                                                          \
		static _Atomic(void *) real;                                                       \
		CSPROF_GRAB_FUNCPTR(real, #name);                                                  \
		uint64_t mask = csprof_signal_hold();                                              \
		int r = ((int(*) parameters)atomic_load(&real))arguments;                          \
		csprof_signal_release(mask);                                                       \
		return r;                                                                          \
	}

HELD_WRAPPER(fallocate, (int fd, int mode, off_t from, off_t bytes), (fd, mode, from, bytes))
HELD_WRAPPER(fallocate64, (int fd, int mode, off64_t from, off64_t bytes), (fd, mode, from, bytes))
HELD_WRAPPER(posix_fallocate, (int fd, off_t from, off_t bytes), (fd, from, bytes))
HELD_WRAPPER(posix_fallocate64, (int fd, off64_t from, off64_t bytes), (fd, from, bytes))
