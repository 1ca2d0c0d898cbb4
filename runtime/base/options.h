/* The options that the launcher passes to the library in the environment. The names of all
 * HPCRUN_* variables are here; they are read in options.c alone. */
#ifndef RUNTIME_BASE_OPTIONS_H
#define RUNTIME_BASE_OPTIONS_H

#include "runtime/base/cost.h"
#include "runtime/events/request.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HPCRUN_ENV_OUT "HPCRUN_OUT"                 /* directory for datafiles, absolute */
#define HPCRUN_ENV_EVENTS "HPCRUN_EVENTS"           /* as after -e */
#define HPCRUN_ENV_BUDGET "HPCRUN_BUDGET"           /* as after --budget */
#define HPCRUN_ENV_COST "HPCRUN_COST"               /* its numbers joined by '.': see csprof_cost */
#define HPCRUN_ENV_FOLLOW "HPCRUN_FOLLOW"           /* "no": spawned processes are not measured */
#define HPCRUN_ENV_ONLY "HPCRUN_ONLY"               /* names joined by ':': measure these only */
#define HPCRUN_ENV_TREES "HPCRUN_TREES"             /* "each" or "all" */
#define HPCRUN_ENV_STORE "HPCRUN_STORE"             /* directory for stores, absolute; see below */
#define HPCRUN_ENV_SIGNAL "HPCRUN_SIGNAL"           /* number of the signal */
#define HPCRUN_ENV_UNWINDER "HPCRUN_UNWINDER"       /* "cfi" or "libunwind" */
#define HPCRUN_ENV_MARK "HPCRUN_MARK"               /* "whole", "memo", "marks", "always" */
#define HPCRUN_ENV_RETURNS "HPCRUN_RETURNS"         /* "first", "all", "none" */
#define HPCRUN_ENV_INTERPRETER "HPCRUN_INTERPRETER" /* "no": its functions are not read */
#define HPCRUN_ENV_VALUES "HPCRUN_VALUES"           /* as after --values */
#define HPCRUN_ENV_VALUE_KIND "HPCRUN_VALUE_KIND"   /* "both", "values", "replay" */
#define HPCRUN_ENV_ARENA "HPCRUN_ARENA"             /* bytes of the first arena of a thread */
#define HPCRUN_ENV_VERBOSE "HPCRUN_VERBOSE"         /* mask of enum csprof_topic */
#define HPCRUN_ENV_DEBUG "HPCRUN_DEBUG"             /* mask of enum csprof_debug */
#define HPCRUN_ENV_PACK "HPCRUN_PACK"               /* "no": keep no names at the end (launcher) */
#define HPCRUN_ENV_DELAY "HPCRUN_DELAY"             /* as after --delay (launcher) */
#define HPCRUN_ENV_FOR "HPCRUN_FOR"                 /* as after --for (launcher) */
#define HPCRUN_ENV_STOPPED "HPCRUN_STOP_AT_START"   /* not empty: --stop-at-start (launcher) */
#define HPCRUN_ENV_QUIET "HPCRUN_QUIET"             /* no summary at the end (launcher) */
#define HPCRUN_ENV_LIBRARY "HPCRUN_LIBRARY"         /* path of this library */
#define HPCRUN_ENV_DRIVERS "HPCRUN_DRIVERS"         /* as after --driver; spaces between them */
/* The labels that the program's first thread has, and its regions (formats/identity/label_list.h).
 */
#define HPCRUN_ENV_LABELS "HPCRUN_LABELS"
#define HPCRUN_ENV_OTEL "HPCRUN_OTEL"   /* as after --otel */
#define HPCRUN_ENV_IMAGE "HPCRUN_IMAGE" /* "PID.SEQ.SPACE": see csprof_options.pid_space */

/* The values of HPCRUN_STORE and --store, besides a directory. The launcher replaces "memory" by
 * the directory that it made in memory. */
#define HPCRUN_STORE_MEMORY "memory"
#define HPCRUN_STORE_PRIVATE "private"

/* The note in a program that was linked with libhpcrun.a: an ELF note of this name and type,
 * without contents. */
#define HPCRUN_NOTE_NAME "hpcrun"
enum { HPCRUN_NOTE_LINKED = 1 };

/* DCPI's two kinds of value profiles: what instructions produce, and loads of what was just stored.
 */
enum csprof_values { CSPROF_VALUES_ALL = 1, CSPROF_VALUES_REPLAY = 2 };
enum { CSPROF_VALUES_MOST_STEPS = 64 };

/* Which ends of marked activations are counted: see marks.h. */
enum csprof_returns { CSPROF_RETURNS_FIRST, CSPROF_RETURNS_ALL, CSPROF_RETURNS_NONE };

/* With them, LD_PRELOAD and the options of drivers are not longer than this. */
enum { CSPROF_DRIVERS_BYTES = 2048 };

/* The list of --otel: words for what of threads' contexts, and keys of attributes of the process,
 * joined by ','. */
#define CSPROF_OTEL_DEFAULT "thread,service.name"
enum { CSPROF_OTEL_BYTES = 512 };

struct csprof_options {
	char out[PATH_MAX]; /* empty: measure nothing */
	char library[PATH_MAX];
	char store[PATH_MAX]; /* empty: the store is in private memory */
	struct csprof_event_requests events;
	uint32_t budget; /* hundredths of a percent of each thread's time */
	struct csprof_cost cost;
	bool follow;
	bool some_only;   /* --only names programs: that others are not measured is wanted */
	bool interpreter; /* the functions that one runs are read */
	bool one_tree;    /* one set of trees for all threads */
	bool use_libunwind;
	bool memo;        /* walks end at remembered frames */
	bool marks;       /* and at marked ones; */
	bool mark_always; /* also beside what looks at return addresses */
	enum csprof_returns returns;
	/* Drivers that are loaded besides: for each its path and its options, with zeros between.
	 */
	char drivers[CSPROF_DRIVERS_BYTES];
	size_t drivers_bytes;
	uint32_t value_steps; /* of a window (sample/values.h); 0: no value profiles */
	uint32_t value_kinds; /* mask of enum csprof_values */
	/* What the program publishes with OpenTelemetry (process/otel.h): anything of it; threads'
	 * contexts, and identifiers in them; and attributes of the process, each with a zero behind
	 * it and one more at the end. */
	bool otel, otel_threads, otel_ids;
	char otel_keys[CSPROF_OTEL_BYTES];
	int sig;
	uint32_t verbose, debug;
	size_t arena;
	/* "PID.SEQ.SPACE" or "PID.SEQ.SPACE.CPU": the next image of process PID has number SEQ, and
	 * it and its children are in pid namespace SPACE (an inode, 0: unknown). The account of the
	 * image before it ended when the process had used CPU ns. */
	uint32_t seq;
	uint64_t pid_space;
	uint64_t cpu_before;
	uint32_t rank, ranks; /* of the process in a parallel program; CSP_NONE: unknown */
};
extern struct csprof_options csprof_options;

/* Whether the environment requests a measurement. */
bool csprof_options_given(char **environment);

/* Read the environment. Returns false if this process is not to be measured: there is no
 * directory for the data, or --only names other programs. With HPCRUN_FOLLOW=no our variables
 * are removed from environ, so that no child sees them. Called once, at the start, outside
 * handlers. */
bool csprof_options_read(char **environment);

/* The path of the next driver; NULL: the first one, and after the last. Async-signal-safe. */
const char *csprof_options_next_driver(const char *path);
/* The options of the driver with that path, or "". */
const char *csprof_options_of_driver(const char *path);

/* The value of a variable, or NULL. libc's getenv may be the program's own (bash has one).
 * Async-signal-safe, but for changes that other threads make. */
const char *csprof_variable(char *const *environment, const char *name);

#endif
