/* The contract of a sample source ("driver"): it sends this thread our signal as the clock of an
 * event advances. A driver is one const struct in one file, and is listed by the events that it
 * can deliver (runtime/events). */
#ifndef RUNTIME_DRIVERS_DRIVER_H
#define RUNTIME_DRIVERS_DRIVER_H

#include "runtime/base/cost.h"
#include "runtime/os/os.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A driver's part of a thread's state. Before start it is zeroed, except for the caller's
 * fields; descriptors and timers are -1. */
struct csprof_source {
	const struct csprof_driver *driver; /* NULL: none is running */
	const struct csprof_driver *const
	    *drivers;    /* that the thread may use, best first; ends with NULL */
	uint64_t period; /* nominal mean, ns */
	uint64_t floor;  /* ns: shortest period of a source that repeats by itself */
	struct os_perf perf;
	/* counter.c: what it counts, and how many of its events come per second of CPU time, as far
	 * as is known */
	const struct os_perf_kind *kind;
	uint64_t per_second;
	/* csprof_source_count: what it has counted, and what the events that it replaced had. For
	 * how many ns they should have counted, and have. */
	struct os_perf_count counted, closed;
	/* csprof_source_usage: what the kernel has counted for the thread; it was read for the
	 * sample that is being taken; the voluntary context switches at the last sample. */
	struct os_usage usage;
	bool usage_read;
	uint64_t switches;
	uint64_t spent;            /* ns: their cost since this was last set to 0 */
	int cpu_timer, mono_timer; /* negative: none */
	uint64_t delay;            /* how long the thread had waited for a CPU, as last read */
	uint64_t due;              /* wall.c: when the timer is to expire; 0: it is not armed */
	int sig;
	int lost; /* descriptor of an event that this source replaced, or -1 */
	/* task_clock.c: the event is not made yet; a timer sends the next sample, not the event;
	 * the number of samples between which the thread did not block, and the number required
	 * for the timer. */
	atomic_bool later;
	bool by_timer;
	uint32_t ran_on, careful;
	/* csprof_source_review: the thread's clock at the last review; the switches and samples
	 * since then; calm reviews in a row, and the number required; the share of the thread's
	 * time that its switches would cost. */
	struct csprof_review {
		uint64_t clock, switches;
		uint32_t share;
		uint32_t samples, calm, patience;
		const struct csprof_driver *yielded; /* driver replaced by a cheaper one, or NULL */
	} review;
	bool shares; /* it is counted among the threads that share a timer */
};

enum { CSPROF_DRIVER_SETUPS = 2 }; /* number of tables of system calls */

struct csprof_driver {
	const char *name; /* as in the source of METRICS */
	bool kernel;      /* what happens in the kernel is included */
	/* It counts the event itself: next_ns of start and arm stands for as many events as come in
	 * that time (per_second). Else it is driven by the thread's CPU time. */
	bool counts;
	/* csprof_source_count is the event's clock. */
	bool is_clock;
	/* Begin to sample this thread with sig, the first time after first_ns, which may be less
	 * than the floor if the source does not repeat by itself. Returns 0 or 1 like arm, or a
	 * negative errno, and then holds nothing. Everything that arm and sent need is in *s
	 * before the first signal can come. Async-signal-safe, except for itimer's. */
	int (*start)(struct csprof_source *s, int sig, uint64_t first_ns);
	/* Whether it may replace a driver that cannot be armed. */
	bool replaces;
	/* Arm the next sample, next_ns from now. Returns 0, or 1 if it comes at the first tick
	 * of the kernel after that time; a negative errno if the program has removed what it
	 * needs. Called from the handler: async-signal-safe. */
	int (*arm)(struct csprof_source *s, uint64_t next_ns);
	/* Make now what arm makes only when needed, to send next_ns from now or never. NULL:
	 * there is no such thing. */
	void (*settle)(struct csprof_source *s, uint64_t next_ns);
	/* Whether this source sent the signal. Async-signal-safe. */
	bool (*sent)(const struct csprof_source *s, const siginfo_t *info);
	/* Stop sending, and continue: a source that cannot go on where it was begins with a sample
	 * after next_ns. Any thread may call them. */
	void (*quiet)(struct csprof_source *s);
	void (*resume)(struct csprof_source *s, uint64_t next_ns);
	/* As quiet, for another thread: a timer that is armed may expire once more. If it was
	 * disarmed, the kernel would drop a signal of it that is pending already (since 6.13), and
	 * the thread's system call would end with EINTR though no handler has run. NULL: as quiet.
	 */
	void (*hush)(struct csprof_source *s);
	/* Release everything. in_child: after fork, where only copies exist. Async-signal-safe. */
	void (*stop)(struct csprof_source *s, bool in_child);
	/* It has a performance event: each context switch of its threads costs csprof_cost.change,
	 * unless by_timer. A thread whose switches cost too much gets the cheaper driver; NULL:
	 * there is none. */
	bool perf;
	const struct csprof_driver *cheaper;
	/* The system calls that it makes: in a handler at each sample; in a handler to make what
	 * is made later; and to start, silence and stop, also in a handler if a source was
	 * closed. NULL: none. */
	const struct os_need *needs, *needs_later, *needs_setup[CSPROF_DRIVER_SETUPS];
	/* Whether so many threads use it that another one should preferably use the next driver.
	 * It gets this one if the next one fails. NULL: never. */
	bool (*crowded)(void);
	/* Whether the kernel has refused it to the process: what it sampled, another source did
	 * for it. NULL: that does not happen after start. */
	bool (*refused)(void);
};

/* What the kernel has counted for the calling thread. It is read again only after usage_read was
 * cleared, when the next sample is armed. Async-signal-safe. */
const struct os_usage *csprof_source_usage(struct csprof_source *s);

/* What the performance event of a source has counted, and those before it; if the CPU's counters
 * are shared by turns, about what it would have counted alone. The last known count if the program
 * has closed it. Any thread may ask if the source's thread does not. */
uint64_t csprof_source_count(struct csprof_source *s);

/* For the drivers' arm: whether this thread has not given up its CPU since the last call.
 * Updates the number of its switches. Async-signal-safe, like what follows. */
bool csprof_ran_on(struct csprof_source *s);

/* The monotonic timer of a thread that computes, for the drivers. It expires once, ns from now.
 * A negative errno: it cannot be made. */
int csprof_monotonic_arm(struct csprof_source *s, uint64_t ns);
void csprof_monotonic_quiet(struct csprof_source *s);
void csprof_monotonic_hush(struct csprof_source *s); /* does nothing */
void csprof_monotonic_end(struct csprof_source *s);

/* The driver NAME is csprof_driver_NAME, in its file; files that use it declare it. */
#define CSPROF_DECLARE_DRIVER(name) extern const struct csprof_driver csprof_driver_##name;
#define CSPROF_DRIVER_ROW(name) &csprof_driver_##name,

/* Called once, before all others: the cost of sampling here, and the budget (hundredths of a
 * percent). */
void csprof_sources_setup(const struct csprof_cost *cost, uint32_t budget);

/* The cost of a sample by this source, from csprof_cost. Async-signal-safe. */
uint32_t csprof_source_cost(const struct csprof_source *s);

/* From now on new threads make everything for their sources at once, and no thread changes to
 * another source because it is cheaper: the calls for that may soon be forbidden in handlers. */
void csprof_sources_freeze(void);
bool csprof_sources_frozen(void); /* async-signal-safe */

/* Start the first of the drivers in *s that this thread can use, beginning with *from, with the
 * floor in *s, and set *from to it. A crowded driver counts as worse than the next one. Returns
 * the result of its start, or a negative errno. Not for handlers. */
int csprof_source_start(struct csprof_source *s, uint32_t *from, int sig, uint64_t period_ns,
			uint64_t first_ns);

/* This thread's source could not be armed: stop it, and start the best one that may replace it,
 * with its first sample after next_ns. Returns 0, or a negative errno if there is none; then *s
 * stays silent. Async-signal-safe. */
int csprof_source_replace(struct csprof_source *s, uint32_t *which, uint64_t next_ns);

/* Call it at each sample with the thread's CPU clock. Returns whether this thread should change
 * its source, because it now gives up its CPU so often that an event is expensive, or no longer
 * does. Async-signal-safe. */
bool csprof_source_review(struct csprof_source *s, uint64_t clock);
/* Change the source, with the next sample after next_ns. If that fails, csprof_source_replace is
 * done. Async-signal-safe. */
int csprof_source_change(struct csprof_source *s, uint32_t *which, uint64_t next_ns);

/* Send another signal from now on, with the next sample after next_ns. If that fails,
 * csprof_source_replace is done. Async-signal-safe. */
int csprof_source_signal(struct csprof_source *s, uint32_t *which, int sig, uint64_t next_ns);

/* Whether the source, or the event that it replaces, sent the signal. Async-signal-safe. */
bool csprof_source_sent(const struct csprof_source *s, const siginfo_t *info);

/* Keep the descriptor of a performance event in mind, and forget it. */
void csprof_descriptor_keep(const struct os_perf *c);
void csprof_descriptor_forget(const struct os_perf *c);
/* The lowest descriptor from `from` on that a source of this process needs, or -1. Also in a
 * vfork child; async-signal-safe. */
int csprof_source_descriptor(unsigned from);

/* The number of performance events of this process, which is limited (task_clock.c): one more, or
 * one less; and whether there are enough. */
void csprof_perf_counted(int more);
bool csprof_perf_crowded(void);

#endif
