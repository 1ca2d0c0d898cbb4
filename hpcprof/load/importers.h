/* The kinds of files, other than datafiles and stores, that a profile can be made of. */
#ifndef HPCPROF_LOAD_IMPORTERS_H
#define HPCPROF_LOAD_IMPORTERS_H

#include "formats/base/arena.h"
#include "hpcprof/model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a file: a thread of a process. */
struct importer_part {
	const char *path; /* that of the datafile, as in struct model_process */
	bool has_process; /* the datafile is of one process */
	/* in the datafile; CSP_NONE: of several threads, or of a file without threads */
	uint32_t thread;
	const char *name; /* of the thread; NULL: it and tid to cpu_ns are not known */
	uint64_t tid, start_ns, end_ns, cpu_ns;
	bool has_values;
	/* identify it to add_part; the data is in the arena */
	int64_t id;
	const void *data;
};

struct ingest_options;

struct importer {
	bool (*is)(const char *path); /* checks the file's first bytes */
	/* Merge the file. An invalid file leaves the model unchanged: then 1 and *e. 0, or -1 and
	 * *e as ingest_datafile. *lost: what a valid file has and the model does not hold, in words
	 * that live as long as the program; NULL: nothing. Called by several threads, each with its
	 * own model. */
	int (*add)(struct model *m, const char *path, const char **lost, struct error *e);
	/* The same by labels: what o->choice wants of those, below frames of labels as o->group_by
	 * and o->every_label say (ingest.h). NULL: such files have none. */
	int (*add_labelled)(struct model *m, const char *path, const struct ingest_options *o,
			    struct error *e);
	/* The parts, in the arena. Parts of one datafile are neighbours. 0, or -1 and *e. NULL,
	 * like add_part: the files have no parts. */
	int (*parts)(const char *path, struct importer_part **out, size_t *n, struct arena *a,
		     struct error *e);
	/* Merge the contexts and values of a part. Returns as add. */
	int (*add_part)(struct model *m, const char *path, const struct importer_part *part,
			struct error *e);
	struct importer *next; /* the next registered one */
};

/* Register an importer, before anything is read. It cannot be removed. Of several that know a file,
 * the last one registered reads it. */
void importers_add(struct importer *importer);
/* The importer of the file, or NULL. */
const struct importer *importers_of(const char *path);

#endif
