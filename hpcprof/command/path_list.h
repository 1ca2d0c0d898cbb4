/* The names of PROFILEs in a file. Used by one thread at a time. */
#ifndef HPCPROF_COMMAND_PATH_LIST_H
#define HPCPROF_COMMAND_PATH_LIST_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"

#include <stdbool.h>

/* All zeros is an empty list. */
struct path_list {
	struct arena arena;
	VEC(const char *) at;
};

/* Append the names in the file at path ("-": standard input). Each is on a line, or, with nul, ends
 * with a NUL. Empty names are skipped. 0, or -1 and *e. */
int path_list_read(struct path_list *l, const char *path, bool nul, struct error *e);
void path_list_deinit(struct path_list *l); /* takes NULL */

#endif
