/* Processes that begin as copies of this one. A child of fork, _Fork or clone starts its own
 * measurement at once. A child that the program makes by a direct system call is detected by a
 * page that the kernel clears in the child, at the next call of a function that we wrap. A vfork
 * child shares our memory and is not a copy. */
#ifndef RUNTIME_PROCESS_FORK_DETECT_H
#define RUNTIME_PROCESS_FORK_DETECT_H

#include <stdbool.h>

/* Called once, in a process that is measured. If the kernel has no such page, copies made by
 * direct system calls are not measured. */
void csprof_fork_detect_watch(void);

/* Called around a call that makes a copy, in the thread that makes it. before returns false if
 * there is nothing to do (the process was never measured, or an outer caller does it); then the
 * others must not be called. */
bool csprof_fork_detect_before(void);
void csprof_fork_detect_in_parent(void);
void csprof_fork_detect_in_child(void);

/* If this process is a copy that was not noticed yet, start its measurement. What its clock has
 * advanced before is counted as `measuring off`. Not for our handlers; cheap. */
void csprof_fork_detect_adopt(void);
/* The same where fork has just returned in the child: nothing was before. */
void csprof_fork_detect_forked(void);

#endif
