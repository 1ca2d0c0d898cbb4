/* What measuring takes from the hardening of a program. */
#ifndef RUNTIME_LAUNCHER_HARDENING_H
#define RUNTIME_LAUNCHER_HARDENING_H

#include <stdbool.h>

/* Whether the program at this path would run with a shadow stack (CET), which the loader switches
 * off when it loads a library that is not built for one, as ours is not. cpuinfo: the path of
 * /proc/cpuinfo. libc: the version of glibc, which has used them since 2.39. */
bool launch_loses_shadow_stack(const char *program, const char *cpuinfo, const char *libc);

#endif
