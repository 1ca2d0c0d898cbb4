/* The folders of source files, and the namespaces of functions. */
#ifndef HPCPROF_CORRELATE_GROUPS_H
#define HPCPROF_CORRELATE_GROUPS_H

#include "hpcprof/correlate/correlate.h"

/* Fill folders, folder_of, namespaces and namespace_of of the code of a model. 0, or -1 and *e if
 * memory ran out. */
int groups_find(struct symbolized *c, const struct model *m, struct error *e);

/* The folder of a path: the *n bytes at what is returned, in the path or a constant. */
const char *groups_folder(const char *path, size_t *n);

#endif
