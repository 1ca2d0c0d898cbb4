/* Calls whose time limit begins again when they are made again after a signal: when they began. */
#include "runtime/interception/intercept.h"

#include "runtime/sample/call.h"

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/sem.h>
#include <time.h>

CSPROF_WRAPPER int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "epoll_wait");
	if (timeout > 0)
		csprof_call_limited(atomic_load(&real));
	return ((int (*)(int, struct epoll_event *, int, int))atomic_load(&real))(fd, events, n,
										  timeout);
}

CSPROF_WRAPPER int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
			       const sigset_t *mask)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "epoll_pwait");
	if (timeout > 0)
		csprof_call_limited(atomic_load(&real));
	return ((int (*)(int, struct epoll_event *, int, int, const sigset_t *))atomic_load(&real))(
	    fd, events, n, timeout, mask);
}

CSPROF_WRAPPER int epoll_pwait2(int fd, struct epoll_event *events, int n,
				const struct timespec *timeout, const sigset_t *mask)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "epoll_pwait2");
	if (!atomic_load(&real)) { /* before glibc 2.35 */
		errno = ENOSYS;
		return -1;
	}
	if (timeout)
		csprof_call_limited(atomic_load(&real));
	return ((int (*)(int, struct epoll_event *, int, const struct timespec *,
			 const sigset_t *))atomic_load(&real))(fd, events, n, timeout, mask);
}

CSPROF_WRAPPER int semtimedop(int id, struct sembuf *operations, size_t n,
			      const struct timespec *timeout)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "semtimedop");
	if (timeout)
		csprof_call_limited(atomic_load(&real));
	return ((int (*)(int, struct sembuf *, size_t, const struct timespec *))atomic_load(&real))(
	    id, operations, n, timeout);
}
