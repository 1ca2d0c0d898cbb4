/* Datafiles into a model: relocation, the roles of values, merging.
 *
 * One struct ingest per model and thread; it keeps working memory from file to file, of the
 * size of the largest tree. A file is one unit of what is merged: all that is known per
 * process begins and ends in ingest_file, and per thread in its trees (reader_tree.thread). */
#ifndef HPCPROF_INGEST_H
#define HPCPROF_INGEST_H

#include "hpcprof/model.h"

struct ingest;

struct ingest_options {
	const char *sysroot; /* where files of modules are looked for whose extent the trailer
				does not give; or NULL */
	bool join_threads;   /* hang a thread's complete paths under the call that created it */
};

/* The model, which is not finished, must outlive it. NULL if memory ran out. */
struct ingest *ingest_create(struct model *m, const struct ingest_options *o);
void ingest_destroy(struct ingest *in); /* takes NULL */

/* Merge the datafile at path, opened as r. 0, or -1 and *e as with model.h's functions. */
int ingest_file(struct ingest *in, const struct reader *r, const char *path,
		model_complaint_fn *complain, void *context, struct error *e);

/* The same in parts, for those who want to know what each tree adds: begin, any of the trees,
 * and end, also where one of the others failed. Values of trees are merged, and nothing else
 * that the file says. Both give 0, or -1 and begin's *e. */
int ingest_begin(struct ingest *in, const struct reader *r, const char *path, struct error *e);
int ingest_tree(struct ingest *in, uint32_t tree);
void ingest_end(struct ingest *in);

/* Have all contexts told that get values, and some others, while trees are merged; the same
 * may be told many times. What it returns is taken as the functions above give it. */
typedef int ingest_watch_fn(void *context, const uint32_t *contexts, unsigned n, struct error *e);
void ingest_watch(struct ingest *in, ingest_watch_fn *watch, void *context);

#endif
