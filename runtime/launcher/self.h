/* Where hpcrun is. */
#ifndef RUNTIME_LAUNCHER_SELF_H
#define RUNTIME_LAUNCHER_SELF_H

#include <limits.h>

/* The path of the file with this name in hpcrun's folder, or, with ../lib/ before it, in the folder
 * of libraries. 0; -1 if hpcrun's own path is not known, or it is too long. */
int launch_beside(char out[PATH_MAX], const char *name);

#endif
