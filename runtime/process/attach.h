/* A program that was running before it is measured (hpcrun attach). The library is loaded into it,
 * and csprof_attach called in one of its threads; then each of its threads is asked to begin, by
 * our signal with STORE_ATTACH_VALUE. */
#ifndef RUNTIME_PROCESS_ATTACH_H
#define RUNTIME_PROCESS_ATTACH_H

#include <signal.h>
#include <stdbool.h>

/* Begin to measure the process, but none of its threads. variables: as in an environment; they are
 * copied. Returns 0, -EALREADY: it is measured, or another negative errno. Not for handlers. */
int csprof_attach_begin(char **variables);

/* Ask all threads to begin. Those that block our signal begin when they unblock it. */
void csprof_attach_ask(void);

/* If the signal asks this thread to begin, do so; or leave it to the next such signal, if code of
 * ours runs just now that it would disturb. Returns whether it asks. Async-signal-safe. */
bool csprof_attach_signal(const siginfo_t *info, void *ucontext);

#endif
