/* Our signal and the program's own use of it. */
#ifndef RUNTIME_SIGNALS_H
#define RUNTIME_SIGNALS_H

#include <signal.h>

/* Install our handler for sig: the process's signal, or SIGPROF where the profiling
 * timer is the source. Nothing if it stands already. At the start, or under the
 * process's lock. 0 or -errno. */
int csprof_signal_install(int sig);

/* A signal that no source of ours sent: do what the program asked to be done with
 * it. Async-signal-safe. */
void csprof_signal_pass_on(int sig, siginfo_t *info, void *ucontext);

/* The program asks for an action on our signal: kept and answered here, while our
 * handler stays installed. Returns 1 where sig is not ours. */
int csprof_signal_set_action(int sig, const struct sigaction *act, struct sigaction *old);

#endif
