/* A process's measurement from the start of the library to the datafile. Nothing here runs in a
 * handler. */
#ifndef RUNTIME_PROCESS_PROCESS_H
#define RUNTIME_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Begin, in the image's main thread, if the environment requests a measurement. */
void csprof_process_start(int argc, char **argv, char **environment);

/* Begin in a program that runs already; none of its threads begins yet. 0, -EALREADY: it is
 * measured, -EBUSY: it was detached, but some threads have not let go yet, -EADDRINUSE: it was
 * measured with another signal, or another negative errno. */
int csprof_process_attach(char **variables);

/* What must not be done before libc and the program's libraries are initialised: loading a
 * library. Called between the constructors and main. */
void csprof_process_before_main(void);
/* A library was loaded: if it is one of those beside which nothing may be marked (marks_apart.h),
 * all marks are taken away. */
void csprof_process_check_marks(void);

/* Whether this process, and not a child that shares our memory, is being measured, or will be
 * again if an exec that is in progress fails. */
bool csprof_process_measured(void);

/* Look once more for what is loaded, before csprof_process_finish, where the loader's lock may be
 * taken. Not for handlers. */
void csprof_process_look(void);

/* Stop all sampling and write the datafile. end: how the process ends, for PROCESS ("exit 0", or
 * CSPROF_END_EXEC, after which csprof_process_resume may follow). Works once; returns false if
 * there is nothing to do. Async-signal-safe. */
#define CSPROF_END_EXEC "exec"
bool csprof_process_finish(const char *end);

/* End the measurement of a program that goes on, as csprof_process_finish does; the programs that
 * it starts from then on are not measured. Returns false if that is to be tried again, or cannot be
 * done. Async-signal-safe. */
bool csprof_process_detach(void);
/* If no thread has a state any more after that, give back what the process has. The caller holds
 * the lock; async-signal-safe. */
void csprof_process_let_go(void);

/* The exec failed: remove the datafile and continue. */
void csprof_process_resume(void);

/* The process is about to become another user, with this number: prepare a place for the stores
 * of its images and children from then on. Also in a vfork child. */
#define CSPROF_SAME_USER UINT32_MAX
void csprof_process_before_user(uint32_t user);

/* Around fork: take the lock, so that the child finds consistent data, and release it in the
 * parent; start the child's own measurement. */
void csprof_process_before_fork(void);
void csprof_process_after_fork(void);
void csprof_process_in_child(void);

#endif
