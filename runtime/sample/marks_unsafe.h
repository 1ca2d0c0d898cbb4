/* Code that is about to read the return address of its caller, or of that one's caller, besides
 * what marks.c knows by its rules: the functions that count calls for gprof. No mark is changed
 * while it runs. */
#ifndef RUNTIME_SAMPLE_MARKS_UNSAFE_H
#define RUNTIME_SAMPLE_MARKS_UNSAFE_H

#include <stdbool.h>
#include <stdint.h>

/* Look for it, before main. */
void csprof_marks_learn_unsafe(void);
/* Async-signal-safe. */
bool csprof_marks_is_unsafe(uintptr_t ip);

#endif
