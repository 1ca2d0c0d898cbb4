/* Epochs: which load modules are mapped at which addresses. A load map that only gains modules
 * remains the same epoch; a new epoch begins when the meaning of an address changes.
 *
 * Nothing here runs in a handler unless it says so. */
#ifndef RUNTIME_SAMPLE_EPOCH_H
#define RUNTIME_SAMPLE_EPOCH_H

#include "runtime/cpu/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Update the load map (the current epoch) from the loader's list. Takes the loader's lock and
 * ours. Called at the start, after dlopen and dlclose, and before a datafile is written. (The
 * classic name.) */
void csprof_epoch_get_loaded_modules(void);

/* The same for a caller that holds our lock. */
void csprof_epoch_update(void);
/* Whether modules were loaded or unloaded since. Any thread may ask. */
bool csprof_epoch_is_old(void);

/* Add executable memory without a file (JIT code) as it is mapped now. The caller holds the
 * lock. */
void csprof_epoch_add_anonymous(void);

/* The same if a sample found code that no module covers and that was not looked up then. Reading
 * the mappings would be the most expensive part of a short process's end. The caller holds the
 * lock. */
void csprof_epoch_add_missed(void);

/* A sample found code at ip for the first time. If no module covers it, the program made it and
 * may soon remove it: look it up now, unless the last lookup was too recent for its cost.
 * Async-signal-safe. */
void csprof_epoch_notice_code(uintptr_t ip);

/* The program says something of itself (formats/identity/notes.h): add the modules of that. Takes
 * the lock. */
void csprof_epoch_add_notes(void);

/* Around dlopen: between begin and end, code may run at an address where an unloaded module was.
 * cfa and caller: the stack pointer of dlopen's caller, and the return address of dlopen. dlopen
 * may be left in other ways: a library's constructor may end its thread, longjmp or throw. */
void csprof_epoch_change_begin(uintptr_t cfa, uintptr_t caller);
void csprof_epoch_change_end(uintptr_t cfa);
/* This thread is not in dlopen any more. Async-signal-safe. */
void csprof_epoch_change_left(void);
/* The same, if dlopen's caller is not among the n frames of a complete walk of this thread.
 * Async-signal-safe. */
void csprof_epoch_change_look(const struct csprof_frame *frames, uint32_t n);

/* Whether it is unclear which module is at ip now. Async-signal-safe. */
bool csprof_epoch_doubtful(uintptr_t ip);

/* Whether that can be unclear for any address. Async-signal-safe; cheap. */
bool csprof_epoch_changing(void);

/* Changes after modules were unloaded: then other code may be at an address. Async-signal-safe. */
unsigned csprof_epoch_generation(void);

/* A forked child has its parent's load map, but must not ask the loader for it: a thread that
 * does not exist in the child may have held the loader's lock. So the current epoch is copied to
 * memory outside the store before the parent's store is unmapped, and then added to the new
 * store or dropped. */
struct csprof_kept_epoch {
	void *memory;
	size_t bytes;
	bool mapped; /* in separate pages */
};
struct csprof_kept_epoch csprof_epoch_keep(void);
/* The store is about to be unmapped. The caller holds the lock; async-signal-safe. */
void csprof_epoch_forget(void);
void csprof_epoch_drop(struct csprof_kept_epoch kept);
void csprof_epoch_restore(struct csprof_kept_epoch kept);

#endif
