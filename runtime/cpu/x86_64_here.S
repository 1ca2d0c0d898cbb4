/*
 * void csprof_cpu_here(struct csprof_cursor *cur)
 *
 * Stores the registers of the caller as they are when this returns.
 *
 *	rsp+8 ->  the caller's frame
 *	rsp   ->  return address
 *
 * Saves nothing and changes only rax. Offsets: struct csprof_cursor, asserted
 * in x86_64.c. Order: ip, sp, bp, cell, rbx, r12, r13, r14, r15, known, exact.
 */
	.text
	.globl	csprof_cpu_here
	.hidden	csprof_cpu_here
	.type	csprof_cpu_here, @function
	.p2align 4
csprof_cpu_here:
	.cfi_startproc
	endbr64
	movq	(%rsp), %rax
	movq	%rax, 0(%rdi)
	leaq	8(%rsp), %rax
	movq	%rax, 8(%rdi)
	movq	%rbp, 16(%rdi)
	movq	$0, 24(%rdi)
	movq	%rbx, 32+3*8(%rdi)
	movq	%r12, 32+12*8(%rdi)
	movq	%r13, 32+13*8(%rdi)
	movq	%r14, 32+14*8(%rdi)
	movq	%r15, 32+15*8(%rdi)
	movl	$0xf008, 160(%rdi)
	movb	$0, 164(%rdi)
	ret
	.cfi_endproc
	.size	csprof_cpu_here, . - csprof_cpu_here
	.section .note.GNU-stack, "", @progbits
