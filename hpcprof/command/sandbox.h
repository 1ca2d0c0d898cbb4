/* The rights that the process keeps once its options are known: what it reads was written by
 * others, and a fault in a library that parses it must not reach beyond the process.
 *
 * - It and what it starts get no privileges by exec (no_new_privs, prctl(2)).
 * - A filter of system calls (seccomp(2), by libseccomp) takes away: starting programs and
 *   processes, sockets, tracing and signalling other processes, mounts, namespaces, other users and
 *   modes, kernel modules, keys, clocks, putting characters into a terminal's input. They fail with
 *   EPERM. Threads can be started.
 * - Where the kernel has Landlock (landlock(7), Linux 5.13), files can be written, made, renamed
 *   and removed only in the directories of its outputs and below. All can be read: a load module
 *   or a source file may be anywhere.
 *
 * What a system lacks is left out silently. Not with AddressSanitizer or ThreadSanitizer, which
 * start processes. */
#ifndef HPCPROF_COMMAND_SANDBOX_H
#define HPCPROF_COMMAND_SANDBOX_H

#include <stddef.h>

/* Enter it. Called once, while the process has one thread. It cannot be left. outputs: the files
 * and directories that will be written, which need not exist yet; or NULL: they are not known, and
 * all can be written. Standard output stays as it is. */
void sandbox_enter(const char *const *outputs, size_t n);

#endif
