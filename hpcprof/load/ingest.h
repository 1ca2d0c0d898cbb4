/* Merges datafiles into a model: relocation, the roles of values, merging.
 *
 * Time and memory grow with the bytes of the files, but for sorting: at most 256 bytes of memory
 * for each, views and databases included, as tests/unit/linear_views.c holds (at most 42 are seen).
 *
 * There is one struct ingest per model and thread. It keeps working memory, of the size of the
 * largest tree, from file to file. A file is merged as a unit: state per process lasts for one
 * ingest_file, and state per thread for that thread's trees (reader_tree.thread). */
#ifndef HPCPROF_LOAD_INGEST_H
#define HPCPROF_LOAD_INGEST_H

#include "hpcprof/command/option.h"
#include "hpcprof/model/model.h"

struct ingest;

struct choice; /* load/choice.h */

struct ingest_options {
	const struct choice *choice; /* of threads; NULL: all */
	/* where to look for modules whose extent is not in the trailer; or NULL */
	const char *sysroot;
	const option_strings_field *group_by; /* keys of labels that become the outermost frames;
						 NULL: none */
	bool every_label; /* values with labels alone, below frames of all of these, in the order of
			     their keys; the line of such a frame is not 0 if it is a number */
	bool join_threads; /* put a thread's complete paths below the call that created it */
	bool sums;         /* also add up the metrics with MODEL_SUM, for a part of a model
			      that has them */
	bool keep_notes;   /* notes (formats/identity/notes.h) remain frames below those that they
			      are about; else regions become frames of the path */
	bool keep_interpreter; /* an interpreter's own frames remain in paths with frames of the
				  functions that it runs (formats/identity/sources.h) */
	bool values;  /* fill the model's values of instructions, and add the frames of these */
	bool threads; /* fill the model's groups of threads, and add the frames of the calls
			 that created them */
};

/* The model must not be finished, and must outlive the result. NULL if memory ran out. */
struct ingest *ingest_create(struct model *m, const struct ingest_options *o);
void ingest_destroy(struct ingest *in); /* takes NULL */

/* Merge the datafile at path, opened as r. 0, or -1 and *e as with model.h's functions. */
int ingest_file(struct ingest *in, const struct reader *r, const char *path,
		model_complaint_fn *complain, void *context, struct error *e);

/* The same in parts, for callers that need to know what each tree adds: begin, any of the trees,
 * and end, also after a failure. Values of trees are merged, and nothing else of the file. begin
 * and tree return 0, or -1 and the *e given to begin. */
int ingest_begin(struct ingest *in, const struct reader *r, const char *path, struct error *e);
int ingest_tree(struct ingest *in, uint32_t tree);
void ingest_end(struct ingest *in);

/* While trees are merged, call watch for all contexts that get values, and for some others. A
 * context may be reported many times. The functions above fail as watch does. */
typedef int ingest_watch_fn(void *context, const uint32_t *contexts, unsigned n, struct error *e);
void ingest_watch(struct ingest *in, ingest_watch_fn *watch, void *context);

/* Merge a single datafile: all of the above. sysroot as in struct ingest_options. */
int ingest_datafile(struct model *m, const struct reader *r, const char *path, const char *sysroot,
		    model_complaint_fn *complain, void *context, struct error *e);

#endif
