/* The AArch64 port, for Linux and AAPCS64: a skeleton. It walks with call frame information, and
 * with frame records (AAPCS64, 6.2.3) where there is none. Two parts of the x86-64 port are
 * missing:
 *
 * - recipes: the rules are found and run for each frame;
 * - last_call: the kernel overwrites the first argument of a system call with its result, so a
 *   call cannot be made again from its registers. Calls that the kernel does not restart itself
 *   end with EINTR if a sample interrupts them. */
#include "runtime/cpu/cfi.h"
#include "runtime/cpu/cpu.h"
#include "runtime/cpu/module.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

/* here.S uses these offsets. */
_Static_assert(offsetof(struct csprof_cursor, ip) == 0, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, sp) == 8, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, bp) == 16, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, cell) == 24, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, regs) == 32, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, known) == 280, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, exact) == 284, "cursor layout");

static const mcontext_t *machine(const void *ucontext)
{
	return &((const ucontext_t *)ucontext)->uc_mcontext;
}

static void from_context(struct csprof_cursor *cur, const void *ucontext)
{
	const mcontext_t *m = machine(ucontext);

	cur->ip = (uintptr_t)m->pc;
	cur->sp = (uintptr_t)m->sp;
	cur->bp = (uintptr_t)m->regs[CSPROF_REG_FP];
	cur->cell = NULL;
	for (unsigned reg = 0; reg < CSPROF_CPU_REGS; reg++)
		cur->regs[reg] = (uintptr_t)m->regs[reg];
	cur->known = UINT32_C(0x7fffffff);
	cur->exact = true;
}

static uintptr_t context_pc(const void *ucontext)
{
	return (uintptr_t)machine(ucontext)->pc;
}

static bool is_foreign(const void *ucontext)
{
	(void)ucontext; /* a process is 32-bit or 64-bit as a whole */
	return false;
}

static uintptr_t context_sp(const void *ucontext)
{
	return (uintptr_t)machine(ucontext)->sp;
}

static uintptr_t context_return(const void *ucontext)
{
	return csprof_code_address((uintptr_t)machine(ucontext)->regs[CSPROF_REG_RETURN]);
}

static bool last_call(const void *ucontext, struct csprof_call *call)
{
	(void)ucontext, (void)call;
	return false;
}

/* The four-byte instruction at `pc`; false if pc is not in the code of a known module. */
static bool instruction_at(uintptr_t pc, uint32_t *out)
{
	struct csprof_module module;
	struct csprof_extent code;

	if (pc % sizeof(*out) != 0 || !csprof_module_find(pc, &module) ||
	    !csprof_module_segment(&module, pc, true, &code) || code.end - pc < sizeof(*out))
		return false;
	memcpy(out, (const void *)pc, sizeof(*out));
	return true;
}

static bool in_call(const void *ucontext)
{
	static const uint32_t svc = 0xd4000001;
	const uint32_t *pc = (const uint32_t *)context_pc(ucontext);

	return pc[-1] == svc || pc[0] == svc;
}

/* The instruction is svc #0, the number is in x8 and kept. A restarted call is at the instruction.
 * Nothing tells of a fault that the kernel has handled. */
static int kernel_entry(const void *ucontext)
{
	static const uint32_t svc = 0xd4000001;
	uint32_t before, at;
	uintptr_t pc = context_pc(ucontext);

	if ((instruction_at(pc - sizeof(before), &before) && before == svc) ||
	    (instruction_at(pc, &at) && at == svc))
		return (int)machine(ucontext)->regs[8];
	return CSPROF_ENTRY_MAYBE;
}

static bool call_restarts(const void *ucontext)
{
	(void)ucontext;
	return false;
}

static void restarted_call(const void *ucontext, struct csprof_call *call)
{
	(void)ucontext, (void)call;
}

/* The following functions are for calls that last_call and call_restarts have found. */
static void end_call(void *ucontext, long result)
{
	(void)ucontext, (void)result;
}

static void repeat_call(void *ucontext, int number)
{
	(void)ucontext, (void)number;
}

static void forget(void *ucontext)
{
	(void)ucontext;
}

static void set_result(void *ucontext, long result)
{
	((ucontext_t *)ucontext)->uc_mcontext.regs[0] = (unsigned long long)result;
}

static void set_generation(unsigned generation)
{
	(void)generation; /* nothing is cached */
}

/* bl, or one of blr, blraa, blraaz, blrab, blrabz (Arm Architecture Reference Manual, C4.1). */
bool csprof_follows_call(uintptr_t ra)
{
	uint32_t code;

	if (ra < sizeof(code) || !instruction_at(ra - sizeof(code), &code))
		return false;
	return (code & UINT32_C(0xfc000000)) == UINT32_C(0x94000000) ||
	       (code & UINT32_C(0xfefff000)) == UINT32_C(0xd63f0000);
}

/* The return to the kernel after a handler: mov x8, #139 (rt_sigreturn); svc #0. */
static bool at_restorer(uintptr_t pc)
{
	uint32_t move, call;

	return instruction_at(pc, &move) && instruction_at(pc + 4, &call) &&
	       move == UINT32_C(0xd2801168) && call == UINT32_C(0xd4000001);
}

/* The kernel leaves a siginfo_t and a ucontext there (struct rt_sigframe in the kernel's
 * arch/arm64/kernel/signal.c). */
static enum csprof_step step_restorer(struct csprof_cursor *cur, const struct csprof_stack *stack)
{
	uintptr_t context = cur->sp + sizeof(siginfo_t);
	const size_t needed = offsetof(ucontext_t, uc_mcontext) + offsetof(mcontext_t, __reserved);

	if (cur->sp % sizeof(uintptr_t) != 0 || cur->sp < stack->low || cur->sp > stack->high ||
	    stack->high - cur->sp < sizeof(siginfo_t) + needed)
		return CSPROF_STEP_BAD;
	from_context(cur, (const void *)context);
	return CSPROF_STEP_OK;
}

/* Code without unwind information: use the frame record at the frame pointer. If the function
 * has not made one yet, or makes none, it is the caller's; so in the innermost frame the link
 * register is used if it follows a call. */
static enum csprof_step step_record(struct csprof_cursor *cur, const struct csprof_stack *stack)
{
	uintptr_t link = csprof_code_address(cur->regs[CSPROF_REG_RETURN]), fp, ip;

	if (cur->exact && (cur->known >> CSPROF_REG_RETURN & 1) && csprof_follows_call(link)) {
		cur->ip = link;
		cur->cell = NULL;
		cur->known &= CSPROF_CALLEE_SAVED;
		cur->exact = false;
		return CSPROF_STEP_OK;
	}
	if (cur->bp < cur->sp || !csprof_stack_load(stack, cur->bp, &fp) ||
	    !csprof_stack_load(stack, cur->bp + 8, &ip))
		return CSPROF_STEP_NO_INFO;
	ip = csprof_code_address(ip);
	if (ip == 0)
		return CSPROF_STEP_END;
	if (!csprof_follows_call(ip))
		return CSPROF_STEP_NO_INFO;
	cur->ip = ip;
	cur->cell = (uintptr_t *)(cur->bp + 8);
	cur->sp = cur->bp + 16;
	cur->bp = fp;
	cur->known = 0;
	cur->exact = false;
	return CSPROF_STEP_OK;
}

static int step(struct csprof_cursor *cur, uintptr_t stack_low, uintptr_t stack_high)
{
	struct csprof_stack stack = {stack_low, stack_high};
	struct csprof_cfi_row row;
	enum csprof_step rc;

	cur->basis = CSPROF_BASIS_OTHER;
	if (at_restorer(cur->ip))
		return step_restorer(cur, &stack);
	rc = csprof_cfi_find(cur->ip - !cur->exact, &row);
	if (rc == CSPROF_STEP_NO_INFO)
		return step_record(cur, &stack);
	return rc == CSPROF_STEP_OK ? csprof_cfi_apply(cur, &row, &stack) : rc;
}

/* Calls are not continued: see CSPROF_CONTINUES_CALLS. */
__thread int csprof_cpu_ended;
void (*csprof_cpu_returned)(void *ucontext, bool restarts);

static void end_unmade(void *ucontext)
{
	(void)ucontext;
}

const struct csprof_cpu_ops csprof_cpu = {
    .name = "aarch64",
    .from_context = from_context,
    .step = step,
    .set_generation = set_generation,
    .context_pc = context_pc,
    .context_sp = context_sp,
    .is_foreign = is_foreign,
    .context_return = context_return,
    .last_call = last_call,
    .in_call = in_call,
    .kernel_entry = kernel_entry,
    .call_restarts = call_restarts,
    .restarted_call = restarted_call,
    .end_call = end_call,
    .repeat_call = repeat_call,
    .forget_restart = forget,
    .forget_call = forget,
    .set_result = set_result,
    .end_unmade = end_unmade,
};
