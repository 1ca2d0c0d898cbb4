/* Where in machine code samples were taken. Used by one thread.
 *
 * In call paths of an interpreter, the function that it runs is inside of the native frame that
 * runs it (formats/identity/sources.h). What a compiler can make faster is the interpreter: a
 * sample in the function was taken where its native frame was. As this frame has others inside, its
 * address is taken for a return address, and is one less than the instruction's. */
#ifndef HPCPROF_EXPORT_FEEDBACK_TAKEN_H
#define HPCPROF_EXPORT_FEEDBACK_TAKEN_H

#include "hpcprof/export/feedback/code.h"

/* Fill f's taken and exact. samples: [contexts], exclusive. False if memory ran out. */
bool taken_find(struct feedback *f, const uint64_t *samples);

/* Whether a context is a function of an interpreter. */
bool taken_in_script(const struct feedback *f, uint32_t context);

/* The context of the native frame around one; below MODEL_ROOTS: there is none. */
uint32_t taken_caller(const struct feedback *f, uint32_t context);

#endif
