/* Raw system calls, for the files of the Linux implementation. */
#ifndef RUNTIME_OS_LINUX_CALL_H
#define RUNTIME_OS_LINUX_CALL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* One system call: its result or a negative errno; errno stays as it is. libc's syscall()
 * is not used, since the program's calls of that come through a wrapper of ours. */
static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b,
			 x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e,
			 x5 __asm__("x5") = f;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
#error "write this machine's system call here"
#endif
}

/* CALL(number, up to six arguments, pointers and integers mixed) */
#ifdef __clang_analyzer__
/* It does not see that assembly writes through pointers, of a function elsewhere it does. */
long call_elsewhere(long number, ...);
#define CALL_7(n, a, b, c, d, e, f, ...) call_elsewhere(n, a, b, c, d, e, f)
#else
#define CALL_7(n, a, b, c, d, e, f, ...)                                                           \
	raw_call((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
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

/* An address that mmap gave, or NULL. */
static inline void *mapped(long r)
{
	return r < 0 && r > -PAGE ? NULL : (void *)r;
}

/* Our descriptors go where programs do not meet them: above the limit where this thread is
 * alone in its process, else far from those that count from 3, but no higher than keeps the
 * kernel's table small. The descriptor that fd became. */
int os_move_up(int fd, bool alone);

#endif
