/* Processes that begin as copies of this one: whoever makes them. A child of fork, _Fork
 * or clone starts its own measurement at once; one that a program made by a system call of
 * its own is noticed by a page that the kernel clears in the child, at the next function
 * that we stand before. A vfork child shares our memory and is no copy. */
#ifndef RUNTIME_COPIED_H
#define RUNTIME_COPIED_H

#include <stdbool.h>

/* Once, in a process that is measured. Where the kernel has no such page, copies that we
 * did not see being made stay unmeasured. */
void csprof_copied_watch(void);

/* Around what makes a copy, in the thread that does: false where there is nothing to do
 * (nothing was ever measured; or an outer caller has it in hand), and then neither of the others
 * is to be called. */
bool csprof_copied_before(void);
void csprof_copied_in_parent(void);
void csprof_copied_in_child(void);

/* If this process is a copy that nobody saw being made: start its measurement. What its
 * clock advanced before goes to `measuring off`. Not in a handler of ours; cheap. */
void csprof_copied_adopt(void);

#endif
