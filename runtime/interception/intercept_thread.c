/* The creation and the names of threads. */
#include "runtime/interception/intercept.h"

#include "runtime/csprof.h"
#include "runtime/interception/stacks.h"
#include "runtime/os/os.h"
#include "runtime/process/fork_detect.h"
#include "runtime/process/plugins.h"
#include "runtime/process/process.h"
#include "runtime/process/thread.h"
#include "runtime/sample/epoch.h"
#include "runtime/sandboxes/seccomp.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>

/* What a new thread needs to begin, in memory that it gives back. */
struct beginning {
	union {
		void *(*posix)(void *);
		int (*c11)(void *);
	} start;
	void *arg;
	struct csprof_promise promise;
	size_t stack_size;
};

/* Few threads are being created at a time. If there are more, pages are mapped for them; that
 * takes the process's lock on its memory just when the creator maps the next stack. In a forked
 * child the places of threads that were being created stay taken. */
enum { FEW = 64 };
static struct beginning few[FEW];
static atomic_bool taken[FEW];

static struct beginning *find_memory(void)
{
	for (int i = 0; i < FEW; i++)
		if (!atomic_exchange(&taken[i], true)) {
			few[i] = (struct beginning){.arg = NULL};
			return &few[i];
		}
	return os_map(sizeof *few);
}

static void give_back(struct beginning *b)
{
	if (b >= few && b < few + FEW)
		atomic_store(&taken[b - few], false);
	else
		os_unmap(b, sizeof *b);
}

/* attr: NULL for the standard ones. */
static struct beginning *prepare(void *arg, const pthread_attr_t *attr)
{
	struct beginning *b = find_memory();
	if (!b)
		return NULL;
	pthread_attr_t standard;
	if (!csprof_process.threaded) {
		csprof_sample_settle();
		csprof_process.threaded = true;
	}
	b->arg = arg;
	csprof_promise_make(&b->promise);
	if (attr) {
		pthread_attr_getstacksize(attr, &b->stack_size);
	} else if (pthread_getattr_default_np(&standard) == 0) {
		pthread_attr_getstacksize(&standard, &b->stack_size);
		pthread_attr_destroy(&standard);
	}
	return b;
}

/* There will be no thread. */
static void abandon(struct beginning *b)
{
	csprof_promise_drop(&b->promise);
	give_back(b);
}

/* In the new thread: begin to measure it, and give *given back. */
static struct beginning begin(struct beginning *given)
{
	struct beginning b = *given;
	/* glibc puts the thread's control block, which pthread_self returns, at the top of its
	 * stack */
	uintptr_t high = (uintptr_t)pthread_self();
	uintptr_t low = b.stack_size && b.stack_size < high ? high - b.stack_size : 0;
	csprof_stacks_thread_begin(b.stack_size);
	csprof_thread_start(&given->promise, low, high);
	if (csprof_self)
		csprof_plugins_thread_start();
	give_back(given);
	csprof_thread_end_later();
	return b;
}

static void *begin_posix(void *arg)
{
	struct beginning b = begin(arg);
	void *result = b.start.posix(b.arg);
	csprof_thread_returning();
	return result;
}

static int begin_c11(void *arg)
{
	struct beginning b = begin(arg);
	int result = b.start.c11(b.arg);
	csprof_thread_returning();
	return result;
}

CSPROF_WRAPPER int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
				  void *(*start)(void *), void *arg)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "pthread_create");
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
	    atomic_load(&real);
	csprof_fork_detect_adopt();
	csprof_seccomp_new_thread();
	struct beginning *b = csprof_process_measured() ? prepare(arg, attr) : NULL;
	if (!b)
		return create(thread, attr, start, arg);
	b->start.posix = start;
	int r = create(thread, attr, begin_posix, b);
	if (r != 0)
		abandon(b);
	return r;
}

CSPROF_WRAPPER int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "thrd_create");
	int (*create)(thrd_t *, thrd_start_t, void *) = atomic_load(&real);
	csprof_fork_detect_adopt();
	csprof_seccomp_new_thread();
	struct beginning *b = csprof_process_measured() ? prepare(arg, NULL) : NULL;
	if (!b)
		return create(thread, start, arg);
	b->start.c11 = start;
	int r = create(thread, begin_c11, b);
	if (r != thrd_success)
		abandon(b);
	return r;
}

/* Another thread's name is taken when it ends. */
CSPROF_WRAPPER int pthread_setname_np(pthread_t thread, const char *name)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "pthread_setname_np");
	int (*set)(pthread_t, const char *) = atomic_load(&real);
	int r = set(thread, name);
	if (r == 0 && pthread_equal(thread, pthread_self()))
		csprof_thread_named();
	return r;
}
