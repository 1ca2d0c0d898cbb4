/* The programs that a measurement could not measure, from the list in its directory. */
#ifndef HPCPROF_LOAD_UNMEASURED_H
#define HPCPROF_LOAD_UNMEASURED_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"

#include <stddef.h>

struct unmeasured {
	const char *name;   /* the last part of its path; not clean */
	const char *reason; /* why, in words; constant */
	size_t starts;      /* how often it was started */
};
typedef VEC(struct unmeasured) unmeasured_list;

/* Add the lines of the list (CSP_UNMEASURED_FILE) in the folder, if there is one. Lines that are
 * not in its form are ignored. Names are in the arena. 0, or -1 and *e if memory ran out. */
int unmeasured_read(unmeasured_list *to, const char *folder, struct arena *a, struct error *e);
/* The same for the contents of a list. */
int unmeasured_add(unmeasured_list *to, const char *text, size_t n, struct arena *a,
		   struct error *e);
/* Sort it: the most often started first, then by name. Programs with one name and reason are one.
 */
void unmeasured_sort(unmeasured_list *list);

#endif
