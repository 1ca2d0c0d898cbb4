/* One file to be shown: a datafile; or a store, from whose current state a datafile is made in
 * memory. Used by one thread at a time. */
#ifndef HPCPROF_LOAD_DATAFILE_SOURCE_H
#define HPCPROF_LOAD_DATAFILE_SOURCE_H

#include "formats/base/error.h"
#include "reader/reader.h"

#include <stdint.h>

enum datafile_source_kind {
	SOURCE_DATAFILE,
	SOURCE_RUNNING, /* the store of a running process */
	SOURCE_KILLED,  /* the store of a process that ended without a datafile */
};

struct datafile_source {
	enum datafile_source_kind kind;
	struct reader *reader;
	uint8_t *bytes; /* what it reads if that is not a file; malloc'd */
	/* for SOURCE_RUNNING: the process, 0 if it is in another pid namespace, and how many of its
	 * threads have not ended */
	uint32_t pid, threads_running;
};

/* Open the file at path. datafile: NULL, or, for a store that was found in a directory, where its
 * datafile will be. If the datafile has been written since, it is read instead. 0, or -1 and *e,
 * whose text does not name the file. */
int datafile_source_open(struct datafile_source *s, const char *path, const char *datafile,
			 struct error *e);
void datafile_source_close(struct datafile_source *s); /* takes a zeroed one */

#endif
