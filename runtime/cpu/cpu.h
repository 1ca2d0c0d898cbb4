/*
 * The CPU contract of the runtime: all that depends on the instruction set.
 *
 * One port is built into a library and is reached through `csprof_cpu`. A walk:
 *
 *	csprof_cpu.from_context(&cur, ucontext);
 *	do
 *		use(cur.ip, cur.sp);
 *	while ((rc = csprof_cpu.step(&cur, low, high)) == CSPROF_STEP_OK);
 *
 * Everything declared here is async-signal-safe and thread-safe unless it says
 * otherwise: no locks, no allocation, no system calls.
 */
#ifndef CSPROF_CPU_H
#define CSPROF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One frame while walking. `regs` has DWARF numbers; a register is valid only
 * where its bit in `known` is set. The stack pointer and the frame pointer are
 * in `sp` and `bp` alone, and always valid.
 */
struct csprof_cursor {
	uintptr_t ip, sp, bp;
	uintptr_t *cell; /* where ip was loaded from; NULL for the innermost frame and after a
			    signal frame */
	uintptr_t regs[16];
	uint32_t known;
	bool exact; /* ip is an interrupted instruction, not a return address */
};

/* A frame as a finished walk lists it. */
struct csprof_frame {
	uintptr_t ip, sp;
	bool exact;
};

enum csprof_step {
	CSPROF_STEP_OK = 1,       /* the cursor now stands on the caller */
	CSPROF_STEP_END = 0,      /* the frame is the outermost one */
	CSPROF_STEP_NO_INFO = -1, /* nothing is known about the code at ip */
	CSPROF_STEP_BAD = -2      /* stack and unwind information contradict each other */
};

/* A system call as the signal that came with its end finds it. */
struct csprof_call {
	int number;
	long args[6];
	long result; /* or a negative errno */
};

struct csprof_cpu_ops {
	const char *name;

	/* The frame that a signal interrupted. `ucontext` is the handler's third argument. */
	void (*from_context)(struct csprof_cursor *cur, const void *ucontext);

	/*
	 * Go to the caller. Returns an enum csprof_step; unless that is OK the
	 * cursor is unchanged. Reads the stack only in [stack_low, stack_high):
	 * low is the interrupted stack pointer less the red zone, or the lowest
	 * mapped address of the stack.
	 *
	 * A step that comes out of a signal handler leaves `exact` set, and sp
	 * may then be on another stack: the caller of step chooses the bounds
	 * anew. Within a stack sp rises with every step; over signal frames
	 * it need not, so the caller bounds the number of frames.
	 */
	int (*step)(struct csprof_cursor *cur, uintptr_t stack_low, uintptr_t stack_high);

	/*
	 * What was remembered under other generations is void. To be called
	 * with a new number after a module was unmapped (dlclose); one caller
	 * at a time, outside handlers.
	 */
	void (*set_generation)(unsigned generation);

	uintptr_t (*context_pc)(const void *ucontext);
	uintptr_t (*context_sp)(const void *ucontext);
	/* Where the function returns to whose first instruction comes next. */
	uintptr_t (*context_return)(const void *ucontext);

	/*
	 * The system call from which the interrupted code was just coming back: the
	 * pc is right behind the instruction, and before that is the load of a
	 * constant number. False where it is not, or cannot be told.
	 */
	bool (*last_call)(const void *ucontext, struct csprof_call *call);

	/*
	 * Whether the kernel is going to make the interrupted code's system call anew
	 * after this signal.
	 */
	bool (*call_restarts)(const void *ucontext);

	/* Let such a call end instead, with `result`. */
	void (*end_call)(void *ucontext, long result);

	/* Let the interrupted code make again the call of that number that last_call told. */
	void (*repeat_call)(void *ucontext, int number);

	/*
	 * The kernel forgets how to restart a call when a handler returns: where that code is
	 * csprof_cpu_restart, just before the restart, it makes the call instead.
	 */
	void (*forget_restart)(void *ucontext);

	/*
	 * Keep last_call from finding the interrupted code's system call again: a handler of
	 * the program's has ended it. csprof_cpu_restorer does that for those that the kernel
	 * calls.
	 */
	void (*forget_call)(void *ucontext);

	/* Let the interrupted code find `result` in the result register of a system call. */
	void (*set_result)(void *ucontext, long result);
};

extern const struct csprof_cpu_ops csprof_cpu;

/*
 * Fill `cur` with the caller's own frame, for a walk outside a handler. The
 * first frame is the function that called csprof_cpu_here; it must still be
 * running when the walk is made.
 */
void csprof_cpu_here(struct csprof_cursor *cur);

/*
 * Make a system call, whose number last_call finds; its result or a negative errno.
 * errno stays as it is.
 */
long csprof_cpu_call(long number, const long args[6]);

/* For sa_restorer of the program's handlers: see forget_call. */
void csprof_cpu_restorer(void);

/*
 * Set the thread's mask, and let the kernel go on with the system call of that number and
 * those arguments that the signal being handled has cut short; the call's result or a
 * negative errno. For last_call it is the call itself.
 */
long csprof_cpu_restart(long number, const long args[6], const uint64_t *mask);

/*
 * Whether the bytes before `ra` are a call instruction, so that `ra` can be a
 * return address. False where `ra` is not in executable memory of a known module.
 */
bool csprof_follows_call(uintptr_t ra);

/*
 * The modules for systems whose C library has no _dl_find_object (glibc before
 * 2.35), for code that it does not know, and for modules with gaps between their
 * segments, of which it knows the segments. Sorted by start, not overlapping.
 */
struct csprof_module_range {
	uintptr_t start, end;     /* mapped extent */
	const void *eh_frame_hdr; /* PT_GNU_EH_FRAME in memory, or NULL */
};

struct csprof_module_table {
	size_t count;
	struct csprof_module_range range[];
};

/*
 * Publish a table, or NULL for none. Owned by the caller; since a handler of any
 * thread may be reading the table before, that one must stay readable for good.
 */
void csprof_unwind_set_modules(const struct csprof_module_table *table);

/* Whether the C library leaves finding modules to that table. */
bool csprof_unwind_needs_modules(void);

#endif
