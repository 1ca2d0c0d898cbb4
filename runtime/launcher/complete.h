/* hpcrun --complete: what the last word of a command line can be (formats/base/completion.h). */
#ifndef RUNTIME_LAUNCHER_COMPLETE_H
#define RUNTIME_LAUNCHER_COMPLETE_H

#include <stddef.h>

/* Print the answer for the words after "hpcrun", of which the last is being typed; n may be 0.
 * Returns the exit status. */
int launch_complete(const char *const *words, size_t n);

#endif
