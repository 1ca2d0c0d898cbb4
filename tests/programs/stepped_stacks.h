/* Other stacks, and code without unwinding information. Part of stepped.cc. */
#ifndef TESTS_PROGRAMS_STEPPED_STACKS_H
#define TESTS_PROGRAMS_STEPPED_STACKS_H

#include "stepped_calls.h"

#include <sys/mman.h>
#include <ucontext.h>

#include "stepped.h"

namespace
{
/* ---- other stacks ---- */

ucontext_t main_context, coroutine_context;
volatile int turns;

void coroutine()
{
	for (int i = 0; i < 4; i++) {
		sink += down(static_cast<unsigned>(i));
		turns = turns + 1;
		swapcontext(&coroutine_context, &main_context);
	}
}

enum { COROUTINE_STACK = 64 * 1024 };

APART bool coroutine_on(char *memory)
{
	turns = 0;
	getcontext(&coroutine_context);
	coroutine_context.uc_stack.ss_sp = memory;
	coroutine_context.uc_stack.ss_size = COROUTINE_STACK;
	coroutine_context.uc_link = &main_context;
	makecontext(&coroutine_context, coroutine, 0);
	for (int i = 0; i < 5; i++) {
		sink += down(static_cast<unsigned>(i));
		swapcontext(&main_context, &coroutine_context);
	}
	return turns == 4;
}

bool coroutines()
{
	static char memory[COROUTINE_STACK];
	return coroutine_on(memory);
}

bool coroutines_within()
{
	char memory[COROUTINE_STACK];
	return coroutine_on(memory);
}

/* ---- code without rules of unwinding ---- */

#if defined(__x86_64__)
/* It keeps a copy of its return address on the stack, where a guess finds it first, and returns
 * whether that is still the same. */
asm(".pushsection .text\n"
    ".type without_rules, @function\n"
    "without_rules:\n"
    "	pushq (%rsp)\n"
    "	subq $8, %rsp\n"
    "	call *%rdi\n"
    "	addq $8, %rsp\n"
    "	popq %rdx\n"
    "	xorl %eax, %eax\n"
    "	cmpq (%rsp), %rdx\n"
    "	sete %al\n"
    "	ret\n"
    ".size without_rules, . - without_rules\n"
    ".popsection");
extern "C" int without_rules(void (*f)());

void called_without_rules()
{
	sink += down(4);
	after();
}

__attribute__((noinline, noclone, optimize("no-omit-frame-pointer"))) bool calls_without_rules()
{
	bool ok = without_rules(called_without_rules);
	after();
	return ok;
}

bool guesses()
{
	bool ok = true;
	for (int i = 0; i < 5; i++)
		ok &= calls_without_rules();
	return ok;
}

APART bool called_from_generated()
{
	sink += down(4);
	after();
	return true;
}

/* Code that was made at run time, without unwind information: walks end there, or guess. */
bool generated()
{
	static const unsigned char code[] = {
	    0x53,                   /* push %rbx */
	    0x48, 0x83, 0xec, 0x40, /* sub $64, %rsp */
	    0xff, 0xd7,             /* call *%rdi */
	    0x48, 0x83, 0xc4, 0x40, /* add $64, %rsp */
	    0x5b,                   /* pop %rbx */
	    0xc3,                   /* ret */
	};
	static bool (*made)(bool (*)());
	if (!made) {
		void *p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return false;
		memcpy(p, code, sizeof code);
		made = reinterpret_cast<bool (*)(bool (*)())>(p);
	}
	bool ok = true;
	for (int i = 0; i < 5; i++)
		ok &= made(called_from_generated);
	after();
	return ok;
}

/* It is entered by a jump, with an address on the stack that it compares later, and returns to. */
asm(".pushsection .text\n"
    ".type jumps_to, @function\n"
    "jumps_to:\n"
    "	.cfi_startproc\n"
    "	leaq 1f(%rip), %rax\n"
    "	pushq %rax\n"
    "	.cfi_adjust_cfa_offset 8\n"
    "	jmp jumped_to\n"
    "	.cfi_adjust_cfa_offset -8\n"
    "	nop\n"
    "1:	nop\n"
    "	ret\n"
    "	.cfi_endproc\n"
    ".size jumps_to, . - jumps_to\n"
    ".type jumped_to, @function\n"
    "jumped_to:\n"
    "	.cfi_startproc\n"
    "	call *%rdi\n"
    "	leaq 1b(%rip), %rdx\n"
    "	xorl %eax, %eax\n"
    "	cmpq (%rsp), %rdx\n"
    "	sete %al\n"
    "	ret\n"
    "	.cfi_endproc\n"
    ".size jumped_to, . - jumped_to\n"
    ".popsection");
extern "C" int jumps_to(void (*f)());

bool pushes()
{
	bool ok = true;
	for (int i = 0; i < 5; i++)
		ok &= jumps_to(called_without_rules) == 1;
	return ok;
}

/* A call on memory of an outer frame, where unwinding ends: the frames inside of that one are
 * waiting below it. */
asm(".pushsection .text\n"
    ".type call_on, @function\n"
    "call_on:\n"
    "	.cfi_startproc\n"
    "	pushq %rbx\n"
    "	.cfi_adjust_cfa_offset 8\n"
    "	.cfi_offset %rbx, -16\n"
    "	movq %rsp, %rbx\n"
    "	.cfi_def_cfa_register %rbx\n"
    "	.cfi_remember_state\n"
    "	.cfi_undefined %rip\n"
    "	movq %rdi, %rsp\n"
    "	call *%rsi\n"
    "	.cfi_restore_state\n"
    "	movq %rbx, %rsp\n"
    "	.cfi_def_cfa_register %rsp\n"
    "	popq %rbx\n"
    "	.cfi_adjust_cfa_offset -8\n"
    "	ret\n"
    "	.cfi_endproc\n"
    ".size call_on, . - call_on\n"
    ".popsection");
extern "C" void call_on(char *top, void (*f)());

void called_above()
{
	sink += inner(12);
	after();
}

APART unsigned waits_below(unsigned depth, char *top)
{
	unsigned r = 0;
	if (depth == 0)
		call_on(top, called_above);
	else
		r = waits_below(depth - 1, top) + 1;
	after();
	return r;
}

bool stacks_above()
{
	alignas(16) char memory[COROUTINE_STACK];
	bool ok = true;
	for (unsigned i = 0; i < 6; i++)
		ok &= waits_below(i * 2, memory + sizeof memory) == i * 2;
	return ok;
}
#else
bool guesses()
{
	return true;
}

bool pushes()
{
	return true;
}

bool stacks_above()
{
	return true;
}
#endif
} // namespace

#endif
