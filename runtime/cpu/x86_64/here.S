/*
 * void csprof_cpu_here(struct csprof_cursor *cur)
 *
 * Stores the registers of the caller as they are when this returns.
 *
 *	rsp+8 ->  the caller's frame
 *	rsp   ->  return address
 *
 * Saves nothing and changes only rax. Offsets: struct csprof_cursor, checked in x86_64.c. Order:
 * ip, sp, bp, cell, rbx, r12, r13, r14, r15, known, exact.
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

/* rdi and rsi are a number and the address of six arguments: load them for a system call. */
	.macro load_call
	movq	%rdi, %rax
	movq	%rsi, %r11
	movq	0(%r11), %rdi
	movq	8(%r11), %rsi
	movq	16(%r11), %rdx
	movq	24(%r11), %r10
	movq	32(%r11), %r8
	movq	40(%r11), %r9
	.endm

/*
 * long csprof_cpu_call(long number, const long args[6])
 *
 *	rsp+16 ->  the caller's frame
 *	rsp+8  ->  return address
 *	rsp    ->  number, for last_call
 */
	.globl	csprof_cpu_call
	.hidden	csprof_cpu_call
	.type	csprof_cpu_call, @function
	.p2align 4
csprof_cpu_call:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	load_call
	syscall
	.globl	csprof_cpu_called
	.hidden	csprof_cpu_called
csprof_cpu_called:
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.globl	csprof_cpu_call_end
	.hidden	csprof_cpu_call_end
csprof_cpu_call_end:
	.size	csprof_cpu_call, . - csprof_cpu_call

/*
 * long csprof_cpu_call_unless(long number, const long args[6])
 *
 *	rsp+16 ->  the caller's frame
 *	rsp+8  ->  return address
 *	rsp    ->  number, for last_call
 *
 * A handler that returns to the code from the check on, before the call is made, goes on after it
 * instead: csprof_cpu.end_unmade.
 */
	.globl	csprof_cpu_call_unless
	.hidden	csprof_cpu_call_unless
	.type	csprof_cpu_call_unless, @function
	.p2align 4
csprof_cpu_call_unless:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	load_call
	.globl	csprof_cpu_unmade
	.hidden	csprof_cpu_unmade
csprof_cpu_unmade:
	movq	csprof_cpu_ended@gottpoff(%rip), %rcx
	cmpl	$0, %fs:(%rcx)
	jne	1f
	.globl	csprof_cpu_making
	.hidden	csprof_cpu_making
csprof_cpu_making:
	syscall
	.globl	csprof_cpu_made
	.hidden	csprof_cpu_made
csprof_cpu_made:
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_adjust_cfa_offset 8
1:
	movq	$-4, %rax		/* -EINTR */
	jmp	csprof_cpu_made
	.cfi_endproc
	.size	csprof_cpu_call_unless, . - csprof_cpu_call_unless

/*
 * long csprof_cpu_restart(long number, const long args[6], const uint64_t *mask)
 *
 *	rsp ->  return address
 *	r8      number, r9  args: for last_call and csprof_cpu_call_instead
 */
	.globl	csprof_cpu_restart
	.hidden	csprof_cpu_restart
	.type	csprof_cpu_restart, @function
	.p2align 4
csprof_cpu_restart:
	.cfi_startproc
	endbr64
	movq	%rdi, %r8
	movq	%rsi, %r9
	movl	$2, %edi		/* SIG_SETMASK */
	movq	%rdx, %rsi
	xorl	%edx, %edx
	movl	$8, %r10d
	movl	$14, %eax		/* rt_sigprocmask */
	syscall
	movl	$219, %eax		/* restart_syscall */
	.globl	csprof_cpu_restarts
	.hidden	csprof_cpu_restarts
csprof_cpu_restarts:
	syscall
	.globl	csprof_cpu_restarted
	.hidden	csprof_cpu_restarted
csprof_cpu_restarted:
	ret
	.globl	csprof_cpu_call_instead
	.hidden	csprof_cpu_call_instead
csprof_cpu_call_instead:
	movq	%r8, %rdi
	movq	%r9, %rsi
	jmp	csprof_cpu_call_unless
	.cfi_endproc
	.size	csprof_cpu_restart, . - csprof_cpu_restart

/*
 * The return addresses of the program's handlers, instead of libc's: the second one of those with
 * SA_RESTART. They call csprof_cpu_returned, if it is set, and then rt_sigreturn. But if the
 * thread continues after a system call, rcx becomes 0 instead of the pc that the call left
 * there. The code depends on neither, and last_call sees the difference.
 *
 *	rsp ->  ucontext_t (struct rt_sigframe in the kernel's arch/x86/include/asm/sigframe.h)
 *
 * The rules find all registers there, DW_CFA_expression rN: DW_OP_breg7 offset. The nop is for
 * unwinders that look up the address before a return address.
 */
	.macro	saved_at register, offset
	.cfi_escape 0x10, \register, 3, 0x77, (\offset & 0x7f) | 0x80, \offset >> 7
	.endm

	.globl	csprof_cpu_ending_restorer
	.hidden	csprof_cpu_ending_restorer
	.type	csprof_cpu_ending_restorer, @function
	.p2align 4
	.cfi_startproc
	.cfi_signal_frame
	/* the caller's rsp: DW_CFA_def_cfa_expression: DW_OP_breg7 160, DW_OP_deref */
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06
	saved_at 8, 40
	saved_at 9, 48
	saved_at 10, 56
	saved_at 11, 64
	saved_at 12, 72
	saved_at 13, 80
	saved_at 14, 88
	saved_at 15, 96
	saved_at 5, 104
	saved_at 4, 112
	saved_at 6, 120
	saved_at 3, 128
	saved_at 1, 136
	saved_at 0, 144
	saved_at 2, 152
	saved_at 7, 160
	saved_at 16, 168
	nop
csprof_cpu_ending_restorer:
	xorl	%esi, %esi
	jmp	2f
	.globl	csprof_cpu_restorer
	.hidden	csprof_cpu_restorer
csprof_cpu_restorer:
	movl	$1, %esi
2:
	movq	csprof_cpu_returned(%rip), %rax
	testq	%rax, %rax
	jz	3f
	movq	%rsp, %rdi
	callq	*%rax
3:
	movq	168(%rsp), %rax
	cmpq	%rax, 152(%rsp)
	jne	1f
	testl	$0xffe, %eax		/* the two bytes before it must be in the same page */
	jz	1f
	cmpw	$0x050f, -2(%rax)	/* syscall */
	jne	1f
	movq	$0, 152(%rsp)
1:
	movl	$15, %eax
	syscall
	.globl	csprof_cpu_restorer_end
	.hidden	csprof_cpu_restorer_end
csprof_cpu_restorer_end:
	hlt
	.cfi_endproc
	.size	csprof_cpu_ending_restorer, . - csprof_cpu_ending_restorer
	.section .note.GNU-stack, "", @progbits
