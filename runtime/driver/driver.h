/* The contract of a sample source ("driver"): something that sends this thread our
 * signal as its CPU time advances. A driver is one const struct in one file; the
 * table in drivers.c lists them, best first. */
#ifndef RUNTIME_DRIVER_DRIVER_H
#define RUNTIME_DRIVER_DRIVER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* A driver's part of a thread's state. Zeroed before start. */
struct csprof_source {
	const struct csprof_driver *driver; /* NULL: none is running */
	uint64_t period;                    /* nominal mean, ns */
	void *page;
	uint64_t id;               /* of a performance event */
	uint64_t switches;         /* the thread's voluntary switches at the last sample */
	int fd;                    /* of a performance event */
	int cpu_timer, mono_timer; /* -1: none */
	int sig;
};

struct csprof_driver {
	const char *name; /* as in METRICS' source */
	bool kernel;      /* time in the kernel is included */
	/* Begin sampling this thread with sig, the first time after first_ns. 0 or a
	 * negative errno, in which case nothing is left behind. Not in a handler. Whatever
	 * arm and sent need is in *s before the first signal can come. */
	int (*start)(struct csprof_source *s, int sig, uint64_t first_ns);
	/* The next sample next_ns from now. Called from the handler: async-signal-safe. */
	void (*arm)(struct csprof_source *s, uint64_t next_ns);
	/* Did this source send the signal? Async-signal-safe. */
	bool (*sent)(const struct csprof_source *s, const siginfo_t *info);
	/* Be silent from now on, and go on again. Any thread may call them. */
	void (*quiet)(struct csprof_source *s);
	void (*resume)(struct csprof_source *s);
	/* Give everything back. in_child: after fork, where only copies are left. */
	void (*stop)(struct csprof_source *s, bool in_child);
	/* Do so many threads have it that one more should rather have the next one? That gets
	 * this one where it cannot. NULL: never. */
	bool (*crowded)(void);
};

extern const struct csprof_driver csprof_driver_task_clock;
extern const struct csprof_driver csprof_driver_timers;
extern const struct csprof_driver csprof_driver_itimer;

/* Best first; ends with NULL. */
extern const struct csprof_driver *const csprof_drivers[];

/* Start the first driver, from *from on, that this thread can have, and move *from
 * there; a crowded one counts as worse than the next one. 0, or a negative errno. Not in a
 * handler. */
int csprof_source_start(struct csprof_source *s, uint32_t *from, int sig, uint64_t period_ns,
			uint64_t first_ns);

#endif
