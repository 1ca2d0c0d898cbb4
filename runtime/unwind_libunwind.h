/*
 * Walking with libunwind: the choice `--unwinder libunwind`, and the oracle that
 * our own walk is held against in tests.
 */
#ifndef CSPROF_UNWIND_LIBUNWIND_H
#define CSPROF_UNWIND_LIBUNWIND_H

#include "runtime/cpu/cpu.h"

/*
 * Load libunwind.so.8, privately: it exports _Unwind_* of its own, which must not
 * take the place of libgcc's in the program. To be called once at start, outside
 * handlers, before other threads walk. 0, or -1 if it is not installed or lacks
 * a function.
 */
int csprof_libunwind_load(void);

/*
 * Walk from the context that a signal interrupted. Stores up to `max` frames, the
 * innermost first, and returns their number; negative if nothing was loaded or
 * the walk could not begin. A walk that libunwind gives up is as long as it came.
 *
 * Meant for handlers, but not strictly signal-safe: libunwind blocks signals, maps
 * memory, and keeps its cache under a lock of its own. The loader's lock it does not
 * take: it calls the dl_iterate_phdr that is defined and exported here, which gives a
 * walk the one module that it looks for, and everyone else what the C library gives.
 */
int csprof_libunwind_walk(const void *ucontext, struct csprof_frame *frames, int max);

#endif
