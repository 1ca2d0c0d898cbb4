/* What the calls of a module's code reached, from call paths. Used by one thread. */
#ifndef HPCPROF_EXPORT_FEEDBACK_CALLS_H
#define HPCPROF_EXPORT_FEEDBACK_CALLS_H

#include "hpcprof/export/feedback/code.h"

/* Fill the calls of f's modules, whose executions are estimated. samples: [contexts], exclusive.
 * index: [modules of the model], that of f's module; UINT32_MAX: none. False if memory ran out.
 *
 * The share of each function of an address is that of its calls. There are two estimates: by the
 * samples below the call, as if one call of each took the same time; and by these divided by the
 * samples below one call, as how often the function's entry was executed tells it, which is off for
 * short functions. Their errors are factors, so the geometric mean of the two is taken. */
bool calls_find(struct feedback *f, const uint64_t *samples, const uint32_t *index);

/* The calls of instruction i of m. *next: the first call that is not before it, from which to go
 * on; it becomes the first after it. *n: how many. */
const struct feedback_call *calls_of(const struct feedback_module *m, size_t i, size_t *next,
				     size_t *n);

#endif
