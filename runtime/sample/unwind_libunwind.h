/* Walking with libunwind: for `--unwinder libunwind`, and to check our own walk in tests. */
#ifndef CSPROF_UNWIND_LIBUNWIND_H
#define CSPROF_UNWIND_LIBUNWIND_H

#include "runtime/cpu/cpu.h"

/*
 * Load libunwind.so.8 privately: it exports its own _Unwind_*, which must not replace libgcc's
 * in the program. Call it once at the start, outside handlers, before other threads walk.
 * Returns 0, or -1 if the library is not installed or a function is missing.
 */
int csprof_libunwind_load(void);

/*
 * Walk from the context that a signal interrupted. Stores up to `max` frames, innermost first,
 * and returns their number; negative if nothing was loaded or the walk could not begin. If
 * libunwind stops early, the frames so far are returned.
 *
 * For handlers, but not strictly signal-safe: libunwind blocks signals, maps memory, and
 * protects its cache with a lock. It does not take the loader's lock: it calls the
 * dl_iterate_phdr that is defined and exported here, which gives a walk the one module that it
 * looks for, and calls the C library's for all other callers.
 */
int csprof_libunwind_walk(const void *ucontext, struct csprof_frame *frames, int max);

/* A fault has ended this thread's walk: its calls of dl_iterate_phdr are the program's again. */
void csprof_libunwind_walk_ended(void);

#endif
