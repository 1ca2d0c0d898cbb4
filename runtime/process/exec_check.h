/* Programs that are started and cannot be measured. Some must not load our library: their loader
 * would print an error, or end them because of missing functions. */
#ifndef RUNTIME_PROCESS_EXEC_CHECK_H
#define RUNTIME_PROCESS_EXEC_CHECK_H

#include <stdbool.h>

/* Whether the program at path, or the interpreter of that script, is built for another
 * architecture or linked with musl, or our library cannot be read here and now. search: look for
 * path along PATH, as execvp does. False if that cannot be found out. A program that will not be
 * measured for this or another reason is noted in CSP_UNMEASURED_FILE. A few system calls; may be
 * called in a vfork child. */
bool csprof_exec_check(const char *path, bool search);
/* The same for execveat: path, which may be NULL or empty, from the descriptor fd on. */
bool csprof_exec_check_at(int fd, const char *path);

#endif
