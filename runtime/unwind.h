/* Walk a stack into the state's frames. Async-signal-safe. */
#ifndef RUNTIME_UNWIND_H
#define RUNTIME_UNWIND_H

#include "runtime/state.h"

/* The memory that walks need beside the state: little at first, more in pages of its
 * own. A zeroed state may walk without init. */
void csprof_unwind_init(csprof_state_t *state);
void csprof_unwind_deinit(csprof_state_t *state);

/* Find out where a coroutine of makecontext's ends, so that walks of its stack may end
 * there. Once, at the start. */
void csprof_unwind_learn(void);

/* Walk from the code that a signal interrupted. Fills state->frames, innermost
 * first, without frames of our own library; true where the walk came to the
 * stack's base. */
bool csprof_unwind_context(csprof_state_t *state, const void *ucontext);

/* The same from here, outside a handler. */
bool csprof_unwind_here(csprof_state_t *state);

/* Is pc in our own code? (own_code.c, static/start.c) Async-signal-safe. */
bool csprof_own_code(uintptr_t pc);

#endif
