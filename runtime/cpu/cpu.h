/*
 * The CPU contract of the runtime: everything that depends on the instruction set.
 *
 * One port is built into a library and is used through `csprof_cpu`. A walk:
 *
 *	csprof_cpu.from_context(&cur, ucontext);
 *	do
 *		use(cur.ip, cur.sp);
 *	while ((rc = csprof_cpu.step(&cur, low, high)) == CSPROF_STEP_OK);
 *
 * Everything declared here is async-signal-safe and thread-safe unless it says otherwise: no
 * locks, no allocation, no system calls.
 */
#ifndef RUNTIME_CPU_CPU_H
#define RUNTIME_CPU_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/cpu/insn.h"
#include "runtime/cpu/port.h"

/* What a step has used to find the frame's CFA. FRAME and STACK: with that register and a constant,
 * and the caller's ip and bp were then loaded from cells, or bp is the same; OTHER: anything else.
 */
enum csprof_basis { CSPROF_BASIS_OTHER, CSPROF_BASIS_STACK, CSPROF_BASIS_FRAME };

/* What a return address must not be marked for, of the code of a frame: SYSTEM: a module that looks
 * at its own return addresses (libc, the loader, unwinders, sanitizers, this library); UNWINDER: a
 * function that continues in another frame (__builtin_eh_return); GUESSED: without rules, so that
 * its caller may be wrong; AFTER_CALL: ip follows a call, so that it is a return address. */
enum csprof_trait {
	CSPROF_TRAIT_SYSTEM = 1,
	CSPROF_TRAIT_AFTER_CALL = 2,
	CSPROF_TRAIT_UNWINDER = 4,
	CSPROF_TRAIT_GUESSED = 8
};

/*
 * One frame during a walk. `regs` is indexed by DWARF numbers; a register is valid only if its
 * bit in `known` is set. The stack pointer and the frame pointer are only in `sp` and `bp`, and
 * always valid.
 */
struct csprof_cursor {
	uintptr_t ip, sp, bp;
	uintptr_t *cell; /* where ip was loaded from; NULL for the innermost frame and after a
			    signal frame */
	uintptr_t regs[CSPROF_CPU_REGS];
	uint32_t known;
	bool exact;         /* ip is an interrupted instruction, not a return address */
	uint8_t basis;      /* of the last step: enum csprof_basis */
	uint8_t traits;     /* of the frame that it left: mask of enum csprof_trait */
	uintptr_t *fp_cell; /* where the last step loaded bp from; NULL: bp is unchanged */
};

/* A frame in the result of a walk. */
struct csprof_frame {
	uintptr_t ip, sp;
	bool exact;
	bool script; /* of an interpreter: runtime/interpreters/ */
};

enum csprof_step {
	CSPROF_STEP_OK = 1,       /* the cursor is now at the caller */
	CSPROF_STEP_END = 0,      /* the frame is the outermost one */
	CSPROF_STEP_NO_INFO = -1, /* nothing is known about the code at ip */
	CSPROF_STEP_BAD = -2      /* stack and unwind information contradict each other */
};

/* Why the kernel was running when a signal came: the number of a system call, or one of these.
 * CSPROF_ENTRY_MAYBE: nothing, or a fault of the instruction. */
enum csprof_entry {
	CSPROF_ENTRY_NONE = -1,
	CSPROF_ENTRY_CALL = -2, /* a system call whose number is not known */
	CSPROF_ENTRY_FAULT = -3,
	CSPROF_ENTRY_MAYBE = -4
};

/* A system call as seen by a signal that came at its end. */
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
	 * Go to the caller. Returns an enum csprof_step; unless it is OK, the cursor is
	 * unchanged. Reads the stack only in [stack_low, stack_high): low is the interrupted
	 * stack pointer less the red zone, or the lowest mapped address of the stack.
	 *
	 * A step out of a signal handler sets `exact`, and sp may then be on another stack: the
	 * caller of step must choose the bounds again. On one stack sp rises with every step;
	 * over signal frames it need not, so the caller limits the number of frames.
	 */
	int (*step)(struct csprof_cursor *cur, uintptr_t stack_low, uintptr_t stack_high);

	/*
	 * Discard what was cached for other generations. Called with a new number after a module
	 * was unmapped (dlclose); one caller at a time, outside handlers.
	 */
	void (*set_generation)(unsigned generation);

	uintptr_t (*context_pc)(const void *ucontext);
	uintptr_t (*context_sp)(const void *ucontext);
	/* Whether the interrupted code is not of this CPU mode, or has other data than the C
	 * library's as its thread's, so that thread-local data, errno included, must not be used
	 * in the handler. */
	bool (*is_foreign)(const void *ucontext);
	/* The return address of a function, before its first instruction is executed. */
	uintptr_t (*context_return)(const void *ucontext);

	/*
	 * The system call from which the interrupted code was just returning: the pc is directly
	 * after the instruction, which follows the load of a constant number. False if there is
	 * none, or it is unknown.
	 */
	bool (*last_call)(const void *ucontext, struct csprof_call *call);

	/* Whether the interrupted code, which is ours, is at a system call. */
	bool (*in_call)(const void *ucontext);

	/*
	 * Why the kernel was running when the signal came: the number of a system call or an enum
	 * csprof_entry. An interrupt that the kernel held off until it returned to the program
	 * looks as if it had come before that.
	 */
	int (*kernel_entry)(const void *ucontext);

	/* Whether the kernel will restart the interrupted code's system call after this signal. */
	bool (*call_restarts)(const void *ucontext);

	/* That call. Its result is 0. */
	void (*restarted_call)(const void *ucontext, struct csprof_call *call);

	/* Let such a call return `result` instead. */
	void (*end_call)(void *ucontext, long result);

	/* Let the interrupted code make the call again that last_call has reported, with its
	 * number. */
	void (*repeat_call)(void *ucontext, int number);

	/*
	 * The kernel forgets how to restart a call when a handler returns. If the interrupted
	 * code is in csprof_cpu_restart, just before the restart, let it make the call from the
	 * beginning instead.
	 */
	void (*forget_restart)(void *ucontext);

	/*
	 * If the interrupted code is about to make a call by csprof_cpu_call_unless, let that
	 * return -EINTR instead. For a handler that has set csprof_cpu_ended and returns.
	 */
	void (*end_unmade)(void *ucontext);

	/*
	 * Prevent last_call from finding the interrupted code's system call again, because a
	 * handler of the program has interrupted it. For handlers that the kernel calls,
	 * csprof_cpu_restorer does this.
	 */
	void (*forget_call)(void *ucontext);

	/* Set the interrupted code's result register of a system call to `result`. */
	void (*set_result)(void *ucontext, long result);

	const struct csprof_stepping *stepping; /* NULL: this CPU or port cannot */
};

/* Single steps, for value profiles: if a handler sets the context so, the kernel sends SIGTRAP
 * after the next instruction. */
struct csprof_stepping {
	csprof_decode *decode;
	bool (*is_on)(const void *ucontext);
	void (*set)(void *ucontext, bool on);
	/* The value of a register (insn.h). */
	uint64_t (*value)(const void *ucontext, uint32_t reg);
	/* The registers of a function's integer arguments, and the stack pointer. */
	uint8_t arguments[6], stack_pointer;
	/* Whether code there may be read: below addresses that are not the program's. */
	bool (*is_readable)(uintptr_t pc);
	/* Whether the function there only jumps on to one whose address it loads (an entry of a
	 * PLT). */
	bool (*jumps_on)(uintptr_t pc);
};

extern const struct csprof_cpu_ops csprof_cpu;

/*
 * Fill `cur` with the caller's own frame, for a walk outside a handler. The first frame is the
 * function that called csprof_cpu_here; it must not return before the walk is done.
 */
void csprof_cpu_here(struct csprof_cursor *cur);

/*
 * Make a system call whose number last_call finds. Returns its result or a negative errno; errno
 * is unchanged.
 */
long csprof_cpu_call(long number, const long args[6]);

/* Whether pc is in it. */
extern const char csprof_cpu_call_end[] __attribute__((visibility("hidden")));
static inline bool csprof_cpu_in_call(uintptr_t pc)
{
	return pc >= (uintptr_t)csprof_cpu_call && pc < (uintptr_t)csprof_cpu_call_end;
}

/* The same, but if this thread's csprof_cpu_ended is set before the call is made, it is not made,
 * and the result is -EINTR. See also end_unmade. */
long csprof_cpu_call_unless(long number, const long args[6]);
extern __thread int csprof_cpu_ended;

/* For sa_restorer of the program's handlers with and without SA_RESTART: see forget_call. They
 * call csprof_cpu_returned, if it is set, with the context that the handler returns to. */
void csprof_cpu_restorer(void);
void csprof_cpu_ending_restorer(void);
extern void (*csprof_cpu_returned)(void *ucontext, bool restarts);

/*
 * Set the thread's mask, and let the kernel continue the system call of that number and those
 * arguments that the current signal has interrupted. Returns the call's result or a negative
 * errno. last_call reports it as the call itself.
 */
long csprof_cpu_restart(long number, const long args[6], const uint64_t *mask);

/*
 * Whether the bytes before `ra` are a call instruction, so that `ra` can be a return address.
 * False if `ra` is not in executable memory of a known module.
 */
bool csprof_follows_call(uintptr_t ra);

/*
 * Where the function that contains `pc` begins, by its module's call frame information (the part
 * of it, if the compiler has split it). 0 if that is not known.
 */
uintptr_t csprof_function_start(uintptr_t pc);

/* Whether both addresses are in the same module, which is known. */
bool csprof_same_module(uintptr_t a, uintptr_t b);

/*
 * Modules that the C library does not know: all if it has no _dl_find_object (glibc before
 * 2.35), and modules with gaps between their segments, of which it reports only the segments.
 * Sorted by start, not overlapping.
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
 * Publish a table, or NULL for none. The caller owns it. A handler of any thread may be reading
 * the previous table, so that one must stay readable for ever.
 */
void csprof_unwind_set_modules(const struct csprof_module_table *table);

/* Whether the C library cannot find modules, so that the table must contain all of them. */
bool csprof_unwind_needs_modules(void);

#endif
