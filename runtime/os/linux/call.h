/* Raw system calls, for the files of the Linux implementation. */
#ifndef RUNTIME_OS_LINUX_CALL_H
#define RUNTIME_OS_LINUX_CALL_H

#include "runtime/cpu/port.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* Calls that Linux has only on older CPUs. Elsewhere they get numbers that no call has. */
#ifndef SYS_pause
enum { SYS_pause = -1, SYS_poll = -2, SYS_select = -3, SYS_epoll_wait = -4 };
#endif

/* CALL(number, up to six arguments, pointers and integers mixed): one system call; its result or
 * a negative errno. errno is unchanged. libc's syscall() is not used, because we wrap it for the
 * program. */
#ifdef __clang_analyzer__
/* The analyzer does not see that assembly writes through pointers; for a function in another
 * file it assumes so. */
long call_elsewhere(long number, ...);
#define CALL_7(n, a, b, c, d, e, f, ...) call_elsewhere(n, a, b, c, d, e, f)
#else
#define CALL_7(n, a, b, c, d, e, f, ...)                                                           \
	csprof_raw_call((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#endif
#define CALL(...) CALL_7(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

static inline uint64_t bit_of(int sig)
{
	return sig > 0 ? 1ull << (sig - 1) : 0;
}

static inline uint64_t change_mask(int how, uint64_t set)
{
	uint64_t before = 0;
	CALL(SYS_rt_sigprocmask, how, &set, &before, sizeof set);
	return before;
}

/* The address that mmap returned, or NULL. */
static inline void *mapped(long r)
{
	return r < 0 && r > -PAGE ? NULL : (void *)r;
}

/* Move one of our descriptors to where programs do not find it: above the limit if this thread
 * is the only one (alone), else far above those that count from 3, but low enough to keep the
 * kernel's table small. Returns the new descriptor, or fd. */
int os_move_up(int fd, bool alone);
/* Open /proc/self/task/TID/NAME (name: at most 11 bytes; 0: of this thread). The descriptor, or
 * -errno. */
int os_task_open(uint32_t tid, const char *name);
/* Read the beginning of that file into out, NUL-padded. The number of bytes, or -errno. */
int os_task_file(uint32_t tid, const char *name, char *out, size_t size);

#endif
