/* A measurement that is still running, which is read repeatedly: all datafiles of a directory, and
 * the stores of running processes. Earlier results are kept: an unchanged file is not read again, a
 * context keeps its id, and an address with a name is not resolved again. So the cost of a look
 * depends on what has changed since the last one. Used by one thread. */
#ifndef HPCPROF_VIEWS_TOP_LIVE_H
#define HPCPROF_VIEWS_TOP_LIVE_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/load/datafile_source.h"
#include "hpcprof/model/model.h"
#include "symbolize/symbolize.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A value of a context. */
struct live_value {
	uint32_t context;
	uint64_t value;
};

/* One program image, first seen as a store, later as a datafile. */
struct live_file {
	char *name; /* without directory and suffix */
	bool seen;  /* in this look */
	bool unreadable;
	/* its state when it was read */
	dev_t device;
	ino_t inode;
	off_t size;
	enum datafile_source_kind kind;
	uint32_t pid;
	uint64_t ticks; /* the process's CPU time then; see process_ticks */
	/* its contents */
	uint64_t cpu_ns, samples;
	bool elapses; /* values grow while the process uses no CPU time */
	uint32_t threads, threads_running;
	VEC(struct live_value) values;
};

/* Sums over all files, of one look. */
struct live_sums {
	uint64_t cpu_ns, samples, value;
	uint32_t running, ended, killed; /* program images; ended includes killed */
	uint32_t threads_running, threads_ended;
	uint32_t unreadable;
	uint32_t files_read; /* in this look */
	bool linked;         /* hpcrun's directory of stores exists: it has not ended its work */
};

struct live {
	struct model *model;    /* contexts, frames, modules; its metrics have no values */
	struct symbolized code; /* functions of the frames; there is only one line */
	struct interner names, functions;
	VEC(struct live_file) files;
	uint64_t *now, *before; /* [capacity], by context: in this look and in the last */
	uint32_t capacity;
	struct live_sums sums;
	const char *wanted;        /* the metric that the user asked for, or NULL */
	char metric[64], unit[16]; /* of the values; empty until a file was read that has it */
};

/* The options are copied; metric is not: NULL is any. 0, or -1 and *e if memory ran out. */
int live_init(struct live *l, const struct symbolizer_options *o, const char *metric,
	      struct error *e);
void live_deinit(struct live *l);

/* Read the directory, which may not exist yet. 0, or -1 and *e if memory ran out. */
int live_look(struct live *l, const char *directory, struct error *e);

#endif
