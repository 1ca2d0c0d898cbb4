/*
 * Functions of the program's libraries that look at return addresses: before they do, the marks are
 * taken away (interception/intercept_unwind.c). They look at their own caller, too, so there must
 * be no frame of ours between: the function is jumped to.
 *
 *	rsp+24 ->  the caller's frame
 *	rsp+16 ->  return address
 *	rsp    ->  the arguments
 *
 * csprof_unwind_hide takes the number of the function and the stack pointer of its caller, and
 * returns the function's address.
 */
	.macro	looks number, name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	movl	$\number, %edi
	leaq	32(%rsp), %rsi
	call	csprof_unwind_hide
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	.hidden	csprof_unwind_hide
	looks	0, backtrace
	looks	1, _Unwind_Backtrace
	.section .note.GNU-stack, "", @progbits
