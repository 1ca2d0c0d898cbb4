/*
 * Functions of the program's libraries that look at return addresses. interception/intercept_unwind.c
 * says where to go on; that may be the library's own function, which looks at its caller, too, so
 * there must be no frame of ours between: it is jumped to.
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
	call	csprof_unwind_look
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
	.hidden	csprof_unwind_look
	looks	0, backtrace
	looks	1, _Unwind_Backtrace
	.section .note.GNU-stack, "", @progbits
