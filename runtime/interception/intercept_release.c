/* Functions that end the waits of other threads which wait for nobody in particular: who calls them
 * is to blame (sample/blame.c). If no thread is known to wait, that costs a few instructions. */
#include "runtime/interception/intercept.h"

#include "runtime/sample/blame.h"

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

/* The version of conditions: x86-64 has an older one, with other objects. */
#ifdef __x86_64__
#define CONDITIONS "GLIBC_2.3.2"
#else
#define CONDITIONS ""
#endif

/* A wrapper of a function that releases what its argument is. */
#define RELEASES(name, type, version, how)                                                         \
	CSPROF_WRAPPER int name(type *object)                                                      \
	{                                                                                          \
		static _Atomic(void *) real;                                                       \
		CSPROF_GRAB_VERSION(real, #name, version);                                         \
		csprof_blame_release(object, sizeof *object, how);                                 \
		return ((int (*)(type *))atomic_load_explicit(&real, memory_order_relaxed))(       \
		    object);                                                                       \
	}

RELEASES(pthread_cond_signal, pthread_cond_t, CONDITIONS, CSPROF_RELEASES_ONE)
RELEASES(pthread_cond_broadcast, pthread_cond_t, CONDITIONS, CSPROF_RELEASES_ALL)
RELEASES(cnd_signal, cnd_t, "", CSPROF_RELEASES_ONE)
RELEASES(cnd_broadcast, cnd_t, "", CSPROF_RELEASES_ALL)
RELEASES(sem_post, sem_t, "", CSPROF_RELEASES_ONE)
RELEASES(pthread_barrier_wait, pthread_barrier_t, "", CSPROF_ARRIVES)
