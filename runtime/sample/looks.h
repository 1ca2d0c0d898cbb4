/* How often the timers of a process look at its threads (wall.c), and what that may cost.
 *
 * The CPU time of looks is limited for a program image and all processes forked from it together,
 * which share the account: by a part of what the samples of CPU time take, or a small share of a
 * CPU, after a number of looks that every image may make, so that short programs are seen well.
 * When the time is used up, looks become rarer in all these processes, and what each is charged
 * becomes more. A server that starts a process for each client so has few more of them than one
 * that starts a thread: each child has a few of its own.
 *
 * Times are in nanoseconds. Async-signal-safe and for any thread, unless it says otherwise. */
#ifndef RUNTIME_SAMPLE_LOOKS_H
#define RUNTIME_SAMPLE_LOOKS_H

#include <stdint.h>

/* A measurement starts: before the first look. */
void csprof_looks_start(void);

/* In a forked child, before its first look. */
void csprof_looks_in_child(void);

/* The mean gap between looks at a thread, where `asked` was requested. */
uint64_t csprof_looks_gap(uint64_t asked);

/* A look has taken that much CPU time. */
void csprof_looks_spent(uint64_t ns);

/* A sample of CPU time has, its source included. */
void csprof_looks_allow(uint64_t ns);

/* What a signal costs the thread that gets it. */
uint64_t csprof_looks_signal(void);

#endif
