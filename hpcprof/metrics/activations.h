/* How often functions were called, as far as samples have seen it, and how long these activations
 * took: metrics with MODEL_ACTIVATION_FLAGS (formats/README.md says what they count).
 *
 * The time of a function's activations is the inclusive value of all of its frames on call paths,
 * so that a path on which the function is three times counts three times: each of the three was an
 * activation. Code that was inlined is part of the function that it is in. */
#ifndef HPCPROF_METRICS_ACTIVATIONS_H
#define HPCPROF_METRICS_ACTIVATIONS_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"
#include "hpcprof/terminal/layout.h"

#include <stdbool.h>
#include <stdint.h>

struct activations_row {
	uint32_t function;
	/* the function with the call, which may have been inlined, and the line of the call; both
	 * ACTIVATIONS_NONE for a function without a caller, and in rows by function */
	uint32_t caller, line;
	/* innermost: the part of time in which the function had called no other, but for the kernel
	 */
	uint64_t time, innermost, entered, returned, abandoned;
};
#define ACTIVATIONS_NONE UINT32_MAX

/* All zeros is empty. A metric is NULL if it was not measured. */
struct activations {
	const struct model_metric *entered, *returned, *abandoned;
	bool all; /* all ends were counted, not only the first after each sample */
	VEC(struct activations_row) functions, sites; /* those with any count, by time */
};

/* Find the metrics. False if nothing was counted. (The classic csprof counted returns only.) */
bool activations_find(const struct model *m, struct activations *a);

/* Add the counts of such a metric to the nodes of a tree: at[context] is the node, by_node starts
 * with all zeros. outside as below. Sums saturate. */
void activations_by_node(const struct model_metric *k, const struct model *m, const uint32_t *at,
			 const bool *outside, uint64_t *by_node);

/* Whether time / entered, the time of an activation, is well above the mean length of a call: a
 * call is counted when a sample finds it calling another, and by the innermost part of its time at
 * least a fifth of the calls were missed. If innermost samples are the share s of all and are
 * spread evenly over calls, one with k samples is missed with the probability s^k; k is that of a
 * quarter more calls than were counted, and at least 1. of: the metric of time and innermost. */
bool activations_are_missed(const struct model_metric *of, uint64_t time, uint64_t innermost,
			    uint64_t entered);
/* That time in words, with "<" before it if it is. entered is not 0. Returns out. */
#define ACTIVATIONS_EACH_BYTES (LAYOUT_NUMBER_BYTES + 1)
char *activations_each(char out[ACTIVATIONS_EACH_BYTES], const struct model_metric *of,
		       uint64_t time, uint64_t innermost, uint64_t entered, const char *unit);

/* Then fill the rows. time: [contexts], exclusive. outside: [contexts] or NULL, those not to count.
 * Sums saturate. 0, or -1 and *e if memory ran out. */
int activations_add_up(struct activations *a, const struct model *m, const struct symbolized *c,
		       const uint64_t *time, const bool *outside, struct error *e);
void activations_deinit(struct activations *a); /* takes NULL */

/* The function that a frame is of, of those that were not inlined; ACTIVATIONS_NONE if the frame
 * came with its name, and was. */
uint32_t activations_function(const struct symbolized *c, uint32_t frame);

#endif
