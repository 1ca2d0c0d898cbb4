/*
 * The slots of cpu/slots.h. A function returns to its slot, which counts and goes on to the real
 * return address:
 *
 *	incq	csprof_slot_returns[slot]
 *	jmp	*csprof_slot_address[slot]
 *
 * That changes nothing but the flags, which are dead across a return (System V ABI, 3.2.1). A slot
 * does not return itself: that would put the CPU's stack of return addresses out of step for all
 * outer frames.
 *
 *	rsp ->  what the caller has there after the call
 *
 * The rules of unwinding: CFA is rsp, all registers are the same, and the return address is in
 * csprof_slot_address[slot], at an address that is computed from the instruction: DW_CFA_expression
 * for register 16, the return address, 22 bytes:
 *
 *	DW_OP_breg16 0		the address in the slot
 *	DW_OP_const1s -16
 *	DW_OP_and		the slot's
 *	DW_OP_plus_uconst 9
 *	DW_OP_deref		the displacement of the jump, and what is behind it
 *	DW_OP_const1s 32
 *	DW_OP_shl
 *	DW_OP_const1s 32
 *	DW_OP_shr		without that (zero-extended: the table is above the code)
 *	DW_OP_breg16 0
 *	DW_OP_const1s -16
 *	DW_OP_and
 *	DW_OP_plus
 *	DW_OP_plus_uconst 13	counts from the jump's end
 *
 * DW_OP_dup and DW_OP_deref_size would make it shorter, but Valgrind prints a warning about them.
 *
 * There is code of the same entry before slot 0, because unwinders look up the address before a
 * return address.
 */
#include "runtime/cpu/slots_size.h"

	.text
	.p2align 12
	.type	csprof_slot, @function
	.hidden	csprof_slot_personality
csprof_slot:
	.cfi_startproc simple
	.cfi_personality 0x1b, csprof_slot_personality	/* relative to it, 4 bytes */
	.cfi_def_cfa %rsp, 0
	.cfi_escape 0x10, 16, 22, 0x80, 0, 0x09, 0xf0, 0x1a, 0x23, 9, 0x06, \
		0x09, 32, 0x24, 0x09, 32, 0x25, 0x80, 0, 0x09, 0xf0, 0x1a, 0x22, 0x23, 13
	.skip	64, 0xcc
	.globl	csprof_trampoline
	.hidden	csprof_trampoline
csprof_trampoline:
	.set	offset, 0
	.rept	CSPROF_SLOTS
	incq	(csprof_slot_returns + offset)(%rip)
	jmp	*(csprof_slot_address + offset)(%rip)
	.byte	0xcc, 0xcc, 0xcc
	.set	offset, offset + 8
	.endr
	.globl	csprof_trampoline_end
	.hidden	csprof_trampoline_end
csprof_trampoline_end:
	.skip	64, 0xcc
	.cfi_endproc
	.size	csprof_slot, . - csprof_slot

/*
 * Where the personality routine lets an exception go on that would be caught in a marked frame: as
 * if the frame had called _Unwind_Resume.
 *
 *	rax     the exception
 *	rdx     the real return address
 *	rsp ->  what the caller has there after the call
 */
	.globl	csprof_slot_resume
	.hidden	csprof_slot_resume
	.type	csprof_slot_resume, @function
	.p2align 4
csprof_slot_resume:
	.cfi_startproc simple
	.cfi_def_cfa %rsp, 0
	.cfi_register %rip, %rdx
	endbr64
	pushq	%rdx
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	movq	%rax, %rdi
	jmp	*csprof_slot_resume_function(%rip)
	.cfi_endproc
	.size	csprof_slot_resume, . - csprof_slot_resume

	.section .bss.csprof_5_large, "aw", @nobits
	.p2align 12
	.globl	csprof_slot_address, csprof_slot_returns
	.hidden	csprof_slot_address, csprof_slot_returns
	.type	csprof_slot_address, @object
	.type	csprof_slot_returns, @object
csprof_slot_address:
	.skip	CSPROF_SLOTS * 8
	.size	csprof_slot_address, CSPROF_SLOTS * 8
csprof_slot_returns:
	.skip	CSPROF_SLOTS * 8
	.size	csprof_slot_returns, CSPROF_SLOTS * 8
	.section .note.GNU-stack, "", @progbits
