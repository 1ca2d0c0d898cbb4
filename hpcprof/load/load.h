/* Merges many profiles into one model, with several threads. Each merges some of the files into its
 * own model, and model_finish_all combines the models. The result does not depend on the number of
 * threads or on which thread reads which file. */
#ifndef HPCPROF_LOAD_LOAD_H
#define HPCPROF_LOAD_LOAD_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/model/model.h"

/* A profile to be read: a datafile or a store (see datafile_source_open), a PROFILE or a
 * CSPROFILE. */
struct load_file {
	const char *path;
	const char *datafile;
};

/* Something about a file that the user should know. */
struct load_problem {
	size_t file;
	const char *text;
	enum error_kind kind; /* why the file was left out; ERROR_NONE: it was read */
	bool trailer;         /* it was read, except for (a part of) its trailer */
};

struct load {
	/* input */
	const struct load_file *files;
	size_t num_files;
	unsigned threads;             /* at least 1 */
	struct ingest_options ingest; /* its choice is also that of processes */
	/* Called after each file, from any thread but one at a time. May be NULL. */
	void (*progress)(void *context, size_t done, size_t total);
	void *context;
	/* output */
	size_t running, killed; /* number of stores */
	size_t chosen;          /* number of files of processes that were chosen */
	bool *unwanted;         /* [num_files]: those of others; NULL: there is no choice */
	struct model *model;    /* finished */
	VEC(struct load_problem) problems; /* in the order of the files */
	VEC(struct load_problem) notices;  /* likewise: what files of other programs have too */
	struct arena arena;                /* of the problems' texts */
};

/* 0, or -1 and *e if memory ran out. A file that cannot be read is a problem, not an error. */
int load_files(struct load *l, struct error *e);
void load_deinit(struct load *l); /* takes NULL; destroys the model, unless it was taken out */

#endif
