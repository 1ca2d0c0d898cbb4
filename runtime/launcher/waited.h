/* What the kernel counted for COMMAND, in its datafile. */
#ifndef RUNTIME_LAUNCHER_WAITED_H
#define RUNTIME_LAUNCHER_WAITED_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Add the pair waited_ns to PROCESS in the datafile of the last image of process pid in dir, if
 * there is one that is not older than *since. The file is replaced as a whole; without room for
 * another it stays as it is. */
void launch_waited_add(const char *dir, pid_t pid, const struct timespec *since, uint64_t ns);

#endif
