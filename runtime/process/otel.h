/* What the program publishes with OpenTelemetry (formats/identity/otel.h), as labels of what is
 * measured: attributes of the process that were asked for, and those of the thread's context. */
#ifndef RUNTIME_PROCESS_OTEL_H
#define RUNTIME_PROCESS_OTEL_H

#include "runtime/process/state.h"

#include <stddef.h>

enum { CSPROF_OTEL_LABELS = 24 }; /* at most, of a path */

/* Modules were loaded or unloaded: find the thread-local variable. Takes the loader's lock and
 * ours. Not for handlers. */
void csprof_otel_look(void);

/* The program has asked to give memory at that address a name, which may be no text. Takes the
 * lock. Not for handlers. */
void csprof_otel_named(uintptr_t at, const char *name);

/* Put the labels at ips (runtime/process/labels.h); returns how many there are. By the thread
 * itself, which is busy. Async-signal-safe. */
uint32_t csprof_otel_ips(csprof_state_t *state, uint64_t ips[CSPROF_OTEL_LABELS]);

/* In a forked child: what the process published is not there. */
void csprof_otel_in_child(void);

#endif
