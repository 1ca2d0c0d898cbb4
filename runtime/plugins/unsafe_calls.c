/* libhpcrun-unsafe-calls.so, which hpcrun -D upcalls loads with the program: it stands before
 * functions that are not async-signal-safe, and aborts the program if an upcall (runtime/hpcrun.h)
 * calls one. Those that programs call most are here: memory, streams, locks, ends. */
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

/* The next definition of a function, which is the one that the program would call. */
#define NEXT(name)                                                                                 \
	static __typeof__(name) *next;                                                             \
	if (!next)                                                                                 \
	next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* ---- memory: libc's own, as dlsym may need some --------------------------------------- */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void __libc_free(void *p);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
	check("malloc");
	return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
	check("calloc");
	return __libc_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
	check("realloc");
	return __libc_realloc(p, bytes);
}

void free(void *p)
{
	check("free");
	__libc_free(p);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	check("aligned_alloc");
	return __libc_memalign(alignment, bytes);
}

/* ---- streams --------------------------------------------------------------------------- */

FILE *fopen(const char *path, const char *mode)
{
	NEXT(fopen);
	check("fopen");
	return next(path, mode);
}

int fclose(FILE *f)
{
	NEXT(fclose);
	check("fclose");
	return next(f);
}

int fflush(FILE *f)
{
	NEXT(fflush);
	check("fflush");
	return next(f);
}

size_t fwrite(const void *from, size_t bytes, size_t n, FILE *f)
{
	NEXT(fwrite);
	check("fwrite");
	return next(from, bytes, n, f);
}

int fputs(const char *text, FILE *f)
{
	NEXT(fputs);
	check("fputs");
	return next(text, f);
}

int puts(const char *text)
{
	NEXT(puts);
	check("puts");
	return next(text);
}

int putchar(int c)
{
	NEXT(putchar);
	check("putchar");
	return next(c);
}

int vfprintf(FILE *f, const char *format, va_list arguments)
{
	NEXT(vfprintf);
	check("vfprintf");
	return next(f, format, arguments);
}

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

/* ---- locks and ends ----------------------------------------------------------------------- */

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	NEXT(pthread_mutex_lock);
	check("pthread_mutex_lock");
	return next(mutex);
}

int pthread_cond_signal(pthread_cond_t *condition)
{
	NEXT(pthread_cond_signal);
	check("pthread_cond_signal");
	return next(condition);
}

void exit(int status)
{
	static void (*next)(int);
	if (!next)
		next = (void (*)(int))dlsym(RTLD_NEXT, "exit");
	check("exit");
	next(status);
	abort();
}
