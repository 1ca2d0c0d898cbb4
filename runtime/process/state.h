/* The state of the measurement: of the process, and of each thread (csprof_state_t of the
 * classic design). */
#ifndef RUNTIME_PROCESS_STATE_H
#define RUNTIME_PROCESS_STATE_H

#include "formats/store/store.h"
#include "runtime/base/sections.h"
#include "runtime/cpu/cpu.h"
#include "runtime/events/sampling.h"
#include "runtime/sample/fault.h"
#include "runtime/sample/kernel.h"
#include "runtime/sample/memo.h"
#include "runtime/sample/pace.h"
#include "runtime/trees/arena.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	CSPROF_TREE_KINDS = 2,
	CSPROF_MAX_FRAMES = 1 << 20,
	CSPROF_MAX_PARKED = 8,
	CSPROF_MAX_MEASURED = CSPROF_MAX_EVENTS
};

/* The number of frames, and of steps of the remembered path, that fit into a thread's state,
 * which is one page, or with several events two. */
enum { CSPROF_FEW_FRAMES = 87, CSPROF_STATE_BYTES = 4096 };

/* The tree to which a thread adds samples, and the last path that it added: a sample with the
 * same outer frames finds their nodes there (outermost first). */
struct csprof_cct {
	store_ref tree, root, epoch;
	uint64_t *keys;
	store_ref *nodes;
	uint32_t len, cap;
};

/* The clocks of a thread at one instant: that of an event, and its CPU time, which gives the cost
 * of measuring. */
struct csprof_instant {
	uint64_t event, cpu;
};

/* What a thread has for one event that it is sampled by. */
struct csprof_sampler {
	struct csprof_measured *measured;
	struct csprof_source source;
	uint32_t driver; /* index of the source among those of the event */
	struct csprof_pace pace;
	/* of a count: what its clock and the CPU clock have advanced, recent samples most */
	struct csprof_seen {
		uint64_t events, ns;
		uint64_t cpu; /* CPU clock at the last sample */
	} seen;
	uint64_t cost;       /* ns of CPU time that its samples took */
	uint64_t own_since;  /* event's clock: see csprof_own_begin */
	uint64_t returned;   /* event's clock when the thread's function returned; 0: not yet */
	atomic_bool sampled; /* a sample came while the thread was busy */
	atomic_bool stopped; /* see control.h; clocks are as they were */
	/* disposition of the clock's advance since the last handled sample when the thread ends:
	 * CSP_TAIL, or the reason why no more samples came */
	_Atomic(enum csp_disposition) rest;
	store_ref rest_node;              /* gets what is left at the end, 0: none, */
	enum csp_disposition rest_became; /* with that outcome; see account_rest */
};

/* BLOCKED and RUNNABLE: see wall.c. The clocks of a thread at one instant, and its context
 * switches, all and those by which it began to wait. */
struct csprof_look {
	uint64_t mono, cpu, blocked, runnable;
	uint64_t switches, waits, faults;
};

/* A wait that a look has found: its node, 0: none, and what became of the sample. */
struct csprof_wait {
	store_ref node;
	enum csp_disposition became;
};

/* What others have waited for the thread: see blame.c. */
struct csprof_blame {
	struct csprof_party *party; /* NULL: not measured */
	/* Where it was charged last as an owner, on a CPU or at all, and its CPU clock then. */
	store_ref last_ran, last;
	uint64_t cpu;
	atomic_bool released; /* it has released others since the last sample */
	/* When it last did, by the monotonic and the CPU clock, and the part of the time before
	 * that for which it ran. */
	uint64_t since, since_cpu;
	uint32_t part_ran;
	/* What it did, while it ran and while it waited: one of its samples since then, the sum of
	 * their weights, one of those before, and ns to be charged to such a sample. */
	struct csprof_done {
		store_ref chosen, before;
		uint64_t weights, ns;
	} ran, waited;
	uint64_t ahead; /* ns by which others were charged too much for its waits */
};

struct csprof_wall {
	struct csprof_sampler *blocked, *runnable;
	struct csprof_blame blame;
	struct csprof_look last;
	struct csprof_wait wait; /* one that the handler continues */
	struct csprof_wait stay; /* one that is left to the thread, */
	uintptr_t pc, sp;        /* where it is, */
	uint32_t stays;          /* and how many looks in a row have found it there */
	uint64_t gap, stood;     /* the mean gap before the next look, and before the last one */
	bool left;               /* no look at it until the thread has used CPU time */
	bool faulted;            /* page faults came before the last look, after the one before */
};

typedef struct csprof_state {
	/* links of all running threads, or next of the free states; under the process's lock */
	struct csprof_state *next, *previous;
	store_ref thread; /* its record in the store */
	uint32_t tid;
	bool probed_all; /* of the readable part of another stack: the next page is unreadable */
	bool creator;    /* it made threads, whose records refer to its trees */
	bool stops;      /* it has stopped itself (control.h); under the lock */
	bool stopping;   /* internal to control.c */
	atomic_bool stopped;
	/* Just adding to counts in its trees, besides the sample path: see regions.c. */
	atomic_bool counting;
	struct csprof_arena arena;
	/* One per measured event: the_sampler, or in the page after this one. */
	struct csprof_sampler *samplers;
	struct csprof_sampler the_sampler;
	struct csprof_wall *wall; /* after the samplers in that page; NULL: not measured */
	struct csprof_kernel_time kernel;
	uint64_t random;    /* state of the generator for the jitter */
	uint64_t began;     /* CPU clock at the start */
	uint64_t own_cpu;   /* ns of CPU time used by measuring */
	uint64_t outside;   /* the same outside of the clock; see store_header */
	uint64_t own_since; /* CPU clock: see csprof_own_begin */
	atomic_bool busy;   /* in the sample path, or in other code of ours */
	/* 1: its labels or regions change, or are read; more: the process that has asked
	 * meanwhile, as in process/said.h */
	_Atomic uint32_t saying;
	struct csprof_guard guard;

	uintptr_t stack_low, stack_high;   /* bounds of the thread's own stack */
	uintptr_t probed_low, probed_high; /* readable part of another stack, in this walk */
	struct csprof_frame *frames;       /* few_frames, or separate pages */
	uint32_t num_frames, max_frames;
	uint32_t outer;     /* the walk's frames outside of those, which are the memo's first */
	uint32_t num_notes; /* that were put before the innermost frame: see notes.h */
	uint32_t
	    num_scripts; /* the path's frames of an interpreter, which are put among the others */
	struct csprof_memo memo;
	struct csprof_regions *regions; /* NULL: none yet */
	struct csprof_labels *labels;   /* the same */
	struct csprof_window *window;   /* of single steps; the same */
	struct csprof_scripts *scripts; /* of an interpreter; the same */

	struct csprof_cct cct[CSPROF_TREE_KINDS]; /* complete and partial */

	/* for the cct of complete paths, and for frames, if they are large enough; last, because
	 * they need not be zeroed */
	uint64_t few_keys[CSPROF_FEW_FRAMES];
	store_ref few_nodes[CSPROF_FEW_FRAMES];
	struct csprof_frame few_frames[CSPROF_FEW_FRAMES];
} csprof_state_t;
_Static_assert(sizeof(csprof_state_t) <= CSPROF_STATE_BYTES, "one page a thread");

/* The clock of an event in the thread's record. */
static inline struct store_clock *csprof_clock_of(const csprof_state_t *state,
						  const struct csprof_sampler *p)
{
	struct store_thread *thread = csprof_store_at(state->thread);
	return &thread->clocks[p->measured->clock];
}

/* The CPU clock there. It also has the cost of measuring all events. */
/* Record how long its event has counted, as last read. */
static inline void csprof_clock_turns(const csprof_state_t *state, const struct csprof_sampler *p)
{
	const struct os_perf_count *counted = &p->source.counted;
	struct store_clock *clock = csprof_clock_of(state, p);
	if (counted->enabled) {
		clock->enabled = counted->enabled;
		clock->running = counted->running;
	}
}

static inline struct store_clock *csprof_cpu_clock_of(const csprof_state_t *state)
{
	struct store_thread *thread = csprof_store_at(state->thread);
	return &thread->clocks[CSPROF_CPU_CLOCK];
}

/* This thread's state; NULL if it is not measured. */
extern __thread csprof_state_t *csprof_self;

/* hpcrun-mark changes nothing in this thread until csprof_saying_end. state: its own, or NULL. */
static inline void csprof_saying_begin(csprof_state_t *state)
{
	if (state)
		atomic_store_explicit(&state->saying, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

/* Returns the process that has asked meanwhile, or 0. If it asks just now, it has to ask again. */
static inline uint32_t csprof_saying_end(csprof_state_t *state)
{
	uint32_t was = 0;
	atomic_signal_fence(memory_order_seq_cst);
	if (state) {
		was = atomic_load_explicit(&state->saying, memory_order_relaxed);
		atomic_store_explicit(&state->saying, 0, memory_order_relaxed);
	}
	return was > 1 ? was : 0;
}

/* The columns of counts of marked activations; CSP_NONE: there is none. */
struct csprof_counts {
	uint32_t activations, returns, abandoned;
};

struct csprof_process {
	atomic_bool measuring; /* false: handlers do nothing */
	atomic_bool in_exec;   /* likewise, but measuring continues if the exec fails */
	uint32_t pid;
	uint64_t pid_space; /* inode of its pid namespace, 0: not known */
	int sig;            /* our signal */
	struct csprof_measured measured[CSPROF_MAX_MEASURED];
	uint32_t num_measured;
	bool samples_cpu; /* CPU time is one of them */
	struct csprof_counts counts;
	uint32_t blame;      /* column of what others waited for; the number of charges is in the
				next; CSP_NONE: not measured */
	uint64_t start_mono; /* monotonic clock at the start */
	size_t first_arena;  /* bytes, 0: the smallest */
	bool use_libunwind;
	bool use_memo, use_marks;
	atomic_uint walks_compared, walks_different; /* for -D */
	bool threaded;                               /* the program has made threads */
	bool attached;             /* the program was running before we were loaded */
	bool detached;             /* it was measured; under the lock */
	bool again;                /* attached, and was measured before */
	bool preloaded;            /* the program was begun by hpcrun */
	bool forked;               /* its parent may have had threads in the loader */
	struct csprof_arena arena; /* for data of the process; under the lock */
	_Atomic(store_ref) epoch;  /* the current load map */
	csprof_state_t *threads;   /* running ones; under the lock */
	store_ref last_thread;     /* tail of the store's list; under the lock */
};
extern struct csprof_process csprof_process;

/* Whether the process is measured, or will be again if an exec fails. */
static inline bool csprof_process_counts(void)
{
	return atomic_load(&csprof_process.measuring) || atomic_load(&csprof_process.in_exec);
}

/* A lock for code outside handlers (start and end of threads, load maps, fork). Our handler does
 * not wait for it, but may try to take it; a thread that holds it may be sampled. The program's
 * handlers do not run in the thread that holds it, because they may fork or _exit, which take
 * it. Only csprof_try_lock and csprof_unlock are async-signal-safe. */
void csprof_lock(void);
void csprof_unlock(void);
bool csprof_try_lock(void);
bool csprof_try_lock_for(uint64_t ns);
/* Whether this thread holds it. Async-signal-safe. */
bool csprof_lock_is_mine(void);
/* Take it in a forked process: the thread that held it does not exist there. */
void csprof_lock_anew(void);

#endif
