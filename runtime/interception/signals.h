/* The program's actions for signals that our handlers receive: our signal, SIGPROF if the
 * profiling timer is the source, and the signals that a fault in our handler would raise. The
 * actions are kept and returned here, while our handlers stay installed. */
#ifndef RUNTIME_INTERCEPTION_SIGNALS_H
#define RUNTIME_INTERCEPTION_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Install our handler for sig: the process's signal, or SIGPROF if the profiling timer is the
 * source. Does nothing if it is installed already. At the start, or under the process's lock. 0
 * or -errno. */
int csprof_signal_install(int sig);

/* Install our handlers of SIGSEGV and SIGBUS before the program's (fault.h). At the start. */
void csprof_signal_install_faults(void);
/* And of other signals of which a program dies by what it does: before a core dump of it is
 * written, its return addresses are restored. */
void csprof_signal_install_deaths(void);

/* And of SIGTRAP: see sample/values.h. At the start. */
void csprof_signal_install_trap(void);
/* Whether the kernel calls it. Not under a filter of system calls. Async-signal-safe. */
bool csprof_signal_receives_trap(void);

/* A signal that was not sent by our source: do what the program has requested for it. Returns
 * whether the program saw nothing of it; then a system call that it has interrupted is
 * continued. Async-signal-safe. */
bool csprof_signal_pass_on(int sig, siginfo_t *info, void *ucontext);

/* In the handler of a signal of ours: whether the system call that it has interrupted may be
 * continued. Code of ours has made none, and the calls that this takes are permitted in a thread
 * that is not measured. Async-signal-safe. */
bool csprof_signal_call_goes_on(void);

/* The same for a fault, or a signal sent as one, that we did not cause. Returns when the
 * program's handler returns, or before the default action is taken. Async-signal-safe. */
void csprof_signal_pass_fault(int sig, siginfo_t *info, void *ucontext);

/* As sigaction, for the program. 0 or -errno. Async-signal-safe. */
int csprof_signal_action(int sig, const struct sigaction *act, struct sigaction *old);

/* Whether the program has a handler for this signal, which ours receives. Async-signal-safe. */
bool csprof_signal_has_handler(int sig);

/* Whether it ever had a handler for a signal other than SIGSEGV and SIGBUS. Async-signal-safe. */
bool csprof_signal_any_handler(void);
/* The signals, except these two, that may have a handler of the program or of ours.
 * Async-signal-safe. */
uint64_t csprof_signal_handlers(void);

/* In a program that runs already: treat the actions that it has set as if it had set them now. */
void csprof_signal_adopt(void);

/* Set what the next image inherits: the program's mask, and which of these signals it ignores.
 * after: restore what before has changed, because exec has failed; mask is its result. Also for
 * a vfork child. Async-signal-safe. */
uint64_t csprof_signal_before_exec(void);
void csprof_signal_after_failed_exec(uint64_t mask);

/* The same around posix_spawn and what else starts a process without fork: the child inherits
 * which of SIGSEGV and SIGBUS this process ignores, so it ignores them for real meanwhile. Then a
 * fault in our handler would end it, and csprof_signal_faults_guarded is false. Any thread. */
struct csprof_spawning {
	uint64_t mask;
	bool unguarded;
};
struct csprof_spawning csprof_signal_before_spawn(void);
void csprof_signal_after_spawn(struct csprof_spawning s);
bool csprof_signal_faults_guarded(void); /* async-signal-safe */

/* Hold our signal for a call that the kernel gives up, and undoes, when a signal is pending.
 * Returns the mask for release. Async-signal-safe. */
uint64_t csprof_signal_hold(void);
void csprof_signal_release(uint64_t mask);

/* Whether the kernel calls our handler for sig: it was installed, and not replaced without libc.
 * Not under a filter of system calls. Async-signal-safe. */
bool csprof_signal_receives(int sig);
/* Check whether our handler was replaced without libc. Then no sample arrives: the time of every
 * thread since its last sample is "signal taken", and csprof_signal_say_taken reports it. Under
 * the process's lock, when sampling ends. */
void csprof_signal_look(void);
void csprof_signal_say_taken(void);

#endif
