/* How much of a profile fits another build of its load module. Compilers find the counts of a
 * function by lines that are counted from that of the function: it fits if the function has as many
 * lines as it had. Used by one thread. */
#ifndef HPCPROF_EXPORT_FEEDBACK_AGAINST_H
#define HPCPROF_EXPORT_FEEDBACK_AGAINST_H

#include "hpcprof/export/feedback/code.h"

struct against {
	size_t functions; /* with samples */
	size_t fit;       /* they have as many lines of code */
	size_t moved;     /* of those, they begin at another line */
	size_t differ;    /* they have more lines, or fewer */
	size_t gone; /* not found: in the other build they are not, or only inlined elsewhere */
	uint64_t samples, fit_samples;
};

/* Compare m, which is f's, with the file of the other build. 0, or -1 and *e: a file cannot be
 * read, or has no debug information (ERROR_USAGE), or memory ran out. */
int against_compare(struct against *out, const struct feedback *f, const struct feedback_module *m,
		    const struct common *o, const char *path, struct error *e);

#endif
