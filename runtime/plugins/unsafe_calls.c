/* libhpcrun-unsafe-calls.so, which hpcrun -D upcalls loads with the program: it stands before
 * functions that are not async-signal-safe, and aborts the program if an upcall (runtime/hpcrun.h)
 * calls one. Those that programs call most are here: memory, streams, locks, ends. Otherwise it
 * calls the function that the program would call, which may be another allocator's or a
 * sanitizer's. */
#include "runtime/hpcrun.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

static void say(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
	(void)ignored;
}

/* Of an upcall, name must not be called. */
static void check(const char *name)
{
	if (!hpcrun_upcall_running())
		return;
	say("hpcrun: an upcall calls ");
	say(name);
	say(", which is not async-signal-safe (signal-safety(7)); aborting, as -D upcalls asks\n");
	abort();
}

/* For a function: dlsym may need memory. Volatile, as it is declared as one that calls nothing
 * here. */
static __thread volatile int looking;

static void *look_up(const char *name)
{
	looking++;
	void *function = dlsym(RTLD_NEXT, name);
	looking--;
	return function;
}

/* `next` is the function that comes after ours. */
#define FIND_NEXT(name)                                                                            \
	static __typeof__(name) *next;                                                             \
	if (!next)                                                                                 \
	next = (__typeof__(name) *)look_up(#name)

#define STAND_BEFORE(type, name, parameters, arguments)                                            \
	type name parameters                                                                       \
	{                                                                                          \
		check(#name);                                                                      \
		FIND_NEXT(name);                                                                   \
		return next arguments;                                                             \
	}

/* ---- memory -------------------------------------------------------------------------------- */

/* What dlsym gets while it looks for the function that would give it some. It is never used again.
 */
static struct {
	_Alignas(16) char bytes[4096];
	size_t used;
} early;

static void *take_early(size_t bytes)
{
	size_t from = __atomic_fetch_add(&early.used, (bytes + 15) & ~(size_t)15, __ATOMIC_RELAXED);
	return bytes <= sizeof early.bytes && from <= sizeof early.bytes - bytes
		   ? early.bytes + from
		   : NULL;
}

static int is_early(const void *p)
{
	return (const char *)p >= early.bytes && (const char *)p < early.bytes + sizeof early.bytes;
}

void *malloc(size_t bytes)
{
	if (looking)
		return take_early(bytes);
	check("malloc");
	FIND_NEXT(malloc);
	return next ? next(bytes) : take_early(bytes);
}

void *calloc(size_t n, size_t bytes)
{
	if (looking)
		return take_early(n * bytes);
	check("calloc");
	FIND_NEXT(calloc);
	return next ? next(n, bytes) : take_early(n * bytes);
}

void free(void *p)
{
	if (looking || is_early(p))
		return; /* dlsym frees the text of the last error: it is lost, and small */
	check("free");
	FIND_NEXT(free);
	next(p);
}

STAND_BEFORE(void *, realloc, (void *p, size_t bytes), (p, bytes))
STAND_BEFORE(void *, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes))
STAND_BEFORE(int, posix_memalign, (void **p, size_t alignment, size_t bytes), (p, alignment, bytes))

/* ---- streams ------------------------------------------------------------------------------- */

STAND_BEFORE(FILE *, fopen, (const char *path, const char *mode), (path, mode))
STAND_BEFORE(int, fclose, (FILE * f), (f))
STAND_BEFORE(int, fflush, (FILE * f), (f))
STAND_BEFORE(size_t, fwrite, (const void *from, size_t bytes, size_t n, FILE *f),
	     (from, bytes, n, f))
STAND_BEFORE(int, fputs, (const char *text, FILE *f), (text, f))
STAND_BEFORE(int, puts, (const char *text), (text))
STAND_BEFORE(int, putchar, (int c), (c))
STAND_BEFORE(int, vfprintf, (FILE * f, const char *format, va_list arguments),
	     (f, format, arguments))

int printf(const char *format, ...)
{
	va_list arguments;
	check("printf");
	va_start(arguments, format);
	int n = vfprintf(stdout, format, arguments);
	va_end(arguments);
	return n;
}

int fprintf(FILE *f, const char *format, ...)
{
	va_list arguments;
	check("fprintf");
	va_start(arguments, format);
	int n = vfprintf(f, format, arguments);
	va_end(arguments);
	return n;
}

/* As _FORTIFY_SOURCE calls them. */
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list arguments);
int __printf_chk(int flag, const char *format, ...);
int __fprintf_chk(FILE *f, int flag, const char *format, ...);

int __printf_chk(int flag, const char *format, ...)
{
	va_list arguments;
	check("printf");
	va_start(arguments, format);
	int n = __vfprintf_chk(stdout, flag, format, arguments);
	va_end(arguments);
	return n;
}

int __fprintf_chk(FILE *f, int flag, const char *format, ...)
{
	va_list arguments;
	check("fprintf");
	va_start(arguments, format);
	int n = __vfprintf_chk(f, flag, format, arguments);
	va_end(arguments);
	return n;
}

void syslog(int priority, const char *format, ...)
{
	va_list arguments;
	check("syslog");
	va_start(arguments, format);
	vsyslog(priority, format, arguments);
	va_end(arguments);
}

/* ---- locks and ends ------------------------------------------------------------------------ */

STAND_BEFORE(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
STAND_BEFORE(int, pthread_cond_signal, (pthread_cond_t * condition), (condition))

void exit(int status)
{
	static void (*next)(int);
	check("exit");
	if (!next)
		next = (void (*)(int))look_up("exit");
	next(status);
	abort();
}
