/* Epochs: what load modules stand where. A load map that merely gains modules stays
 * the same epoch; a new one begins when an address changes its meaning.
 *
 * Nothing here but csprof_epoch_doubtful runs in a handler. */
#ifndef RUNTIME_EPOCH_H
#define RUNTIME_EPOCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bring the load map (the current epoch) up to date with the loader's list. Takes the loader's lock
 * and ours. Called at the start, after dlopen and dlclose, when a thread starts or ends, and before
 * a datafile is written. (The classic name.) */
void csprof_epoch_get_loaded_modules(void);

/* Add what is executable without a file, where it stands now (JIT code). */
void csprof_epoch_add_anonymous(void);

/* Around dlopen: between begin and end, code may run at an address where a module
 * that is gone used to stand. */
void csprof_epoch_change_begin(void);
void csprof_epoch_change_end(void);

/* Is it unclear just now what stands at ip? Async-signal-safe. */
bool csprof_epoch_doubtful(uintptr_t ip);

/* Is anything in doubt at all? Async-signal-safe; cheap. */
bool csprof_epoch_changing(void);

/* A forked child has its parent's load map, but may not ask the loader for it: a
 * thread that is not there any more may have held the loader's lock. So the current
 * epoch is taken along: kept, in pages of its own, before the store goes, and put
 * into the new one. */
struct csprof_kept_epoch {
	void *memory;
	size_t bytes;
};
struct csprof_kept_epoch csprof_epoch_keep(void);
void csprof_epoch_restore(struct csprof_kept_epoch kept);

#endif
