/* Who owns what a thread waits for. */
#ifndef RUNTIME_SAMPLE_OWNER_H
#define RUNTIME_SAMPLE_OWNER_H

#include "runtime/process/state.h"

#include <stdint.h>

/* Find libc's functions for locks. Once, at the start: it takes the loader's lock. */
void csprof_owner_learn(void);

/* A signal has found the thread in a wait (ucontext), at that node. Returns the futex that it waits
 * for, or 0, and in *word where the thread id of its owner is while the wait lasts (its bits
 * OS_FUTEX_OWNER; 0: nobody now), or NULL if nothing names an owner. Async-signal-safe. */
uintptr_t csprof_owner_find(csprof_state_t *state, const void *ucontext, store_ref node,
			    const uint32_t **word);

#endif
