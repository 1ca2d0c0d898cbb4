/* Where code of a line belongs, for compilers that do not tell apart the code of one line: they
 * look up one count for all of it. Used by one thread.
 *
 * Compilers move code out of the block of its statement: loads to before a branch, constants to
 * before a loop. So how often a line was executed is what its statements were, where gcc marks
 * these (its -gstatement-frontiers, which is on with -g and -O): the marks stay in the blocks of
 * the source. Elsewhere it is what its instruction with most was.
 *
 * "if (failed) return -1;" on one line is code that is executed unlike, and the count of either
 * part is wrong for the other: gcc takes both sides of the branch for equally likely, or worse.
 * Without a count gcc concludes from the lines before and behind it. So where most of a line's code
 * branches to code of the same line that is executed less than half as often, the line is left out,
 * unless there is an indirect call whose targets are to be said. */
#ifndef HPCPROF_EXPORT_FEEDBACK_STATEMENTS_H
#define HPCPROF_EXPORT_FEEDBACK_STATEMENTS_H

#include "hpcprof/export/feedback/locations.h"

/* Note where a procedure's statements begin, and where its branches lead. Its instructions were
 * added, and l->ids are theirs. caller: the location that the function was called at, or
 * LOCATION_NONE. False if memory ran out. */
bool statements_add(struct locations *l, const struct feedback_module *m,
		    const struct feedback_procedure *p, uint32_t caller);

#endif
