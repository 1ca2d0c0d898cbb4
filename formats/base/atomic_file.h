/* A file that exists completely or not at all: it is written under another name in the same
 * directory and renamed at the end. While one is open, signals that end a program (SIGINT,
 * SIGTERM, SIGHUP, SIGXCPU, if they have their default action) remove it first. Several may be open
 * at once. Used by one thread. */
#ifndef FORMATS_BASE_ATOMIC_FILE_H
#define FORMATS_BASE_ATOMIC_FILE_H

#include "formats/base/error.h"

struct atomic_file { /* must not be moved while it is open */
	const char *path;
	char *target; /* the file that path, a symbolic link, leads to; else NULL */
	char *name;   /* of the unfinished file; NULL: none is open */
	struct atomic_file *next;
};

/* Make an empty file that will become path, or, if path is a symbolic link to a file, the file that
 * it leads to: links stay what they are, of all things /dev/stdout. path must live as long as *u.
 * Returns a descriptor that is open for writing and that the caller closes, or -1 and *e. */
int atomic_file_begin(struct atomic_file *u, const char *path, struct error *e);
/* Everything is written: rename the file. Returns 0, or -1 and *e; then the file is removed, and
 * what was at path is unchanged. */
int atomic_file_finish(struct atomic_file *u, struct error *e);
/* Remove all that are open, when the process must end at once. Async-signal-safe. */
void atomic_file_remove_all(void);
/* Remove the file; path is unchanged. Nothing happens if none is open. */
void atomic_file_abandon(struct atomic_file *u);

#endif
