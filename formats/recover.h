/* Stores of other processes: of running ones for a look, of dead ones to make the
 * datafile that they could not write. For the launcher and hpcprof; nothing here runs in
 * a measured program. Threads: calls on different objects do not disturb each other. */
#ifndef FORMATS_RECOVER_H
#define FORMATS_RECOVER_H

#include "formats/base/error.h"
#include "formats/survey.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy of a store as it stood at one instant (nearly: it is read from the first byte
 * to the last while the process may be writing; what was linked behind the reader's back
 * is taken as not there), and what in it is sound. */
struct store_copy {
	uint8_t *memory;
	size_t bytes; /* a whole number of blocks */
	uint8_t **blocks;
	struct store_view view;
	struct store_survey survey;
};

/* Copy the store at path (relative to dirfd as in openat; links are not followed). 0, or
 * -1 and *e: no store, of another version, cannot be read, no memory. */
int store_copy_read(struct store_copy *c, int dirfd, const char *path, struct error *e);
/* The same from an open file, and from n bytes that the caller has. */
int store_copy_file(struct store_copy *c, int fd, struct error *e);
int store_copy_from(struct store_copy *c, const void *bytes, size_t n, struct error *e);
void store_copy_free(struct store_copy *c); /* takes a zeroed one */
const struct store_header *store_copy_header(const struct store_copy *c);

/* How the process ended, as far as the caller knows. */
struct store_ending {
	const char *end;      /* "exit 0", "signal 9"; NULL: not known */
	uint64_t end_mono_ns; /* monotonic clock then; 0: not known */
};

/* Make the copy's account what its sound trees hold, so that a datafile made of it is
 * exact. Rows `recorded` and `partial` of each thread are summed up from its trees; what
 * they said beyond that was lost, and goes to `out of memory`. Where threads share trees,
 * rows of threads without trees stand, and the one that was being merged (else the last)
 * takes the difference. What a clock had advanced up to a sample that was never finished
 * is `tail`. Each clock ends where its weights do. Threads and process, where
 * nothing better is known, end at the last instant that the store tells of. What no clock
 * can reach (sums beyond 2^63) counts as 0. ending may be NULL. */
void store_settle(struct store_copy *c, const struct store_ending *ending);

/* The datafile of a settled copy in memory that the caller frees. 0, or -1 and *e. */
int store_copy_to_datafile(const struct store_copy *c, uint8_t **bytes, size_t *n, struct error *e);

/* ---- directories of stores ----------------------------------------------------------- */

/* Does the process of the store at path (relative to dirfd), whose header is h, still run?
 * It does if it is of our pid namespace and its pid is taken by a process that began when
 * it did; or, where the namespace is another or not known, if the store is locked (flock). */
bool store_header_is_local(const struct store_header *h); /* of our namespace, with its start */
bool store_lives(int dirfd, const char *path, const struct store_header *h);

/* Does name end in suffix, with something before it? */
bool store_has_suffix(const char *name, const char *suffix);

/* What became of one store. */
enum store_fate {
	STORE_RECOVERED, /* a datafile was made, the store removed */
	STORE_REMOVED,   /* its datafile stood there already, or it held nothing */
	STORE_ALIVE,     /* its process runs: left alone */
	STORE_FAILED,    /* see the error; the store is left */
};

struct store_recovery {
	/* Told of each store. name: of the store, without directories, or of a link that leads
	 * to a directory that cannot be read; e: of STORE_FAILED. May be NULL. */
	void (*tell)(void *context, const char *name, enum store_fate fate, const struct error *e);
	void *context;
	/* A process whose ending the caller knows; pid 0: none. */
	uint32_t pid;
	struct store_ending ending;
	uint32_t counts[4]; /* how many of each fate; added to */
};

/* Make datafiles, in directory out, of the stores of dead processes in directory stores;
 * leave living ones alone. Datafiles appear whole under their name (0600, never over
 * another file, never through a link); remains of an unfinished one are removed, unless
 * somebody else is at it. Where nothing is left, and no launcher holds it (flock), the
 * directory is removed. 0, or -1 and *e where stores or out cannot be opened. A process
 * with a limit on the size of files should ignore SIGXFSZ. */
int store_recover(const char *stores, const char *out, struct store_recovery *r, struct error *e);

/* The same for every directory of stores that dir's links name, and for dir where it holds
 * stores itself; links that lead to nothing any more are removed. out: where datafiles go;
 * NULL: to dir. */
int store_recover_all(const char *dir, const char *out, struct store_recovery *r, struct error *e);

#endif
