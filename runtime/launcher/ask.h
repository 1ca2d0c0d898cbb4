/* Asking threads of a measured process for something, by its signal of samples with a value
 * (formats/store/store.h). */
#ifndef RUNTIME_LAUNCHER_ASK_H
#define RUNTIME_LAUNCHER_ASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Queue it for one thread. Returns false with errno if that is not permitted. */
bool launch_ask_thread(pid_t pid, pid_t tid, uint32_t sig, uint64_t value);
/* The same for all threads of the process. */
bool launch_ask_threads(pid_t pid, uint32_t sig, uint64_t value);

/* Whether a thread blocks the signal. */
bool launch_thread_blocks(pid_t pid, pid_t tid, uint32_t sig);

#endif
