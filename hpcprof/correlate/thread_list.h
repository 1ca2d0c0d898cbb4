/* The threads of a measurement, by name and by the function that created them. */
#ifndef HPCPROF_CORRELATE_THREAD_LIST_H
#define HPCPROF_CORRELATE_THREAD_LIST_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

/* Threads of one kind that the same function created, and whose names are alike. */
struct thread_list_row {
	const char *name;         /* with each number as a '#' */
	const char *first, *last; /* of the names, in alphabetical order */
	const char *creator;      /* the function; "" if it is not known */
	enum thread_kind kind;
	uint64_t threads;
	struct metric_sums sums;
};
typedef VEC(struct thread_list_row) thread_list;

/* List the threads of a finished model, by kind, name and creator. The creator is the innermost
 * function on the path that is not of a library that creates threads for others. Texts are the
 * model's and the code's; sums are in the arena. The caller frees the list with vec_free. 0, or -1
 * and *e if memory ran out. */
int thread_list_make(thread_list *out, const struct model *m, const struct symbolized *c,
		     struct arena *a, struct error *e);

#endif
