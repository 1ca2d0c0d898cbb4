/* Stacks that our handler can run on: alternate stacks, and stacks of threads, that are too small
 * for it. A signal takes 3.5 KB for the kernel's frame, with AVX-512, and a sample 2.2 KB. */
#ifndef RUNTIME_INTERCEPTION_STACKS_H
#define RUNTIME_INTERCEPTION_STACKS_H

#include <signal.h>
#include <stddef.h>

/* As sigaltstack, for the program. 0 or -errno. In place of a stack that is too small the kernel
 * gets one of ours; the program does not see that. Async-signal-safe. */
int csprof_stacks_alternate(const stack_t *stack, stack_t *old);

/* In the main thread, with the program's environment: it gets an alternate stack for our handler if
 * the program keeps data below its stack pointer. gperftools' heap checker does: at exit it clones
 * a process onto a stack that begins 4 KB below (its documentation: HEAPCHECK activates it). Not
 * for every program: a handler of the program cannot start in a call that our handler continues on
 * an alternate stack (README.md: Stacks). */
void csprof_stacks_main_begin(char *const *environment);

/* In a new thread with a stack of that size (0: not known): it gets an alternate stack for our
 * handler, if its own is small. And in a thread that ends. Our signal is blocked, or is not sent
 * yet. */
void csprof_stacks_thread_begin(size_t size);
void csprof_stacks_thread_end(void);

#endif
