/* Calls of functions in a thread of another process (ptrace). Whatever happens to this process,
 * also if it is killed, the thread goes on where it was: the function that it calls returns to the
 * end of a signal handler, whose frame has the thread's registers and mask. */
#ifndef RUNTIME_ATTACH_INJECT_H
#define RUNTIME_ATTACH_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

enum { ATTACH_FP_BYTES = 16 * 1024, ATTACH_ARGUMENTS = 6 };

/* A thread that is stopped, and what it was like. */
struct attach_thread {
	pid_t tid;
	struct user_regs_struct regs;
	uint64_t mask; /* of signals */
	size_t fp_bytes;
	_Alignas(64) uint8_t fp[ATTACH_FP_BYTES]; /* as NT_X86_XSTATE */
};

/* Stop a thread. A call that it waits in goes on later as if it had not been stopped. Returns 0 or
 * a negative errno: -ESRCH: it has ended, -EPERM: that is not permitted, -ETIMEDOUT: it cannot be
 * stopped now, see attach_go_late; -EAGAIN: the whole process is being stopped.
 */
int attach_stop(struct attach_thread *t, pid_t tid);
/* Let it go on as if nothing had been. */
void attach_go(struct attach_thread *t);
/* Let those threads go on that could not be stopped in time, and are now. To be called often. */
void attach_go_late(void);
/* Whether that thread is one of them, and still is not stopped. */
bool attach_is_late(pid_t tid);

/* Whether it is in a system call, or is leaving one. */
bool attach_in_call(const struct attach_thread *t);

/* A call of a function. stack: the end of memory for its stack and for the frame that it returns
 * to, or 0: on the thread's own stack, with few bytes. end: the code with which signal handlers
 * end. */
struct attach_call {
	uintptr_t function, stack, end;
	uint64_t arguments[ATTACH_ARGUMENTS];
	const char *what; /* for messages */
};
/* The stack that the function may use is below ATTACH_FRAME bytes at its end. */
enum { ATTACH_FRAME = ATTACH_FP_BYTES + 4096 };
/* Returns 0 when the function has returned, what it returns being lost; else a negative errno, and
 * the thread is as before, or has ended: -EFAULT: memory cannot be written; -EPROTO: the function
 * has raised a signal. */
int attach_call(struct attach_thread *t, const struct attach_call *call);
/* Memory of the process. Returns whether all of it was there. */
bool attach_read(pid_t pid, uintptr_t at, void *out, size_t n);
bool attach_write(pid_t pid, uintptr_t at, const void *bytes, size_t n);

#endif
