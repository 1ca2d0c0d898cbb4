/* The end of the measurement of a program that goes on (hpcrun detach). Each of its threads is
 * asked by our signal with STORE_DETACH_VALUE. The first that can ends the measurement, as the end
 * of the process would; each gives back what it has. The library remains there, and passes on what
 * the program calls; the program may be measured again (attach.h). */
#ifndef RUNTIME_PROCESS_DETACH_H
#define RUNTIME_PROCESS_DETACH_H

#include <signal.h>
#include <stdbool.h>

/* If the signal asks for it, do so; or leave it to the next such signal, if code of ours runs just
 * now that it would disturb. Returns whether it asks. Async-signal-safe. */
bool csprof_detach_signal(const siginfo_t *info, void *ucontext);

#endif
