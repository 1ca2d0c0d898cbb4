/* One file to be shown: a datafile, or a store, of which a datafile is made in memory as it
 * stands now. Used by one thread at a time. */
#ifndef HPCPROF_SOURCE_H
#define HPCPROF_SOURCE_H

#include "formats/base/error.h"
#include "reader/reader.h"

#include <stdint.h>

enum source_kind {
	SOURCE_DATAFILE,
	SOURCE_RUNNING, /* the store of a process that runs */
	SOURCE_KILLED,  /* the store of one that does not, and left no datafile */
};

struct source {
	enum source_kind kind;
	struct reader *reader;
	uint8_t *bytes; /* what it reads from where that is no file */
	/* of SOURCE_RUNNING: the process, 0 if it is of another pid namespace, and how many of
	 * its threads have not ended */
	uint32_t pid, threads_running;
};

/* Open the file at path. datafile: NULL, or, for a store that was found in a directory, where
 * its datafile will be: that is read if it has been written meanwhile. 0, or -1 and *e,
 * whose text does not name the file. */
int source_open(struct source *s, const char *path, const char *datafile, struct error *e);
void source_close(struct source *s); /* takes a zeroed one */

#endif
