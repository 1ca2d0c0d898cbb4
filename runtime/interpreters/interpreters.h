/* Frames of an interpreter in the program, such as CPython, in call paths: README.md,
 * "Interpreters". */
#ifndef RUNTIME_INTERPRETERS_INTERPRETERS_H
#define RUNTIME_INTERPRETERS_INTERPRETERS_H

#include "runtime/os/os.h"
#include "runtime/process/state.h"

/* The store is new. The caller holds the lock, or is alone. */
void csprof_interpreters_begin(void);

/* The load modules are looked at, one after the other, between begin and end. The caller holds the
 * lock; not for handlers. */
void csprof_interpreters_begin_look(void);
void csprof_interpreters_look(const struct os_module *m);
void csprof_interpreters_end_look(void);

/* Put the calling thread's frames of the interpreter into the path of the last walk, before its
 * notes: all of the path is in state->frames then. ucontext: of what a signal interrupted, or NULL.
 * in_kernel: that is in a system call, whose frame is the innermost one. Returns whether the path
 * is still complete; state->num_frames is 0 if there is no memory. Async-signal-safe; by guarded
 * work (fault.h). */
bool csprof_interpreters_merge(csprof_state_t *state, const void *ucontext, bool complete,
			       bool in_kernel);

/* The depth in the last path, by which notes say it (formats/identity/notes.h), of the script-th
 * frame of the interpreter from the outermost one on; if there is none (0, for example), of the
 * depth-th native frame. */
uint32_t csprof_interpreters_depth(const csprof_state_t *state, uint32_t depth, uint32_t script);

/* The innermost frame of the interpreter whose source file is not that of the innermost of all,
 * which is where a module for programs calls us; that one if there is no other. *i: its index in
 * state->frames. Returns its number from the outermost one on; 0: the path has none. */
uint32_t csprof_interpreters_caller(const csprof_state_t *state, uint32_t *i);

void csprof_interpreters_deinit(csprof_state_t *state);

#endif
