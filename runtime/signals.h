/* The actions that the program wants for signals whose handler is ours: our signal, the
 * profiling timer's where that is the source, and those that a fault in our handler would
 * raise. Kept here and answered from here, while our handlers stay installed. */
#ifndef RUNTIME_SIGNALS_H
#define RUNTIME_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Install our handler for sig: the process's signal, or SIGPROF where the profiling
 * timer is the source. Nothing if it stands already. At the start, or under the
 * process's lock. 0 or -errno. */
int csprof_signal_install(int sig);

/* Stand before the program's handlers of SIGSEGV and SIGBUS (fault.h). At the start. */
void csprof_signal_install_faults(void);

/* A signal that no source of ours sent: do what the program asked to be done with
 * it. Whether the program saw nothing of it: a system call that it has cut short goes on then.
 * Async-signal-safe. */
bool csprof_signal_pass_on(int sig, siginfo_t *info, void *ucontext);

/* A fault, or a signal sent as one, that is not of our making: the same. Returns where
 * the program's handler does, or for the default action to follow. Async-signal-safe. */
void csprof_signal_pass_fault(int sig, siginfo_t *info, void *ucontext);

/* As sigaction, for the program. 0 or -errno. Async-signal-safe. */
int csprof_signal_action(int sig, const struct sigaction *act, struct sigaction *old);

/* As sigaltstack, for the program. 0 or -errno. A stack may be too small for a signal of
 * ours while a handler of the program's runs there: once there is such a stack, handlers
 * with SA_ONSTACK are not interrupted. */
int csprof_signal_stack(const stack_t *stack, stack_t *old);

/* Does the program have a handler for this signal of ours? Async-signal-safe. */
bool csprof_signal_has_handler(int sig);

/* Has it ever had one for any signal but SIGSEGV and SIGBUS? Async-signal-safe. */
bool csprof_signal_any_handler(void);
/* The signals but these two that may have one, the program's or ours. Async-signal-safe. */
uint64_t csprof_signal_handlers(void);

/* What the next image is to inherit: the program's mask, and which of these signals it
 * ignores. after: put back what before returned, as exec has failed. Also for a vfork
 * child. Async-signal-safe. */
uint64_t csprof_signal_before_exec(void);
void csprof_signal_after_failed_exec(uint64_t mask);

/* Has someone put a handler in the place of ours, past libc? Then no sample arrives:
 * where that is so, the time since the last one of every thread is "signal taken", and
 * csprof_signal_say_taken says so. Under the process's lock, when sampling ends. */
void csprof_signal_look(void);
void csprof_signal_say_taken(void);

#endif
