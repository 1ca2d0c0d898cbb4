/* Walk a stack into the state's frames. Async-signal-safe. */
#ifndef RUNTIME_SAMPLE_UNWIND_H
#define RUNTIME_SAMPLE_UNWIND_H

#include "runtime/process/state.h"

/* Memory for walks: a few frames in the state, more in separate pages. A zeroed state may walk
 * without init. */
void csprof_unwind_init(csprof_state_t *state);
void csprof_unwind_deinit(csprof_state_t *state);

/* Find out the return address at the base of a makecontext coroutine, so that walks of its stack
 * end there. Called once, at the start. */
void csprof_unwind_learn(void);

/* Walk from the code that a signal interrupted. Fills state->frames, innermost first, without
 * frames of our own library, as far as they are not known: state->outer frames more are, outside of
 * these. Returns true if the walk reached the base of the stack. */
bool csprof_unwind_context(csprof_state_t *state, const void *ucontext);

/* The same from the caller, outside a handler. More than `least` frames are walked, if there are.
 */
bool csprof_unwind_here(csprof_state_t *state, uint32_t least);

/* Put the outer frames into state->frames, too. Returns false if there is no memory. */
bool csprof_unwind_expand(csprof_state_t *state);

/* Mark the frames of the last walk, whose path was just inserted into the tree of complete ones
 * (marks.h). */
void csprof_unwind_mark(csprof_state_t *state);

/* Make room for n frames before the innermost one of the last walk: the caller fills them, the
 * innermost first. NULL: there is no memory. */
struct csprof_frame *csprof_unwind_prepend(csprof_state_t *state, uint32_t n);

/* Whether pc is in our own code (own_code.c, static/start.c). Slots are the program's: they are
 * where its functions return to. Async-signal-safe. */
bool csprof_own_code(uintptr_t pc);

#endif
