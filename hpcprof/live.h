/* A measurement that is still going on, read again and again: all datafiles of a directory
 * and the stores of the processes that run. What is read once is kept: a file that has not
 * changed is not read again, a context that was seen keeps its id, and an address that has a
 * name is not looked up again. So a look costs what has changed since the last. Used by one
 * thread. */
#ifndef HPCPROF_LIVE_H
#define HPCPROF_LIVE_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate.h"
#include "hpcprof/model.h"
#include "hpcprof/source.h"
#include "symbolize/symbolize.h"

#include <stdint.h>
#include <sys/types.h>

/* A value of a context. */
struct live_value {
	uint32_t context;
	uint64_t value;
};

/* One program image, first seen as a store, later as a datafile. */
struct live_file {
	char *name; /* without directory and ending */
	bool seen;  /* in this look */
	bool unreadable;
	/* what it was when it was read */
	dev_t device;
	ino_t inode;
	off_t size;
	enum source_kind kind;
	uint32_t pid;
	uint64_t ticks; /* CPU time that the kernel told of the process then */
	/* what was in it */
	uint64_t cpu_ns, samples;
	uint32_t threads, threads_running;
	VEC(struct live_value) values;
};

/* What a look found, of all files. */
struct live_sums {
	uint64_t cpu_ns, samples, value;
	uint32_t running, ended, killed; /* program images; the killed are among the ended */
	uint32_t threads_running, threads_ended;
	uint32_t unreadable;
	uint32_t files_read; /* in this look */
};

struct live {
	struct model *model; /* contexts, frames, modules; its metrics have no values */
	struct code code;    /* functions of the frames; all lines are one */
	struct interner names, functions;
	VEC(struct live_file) files;
	uint64_t *now, *before; /* [capacity], by context: in this look and in the last */
	uint32_t capacity;
	struct live_sums sums;
	char metric[64], unit[16]; /* what the values are of; empty until something was read */
};

/* The options are copied. 0, or -1 and *e for want of memory. */
int live_init(struct live *l, const struct symbolizer_options *o, struct error *e);
void live_deinit(struct live *l);

/* Look at the directory, which need not be there yet. 0, or -1 and *e for want of memory. */
int live_look(struct live *l, const char *directory, struct error *e);

#endif
