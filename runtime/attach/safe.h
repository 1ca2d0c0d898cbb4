/* Whether a stopped thread may load a library just where it is: it must not be in libc, in the
 * loader or in an allocator, which a load calls again, and not in a signal handler, which may have
 * interrupted them. It may wait in a call that keeps none of libc's locks. */
#ifndef RUNTIME_ATTACH_SAFE_H
#define RUNTIME_ATTACH_SAFE_H

#include "runtime/attach/image.h"

/* Returns NULL, or why not: a sentence about the thread ("is in ..."), valid until the next call.
 * in_call: it is in a system call. */
const char *attach_unsafe(struct attach_image *image, pid_t tid, bool in_call);

#endif
