/* What a file of another profiler contains, before it becomes part of a model: metrics, processes
 * and threads, functions, and a tree of call paths with values by thread. A reader fills it, so
 * that an invalid file leaves the model unchanged. All is added up while it is read: memory depends
 * on the number of different call paths and threads.
 *
 * Texts that a reader passes are those of parsed_text, which copies them, or NULL; they are
 * compared by their addresses, so that a long name that is meant often costs no more than a short
 * one. Functions that return ids return PARSED_NONE if memory (or ids) ran out; those that return
 * bool, false. Used by one thread. */
#ifndef HPCPROF_IMPORT_PARSED_H
#define HPCPROF_IMPORT_PARSED_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "hpcprof/import/input.h"
#include "hpcprof/load/importers.h"
#include "hpcprof/model/model.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PARSED_NONE UINT32_MAX
enum { PARSED_TEXT_MOST = 8192 }; /* bytes of a text: each part of a file copies those it uses */

struct parsed_metric {
	const char *name, *unit; /* as in struct model_metric */
	bool sampled;            /* values belong to the interrupted instruction */
	bool counted;            /* the file has numbers of samples */
	uint64_t period;         /* 0: not known */
};

struct parsed_module {
	const char *name, *build_id; /* "": not known */
};

struct parsed_function {
	const char *name, *linkage_name, *file; /* NULL: not known */
	const char *declared;                   /* as in struct model_function */
	uint32_t line;                          /* where it begins in the file; 0: not known */
	uint32_t module;
};

/* A line of a function under its caller. */
struct parsed_node {
	uint32_t parent; /* a smaller id */
	uint32_t function, line;
	bool inlined; /* into the function of the parent */
};
/* The nodes that always exist: above complete paths, and above those without outermost frames. */
enum { PARSED_ROOT = 0, PARSED_PARTIAL_ROOT = 1, PARSED_ROOTS = 2 };
/* Of texts what is beyond PARSED_TEXT_MOST, calls of callgrind, labels of pprof. */
enum parsed_lost { PARSED_LOST_TEXT = 1, PARSED_LOST_CALLS = 2, PARSED_LOST_LABELS = 4 };
enum { PARSED_UNKNOWN_MODULE = 0 }; /* of code whose module is not known */

struct parsed_thread {
	const char *name; /* "": not known */
	uint64_t tid;
	uint32_t process;
	bool main;
};

struct parsed_process {
	const char *command; /* "": not known */
	uint64_t pid, start_ns, wall_ns;
	bool has_pid, has_start, has_wall;
};

/* The values of a node in a thread (PARSED_NONE: not of a thread) for a metric. */
struct parsed_value {
	uint32_t node, thread, metric;
	uint64_t events, samples;
};

struct parsed {
	VEC(struct parsed_metric) metrics;
	VEC(struct parsed_module) modules;
	VEC(struct parsed_function) functions;
	VEC(struct parsed_node) nodes;
	VEC(struct parsed_process) processes; /* at least one */
	VEC(struct parsed_thread) threads;
	VEC(struct parsed_value) values;
	const char *tool;  /* the format's name */
	const char *empty; /* "" */
	bool flat;         /* there are no call paths */
	bool saturated;    /* a sum reached 2^64 - 1 */
	unsigned lost;     /* what of the file is not kept, of enum parsed_lost */
	/* internal */
	struct strings *strings;
	struct interner texts; /* by their addresses */
	struct interner pairs, module_ids, function_ids, places, node_ids, thread_ids, process_ids;
	struct interner tids, cells, value_ids; /* cells: node and thread */
};

/* False if memory ran out. To be freed in any case. */
bool parsed_init(struct parsed *p);
void parsed_deinit(struct parsed *p); /* takes NULL */

/* A copy of the first PARSED_TEXT_MOST of n bytes as UTF-8, where others become '?'; equal texts
 * are the same pointer. NULL if memory ran out. */
const char *parsed_text(struct parsed *p, const char *at, size_t n);
static inline const char *parsed_span(struct parsed *p, struct span s)
{
	return parsed_text(p, s.at, s.n);
}

static inline const char *parsed_word(struct parsed *p, const char *word)
{
	return parsed_text(p, word, strlen(word));
}

/* Metrics with the same name and unit are different. */
uint32_t parsed_metric(struct parsed *p, const struct parsed_metric *metric);
/* Equal modules are one, and equal functions. */
uint32_t parsed_module(struct parsed *p, const char *name, const char *build_id);
uint32_t parsed_function(struct parsed *p, const struct parsed_function *f);
uint32_t parsed_node(struct parsed *p, const struct parsed_node *n);
/* The process with this pid. */
uint32_t parsed_process(struct parsed *p, uint64_t pid);
/* The thread with this tid in the process. */
uint32_t parsed_thread(struct parsed *p, uint32_t process, uint64_t tid);
/* Add to the value of a node in a thread (or PARSED_NONE). */
enum { PARSED_METRICS_MOST = 100 }; /* readers refuse more */
bool parsed_add(struct parsed *p, const struct parsed_value *v);

/* Add it to a model: all of it, or with thread < threads.len only what is of this thread, or with
 * PARSED_OF_NONE what is of no thread. 0, or -1 and *e. */
enum { PARSED_ALL = UINT32_MAX, PARSED_OF_NONE = UINT32_MAX - 1 };
int parsed_fill(const struct parsed *p, struct model *m, const char *path, uint32_t part,
		struct error *e);
/* The path of a process, in the arena: that of the file, unless it is of several processes. */
const char *parsed_process_path(const struct parsed *p, uint32_t process, const char *path,
				struct arena *a);
/* The parts of a file, in the arena, as importer.parts. Their data is a copy of p, which
 * can be freed. There are none if the file has neither threads nor several processes. */
int parsed_parts(const struct parsed *p, const char *path, struct importer_part **out, size_t *n,
		 struct arena *a, struct error *e);

#endif
