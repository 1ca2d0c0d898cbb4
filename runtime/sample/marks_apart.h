/* Processes whose return addresses are not marked, because something in them looks at return
 * addresses, copies stacks, or brings an unwinder of another kind. Not for handlers. */
#ifndef RUNTIME_SAMPLE_MARKS_APART_H
#define RUNTIME_SAMPLE_MARKS_APART_H

#include <stdbool.h>

/* What that is, in words, or NULL. at_start: what the executable exports is looked at, too. */
const char *csprof_marks_apart(bool at_start);

#endif
