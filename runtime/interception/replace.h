/* Our wrappers in a program that was running before we were loaded: its modules have the addresses
 * of the functions that they import already, and these words are changed. Where a module has the
 * address of a function elsewhere, as in a table of its own, the wrapper is not called. */
#ifndef RUNTIME_INTERCEPTION_REPLACE_H
#define RUNTIME_INTERCEPTION_REPLACE_H

#include <stdbool.h>

/* Find the wrappers, and what they are put in place of. Called once; false: there is no memory.
 * Both take the loader's lock: not for handlers. */
bool csprof_replace_begin(void);
/* Put them in place of the functions that modules import, in those modules where they are not yet.
 * In a program that we began, nothing is done. */
void csprof_replace_imports(void);

#endif
