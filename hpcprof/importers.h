/* The kinds of files, beside datafiles and stores, that a profile can be made of. */
#ifndef HPCPROF_IMPORTERS_H
#define HPCPROF_IMPORTERS_H

#include "hpcprof/model.h"

#include <stdbool.h>

struct importer {
	bool (*is)(const char *path); /* by the file's first bytes */
	/* Merge it. A file that is not sound leaves the model as it was: then 1 and *e. 0, or -1
	 * and *e as model_add. Called by several threads, with models of their own. */
	int (*add)(struct model *m, const char *path, struct error *e);
};

/* Register one more, before anything is read. There is room for what main adds. */
void importers_add(const struct importer *importer);
/* NULL: the file is not of any of them. */
const struct importer *importer_of(const char *path);

#endif
