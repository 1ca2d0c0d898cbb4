/* Many profiles into one model, shared out over threads of work: each merges files of its own
 * into a model of its own, and model_finish_all makes one of them. What comes out depends neither
 * on the number of threads nor on who got which file. */
#ifndef HPCPROF_LOAD_H
#define HPCPROF_LOAD_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/ingest.h"
#include "hpcprof/model.h"

/* A profile to be read: a datafile or a store, see source_open, or a PROFILE or CSPROFILE. */
struct load_file {
	const char *path;
	const char *datafile;
};

/* Something about a file that the user should know. */
struct load_problem {
	size_t file;
	const char *text;
	enum error_kind kind; /* of a file that was left out; ERROR_NONE: it was read */
	bool trailer;         /* it was read, but for its trailer or a part of it */
};

struct load {
	/* given */
	const struct load_file *files;
	size_t num_files;
	unsigned threads; /* at least 1 */
	struct ingest_options ingest;
	/* Told after each file, from any thread but one at a time; may be NULL. */
	void (*progress)(void *context, size_t done, size_t total);
	void *context;
	/* found */
	size_t running, killed;            /* stores */
	struct model *model;               /* finished */
	VEC(struct load_problem) problems; /* in the order of the files */
	struct arena arena;                /* of their texts */
};

/* 0, or -1 and *e for want of memory. Files that cannot be read are problems, no failure. */
int load_files(struct load *l, struct error *e);
void load_deinit(struct load *l); /* takes NULL; the model, too, unless it was taken out */

#endif
