/* Keeping the names of a model's addresses in the folder of its datafiles (symbolize/pack.h). */
#ifndef HPCPROF_CORRELATE_PACK_H
#define HPCPROF_CORRELATE_PACK_H

#include "formats/base/error.h"
#include "hpcprof/model/model.h"

#include <stddef.h>

struct pack {
	const char *folder;
	/* where names are from; the folder must be among its pack_folders */
	struct symbolizer_options symbolizer;
	size_t modules, written; /* filled: that have names to keep; to which some were added */
};

/* Whether names were kept in the folder. -1: memory ran out. */
int pack_exists(const char *folder);

/* Keep the names of all load modules that have an identity and a file. m must be finished. 0, or -1
 * and *e; then some may have been kept. */
int pack_model(struct pack *p, const struct model *m, struct error *e);

#endif
