/* What a thread says of the code that it runs, in the path of a sample or a recording. */
#ifndef RUNTIME_SAMPLE_NOTES_H
#define RUNTIME_SAMPLE_NOTES_H

#include "runtime/csprof.h"
#include "runtime/process/state.h"

/* Find the frames of the last walk to which the thread's regions belong. complete: it reached the
 * base of the stack. Async-signal-safe. */
void csprof_notes_place(csprof_state_t *state, bool complete);

/* Put the nodes of the labels and regions (formats/identity/notes.h) before the innermost frame;
 * inner ones may have been left out since. label: one that this path has besides the thread's,
 * instead of the one with its key; 0: none. Returns false if there is no memory. Async-signal-safe.
 */
bool csprof_notes_put(csprof_state_t *state, uint64_t label);

/* Find a frame of the last walk: see csprof_find_frame. */
struct csprof_found csprof_notes_find(const csprof_state_t *state, uintptr_t code,
				      uintptr_t code_end, uint32_t nth);

#endif
