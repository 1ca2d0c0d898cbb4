/* The names of events, as users write them, become what the library understands. */
#ifndef RUNTIME_LAUNCHER_EXPAND_H
#define RUNTIME_LAUNCHER_EXPAND_H

#include <stdbool.h>
#include <stddef.h>

/* Expand a list of events, as after -e, to the form of runtime/events/request.h: synonyms are
 * replaced, and what only perf counts is described. An event may end in :u or :k, before its
 * period: what happens outside the kernel, or in it. allowed: also see that this user can sample
 * each on this machine. Returns 0, or -1 and a message that says which event is wrong and why, the
 * remedy, and what may have been meant. */
enum { LAUNCH_MESSAGE_BYTES = 1024 };
int launch_expand(const char *list, bool allowed, char *out, size_t size,
		  char message[LAUNCH_MESSAGE_BYTES]);

#endif
