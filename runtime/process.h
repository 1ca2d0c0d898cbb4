/* A process's measurement from its first instruction of ours to its datafile.
 * Nothing here runs in a handler. */
#ifndef RUNTIME_PROCESS_H
#define RUNTIME_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Begin, in the image's main thread, if the environment asks for it. */
void csprof_process_start(int argc, char **argv, char **environment);

/* What may not be done before libc and the program's libraries are initialised: loading
 * a library. Called between the constructors and main. */
void csprof_process_before_main(void);

/* Is this process, and not a child that shares our memory, being measured, or will be again
 * if an exec that is under way fails? */
bool csprof_process_measured(void);

/* Stop all sampling and write the datafile. end: what PROCESS says ("exit 0", or
 * CSPROF_END_EXEC, after which csprof_process_resume may follow). with_loader: the
 * loader's lock may be taken. Once; false where there is nothing to do. */
#define CSPROF_END_EXEC "exec"
bool csprof_process_finish(const char *end, bool with_loader);

/* The exec failed: take the datafile back and go on. */
void csprof_process_resume(void);

/* Around fork: hold what must be whole in the child; and start the child's own. */
void csprof_process_before_fork(void);
void csprof_process_after_fork(void);
void csprof_process_in_child(void);

#endif
