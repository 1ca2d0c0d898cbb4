/* Epochs: what load modules stand where. A load map that merely gains modules stays
 * the same epoch; a new one begins when an address changes its meaning.
 *
 * In a handler only what says so runs. */
#ifndef RUNTIME_EPOCH_H
#define RUNTIME_EPOCH_H

#include "runtime/cpu/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bring the load map (the current epoch) up to date with the loader's list. Takes the loader's lock
 * and ours. Called at the start, after dlopen and dlclose, and before a datafile is written. (The
 * classic name.) */
void csprof_epoch_get_loaded_modules(void);

/* The same for a caller that holds our lock. */
void csprof_epoch_update(void);

/* Add what is executable without a file, where it stands now (JIT code). With the
 * lock held. */
void csprof_epoch_add_anonymous(void);

/* The same if a sample met code that no module covers and that was not looked for then: to
 * read the mappings would be the dearest part of a short process's end. With the process's
 * lock held. */
void csprof_epoch_add_missed(void);

/* A sample found code at ip for the first time. If no module covers it, it was made by
 * the program and may be gone before long: look it up now, unless that was done
 * too recently for its cost. Async-signal-safe. */
void csprof_epoch_notice_code(uintptr_t ip);

/* Around dlopen: between begin and end, code may run at an address where a module
 * that is gone used to stand. cfa and caller: the stack pointer of dlopen's caller, and where
 * dlopen returns to. It may be left in other ways: a library's constructor may end its
 * thread, longjmp or throw. */
void csprof_epoch_change_begin(uintptr_t cfa, uintptr_t caller);
void csprof_epoch_change_end(uintptr_t cfa);
/* This thread is in no dlopen any more. Async-signal-safe. */
void csprof_epoch_change_left(void);
/* The same, if dlopen's caller is not among n frames, all that this thread has.
 * Async-signal-safe. */
void csprof_epoch_change_look(const struct csprof_frame *frames, uint32_t n);

/* Is it unclear just now what stands at ip? Async-signal-safe. */
bool csprof_epoch_doubtful(uintptr_t ip);

/* Is anything in doubt at all? Async-signal-safe; cheap. */
bool csprof_epoch_changing(void);

/* A forked child has its parent's load map, but may not ask the loader for it: a
 * thread that is not there any more may have held the loader's lock. So the current
 * epoch is taken along: kept, outside of the store, before that goes, and put into the
 * new one or dropped. */
struct csprof_kept_epoch {
	void *memory;
	size_t bytes;
	bool mapped; /* in pages of its own */
};
struct csprof_kept_epoch csprof_epoch_keep(void);
void csprof_epoch_drop(struct csprof_kept_epoch kept);
void csprof_epoch_restore(struct csprof_kept_epoch kept);

#endif
