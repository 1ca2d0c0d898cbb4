/* What a thread says of the code that it runs, in the path of a sample or a recording. */
#ifndef RUNTIME_SAMPLE_NOTES_H
#define RUNTIME_SAMPLE_NOTES_H

#include "runtime/process/state.h"

/* Put the nodes of the thread's regions (formats/identity/notes.h) before the innermost frame of
 * the last walk. complete: it reached the base of the stack. Returns false if there is no memory.
 * Async-signal-safe. */
bool csprof_notes_put(csprof_state_t *state, bool complete);

#endif
