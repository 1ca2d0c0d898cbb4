/* What others say of this program: the one that started it, by the labels and regions that it
 * passes in the environment, and hpcrun-mark (formats/store/said.h). */
#ifndef RUNTIME_PROCESS_SAID_H
#define RUNTIME_PROCESS_SAID_H

#include "runtime/process/state.h"

#include <signal.h>

/* The program begins: its first thread has these labels, and all are in these regions. list: see
 * formats/identity/label_list.h; NULL: none. Not for handlers. */
void csprof_said_begin(const char *list);

/* Write such a list for programs that the calling thread starts, without a zero; NULL: write
 * nothing. Returns its length, at most LABEL_LIST_BYTES; 0: there is nothing to pass. No signal of
 * hpcrun-mark may change that: see csprof_saying_begin. */
size_t csprof_said_list(char *out);

/* If the signal is of hpcrun-mark, do what it asks for. If the thread is just doing the like, that
 * is late; in other code of ours it is not done, and is asked for again. Returns whether it is.
 * Async-signal-safe. */
bool csprof_said_signal(csprof_state_t *state, const siginfo_t *info, const void *ucontext);
/* Do now what that process has asked for. Not for handlers. */
void csprof_said_late(uint32_t sender);

#endif
