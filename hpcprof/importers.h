/* The kinds of files, beside datafiles and stores, that a profile can be made of. */
#ifndef HPCPROF_IMPORTERS_H
#define HPCPROF_IMPORTERS_H

#include "formats/base/arena.h"
#include "hpcprof/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a file tells apart: a thread of a process. */
struct importer_part {
	const char *path; /* that of the datafile, as in struct model_process */
	bool has_process; /* the datafile is of one process */
	uint32_t thread;  /* in the datafile; CSP_NONE: of several, or of a file without any */
	const char *name; /* of the thread; NULL: nothing is known of it, neither what follows */
	uint64_t tid, start_ns, end_ns, cpu_ns;
	bool has_values;
	int64_t id; /* what add_part knows it by */
};

struct importer {
	bool (*is)(const char *path); /* by the file's first bytes */
	/* Merge it. A file that is not sound leaves the model as it was: then 1 and *e. 0, or -1
	 * and *e as model_add. Called by several threads, with models of their own. */
	int (*add)(struct model *m, const char *path, struct error *e);
	/* The parts, those of one datafile side by side, in the arena. 0, or -1 and *e. NULL, as
	 * add_part: there are none. */
	int (*parts)(const char *path, struct importer_part **out, size_t *n, struct arena *a,
		     struct error *e);
	/* Merge contexts and values of a part, as add does. */
	int (*add_part)(struct model *m, const char *path, const struct importer_part *part,
			struct error *e);
	struct importer *next; /* of those that are registered */
};

/* Register one more, before anything is read; one that is registered stays so. */
void importers_add(struct importer *importer);
/* NULL: the file is not of any of them. */
const struct importer *importer_of(const char *path);

#endif
