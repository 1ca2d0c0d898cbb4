/* Can COMMAND be measured, and if not, why? */
#ifndef RUNTIME_LAUNCH_CHECK_H
#define RUNTIME_LAUNCH_CHECK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Find command as execvp would. 0 and its path in out (PATH_MAX); else the exit
 * status 126 (cannot be executed) or 127 (not found). */
int launch_find(const char *command, char *out);

/* NULL where the preloaded library will be loaded into the program at path; else one
 * sentence that says why not and what can be done. Scripts are judged by their
 * interpreter. */
const char *launch_obstacle(const char *path);

#endif
