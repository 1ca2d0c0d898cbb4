/* What the calls of a module's code reached, from call paths, and how often functions were called.
 * Used by one thread.
 *
 * Samples below a call say how much time it took, not how often it was made. But if a call of a
 * function takes about as long wherever it is made, then the number of calls of function j by place
 * i is s_ij x_j: the samples there, and how many calls a sample of j stands for. Place i makes as
 * many calls as it is executed, sum_j s_ij x_j; and all calls of j are as many as its entry is
 * executed. Both of these are estimates, with errors that are factors. The x are those that come
 * closest to them, in the sense of least squares, and none of them is below 0.
 *
 * A sample counts for the call of the function that it was taken in, and NEAR as much for each call
 * further out: else a call would count for all that is below it, and where functions call each
 * other in turn that says more about the depth than about the call.
 *
 * What hpcrun counts of activations (hpcrun(1), --mark marks) is of no use here: it counts those
 * that samples find, and these are the long ones. In Lua luaD_callnoyield was called some 10^6
 * times in 7 s, of which 60 activations were counted. */
#ifndef HPCPROF_EXPORT_FEEDBACK_CALLS_H
#define HPCPROF_EXPORT_FEEDBACK_CALLS_H

#include "hpcprof/export/feedback/code.h"

/* Places that call, and functions that they call. All zeros is empty. */
struct calls {
	struct feedback *f;
	struct call_place *places;
	struct callee *callees; /* [functions of the profile's code] */
	struct call_link *links;
	size_t num_places, num_callees, num_links;
};

/* Samples that were taken in a context or below it. */
struct samples_below {
	uint64_t all;
	double near; /* of which those further below count less */
};

/* Those of each context, to be freed. NULL if memory ran out. */
struct samples_below *calls_below(const struct feedback *f);

/* Fill the calls of f's modules. False if memory ran out. Deinit it either way. */
bool calls_find(struct calls *s, struct feedback *f);

/* Set the shares of calls, and how often procedures were entered, by the executions of f's code. */
void calls_solve(struct calls *s);
void calls_deinit(struct calls *s);

/* The calls of instruction i of m. *next: the first call that is not before it, from which to go
 * on; it becomes the first after it. *n: how many. */
const struct feedback_call *calls_of(const struct feedback_module *m, size_t i, size_t *next,
				     size_t *n);

#endif
