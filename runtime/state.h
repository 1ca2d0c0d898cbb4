/* The state of profiling: one of the process, one of each thread (csprof_state_t
 * of the classic design). */
#ifndef RUNTIME_STATE_H
#define RUNTIME_STATE_H

#include "formats/store.h"
#include "runtime/arena.h"
#include "runtime/cpu/cpu.h"
#include "runtime/driver/driver.h"
#include "runtime/fault.h"
#include "runtime/pace.h"
#include "runtime/sections.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CSPROF_TREE_KINDS = 2, CSPROF_MAX_FRAMES = 1 << 20, CSPROF_MAX_PARKED = 8 };

/* Frames and steps of the remembered path that a thread has room for without memory of
 * their own: so many that its state fits into a page. */
enum { CSPROF_FEW_FRAMES = 96, CSPROF_STATE_BYTES = 4096 };

/* The tree that a thread is adding to, and the path that it added last: a sample
 * whose outer frames are the same finds their nodes there (outermost first). */
struct csprof_cct {
	store_ref tree, root, epoch;
	uint64_t *keys;
	store_ref *nodes;
	uint32_t len, cap;
};

typedef struct csprof_state {
	/* of all running threads, or, next, of the states to be used again; under the
	 * process's lock */
	struct csprof_state *next, *previous;
	store_ref thread; /* its record in the store */
	uint32_t tid;
	struct csprof_arena arena;
	struct csprof_source source;
	uint32_t driver; /* index of the source in csprof_drivers */
	struct csprof_pace pace;
	uint64_t random;     /* of the jitter */
	uint64_t own_since;  /* CPU clock: see csprof_own_begin */
	uint64_t returned;   /* CPU clock: no sample after; 0: it has not */
	atomic_bool busy;    /* in the sample path, or in our own code */
	atomic_bool sampled; /* a sample came while busy with a synchronous walk */
	/* where the clock's advance since the last handled sample goes when the thread ends:
	 * CSP_TAIL, or why no samples came any more */
	_Atomic(enum csp_disposition) rest;
	store_ref first_node; /* of the first sample that was recorded, and what it became: */
	enum csp_disposition first_became; /* see csprof_thread_close; 0: none */
	struct csprof_guard guard;
	uint32_t parked; /* handlers that stand in a system call for the program */
	const void *parked_context;

	uintptr_t stack_low, stack_high;   /* of the thread's own stack */
	uintptr_t probed_low, probed_high; /* known readable on another one, in this walk */
	bool probed_all;                   /* the next page is known not to be */
	struct csprof_frame *frames;       /* few_frames, or pages of their own */
	uint32_t num_frames, max_frames;

	struct csprof_cct cct[CSPROF_TREE_KINDS]; /* complete and partial */
	bool creator; /* threads were made here: their records lead into our trees */

	/* for the cct of complete paths, and for frames, as long as they are enough; last,
	 * as they need not be zero */
	uint64_t few_keys[CSPROF_FEW_FRAMES];
	store_ref few_nodes[CSPROF_FEW_FRAMES];
	struct csprof_frame few_frames[CSPROF_FEW_FRAMES];
} csprof_state_t;
_Static_assert(sizeof(csprof_state_t) <= CSPROF_STATE_BYTES, "one page a thread");

/* This thread's state; NULL where it is not measured. */
extern __thread csprof_state_t *csprof_self;

struct csprof_process {
	atomic_bool measuring; /* false: handlers do nothing */
	atomic_bool in_exec;   /* nor do they now, but will again if the exec fails */
	uint32_t pid;
	uint64_t pid_space;  /* inode of its pid namespace, 0: not known */
	int sig;             /* our signal */
	uint64_t period_ns;  /* nominal mean, of the event's clock */
	uint64_t requested;  /* samples per second, for the report */
	uint64_t start_mono; /* monotonic clock at the start */
	size_t first_arena;  /* bytes, 0: the smallest */
	bool use_libunwind;
	bool threaded;             /* it has made threads */
	bool forked;               /* by a process that may have had threads in the loader */
	struct csprof_arena arena; /* for things of the process; under the lock */
	_Atomic(store_ref) epoch;  /* the load map now */
	csprof_state_t *threads;   /* running ones; under the lock */
	store_ref last_thread;     /* tail of the store's list; under the lock */
	uint32_t sources;          /* bit i: some thread used driver i */
};
extern struct csprof_process csprof_process;

/* Is it measured, or will be again if an exec fails? */
static inline bool csprof_process_counts(void)
{
	return atomic_load(&csprof_process.measuring) || atomic_load(&csprof_process.in_exec);
}

/* A lock for what happens outside handlers (threads that come and go, load maps,
 * fork). Our handler does not wait for it, but may try; a thread that holds it may be
 * sampled. Its holder's program handlers do not run meanwhile: they may fork or _exit,
 * which take it. Only csprof_try_lock and csprof_unlock are async-signal-safe. */
void csprof_lock(void);
void csprof_unlock(void);
bool csprof_try_lock(void);
bool csprof_try_lock_for(uint64_t ns);
/* Does this thread hold it? Async-signal-safe. */
bool csprof_lock_is_mine(void);
/* Take it in a process that is a copy: who held it is not there. */
void csprof_lock_anew(void);

#endif
