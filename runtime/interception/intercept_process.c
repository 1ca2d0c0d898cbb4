/* The start and the end of an image. */
#include "runtime/interception/intercept.h"

#include "formats/encode.h"
#include "runtime/interception/stacks.h"
#include "runtime/process/fork_detect.h"
#include "runtime/process/process.h"
#include "runtime/process/state.h"
#include "runtime/process/thread.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_key_t thread_key;

/* The value counts the rounds that libc makes through the keys' destructors. Ours, the first of
 * each round, ends the measurement in the last round, after most of the program's own. */
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
	csprof_fork_detect_adopt();
	char end[16] = "exit ", digits[20];
	unsigned n = csp_format_u64(digits, (unsigned)status & 0xff);
	memcpy(end + 5, digits, n);
	end[5 + n] = '\0';
	if (with_loader)
		csprof_process_look();
	csprof_process_finish(end);
}

static int quick_status; /* quick_exit does not pass it to its handlers */

static void at_quick(void)
{
	csprof_finish_exit(quick_status, false);
}

/* Whether this thread's fork is handled here, between the first of fork's handlers and the
 * others. */
static __thread bool forking;

static void before_fork(void)
{
	forking = csprof_fork_detect_before();
}

static void after_fork(void)
{
	if (forking)
		csprof_fork_detect_in_parent();
}

static void in_child(void)
{
	if (forking)
		csprof_fork_detect_in_child();
}

void csprof_image_start(int argc, char **argv, char **environment)
{
	csprof_process_start(argc, argv, environment);
	if (!csprof_process_measured())
		return;
	csprof_stacks_main_begin(environment);
	csprof_fork_detect_watch();
	(void)at_quick_exit(at_quick);
	pthread_atfork(before_fork, after_fork, in_child);
	if (pthread_key_create(&thread_key, end_thread) == 0)
		csprof_thread_end_later();
}

void csprof_image_attached(void)
{
	csprof_fork_detect_watch();
	(void)at_quick_exit(at_quick);
	if (pthread_key_create(&thread_key, end_thread) != 0)
		thread_key = PTHREAD_KEYS_MAX;
}

/* In a handler only if the key is one of the first, for which libc has room in each thread (its
 * PTHREAD_KEY_2NDLEVEL_SIZE): else it may allocate memory. */
void csprof_thread_end_later(void)
{
	enum { AT_ONCE = 32 };
	if (!csprof_process.attached || thread_key < AT_ONCE)
		pthread_setspecific(thread_key, (void *)1);
}

/* ---- ends ---------------------------------------------------------------------------
 *
 * A process that ends without any of these (abort, a signal, a direct system call) leaves a
 * store, of which the launcher makes the datafile. */

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
