/* The x86-64 port, for Linux and the System V ABI. */
#include <asm/hwcap2.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

#include "runtime/cpu/cfi.h"
#include "runtime/cpu/cpu.h"
#include "runtime/cpu/module.h"
#include "runtime/cpu/slots.h"
#include "runtime/cpu/x86_64/recipe.h"
#include "runtime/cpu/x86_64/step.h"
#include "runtime/cpu/x86_64/unmade.h"

/* here.S uses these offsets. */
_Static_assert(offsetof(struct csprof_cursor, ip) == 0, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, sp) == 8, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, bp) == 16, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, cell) == 24, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, regs) == 32, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, known) == 160, "cursor layout");
_Static_assert(offsetof(struct csprof_cursor, exact) == 164, "cursor layout");

/* The index in gregs of each DWARF number. */
static const uint8_t greg_of[16] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

static void from_context(struct csprof_cursor *cur, const void *ucontext)
{
	const greg_t *gregs = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

	cur->ip = (uintptr_t)gregs[REG_RIP];
	cur->sp = (uintptr_t)gregs[REG_RSP];
	cur->bp = (uintptr_t)gregs[REG_RBP];
	cur->cell = NULL;
	for (unsigned reg = 0; reg < 16; reg++)
		cur->regs[reg] = (uintptr_t)gregs[greg_of[reg]];
	cur->known = 0xffff;
	cur->exact = true;
}

static uintptr_t context_pc(const void *ucontext)
{
	return (uintptr_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
}

/* Whether FS is the base of a C library's data of a thread, which begin with their own address. In
 * a handler it is that of the interrupted code. Before Linux 5.9 only the kernel can tell. */
static bool fs_is_thread(void)
{
	uintptr_t base;

	if (!(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE))
		return true;
	__asm__ volatile("rdfsbase %0" : "=r"(base));
	return base && *(const uintptr_t *)base == base;
}

/* 32-bit code, or code of a segment of the program's own, has other segments for its threads' data
 * (Wine), and so has 64-bit code just before it calls such code, and after. The kernel's selector
 * of 32-bit code: arch/x86/include/asm/segment.h. */
static bool is_foreign(const void *ucontext)
{
	enum { CODE_32 = 0x23, LOCAL_TABLE = 4 };
	unsigned cs = (uint16_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_CSGSFS];

	return cs == CODE_32 || cs & LOCAL_TABLE || !fs_is_thread();
}

static uintptr_t context_sp(const void *ucontext)
{
	return (uintptr_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RSP];
}

static uintptr_t context_return(const void *ucontext)
{
	return *(const uintptr_t *)context_sp(ucontext);
}

/* The executable memory around `pc`, if it is in a known module. */
static bool code_around(uintptr_t pc, struct csprof_extent *code)
{
	struct csprof_module module;

	return csprof_module_find(pc, &module) && csprof_module_segment(&module, pc, true, code);
}

/* Copy the `n` bytes of code that end at `end`; false if they are not all readable. */
static bool code_before(uintptr_t end, void *bytes, size_t n)
{
	struct csprof_extent code;

	if (!code_around(end - 1, &code) || end - code.start < n)
		return false;
	memcpy(bytes, (const void *)(end - n), n);
	return true;
}

/* libc's syscall(number, ...) moves its arguments to the registers of a system call, the number
 * into rax, and keeps no copy. */
static const uint8_t syscall_function[] = {
    0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6, 0x48, 0x89, 0xca, /* mov x4 */
    0x4d, 0x89, 0xc2, 0x4d, 0x89, 0xc8, 0x4c, 0x8b, 0x4c, 0x24, 0x08, 0x0f, 0x05,
};

/* The number passed by its caller: the last constant below 1024 (no number is larger) that is
 * loaded into edi before the call; -1 if the code has another form. */
static int number_for_syscall_function(uintptr_t ra)
{
	enum { BYTES = 48 };
	uint8_t code[BYTES];
	int32_t number;

	if (!csprof_follows_call(ra) || !code_before(ra, code, sizeof(code)))
		return -1;
	for (int i = BYTES - 5; i >= 0; i--) {
		if (code[i] != 0xbf) /* mov $number,%edi */
			continue;
		memcpy(&number, code + i + 1, sizeof(number));
		if (number >= 0 && number < 1024)
			return number;
	}
	return -1;
}

/* The length of an instruction that loads an argument from the stack, mov d(%rsp),%reg, and ends
 * at `end`; 0 if there is none. */
static int load_before(const uint8_t *end)
{
	if (end[-4] != 0x8b || (end[-3] & 0xc7) != 0x44 || end[-2] != 0x24)
		return 0;
	return (end[-5] & 0xf8) == 0x48 ? 5 : 4;
}

/* here.S: after its system call; the call that restarts another, the address after that, and the
 * code that makes the call from the beginning instead */
extern const char csprof_cpu_called[], csprof_cpu_made[];
extern const char csprof_cpu_restarts[], csprof_cpu_restarted[], csprof_cpu_call_instead[];

/* The number of the system call before the pc, or -1. A few arguments may be loaded between the
 * load of the number and the system call instruction. */
static int number_before(const void *ucontext)
{
	enum { LOADS = 3, BYTES = 7 + 5 * LOADS + 2 };
	uint8_t code[BYTES]; /* the bytes before the pc */
	uint8_t function[sizeof(syscall_function)];
	const uint8_t *end = code + BYTES - 2;
	int32_t number;

	if (context_pc(ucontext) == (uintptr_t)csprof_cpu_called ||
	    context_pc(ucontext) == (uintptr_t)csprof_cpu_made)
		return (int)*(const long *)context_sp(ucontext);
	if (!code_before(context_pc(ucontext), code, BYTES) || end[0] != 0x0f || end[1] != 0x05)
		return -1;
	for (int i = 0; i < LOADS; i++)
		end -= load_before(end);
	memcpy(&number, end - 4, sizeof(number));
	if (end[-5] == 0xb8) /* mov $number,%eax */
		return number;
	if (end[-7] == 0x48 && end[-6] == 0xc7 && end[-5] == 0xc0) /* mov $number,%rax */
		return number;
	if ((end[-2] == 0x31 || end[-2] == 0x33) && end[-1] == 0xc0) /* xor %eax,%eax */
		return 0;
	if (code_before(context_pc(ucontext), function, sizeof(function)) &&
	    memcmp(function, syscall_function, sizeof(function)) == 0)
		return number_for_syscall_function(*(const uintptr_t *)context_sp(ucontext));
	return -1;
}

/* The instruction leaves its end address in rcx and the flags in r11, and does not change the
 * arguments (Intel SDM, volume 2, SYSCALL; System V ABI, appendix A.2). If a handler of the
 * program interrupted the call, csprof_cpu_restorer has cleared rcx. */
static void take_arguments(const greg_t *gregs, struct csprof_call *call)
{
	static const uint8_t places[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};

	for (int i = 0; i < 6; i++)
		call->args[i] = gregs[places[i]];
}

static bool last_call(const void *ucontext, struct csprof_call *call)
{
	const greg_t *gregs = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

	if (gregs[REG_RCX] != gregs[REG_RIP])
		return false;
	call->result = gregs[REG_RAX];
	if (context_pc(ucontext) == (uintptr_t)csprof_cpu_restarted) {
		call->number = (int)gregs[REG_R8];
		memcpy(call->args, (const void *)gregs[REG_R9], sizeof(call->args));
		return true;
	}
	call->number = number_before(ucontext);
	take_arguments(gregs, call);
	return call->number >= 0;
}

/* To restart a call the kernel sets the pc back to the instruction, whose end is still in rcx. */
static bool call_restarts(const void *ucontext)
{
	const greg_t *gregs = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
	uint8_t code[2];

	return gregs[REG_RCX] == gregs[REG_RIP] + 2 &&
	       code_before(context_pc(ucontext) + 2, code, sizeof(code)) && code[0] == 0x0f &&
	       code[1] == 0x05;
}

static void restarted_call(const void *ucontext, struct csprof_call *call)
{
	const greg_t *gregs = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

	call->number = (int)gregs[REG_RAX];
	call->result = 0;
	take_arguments(gregs, call);
}

/* The CPU sets the resume flag in what it saves at a fault (Intel SDM, volume 3, 18.3.1.1; AMD64
 * APM, volume 2, 13.1.4), so that the instruction can be repeated, and at an interrupt only within
 * a repeated string instruction. The kernel saves the flags for the handler as they were. */
enum { RESUME_FLAG = 1 << 16 };

static bool is_among(uint8_t byte, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] == byte)
			return true;
	return false;
}

/* Whether the instruction at pc is one, or is not known. */
static bool repeats_string(uintptr_t pc)
{
	static const uint8_t repeats[] = {0xf2, 0xf3};
	static const uint8_t prefixes[] = {0xf2, 0xf3, 0x66, 0x67, 0x26,
					   0x2e, 0x36, 0x3e, 0x64, 0x65};
	static const uint8_t strings[] = {0x6c, 0x6d, 0x6e, 0x6f, 0xa4, 0xa5, 0xa6,
					  0xa7, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf};
	struct csprof_extent code;
	const uint8_t *at = (const uint8_t *)pc, *end;
	bool repeated = false;

	if (!code_around(pc, &code))
		return true;
	end = (const uint8_t *)code.end;
	for (; at < end && is_among(*at, prefixes, sizeof(prefixes)); at++)
		repeated |= is_among(*at, repeats, sizeof(repeats));
	if (at < end && (*at & 0xf0) == 0x40) /* REX */
		at++;
	return repeated && at < end && is_among(*at, strings, sizeof(strings));
}

static bool in_call(const void *ucontext)
{
	static const uint8_t syscall[] = {0x0f, 0x05};
	const uint8_t *pc = (const uint8_t *)context_pc(ucontext);

	return memcmp(pc - sizeof(syscall), syscall, sizeof(syscall)) == 0 ||
	       memcmp(pc, syscall, sizeof(syscall)) == 0;
}

static int kernel_entry(const void *ucontext)
{
	const greg_t *gregs = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
	struct csprof_call call;

	if (gregs[REG_RCX] == gregs[REG_RIP])
		return last_call(ucontext, &call) ? call.number : CSPROF_ENTRY_CALL;
	if (call_restarts(ucontext))
		return (int)gregs[REG_RAX];
	if (!(gregs[REG_EFL] & RESUME_FLAG))
		return CSPROF_ENTRY_NONE;
	return repeats_string(context_pc(ucontext)) ? CSPROF_ENTRY_MAYBE : CSPROF_ENTRY_FAULT;
}

static void end_call(void *ucontext, long result)
{
	greg_t *gregs = ((ucontext_t *)ucontext)->uc_mcontext.gregs;

	gregs[REG_RIP] += 2;
	gregs[REG_RAX] = result;
}

static void repeat_call(void *ucontext, int number)
{
	greg_t *gregs = ((ucontext_t *)ucontext)->uc_mcontext.gregs;

	if (context_pc(ucontext) == (uintptr_t)csprof_cpu_restarted) {
		gregs[REG_RIP] = (greg_t)csprof_cpu_call_instead;
		return;
	}
	gregs[REG_RIP] -= 2;
	gregs[REG_RAX] = number;
}

static void forget_restart(void *ucontext)
{
	uintptr_t pc = context_pc(ucontext);

	if (pc >= (uintptr_t)csprof_cpu_restart && pc <= (uintptr_t)csprof_cpu_restarts)
		((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP] =
		    (greg_t)csprof_cpu_call_instead;
}

extern const char csprof_cpu_restorer_end[]; /* here.S */

static bool in_own_restorer(uintptr_t pc)
{
	return pc >= (uintptr_t)csprof_cpu_ending_restorer &&
	       pc < (uintptr_t)csprof_cpu_restorer_end;
}

/* As csprof_cpu_restorer does. */
static void forget_call(void *ucontext)
{
	struct csprof_call call;

	if (last_call(ucontext, &call))
		((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RCX] = 0;
}

static void set_result(void *ucontext, long result)
{
	((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RAX] = result;
}

/* Whether the `length` bytes of an indirect call (ff /2) fit its ModRM and SIB bytes. */
static bool is_indirect_call(const uint8_t *code, unsigned length)
{
	unsigned mode = code[1] >> 6, rm = code[1] & 7, size = 2;

	if (code[0] != 0xff || (code[1] >> 3 & 7) != 2)
		return false;
	if (mode != 3 && rm == 4) {
		if (length < 3)
			return false;
		size++;
		if (mode == 0 && (code[2] & 7) == 5) /* no base, but a displacement */
			size += 4;
	}
	if (mode == 0 && rm == 5) /* relative to rip */
		size += 4;
	else if (mode == 1)
		size += 1;
	else if (mode == 2)
		size += 4;
	return size == length;
}

/* Prefixes can be ignored: the bytes after them determine the length. */
bool csprof_follows_call(uintptr_t ra)
{
	uint8_t code[7]; /* the bytes before ra; ff /2 with SIB and 32 bits is the longest */
	struct csprof_extent around;

	if (ra < sizeof(code) || !code_around(ra - 1, &around) || ra - around.start < sizeof(code))
		return false;
	memcpy(code, (const void *)(ra - sizeof(code)), sizeof(code));
	if (code[2] == 0xe8)
		return true;
	for (unsigned length = 2; length <= 7; length++) {
		if (is_indirect_call(code + 7 - length, length))
			return true;
	}
	return false;
}

/* The restorers of C libraries: mov $15 (rt_sigreturn),%rax or %eax, then syscall. */
static bool at_restorer(uintptr_t pc)
{
	static const uint8_t glibc[9] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t musl[7] = {0xb8, 15, 0, 0, 0, 0x0f, 0x05};
	struct csprof_extent code;

	if (in_own_restorer(pc))
		return true;
	if (!code_around(pc, &code))
		return false;
	/* A return address is the start of the restorer; a sample may also be before its
	 * syscall. */
	for (unsigned back = 0; back <= 7; back++) {
		uintptr_t start = pc - back;

		if (start < code.start)
			break;
		if ((back == 0 || back == 7) && code.end - start >= sizeof(glibc) &&
		    memcmp((const void *)start, glibc, sizeof(glibc)) == 0)
			return true;
		if ((back == 0 || back == 5) && code.end - start >= sizeof(musl) &&
		    memcmp((const void *)start, musl, sizeof(musl)) == 0)
			return true;
	}
	return false;
}

/* The kernel leaves a ucontext at the stack pointer of a restorer (struct
 * rt_sigframe in the kernel's arch/x86/include/asm/sigframe.h). */
static int step_restorer(struct csprof_cursor *cur, const struct csprof_stack *stack)
{
	const size_t needed = offsetof(ucontext_t, uc_mcontext.fpregs);

	if (cur->sp % sizeof(uintptr_t) != 0 || cur->sp < stack->low || cur->sp > stack->high ||
	    stack->high - cur->sp < needed)
		return CSPROF_STEP_BAD;
	from_context(cur, (const void *)cur->sp);
	return CSPROF_STEP_OK;
}

/* Whether a word of the stack is a return address, or the slot of one. */
static bool is_return(uintptr_t word)
{
	return csprof_follows_call(csprof_is_slot(word) ? csprof_slot_address[csprof_slot_of(word)]
							: word);
}

/* Accept a candidate return address at `cell` if it follows a call. */
static bool try_cell(struct csprof_cursor *cur, const struct csprof_stack *stack, uintptr_t cell)
{
	uintptr_t ip;

	if (cell < cur->sp || !csprof_stack_load(stack, cell, &ip) || !is_return(ip))
		return false;
	cur->ip = ip;
	cur->cell = (uintptr_t *)cell;
	cur->sp = cell + sizeof(uintptr_t);
	cur->exact = false;
	return true;
}

/*
 * Generated code of compilers that keep frame pointers (V8, .NET, Java's). Its own return
 * addresses are in no module, but the chain of frame pointers leads to one that is in a module
 * and follows a call. If so, the whole chain is accepted.
 */
static bool chain_leads_to_call(const struct csprof_stack *stack, uintptr_t bp)
{
	enum { LONGEST = 64 };
	uintptr_t next, ip;

	for (int i = 0; i < LONGEST; i++) {
		if (!csprof_stack_load(stack, bp, &next) || !csprof_stack_load(stack, bp + 8, &ip))
			return false;
		if (is_return(ip))
			return true;
		if (next <= bp)
			return false;
		bp = next;
	}
	return false;
}

static bool step_generated(struct csprof_cursor *cur, const struct csprof_stack *stack)
{
	struct csprof_module module;
	uintptr_t bp = cur->bp;

	if (bp < cur->sp || csprof_module_find(cur->ip, &module) ||
	    !chain_leads_to_call(stack, bp) || !csprof_stack_load(stack, bp + 8, &cur->ip) ||
	    !csprof_stack_load(stack, bp, &cur->bp))
		return false;
	cur->cell = (uintptr_t *)(bp + 8);
	cur->sp = bp + 16;
	cur->exact = false;
	cur->known = 0;
	return true;
}

/* Whether a stack's first function returns to ra, where the process is ended: hlt, as in _start, or
 * a call behind which there is one. Contexts of Boost begin so (make_fcontext). */
static bool ends_process(uintptr_t ra)
{
	static const struct {
		uint8_t size, bytes[3], skipped;
	} before[] = {
	    {3, {0x48, 0x31, 0xff}, 0}, /* xor %rdi,%rdi */
	    {2, {0x31, 0xff}, 0},       /* xor %edi,%edi */
	    {1, {0xe8}, 4},             /* call */
	    {2, {0xff, 0x15}, 4},       /* call *(%rip) */
	};
	struct csprof_extent code;
	uintptr_t at = ra;

	if (!code_around(ra, &code))
		return false;
	for (unsigned i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (code.end - at > before[i].size + before[i].skipped &&
		    memcmp((const void *)at, before[i].bytes, before[i].size) == 0)
			at += before[i].size + before[i].skipped;
	return *(const uint8_t *)at == 0xf4;
}

/* Whether the frame at bp is a stack's first one: the caller's frame pointer is 0 (System V ABI,
 * 3.4.1), and the return address is one of code, but follows no call. Goroutines begin so. */
static bool is_first_frame(const struct csprof_cursor *cur, const struct csprof_stack *stack,
			   uintptr_t bp)
{
	struct csprof_extent code;
	uintptr_t caller_bp, ra;

	return bp >= cur->sp && csprof_stack_load(stack, bp, &caller_bp) && caller_bp == 0 &&
	       csprof_stack_load(stack, bp + 8, &ra) && code_around(ra, &code);
}

/*
 * Code without unwind information: crt's _init and .fini, hand-written assembly, generated code.
 * Guess, and accept only a return address that follows a call.
 */
static int step_without_entry(struct csprof_cursor *cur, const struct csprof_stack *stack)
{
	uintptr_t bp = cur->bp, caller_bp;

	if (at_restorer(cur->ip))
		return step_restorer(cur, stack);
	if (!cur->exact && ends_process(cur->ip))
		return CSPROF_STEP_END;
	/* At the first instruction or in a leaf function it is at the top of the stack. In a
	 * frame that has made a call the stack pointer is aligned, so it is in the word above. */
	if (try_cell(cur, stack, cur->sp + (cur->exact ? 0 : 8)) ||
	    try_cell(cur, stack, cur->sp + (cur->exact ? 8 : 0))) {
		cur->known &= CSPROF_CALLEE_SAVED;
		return CSPROF_STEP_OK;
	}
	if (step_generated(cur, stack))
		return CSPROF_STEP_OK;
	if (!csprof_stack_load(stack, bp, &caller_bp) || !try_cell(cur, stack, bp + 8))
		return is_first_frame(cur, stack, bp) ? CSPROF_STEP_END : CSPROF_STEP_NO_INFO;
	cur->bp = caller_bp;
	cur->known = 0;
	return CSPROF_STEP_OK;
}

static int step_slow(struct csprof_cursor *cur, uintptr_t pc, const struct csprof_stack *stack)
{
	struct csprof_cfi_row row;
	enum csprof_step rc = csprof_cfi_find(pc, &row);

	return rc == CSPROF_STEP_OK ? csprof_cfi_apply(cur, &row, stack) : rc;
}

__attribute__((noinline)) static int step_other(struct csprof_cursor *cur, uintptr_t pc,
						uint64_t recipe, const struct csprof_stack *stack)
{
	switch (recipe & CSPROF_RECIPE_KIND_MASK) {
	case CSPROF_RECIPE_SIGNAL:
		if (at_restorer(cur->ip))
			return step_restorer(cur, stack);
		return step_slow(cur, pc, stack);
	case CSPROF_RECIPE_END:
		return CSPROF_STEP_END;
	case CSPROF_RECIPE_NO_ENTRY:
		return step_without_entry(cur, stack);
	default:
		return step_slow(cur, pc, stack);
	}
}

static int step(struct csprof_cursor *cur, uintptr_t stack_low, uintptr_t stack_high)
{
	/* A return address may be the first address of the next function, after a call that does
	 * not return. */
	uintptr_t pc = cur->ip - !cur->exact;
	struct csprof_stack stack = {stack_low, stack_high};
	uint64_t recipe;
	int rc = csprof_recipe_step(cur, pc, stack, &recipe);

	if (rc != CSPROF_RECIPE_OTHER)
		return rc;
	cur->basis = CSPROF_BASIS_OTHER;
	rc = step_other(cur, pc, recipe, &stack);
	cur->traits = csprof_recipe_traits(recipe);
	return rc;
}

const struct csprof_cpu_ops csprof_cpu = {
    .name = "x86_64",
    .from_context = from_context,
    .step = step,
    .set_generation = csprof_recipe_set_generation,
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
    .forget_restart = forget_restart,
    .forget_call = forget_call,
    .set_result = set_result,
    .end_unmade = csprof_cpu_end_unmade,
    .stepping = &csprof_x86_stepping,
};
