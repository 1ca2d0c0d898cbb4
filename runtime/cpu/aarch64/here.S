/*
 * void csprof_cpu_here(struct csprof_cursor *cur)
 *
 * Stores the registers of the caller as they are when this returns.
 *
 *	sp ->  the caller's frame
 *	x30    return address
 *
 * Saves nothing and changes only x9. Offsets: struct csprof_cursor, checked in aarch64.c. Order:
 * ip, sp, bp, cell, x19-x28, known, exact.
 */
	.text
	.globl	csprof_cpu_here
	.hidden	csprof_cpu_here
	.type	csprof_cpu_here, %function
	.p2align 4
csprof_cpu_here:
	.cfi_startproc
	hint	#34			/* bti c */
	str	x30, [x0, #0]
	mov	x9, sp
	str	x9, [x0, #8]
	str	x29, [x0, #16]
	str	xzr, [x0, #24]
	stp	x19, x20, [x0, #32+19*8]
	stp	x21, x22, [x0, #32+21*8]
	stp	x23, x24, [x0, #32+23*8]
	stp	x25, x26, [x0, #32+25*8]
	stp	x27, x28, [x0, #32+27*8]
	mov	w9, #0x1ff80000
	str	w9, [x0, #280]
	strb	wzr, [x0, #284]
	ret
	.cfi_endproc
	.size	csprof_cpu_here, . - csprof_cpu_here

/*
 * long csprof_cpu_call(long number, const long args[6])
 *
 *	sp ->  the caller's frame; x30 return address
 */
	.globl	csprof_cpu_call
	.hidden	csprof_cpu_call
	.type	csprof_cpu_call, %function
	.p2align 4
csprof_cpu_call:
	.cfi_startproc
	hint	#34
	mov	x8, x0
	mov	x9, x1
	ldp	x0, x1, [x9, #0]
	ldp	x2, x3, [x9, #16]
	ldp	x4, x5, [x9, #32]
	svc	#0
	ret
	.cfi_endproc
	.globl	csprof_cpu_call_end
	.hidden	csprof_cpu_call_end
csprof_cpu_call_end:
	.size	csprof_cpu_call, . - csprof_cpu_call

	.globl	csprof_cpu_call_unless
	.hidden	csprof_cpu_call_unless
	.set	csprof_cpu_call_unless, csprof_cpu_call

/*
 * long csprof_cpu_restart(long number, const long args[6], const uint64_t *mask)
 *
 *	sp ->  the caller's frame; x30 return address
 *	x9     number, x10  args
 */
	.globl	csprof_cpu_restart
	.hidden	csprof_cpu_restart
	.type	csprof_cpu_restart, %function
	.p2align 4
csprof_cpu_restart:
	.cfi_startproc
	hint	#34
	mov	x9, x0
	mov	x10, x1
	mov	x1, x2
	mov	x0, #2			/* SIG_SETMASK */
	mov	x2, #0
	mov	x3, #8
	mov	x8, #135		/* rt_sigprocmask */
	svc	#0
	mov	x8, #128		/* restart_syscall */
	svc	#0
	ret
	.cfi_endproc
	.size	csprof_cpu_restart, . - csprof_cpu_restart

/*
 * The return address of the program's handlers: rt_sigreturn. There are no rules for the
 * registers that the kernel saved: a walk recognises this code by its instructions.
 *
 *	sp ->  siginfo_t, ucontext_t (struct rt_sigframe in the kernel's arch/arm64/kernel/signal.c)
 *
 * The nop is for unwinders that look up the address before a return address.
 */
	.globl	csprof_cpu_restorer
	.hidden	csprof_cpu_restorer
	.type	csprof_cpu_restorer, %function
	.p2align 4
	nop
csprof_cpu_restorer:
	mov	x8, #139		/* rt_sigreturn */
	svc	#0
	.size	csprof_cpu_restorer, . - csprof_cpu_restorer
	.globl	csprof_cpu_ending_restorer
	.hidden	csprof_cpu_ending_restorer
	.set	csprof_cpu_ending_restorer, csprof_cpu_restorer
	.section .note.GNU-stack, "", %progbits
