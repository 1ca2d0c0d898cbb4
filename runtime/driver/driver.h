/* The contract of a sample source ("driver"): something that sends this thread our
 * signal as its CPU time advances. A driver is one const struct in one file; the
 * table in drivers.c lists them, best first. */
#ifndef RUNTIME_DRIVER_DRIVER_H
#define RUNTIME_DRIVER_DRIVER_H

#include "runtime/options.h"
#include "runtime/os/os.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A driver's part of a thread's state. Zeroed before start but for what its caller says, its
 * descriptors and timers -1. */
struct csprof_source {
	const struct csprof_driver *driver; /* NULL: none is running */
	uint64_t period;                    /* nominal mean, ns */
	uint64_t floor;                     /* ns: what repeats by itself has no shorter period */
	struct os_task_clock clock;
	uint64_t switches;         /* the thread's voluntary switches at the last sample */
	uint64_t spent;            /* ns: what they cost since somebody set this to 0 */
	int cpu_timer, mono_timer; /* negative: none */
	int sig;
	int lost; /* the descriptor of an event that this source replaces, or -1 */
	/* task_clock.c: the event is not made yet; a timer is to send, and not the event;
	 * samples between which the thread ran on, and how many of them it takes. */
	atomic_bool later;
	bool by_timer;
	uint32_t ran_on, careful;
	/* csprof_source_review: the thread's clock at the last one, switches and samples since
	 * then, calm reviews in a row, how many of them it takes, the share of the thread's
	 * time that its switches would cost with an event, and whether it has a cheaper source
	 * meanwhile. */
	struct csprof_review {
		uint64_t clock, switches;
		uint32_t share;
		uint32_t samples, calm, patience;
		bool yielded;
	} review;
	bool counted; /* among the threads that share a timer */
};

struct csprof_driver {
	const char *name; /* as in METRICS' source */
	bool kernel;      /* time in the kernel is included */
	/* Begin sampling this thread with sig, the first time after first_ns, which may be
	 * less than the floor: only what comes once may come so soon. 0 or 1 as from arm, or a
	 * negative errno, in which case nothing is left behind. Whatever arm and sent need is
	 * in *s before the first signal can come. Async-signal-safe but for the last resort's. */
	int (*start)(struct csprof_source *s, int sig, uint64_t first_ns);
	/* Does it take the place of one that cannot be armed? */
	bool replaces;
	/* The next sample next_ns from now: 0, or 1 where it comes only at the kernel's tick
	 * after that; a negative errno where the program has taken away what that needs.
	 * Called from the handler: async-signal-safe. */
	int (*arm)(struct csprof_source *s, uint64_t next_ns);
	/* Make whatever arm makes only when it is needed, to send next_ns from now or never.
	 * NULL: there is nothing such. */
	void (*settle)(struct csprof_source *s, uint64_t next_ns);
	/* Did this source send the signal? Async-signal-safe. */
	bool (*sent)(const struct csprof_source *s, const siginfo_t *info);
	/* Be silent from now on, and go on again. Any thread may call them. */
	void (*quiet)(struct csprof_source *s);
	void (*resume)(struct csprof_source *s);
	/* Give everything back. in_child: after fork, where only copies are left.
	 * Async-signal-safe. */
	void (*stop)(struct csprof_source *s, bool in_child);
	/* Do so many threads have it that one more should rather have the next one? That gets
	 * this one where it cannot. NULL: never. */
	bool (*crowded)(void);
};

/* For the drivers' arm: has this thread given up its CPU at no time since it was last called? Notes
 * how often it has. Async-signal-safe, as is what follows. */
bool csprof_ran_on(struct csprof_source *s);

/* The monotonic timer of a thread that computes, for the drivers. Once, ns from now. A negative
 * errno: there is none. */
int csprof_monotonic_arm(struct csprof_source *s, uint64_t ns);
void csprof_monotonic_quiet(struct csprof_source *s);
void csprof_monotonic_end(struct csprof_source *s);

extern const struct csprof_driver csprof_driver_task_clock;
extern const struct csprof_driver csprof_driver_timers;
extern const struct csprof_driver csprof_driver_itimer;

/* Once, before all others: what sampling costs here, and how much of it is allowed
 * (hundredths of a percent). */
void csprof_sources_setup(const struct csprof_cost *cost, uint32_t budget);

/* What a sample by this source costs, as csprof_cost says. Async-signal-safe. */
uint32_t csprof_source_cost(const struct csprof_source *s);

/* From now on threads that begin have all of their sources at once, and no thread gets another
 * one because that would be cheaper: handlers may soon not be allowed what it takes. */
void csprof_sources_freeze(void);
bool csprof_sources_frozen(void); /* async-signal-safe */

/* Best first; ends with NULL. */
extern const struct csprof_driver *const csprof_drivers[];

/* Start the first driver, from *from on, that this thread can have, with the floor that
 * stands in *s, and move *from there; a crowded one counts as worse than the next one. What
 * its start returned, or a negative errno. Not in a handler. */
int csprof_source_start(struct csprof_source *s, uint32_t *from, int sig, uint64_t period_ns,
			uint64_t first_ns);

/* This thread's source could not be armed: end it, and start the best one that takes its place,
 * with its first sample after next_ns. 0, or a negative errno: there is none,
 * and *s stays silent. Async-signal-safe. */
int csprof_source_replace(struct csprof_source *s, uint32_t *which, uint64_t next_ns);

/* To be called at each sample with the thread's CPU clock: should this thread have another
 * source, as it has come to give its CPU up so often that an event is dear, or does so no
 * more? Async-signal-safe. */
bool csprof_source_review(struct csprof_source *s, uint64_t clock);
/* It gets that, with its next sample after next_ns. As csprof_source_replace, which serves
 * where that cannot be had. Async-signal-safe. */
int csprof_source_change(struct csprof_source *s, uint32_t *which, uint64_t next_ns);

/* Did the source, or what it replaces, send the signal? Async-signal-safe. */
bool csprof_source_sent(const struct csprof_source *s, const siginfo_t *info);

/* The lowest descriptor from `from` on that a source of this process needs, or -1. Also in a
 * vfork child; async-signal-safe. */
int csprof_source_descriptor(unsigned from);

#endif
