/* The start of an image, and its end. */
#include "runtime/intercept.h"

#include "formats/encode.h"
#include "runtime/copied.h"
#include "runtime/process.h"
#include "runtime/thread.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_key_t thread_key;

/* The value counts the rounds that libc makes through the keys' destructors: ours, the
 * first of each round, ends the measurement in the last, behind the program's own. */
static void end_thread(void *round)
{
	uintptr_t next = (uintptr_t)round + 1;
	if (next > PTHREAD_DESTRUCTOR_ITERATIONS ||
	    pthread_setspecific(thread_key, (void *)next) != 0)
		csprof_thread_end();
}

/* "exit N" */
void csprof_finish_exit(int status, bool with_loader)
{
	csprof_copied_adopt();
	char end[16] = "exit ", digits[20];
	unsigned n = csp_format_u64(digits, (unsigned)status & 0xff);
	memcpy(end + 5, digits, n);
	end[5 + n] = '\0';
	csprof_process_finish(end, with_loader);
}

static void at_exit(int status, void *arg)
{
	(void)arg;
	csprof_finish_exit(status, true);
}

static int quick_status; /* quick_exit's handlers are not told it */

static void at_quick(void)
{
	csprof_finish_exit(quick_status, false);
}

/* Fork's handlers: this thread's fork is ours between the first and the others. */
static __thread bool forking;

static void before_fork(void)
{
	forking = csprof_copied_before();
}

static void after_fork(void)
{
	if (forking)
		csprof_copied_in_parent();
}

static void in_child(void)
{
	if (forking)
		csprof_copied_in_child();
}

/* The loader runs this before any other constructor (Makefile: initfirst), libc's own
 * among them: environ is not set yet, so what is asked for is the argument. The exit
 * handler is registered before the program's and the loader's own, so it runs after
 * the last destructor. */
__attribute__((constructor)) static void library_start(int argc, char **argv, char **environment)
{
	csprof_process_start(argc, argv, environment);
	if (!csprof_process_measured())
		return;
	csprof_copied_watch();
	on_exit(at_exit, NULL);
	at_quick_exit(at_quick);
	pthread_atfork(before_fork, after_fork, in_child);
	if (pthread_key_create(&thread_key, end_thread) == 0)
		csprof_thread_end_later();
}

void csprof_thread_end_later(void)
{
	pthread_setspecific(thread_key, (void *)1);
}

/* The launch point of every program (glibc's csu/libc-start.c): constructors have run,
 * main has not. A dlopen in our own constructor would initialise libc with neither
 * arguments nor environment. */
typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
			   void (*)(void), void *);
start_function __libc_start_main;

CSPROF_WRAPPER int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
				     void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "__libc_start_main");
	if (csprof_process_measured())
		csprof_process_before_main();
	return ((start_function *)atomic_load(&real))(main, argc, argv, init, fini, loader_fini,
						      stack_end);
}

/* ---- ends ---------------------------------------------------------------------------
 *
 * What passes none of these (abort, a signal, a system call made by hand) leaves a store,
 * of which somebody else makes the datafile. */

#define EXIT_WRAPPER(name, prepare)                                                                \
	CSPROF_WRAPPER void name(int status)                                                       \
	{                                                                                          \
		static _Atomic(void *) real;                                                       \
		CSPROF_GRAB_FUNCPTR(real, #name);                                                  \
		prepare;                                                                           \
		((void (*)(int))real)(status);                                                     \
		__builtin_unreachable();                                                           \
	}

EXIT_WRAPPER(_exit, csprof_finish_exit(status, false))
EXIT_WRAPPER(_Exit, csprof_finish_exit(status, false))
EXIT_WRAPPER(quick_exit, quick_status = status)
