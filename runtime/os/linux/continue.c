/* Calls that a signal interrupts although its handler restarts calls.
 *
 * Some calls end with EINTR all the same, and are made again. A transfer that has moved some
 * bytes returns their number: on a blocking descriptor the program would never see that result
 * without the signal, and many programs take it for an error or lose the rest. */
#include "runtime/cpu/cpu.h"
#include "runtime/os/linux/call.h"
#include "runtime/os/os.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

static bool blocking(long fd)
{
	long flags = CALL(SYS_fcntl, fd, F_GETFL);
	return flags >= 0 && !(flags & O_NONBLOCK);
}

/* A socket with a timeout: to continue would begin the timeout again. */
static bool timed(long fd, int option)
{
	struct timeval t = {0, 0};
	socklen_t length = sizeof t;
	return CALL(SYS_getsockopt, fd, SOL_SOCKET, option, &t, &length) == 0 &&
	       (t.tv_sec != 0 || t.tv_usec != 0);
}

static bool sends_all(long fd, long flags)
{
	return !(flags & MSG_DONTWAIT) && blocking(fd) && !timed(fd, SO_SNDTIMEO);
}

static bool receives_all(long fd, long flags)
{
	return flags & MSG_WAITALL && !(flags & (MSG_DONTWAIT | MSG_PEEK)) && blocking(fd) &&
	       !timed(fd, SO_RCVTIMEO);
}

/* Zeros or random bytes (major 1, Documentation/admin-guide/devices.txt): a read is short only
 * because of a signal. Other files return what they have. */
static bool endless(long fd)
{
	enum { MEMORY = 1, ZERO = 5, FULL = 7, RANDOM = 8, URANDOM = 9 };
	struct stat st;
	if (CALL(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) < 0 || !S_ISCHR(st.st_mode) ||
	    major(st.st_rdev) != MEMORY)
		return false;
	unsigned which = minor(st.st_rdev);
	return which == ZERO || which == FULL || which == RANDOM || which == URANDOM;
}

/* sendfile to a pipe writes as much as there is room for, and returns. */
static bool takes_all(long fd)
{
	struct stat st;
	return CALL(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) == 0 && !S_ISFIFO(st.st_mode) &&
	       sends_all(fd, 0);
}

static uint64_t total(const struct iovec *v, uint64_t n)
{
	uint64_t bytes = 0;
	for (uint64_t i = 0; i < n; i++)
		bytes += v[i].iov_len;
	return bytes;
}

/* The rest of the piece that contains byte `at` of the whole. */
static struct iovec piece(const struct iovec *v, uint64_t at)
{
	while (at >= v->iov_len)
		at -= v++->iov_len;
	return (struct iovec){(char *)v->iov_base + at, v->iov_len - at};
}

/* How many bytes the call transfers if no signal comes; 0 if a smaller number may have other
 * reasons. */
static uint64_t wanted(int call, const long *a)
{
	const struct msghdr *m = (const struct msghdr *)a[1];
	switch (call) {
	case SYS_write:
		return sends_all(a[0], 0) ? (uint64_t)a[2] : 0;
	case SYS_writev:
		return sends_all(a[0], 0) ? total((const struct iovec *)a[1], (uint64_t)a[2]) : 0;
	case SYS_sendto:
		return sends_all(a[0], a[3]) ? (uint64_t)a[2] : 0;
	case SYS_sendmsg:
		return sends_all(a[0], a[2]) ? total(m->msg_iov, m->msg_iovlen) : 0;
	case SYS_recvfrom:
		return receives_all(a[0], a[3]) ? (uint64_t)a[2] : 0;
	case SYS_recvmsg:
		return receives_all(a[0], a[2]) ? total(m->msg_iov, m->msg_iovlen) : 0;
	case SYS_read:
		return endless(a[0]) ? (uint64_t)a[2] : 0;
	case SYS_getrandom:
		return (uint64_t)a[1];
	case SYS_sendfile:
		return takes_all(a[0]) ? (uint64_t)a[3] : 0;
	case SYS_copy_file_range:
		return (uint64_t)a[4];
	default:
		return 0;
	}
}

/* MADE(number, up to six arguments): as CALL, where a sample finds the call and continues it. */
#define MADE_7(n, a, b, c, d, e, f, ...)                                                           \
	csprof_cpu_call_unless((long)(n), (const long[6]){(long)(a), (long)(b), (long)(c),         \
							  (long)(d), (long)(e), (long)(f)})
#define MADE(...) MADE_7(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

/* A socket whose other end is closed must not raise SIGPIPE after the first bytes: the call
 * would have returned their number. A pipe does raise it. */
static long send_more(long fd, const void *bytes, uint64_t n, long flags)
{
	long sent = MADE(SYS_sendto, fd, bytes, n, flags | MSG_NOSIGNAL, NULL, 0);
	return sent == -ENOTSOCK ? MADE(SYS_write, fd, bytes, n) : sent;
}

static long receive_more(long fd, struct iovec to, long flags)
{
	return MADE(SYS_recvfrom, fd, to.iov_base, to.iov_len, flags, NULL, NULL);
}

/* The same call for what is left after `got` bytes, or for a part of it. */
static long go_on(int call, const long *a, uint64_t got)
{
	const struct msghdr *m = (const struct msghdr *)a[1];
	struct iovec rest = {(char *)a[1] + got, (uint64_t)a[2] - got};
	switch (call) {
	case SYS_write:
	case SYS_sendto:
		return send_more(a[0], rest.iov_base, rest.iov_len, call == SYS_sendto ? a[3] : 0);
	case SYS_writev:
		rest = piece((const struct iovec *)a[1], got);
		return send_more(a[0], rest.iov_base, rest.iov_len, 0);
	case SYS_sendmsg:
		rest = piece(m->msg_iov, got);
		return send_more(a[0], rest.iov_base, rest.iov_len, a[2]);
	case SYS_recvfrom:
		return receive_more(a[0], rest, a[3]);
	case SYS_recvmsg:
		return receive_more(a[0], piece(m->msg_iov, got), a[2]);
	case SYS_read:
		return MADE(SYS_read, a[0], rest.iov_base, rest.iov_len);
	case SYS_getrandom:
		return MADE(SYS_getrandom, a[0] + (long)got, (uint64_t)a[1] - got, a[2]);
	case SYS_sendfile:
		return MADE(SYS_sendfile, a[0], a[1], a[2], (uint64_t)a[3] - got);
	case SYS_copy_file_range:
		return MADE(SYS_copy_file_range, a[0], a[1], a[2], a[3], (uint64_t)a[4] - got,
			    a[5]);
	default:
		return 0;
	}
}

/* io_uring_enter(fd, to_submit, min_complete, flags, argument, size). Its argument is a mask, or
 * with IORING_ENTER_EXT_ARG a struct that may have one; with flags that are newer than this,
 * anything. */
static bool enters_with_mask(const long *a)
{
	enum { ABS_TIMER = 1 << 5, KNOWN = 31 | ABS_TIMER };
	const struct io_uring_getevents_arg *more = (const void *)a[4];
	if (a[3] & ~KNOWN)
		return true;
	return more && (a[3] & IORING_ENTER_EXT_ARG ? more->sigmask != 0 : true);
}

/* If it has submitted all, it waits, and returns their number also when a signal ends the wait. If
 * it has submitted some, it has not waited. */
static bool enter_cut_short(const long *a, long result)
{
	return result > 0 && result == (long)(unsigned)a[1] && a[3] & IORING_ENTER_GETEVENTS &&
	       (unsigned)a[2] > 0 && !enters_with_mask(a);
}

static bool enters_with_limit(const long *a)
{
	const struct io_uring_getevents_arg *more = (const void *)a[4];
	return a[3] & IORING_ENTER_EXT_ARG && more && more->ts;
}

/* Transfers that may wait, and are the same on a file, a pipe and a socket, or only on a socket. */
static bool on_descriptor(int call)
{
	switch (call) {
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_accept:
	case SYS_accept4:
		return true;
	default:
		return false;
	}
}

/* A socket with a timeout: the kernel does not restart a call on it. */
static bool limited(long fd)
{
	return timed(fd, SO_RCVTIMEO) || timed(fd, SO_SNDTIMEO);
}

/* A call with a mask of its own waits for signals that are blocked outside it: a signal that
 * comes before it is made again is still pending then. pause has no mask: a signal that comes
 * during the last instructions of our handler is missed, as it would be just before the
 * program's own call. */
bool os_waits_for_signal(int call, const long *a)
{
	return call == SYS_pause || os_waits_with_mask(call, a);
}

bool os_sets_mask(int call)
{
	return call == SYS_rt_sigprocmask;
}

bool os_waits_with_mask(int call, const long *a)
{
	switch (call) {
	case SYS_rt_sigsuspend:
		return true;
	case SYS_pselect6: /* the address and length of the mask */
		return a[5] != 0 && *(const long *)a[5] != 0;
	case SYS_ppoll:
		return a[3] != 0;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		return a[4] != 0;
	case SYS_io_uring_enter:
		return enters_with_mask(a);
	default:
		return false;
	}
}

/* The timeout of select, pselect and ppoll counts down in place. */
bool os_repeatable(int call, const long *a)
{
	switch (call) {
	case SYS_select:
	case SYS_clock_nanosleep: /* until a time; see os_restartable */
	case SYS_epoll_wait:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
	case SYS_msgsnd:
	case SYS_msgrcv:
	case SYS_io_getevents:
	case SYS_pselect6: /* these only without a mask: os_waits_for_signal */
	case SYS_ppoll:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_io_uring_enter:
		return true;
	default:
		return on_descriptor(call) && limited(a[0]);
	}
}

/* The argument that is the time: milliseconds, or the address of a timespec. 0: there is none. */
static int limit_in_ms(int call)
{
	return call == SYS_epoll_wait || call == SYS_epoll_pwait ? 3 : 0;
}

static int limit_in_timespec(int call)
{
	switch (call) {
	case SYS_epoll_pwait2:
	case SYS_semtimedop:
		return 3;
	case SYS_rt_sigtimedwait:
		return 2;
	case SYS_io_getevents:
		return 4;
	default:
		return 0;
	}
}

bool os_limited(int call, const long *a)
{
	int ms = limit_in_ms(call), in_timespec = limit_in_timespec(call);
	switch (call) {
	case SYS_nanosleep:
		return true;
	case SYS_clock_nanosleep:
		return !(a[1] & TIMER_ABSTIME);
	case SYS_futex:
		return a[3] != 0;
	case SYS_poll:
		return (int)a[2] > 0;
	case SYS_io_uring_enter:
		return enters_with_limit(a);
	}
	/* if it was on a descriptor and has ended with EINTR: a socket with a timeout */
	return on_descriptor(call) || (ms && (int)a[ms] > 0) || (in_timespec && a[in_timespec]);
}

void os_shorten(int call, long *a, uint64_t ns, struct timespec *rest)
{
	enum { NS_PER_MS = 1000000, NS_PER_S = 1000000000 };
	int ms = limit_in_ms(call), in_timespec = limit_in_timespec(call);
	if (ms) {
		uint64_t waited = ns / NS_PER_MS;
		a[ms] = waited < (uint64_t)(int)a[ms] ? a[ms] - (long)waited : 0;
	} else if (in_timespec) {
		struct timespec t = *(const struct timespec *)a[in_timespec];
		if ((uint64_t)t.tv_sec > ns / NS_PER_S + 1) {
			t.tv_sec -= (time_t)(ns / NS_PER_S);
			t.tv_nsec -= (long)(ns % NS_PER_S);
			t.tv_sec -= t.tv_nsec < 0;
			t.tv_nsec += t.tv_nsec < 0 ? NS_PER_S : 0;
		} else {
			uint64_t whole = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
			whole = whole > ns ? whole - ns : 0;
			t.tv_sec = (time_t)(whole / NS_PER_S);
			t.tv_nsec = (long)(whole % NS_PER_S);
		}
		*rest = t;
		a[in_timespec] = (long)rest;
	}
}

bool os_waits(int call, const long *a)
{
	switch (call) {
	case SYS_recvmmsg:
	case SYS_sendmmsg:
	case SYS_connect:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_flock:
	case SYS_openat: /* of a FIFO */
	case SYS_splice:
	case SYS_tee:
	case SYS_vmsplice:
	case SYS_sendfile:
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
#ifdef SYS_open
	case SYS_open:
#endif
		return true;
	case SYS_fcntl:
		return a[1] == F_SETLKW || a[1] == F_OFD_SETLKW;
	case SYS_futex:
		switch (a[1] & FUTEX_CMD_MASK) {
		case FUTEX_WAIT:
		case FUTEX_WAIT_BITSET:
		case FUTEX_LOCK_PI:
		case FUTEX_LOCK_PI2:
			return true;
		}
		return false;
	default:
		return on_descriptor(call);
	}
}

bool os_cut_short(int call, const long *args, long result)
{
	if (call == SYS_io_uring_enter)
		return enter_cut_short(args, result);
	return result > 0 && (uint64_t)result < wanted(call, args);
}

long os_finish_transfer(int call, const long *args, long result)
{
	uint64_t all = wanted(call, args);
	if (call == SYS_io_uring_enter) { /* it returns at once if the events are there */
		MADE(call, args[0], 0, args[2], args[3], args[4], args[5]);
		return result;
	}
	while ((uint64_t)result < all) {
		long more = go_on(call, args, (uint64_t)result);
		if (more <= 0) /* the end, an error that the next call gets, too, or a signal */
			break;
		result += more;
	}
	return result;
}
