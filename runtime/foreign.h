/* Programs that must not be given our library: their loader would complain about it, or
 * end them for what it lacks. */
#ifndef RUNTIME_FOREIGN_H
#define RUNTIME_FOREIGN_H

#include <stdbool.h>

/* Is the program at path, or the one that interprets that script, of another architecture,
 * or linked with musl? search: path is looked for along PATH, as execvp does. False where
 * it cannot be told. A few system calls; also in a vfork child. */
bool csprof_foreign(const char *path, bool search);

#endif
