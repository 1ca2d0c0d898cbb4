/* Clocks without libc. */
#ifndef RUNTIME_OS_LINUX_VDSO_H
#define RUNTIME_OS_LINUX_VDSO_H

#include <time.h>

/* As clock_gettime, by the vdso if there is one. 0 or -errno; errno is unchanged. Any thread;
 * async-signal-safe. */
int os_vdso_clock(clockid_t clock, struct timespec *t);

#endif
