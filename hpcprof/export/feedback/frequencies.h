/* How often instructions were executed, from samples of time.
 *
 * All instructions of a basic block are executed equally often. Where in a block samples are taken
 * says what waits and where the processor takes an interrupt, not how often it was executed. So the
 * samples of a block are divided by its instructions (Anderson et al., "Continuous Profiling: Where
 * Have All the Cycles Gone?", ACM TOCS 15(4), 1997, section 6). That is off where blocks have few
 * samples, and where instructions wait. But a block is entered as often as it is left: the numbers
 * of blocks and of the edges between them are those that come closest to the samples and to this,
 * in the sense of least squares, and none of them is below 0.
 *
 * What a block's own number counts for is the inverse of its expected squared error, of which part
 * is by chance (that of a Poisson distribution) and part, BIAS of the number, by waits. What is not
 * seen in the code (the ends of indirect jumps, entries by exceptions) says nothing about a block.
 * Padding is taken for code that is not executed, and jumped over.
 * How often a procedure was entered, as its calls tell (see calls.h), counts beside its samples.
 *
 * Short code on the two sides of a branch can come out wrong: where the processor did not expect
 * the branch, it waits at the instruction behind it. */
#ifndef HPCPROF_EXPORT_FEEDBACK_FREQUENCIES_H
#define HPCPROF_EXPORT_FEEDBACK_FREQUENCIES_H

#include <stdbool.h>

struct feedback_module;

/* Set the executions of all instructions. Takes time that is linear in their number, but
 * for looking up the targets of jumps. False if
 * memory ran out. */
bool frequencies_estimate(struct feedback_module *m);

#endif
