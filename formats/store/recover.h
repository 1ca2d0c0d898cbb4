/* Stores of other processes: of running ones to read them, of dead ones to make the datafile
 * that the process could not write. For the launcher and hpcprof; nothing here runs in a
 * measured program. Threads may use different objects at the same time. */
#ifndef FORMATS_STORE_RECOVER_H
#define FORMATS_STORE_RECOVER_H

#include "formats/base/error.h"
#include "formats/store/survey.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy of a store at one instant, and which of its records are valid. (Nearly at one instant:
 * it is read from the first byte to the last while the process may be writing; links to records
 * that were added after their part was read are ignored.) */
struct store_copy {
	uint8_t *memory;
	size_t bytes; /* a whole number of blocks */
	uint8_t **blocks;
	struct store_view view;
	struct store_survey survey;
};

/* Copy the store at path (relative to dirfd as in openat; links are not followed). Returns 0, or
 * -1 and *e: not a store, another version, not readable, no memory. */
int store_copy_read(struct store_copy *c, int dirfd, const char *path, struct error *e);
/* The same from an open file, and from n bytes in memory. */
int store_copy_file(struct store_copy *c, int fd, struct error *e);
int store_copy_from(struct store_copy *c, const void *bytes, size_t n, struct error *e);
void store_copy_free(struct store_copy *c); /* *c may be zeroed */
const struct store_header *store_copy_header(const struct store_copy *c);

/* How the process ended, as far as the caller knows. */
struct store_ending {
	const char *end;      /* "exit 0", "signal 9"; NULL: unknown */
	uint64_t end_mono_ns; /* monotonic clock at the end; 0: unknown */
};

/* Make the copy's account agree with its valid trees, so that a datafile made of it is exact.
 * The rows `recorded` and `partial` of each thread are set to the sums over its trees; what they
 * had in addition was lost, and is counted as `out of memory`. If threads share trees, the rows
 * of threads without trees are kept, and the thread that was being merged (else the last) gets
 * the difference. What a clock had advanced up to a sample that was never finished is `tail`.
 * The end of each clock follows from its weights. If nothing better is known, threads and
 * process end at the latest instant in the store. Values that no clock can reach (sums beyond
 * 2^63) count as 0. ending may be NULL. */
void store_settle(struct store_copy *c, const struct store_ending *ending);

/* Make the datafile of a settled copy, in memory that the caller frees. Returns 0, or -1 and *e. */
int store_copy_to_datafile(const struct store_copy *c, uint8_t **bytes, size_t *n, struct error *e);

/* ---- directories of stores ----------------------------------------------------------- */

/* Whether name ends in suffix, and is longer than it. */
bool store_has_suffix(const char *name, const char *suffix);

/* The outcome for one store. */
enum store_fate {
	STORE_RECOVERED, /* a datafile was made, the store removed */
	STORE_REMOVED,   /* its datafile existed already */
	STORE_ALIVE,     /* its process runs: unchanged */
	STORE_FAILED,    /* see the error; the store is kept */
	STORE_LOST,      /* it was empty, because there was no memory for it; removed */
	STORE_FATES,
};

struct store_recovery {
	/* Called for each store. name: of the store, without directories, or of a link to a
	 * directory that cannot be read; e: for STORE_FAILED. May be NULL. */
	void (*tell)(void *context, const char *name, enum store_fate fate, const struct error *e);
	void *context;
	/* A process for which the caller knows the ending; pid 0: none. */
	uint32_t pid;
	struct store_ending known;
	bool patient; /* a process that has just called exec may begin its next image yet */
	uint32_t counts[STORE_FATES]; /* number of stores by their fate; incremented */
	/* Of those of running processes: how many may end soon, because their account is closed or
	 * because they are in another pid namespace, which ends with its first process; or begin
	 * their next image. */
	uint32_t ending;
};

/* Whether name is that of a directory of stores of another user, in that of root: the number of the
 * user, which is returned. */
bool store_is_user(const char *name, uint32_t *user);
/* Open that directory, for reading. -1: it is not one, or not yet. Anything in it may have been put
 * there by that user. */
int store_open_user(int stores, const char *name);

/* Make datafiles, in directory out, from the stores of dead processes in directory stores, and in
 * those of other users in it;
 * stores of running processes are left alone. A datafile appears complete under its name (0600,
 * never over another file, never through a link). An unfinished one is removed, unless another
 * process is writing it. If nothing is left, and no launcher holds the directory (flock), it is
 * removed. Returns 0, or -1 and *e if stores or out cannot be opened. A process with a file size
 * limit should ignore SIGXFSZ. */
int store_recover(const char *stores, const char *out, struct store_recovery *r, struct error *e);

/* The same for every directory of stores to which links in dir point, and for dir if it contains
 * stores itself; links to directories that no longer exist are removed. out: directory for
 * datafiles; NULL: dir. */
int store_recover_all(const char *dir, const char *out, struct store_recovery *r, struct error *e);

/* What a store that is visited is. fd: the store, open for reading, and for writing if it may be
 * written; it is closed afterwards. */
struct store_visit {
	int fd;
	const char *name; /* of the store, without directories */
	const struct store_header *header;
	bool alive; /* its process runs */
};

/* Visit the stores to whose directories links in dir point, except those whose datafile is written;
 * nothing is changed. A store that just begins is left out. Returns 0, or -1 and *e if dir cannot
 * be listed or memory ran out. */
int store_visit_all(const char *dir, void (*visit)(void *context, const struct store_visit *v),
		    void *context, struct error *e);

#endif
