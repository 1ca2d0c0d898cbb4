# Made from src/work.c by the command in tests/e2e/outputs.t.
	.file	"work.c"
	.text
.Ltext0:
	.cfi_sections	.debug_frame
	.file 0 "/src" "work.c"
	.p2align 4
	.globl	step
	.hidden	step
	.type	step, @function
step:
.LVL0:
.LFB2:
	.file 1 "work.c"
	.loc 1 12 1 view -0
	.cfi_startproc
	.loc 1 13 2 view .LVU1
.LBB13:
	.loc 1 13 7 view .LVU2
	.loc 1 13 21 view .LVU3
	testq	%rdi, %rdi
	jle	.L1
	movq	sink(%rip), %rax
	.loc 1 13 12 is_stmt 0 view .LVU4
	xorl	%ecx, %ecx
.LBB14:
.LBB15:
.LBB16:
	.file 2 "work.h"
	.loc 2 5 11 view .LVU5
	movabsq	$2685821657736338717, %rsi
.LVL1:
	.p2align 4,,10
	.p2align 3
.L3:
	.loc 2 5 11 view .LVU6
.LBE16:
.LBE15:
.LBE14:
	.loc 1 14 3 is_stmt 1 discriminator 3 view .LVU7
	.loc 1 14 10 is_stmt 0 discriminator 3 view .LVU8
	addq	$1, %rax
.LVL2:
.LBB25:
.LBI14:
	.loc 1 6 60 is_stmt 1 discriminator 3 view .LVU9
	.loc 1 8 2 discriminator 3 view .LVU10
.LBB19:
.LBI15:
	.loc 2 2 60 discriminator 3 view .LVU11
.LBB17:
	.loc 2 4 2 discriminator 3 view .LVU12
	.loc 2 5 2 discriminator 3 view .LVU13
.LBE17:
.LBE19:
.LBE25:
	.loc 1 13 27 is_stmt 0 discriminator 3 view .LVU14
	addq	$1, %rcx
.LVL3:
.LBB26:
.LBB20:
.LBB18:
	.loc 2 4 9 discriminator 3 view .LVU15
	movq	%rax, %rdx
	shrq	$12, %rdx
	.loc 2 4 4 discriminator 3 view .LVU16
	xorq	%rax, %rdx
.LVL4:
	.loc 2 5 11 discriminator 3 view .LVU17
	imulq	%rsi, %rdx
.LVL5:
	.loc 2 5 11 discriminator 3 view .LVU18
.LBE18:
.LBE20:
.LBB21:
.LBI21:
	.loc 2 2 60 is_stmt 1 discriminator 3 view .LVU19
.LBB22:
	.loc 2 4 2 discriminator 3 view .LVU20
	.loc 2 5 2 discriminator 3 view .LVU21
	.loc 2 5 2 is_stmt 0 discriminator 3 view .LVU22
.LBE22:
.LBE21:
.LBE26:
	.loc 1 15 3 is_stmt 1 discriminator 3 view .LVU23
.LBB27:
.LBB24:
.LBB23:
	.loc 2 4 9 is_stmt 0 discriminator 3 view .LVU24
	movq	%rdx, %rax
	shrq	$12, %rax
	.loc 2 4 4 discriminator 3 view .LVU25
	xorq	%rdx, %rax
	.loc 2 5 11 discriminator 3 view .LVU26
	imulq	%rsi, %rax
.LBE23:
.LBE24:
.LBE27:
	.loc 1 15 8 discriminator 3 view .LVU27
	addq	%rdi, %rax
	.loc 1 13 27 is_stmt 1 discriminator 3 view .LVU28
.LVL6:
	.loc 1 13 21 discriminator 3 view .LVU29
	cmpq	%rcx, %rdi
	jne	.L3
	movq	%rax, sink(%rip)
.LVL7:
.L1:
	.loc 1 13 21 is_stmt 0 discriminator 3 view .LVU30
.LBE13:
	.loc 1 17 1 view .LVU31
	ret
	.cfi_endproc
.LFE2:
	.size	step, .-step
	.p2align 4
	.globl	odd
	.hidden	odd
	.type	odd, @function
odd:
.LVL8:
.LFB4:
	.loc 1 28 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 29 2 view .LVU33
	.loc 1 28 1 is_stmt 0 view .LVU34
	movl	%edi, %eax
	.loc 1 29 29 view .LVU35
	testl	%edi, %edi
	jne	.L15
	.loc 1 30 1 view .LVU36
	ret
	.p2align 4,,10
	.p2align 3
.L15:
	.loc 1 28 1 discriminator 1 view .LVU37
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	.loc 1 29 13 discriminator 1 view .LVU38
	leal	-1(%rdi), %edi
.LVL9:
	.loc 1 29 13 discriminator 1 view .LVU39
	call	even
.LVL10:
	.loc 1 30 1 discriminator 1 view .LVU40
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	.loc 1 29 29 discriminator 1 view .LVU41
	addl	$1, %eax
	.loc 1 30 1 discriminator 1 view .LVU42
	ret
	.cfi_endproc
.LFE4:
	.size	odd, .-odd
	.p2align 4
	.globl	even
	.hidden	even
	.type	even, @function
even:
.LVL11:
.LFB3:
	.loc 1 22 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 23 2 view .LVU44
	.loc 1 22 1 is_stmt 0 view .LVU45
	movslq	%edi, %rdi
	.loc 1 22 1 view .LVU46
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	.loc 1 22 1 view .LVU47
	movq	%rdi, %r8
	.loc 1 23 2 view .LVU48
	call	step
.LVL12:
	.loc 1 24 2 is_stmt 1 view .LVU49
	.loc 1 24 28 is_stmt 0 view .LVU50
	testl	%edi, %edi
	jne	.L22
	.loc 1 25 1 discriminator 4 view .LVU51
	movl	%r8d, %eax
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L22:
	.cfi_restore_state
	.loc 1 24 13 discriminator 1 view .LVU52
	leal	-1(%rdi), %edi
.LVL13:
	.loc 1 24 13 discriminator 1 view .LVU53
	call	odd
.LVL14:
	.loc 1 25 1 discriminator 1 view .LVU54
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	.loc 1 24 28 discriminator 1 view .LVU55
	leal	1(%rax), %r8d
	.loc 1 25 1 discriminator 1 view .LVU56
	movl	%r8d, %eax
	ret
	.cfi_endproc
.LFE3:
	.size	even, .-even
	.p2align 4
	.globl	fib
	.hidden	fib
	.type	fib, @function
fib:
.LVL15:
.LFB5:
	.loc 1 33 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 34 2 view .LVU58
	.loc 1 33 1 is_stmt 0 view .LVU59
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movslq	%edi, %rax
	pushq	%rbx
	.cfi_def_cfa_offset 24
	.cfi_offset 3, -24
	movq	%rax, %rbx
	subq	$8, %rsp
	.cfi_def_cfa_offset 32
	.loc 1 34 7 view .LVU60
	addq	%rax, sink(%rip)
	.loc 1 35 2 is_stmt 1 view .LVU61
	.loc 1 35 19 is_stmt 0 view .LVU62
	cmpl	$1, %eax
	jle	.L24
	.loc 1 35 21 discriminator 1 view .LVU63
	leal	-1(%rax), %edi
.LVL16:
	.loc 1 35 21 discriminator 1 view .LVU64
	call	fib
.LVL17:
	.loc 1 35 34 discriminator 1 view .LVU65
	leal	-2(%rbx), %edi
	.loc 1 35 21 discriminator 1 view .LVU66
	movl	%eax, %ebp
	.loc 1 35 34 discriminator 1 view .LVU67
	call	fib
.LVL18:
	.loc 1 35 19 discriminator 1 view .LVU68
	leal	1(%rbp,%rax), %ebx
.LVL19:
.L24:
	.loc 1 36 1 discriminator 4 view .LVU69
	addq	$8, %rsp
	.cfi_def_cfa_offset 24
	movl	%ebx, %eax
	popq	%rbx
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE5:
	.size	fib, .-fib
	.p2align 4
	.globl	run
	.hidden	run
	.type	run, @function
run:
.LVL20:
.LFB6:
	.loc 1 39 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 40 2 view .LVU71
	.loc 1 39 1 is_stmt 0 view .LVU72
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	.loc 1 39 1 view .LVU73
	movslq	%edi, %rdi
	.loc 1 39 1 view .LVU74
	movq	%rdi, %rbx
	.loc 1 40 2 view .LVU75
	call	step
.LVL21:
	.loc 1 41 2 is_stmt 1 view .LVU76
	.loc 1 41 9 is_stmt 0 view .LVU77
	call	even
.LVL22:
	.loc 1 41 22 view .LVU78
	movl	%ebx, %edi
	.loc 1 41 9 view .LVU79
	movl	%eax, %edx
	.loc 1 41 22 view .LVU80
	call	fib
.LVL23:
	.loc 1 42 1 view .LVU81
	popq	%rbx
	.cfi_def_cfa_offset 8
.LVL24:
	.loc 1 41 20 view .LVU82
	addl	%edx, %eax
	.loc 1 42 1 view .LVU83
	ret
	.cfi_endproc
.LFE6:
	.size	run, .-run
	.hidden	sink
	.globl	sink
	.bss
	.align 8
	.type	sink, @object
	.size	sink, 8
sink:
	.zero	8
	.text
.Letext0:
	.section	.debug_info,"",@progbits
.Ldebug_info0:
	.long	0x2c8
	.value	0x5
	.byte	0x1
	.byte	0x8
	.long	.Ldebug_abbrev0
	.uleb128 0xa
	.long	.LASF7
	.byte	0x1d
	.long	.LASF0
	.long	.LASF1
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.long	.Ldebug_line0
	.uleb128 0xb
	.long	.LASF5
	.byte	0x1
	.byte	0x4
	.byte	0xf
	.long	0x44
	.uleb128 0x9
	.byte	0x3
	.quad	sink
	.uleb128 0x7
	.byte	0x7
	.long	.LASF2
	.uleb128 0x4
	.string	"run"
	.byte	0x26
	.byte	0x5
	.long	0xc4
	.quad	.LFB6
	.quad	.LFE6-.LFB6
	.uleb128 0x1
	.byte	0x9c
	.long	0xc4
	.uleb128 0xc
	.long	.LASF3
	.byte	0x1
	.byte	0x26
	.byte	0xd
	.long	0xc4
	.long	.LLST10
	.long	.LVUS10
	.uleb128 0x2
	.quad	.LVL21
	.long	0x1d7
	.long	0x97
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x75
	.sleb128 0
	.byte	0
	.uleb128 0x2
	.quad	.LVL22
	.long	0x174
	.long	0xaf
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x73
	.sleb128 0
	.byte	0
	.uleb128 0x3
	.quad	.LVL23
	.long	0xcb
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x73
	.sleb128 0
	.byte	0
	.byte	0
	.uleb128 0xd
	.byte	0x4
	.byte	0x5
	.string	"int"
	.uleb128 0x4
	.string	"fib"
	.byte	0x20
	.byte	0x1f
	.long	0xc4
	.quad	.LFB5
	.quad	.LFE5-.LFB5
	.uleb128 0x1
	.byte	0x9c
	.long	0x12a
	.uleb128 0x5
	.string	"n"
	.byte	0x20
	.byte	0x27
	.long	0xc4
	.long	.LLST9
	.long	.LVUS9
	.uleb128 0x2
	.quad	.LVL17
	.long	0xcb
	.long	0x115
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x73
	.sleb128 -1
	.byte	0
	.uleb128 0x3
	.quad	.LVL18
	.long	0xcb
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x73
	.sleb128 -2
	.byte	0
	.byte	0
	.uleb128 0x4
	.string	"odd"
	.byte	0x1b
	.byte	0x1f
	.long	0xc4
	.quad	.LFB4
	.quad	.LFE4-.LFB4
	.uleb128 0x1
	.byte	0x9c
	.long	0x174
	.uleb128 0x5
	.string	"n"
	.byte	0x1b
	.byte	0x27
	.long	0xc4
	.long	.LLST7
	.long	.LVUS7
	.uleb128 0x3
	.quad	.LVL10
	.long	0x174
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x5
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x31
	.byte	0x1c
	.byte	0
	.byte	0
	.uleb128 0xe
	.long	.LASF4
	.byte	0x1
	.byte	0x15
	.byte	0x1f
	.long	0xc4
	.quad	.LFB3
	.quad	.LFE3-.LFB3
	.uleb128 0x1
	.byte	0x9c
	.long	0x1d7
	.uleb128 0x5
	.string	"n"
	.byte	0x15
	.byte	0x28
	.long	0xc4
	.long	.LLST8
	.long	.LVUS8
	.uleb128 0x2
	.quad	.LVL12
	.long	0x1d7
	.long	0x1bf
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x75
	.sleb128 0
	.byte	0
	.uleb128 0x3
	.quad	.LVL14
	.long	0x12a
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x5
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x31
	.byte	0x1c
	.byte	0
	.byte	0
	.uleb128 0xf
	.long	.LASF8
	.byte	0x1
	.byte	0xb
	.byte	0x20
	.quad	.LFB2
	.quad	.LFE2-.LFB2
	.uleb128 0x1
	.byte	0x9c
	.long	0x291
	.uleb128 0x10
	.string	"n"
	.byte	0x1
	.byte	0xb
	.byte	0x2a
	.long	0x291
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x11
	.quad	.LBB13
	.quad	.LBE13-.LBB13
	.uleb128 0x12
	.string	"i"
	.byte	0x1
	.byte	0xd
	.byte	0xc
	.long	0x291
	.long	.LLST0
	.long	.LVUS0
	.uleb128 0x8
	.long	0x297
	.quad	.LBI14
	.byte	.LVU9
	.long	.LLRL1
	.byte	0xe
	.byte	0xa
	.uleb128 0x6
	.long	0x2a8
	.long	.LLST2
	.long	.LVUS2
	.uleb128 0x13
	.long	0x2b3
	.quad	.LBI15
	.byte	.LVU11
	.long	.LLRL3
	.byte	0x1
	.byte	0x8
	.byte	0x9
	.long	0x26c
	.uleb128 0x6
	.long	0x2c0
	.long	.LLST4
	.long	.LVUS4
	.byte	0
	.uleb128 0x8
	.long	0x2b3
	.quad	.LBI21
	.byte	.LVU19
	.long	.LLRL5
	.byte	0x8
	.byte	0x9
	.uleb128 0x6
	.long	0x2c0
	.long	.LLST6
	.long	.LVUS6
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.uleb128 0x7
	.byte	0x5
	.long	.LASF6
	.uleb128 0x14
	.long	.LASF9
	.byte	0x1
	.byte	0x6
	.byte	0x3c
	.long	0x44
	.byte	0x3
	.long	0x2b3
	.uleb128 0x9
	.string	"x"
	.byte	0x1
	.byte	0x6
	.byte	0x50
	.long	0x44
	.byte	0
	.uleb128 0x15
	.string	"mix"
	.byte	0x2
	.byte	0x2
	.byte	0x3c
	.long	0x44
	.byte	0x3
	.uleb128 0x9
	.string	"x"
	.byte	0x2
	.byte	0x2
	.byte	0x4e
	.long	0x44
	.byte	0
	.byte	0
	.section	.debug_abbrev,"",@progbits
.Ldebug_abbrev0:
	.uleb128 0x1
	.uleb128 0x49
	.byte	0
	.uleb128 0x2
	.uleb128 0x18
	.uleb128 0x7e
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x2
	.uleb128 0x48
	.byte	0x1
	.uleb128 0x7d
	.uleb128 0x1
	.uleb128 0x7f
	.uleb128 0x13
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x3
	.uleb128 0x48
	.byte	0x1
	.uleb128 0x7d
	.uleb128 0x1
	.uleb128 0x7f
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x4
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x5
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x6
	.uleb128 0x5
	.byte	0
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x7
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0x21
	.sleb128 8
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0xe
	.byte	0
	.byte	0
	.uleb128 0x8
	.uleb128 0x1d
	.byte	0x1
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x52
	.uleb128 0x1
	.uleb128 0x2138
	.uleb128 0xb
	.uleb128 0x55
	.uleb128 0x17
	.uleb128 0x58
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x59
	.uleb128 0xb
	.uleb128 0x57
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0x9
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xa
	.uleb128 0x11
	.byte	0x1
	.uleb128 0x25
	.uleb128 0xe
	.uleb128 0x13
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x1f
	.uleb128 0x1b
	.uleb128 0x1f
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x10
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0xb
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0xc
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0xd
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x8
	.byte	0
	.byte	0
	.uleb128 0xe
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xf
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x10
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x11
	.uleb128 0xb
	.byte	0x1
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.byte	0
	.byte	0
	.uleb128 0x12
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x13
	.uleb128 0x1d
	.byte	0x1
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x52
	.uleb128 0x1
	.uleb128 0x2138
	.uleb128 0xb
	.uleb128 0x55
	.uleb128 0x17
	.uleb128 0x58
	.uleb128 0xb
	.uleb128 0x59
	.uleb128 0xb
	.uleb128 0x57
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x14
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x20
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x15
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x20
	.uleb128 0xb
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_loclists,"",@progbits
	.long	.Ldebug_loc3-.Ldebug_loc2
.Ldebug_loc2:
	.value	0x5
	.byte	0x8
	.byte	0
	.long	0
.Ldebug_loc0:
.LVUS10:
	.uleb128 0
	.uleb128 .LVU78
	.uleb128 .LVU78
	.uleb128 .LVU82
	.uleb128 .LVU82
	.uleb128 0
.LLST10:
	.byte	0x4
	.uleb128 .LVL20-.Ltext0
	.uleb128 .LVL22-1-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL22-1-.Ltext0
	.uleb128 .LVL24-.Ltext0
	.uleb128 0x1
	.byte	0x53
	.byte	0x4
	.uleb128 .LVL24-.Ltext0
	.uleb128 .LFE6-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS9:
	.uleb128 0
	.uleb128 .LVU64
	.uleb128 .LVU64
	.uleb128 .LVU65
	.uleb128 .LVU65
	.uleb128 .LVU69
	.uleb128 .LVU69
	.uleb128 0
.LLST9:
	.byte	0x4
	.uleb128 .LVL15-.Ltext0
	.uleb128 .LVL16-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL16-.Ltext0
	.uleb128 .LVL17-1-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0x4
	.uleb128 .LVL17-1-.Ltext0
	.uleb128 .LVL19-.Ltext0
	.uleb128 0x1
	.byte	0x53
	.byte	0x4
	.uleb128 .LVL19-.Ltext0
	.uleb128 .LFE5-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS7:
	.uleb128 0
	.uleb128 .LVU39
	.uleb128 .LVU39
	.uleb128 .LVU40
	.uleb128 .LVU40
	.uleb128 0
.LLST7:
	.byte	0x4
	.uleb128 .LVL8-.Ltext0
	.uleb128 .LVL9-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL9-.Ltext0
	.uleb128 .LVL10-1-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0x4
	.uleb128 .LVL10-1-.Ltext0
	.uleb128 .LFE4-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS8:
	.uleb128 0
	.uleb128 .LVU53
	.uleb128 .LVU53
	.uleb128 .LVU54
	.uleb128 .LVU54
	.uleb128 0
.LLST8:
	.byte	0x4
	.uleb128 .LVL11-.Ltext0
	.uleb128 .LVL13-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL13-.Ltext0
	.uleb128 .LVL14-1-.Ltext0
	.uleb128 0x1
	.byte	0x58
	.byte	0x4
	.uleb128 .LVL14-1-.Ltext0
	.uleb128 .LFE3-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS0:
	.uleb128 .LVU3
	.uleb128 .LVU6
	.uleb128 .LVU6
	.uleb128 .LVU15
	.uleb128 .LVU15
	.uleb128 .LVU29
	.uleb128 .LVU29
	.uleb128 .LVU30
.LLST0:
	.byte	0x4
	.uleb128 .LVL0-.Ltext0
	.uleb128 .LVL1-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL1-.Ltext0
	.uleb128 .LVL3-.Ltext0
	.uleb128 0x1
	.byte	0x52
	.byte	0x4
	.uleb128 .LVL3-.Ltext0
	.uleb128 .LVL6-.Ltext0
	.uleb128 0x3
	.byte	0x72
	.sleb128 -1
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL6-.Ltext0
	.uleb128 .LVL7-.Ltext0
	.uleb128 0x1
	.byte	0x52
	.byte	0
.LVUS2:
	.uleb128 .LVU9
	.uleb128 .LVU22
.LLST2:
	.byte	0x4
	.uleb128 .LVL2-.Ltext0
	.uleb128 .LVL5-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0
.LVUS4:
	.uleb128 .LVU11
	.uleb128 .LVU13
	.uleb128 .LVU13
	.uleb128 .LVU17
	.uleb128 .LVU17
	.uleb128 .LVU18
.LLST4:
	.byte	0x4
	.uleb128 .LVL2-.Ltext0
	.uleb128 .LVL2-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0x4
	.uleb128 .LVL2-.Ltext0
	.uleb128 .LVL4-.Ltext0
	.uleb128 0x8
	.byte	0x70
	.sleb128 0
	.byte	0x3c
	.byte	0x25
	.byte	0x70
	.sleb128 0
	.byte	0x27
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL4-.Ltext0
	.uleb128 .LVL5-.Ltext0
	.uleb128 0x1
	.byte	0x51
	.byte	0
.LVUS6:
	.uleb128 .LVU18
	.uleb128 .LVU21
	.uleb128 .LVU21
	.uleb128 .LVU22
.LLST6:
	.byte	0x4
	.uleb128 .LVL5-.Ltext0
	.uleb128 .LVL5-.Ltext0
	.uleb128 0x1
	.byte	0x51
	.byte	0x4
	.uleb128 .LVL5-.Ltext0
	.uleb128 .LVL5-.Ltext0
	.uleb128 0x8
	.byte	0x71
	.sleb128 0
	.byte	0x3c
	.byte	0x25
	.byte	0x71
	.sleb128 0
	.byte	0x27
	.byte	0x9f
	.byte	0
.Ldebug_loc3:
	.section	.debug_aranges,"",@progbits
	.long	0x2c
	.value	0x2
	.long	.Ldebug_info0
	.byte	0x8
	.byte	0
	.value	0
	.value	0
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.quad	0
	.quad	0
	.section	.debug_rnglists,"",@progbits
.Ldebug_ranges0:
	.long	.Ldebug_ranges3-.Ldebug_ranges2
.Ldebug_ranges2:
	.value	0x5
	.byte	0x8
	.byte	0
	.long	0
.LLRL1:
	.byte	0x4
	.uleb128 .LBB14-.Ltext0
	.uleb128 .LBE14-.Ltext0
	.byte	0x4
	.uleb128 .LBB25-.Ltext0
	.uleb128 .LBE25-.Ltext0
	.byte	0x4
	.uleb128 .LBB26-.Ltext0
	.uleb128 .LBE26-.Ltext0
	.byte	0x4
	.uleb128 .LBB27-.Ltext0
	.uleb128 .LBE27-.Ltext0
	.byte	0
.LLRL3:
	.byte	0x4
	.uleb128 .LBB15-.Ltext0
	.uleb128 .LBE15-.Ltext0
	.byte	0x4
	.uleb128 .LBB19-.Ltext0
	.uleb128 .LBE19-.Ltext0
	.byte	0x4
	.uleb128 .LBB20-.Ltext0
	.uleb128 .LBE20-.Ltext0
	.byte	0
.LLRL5:
	.byte	0x4
	.uleb128 .LBB21-.Ltext0
	.uleb128 .LBE21-.Ltext0
	.byte	0x4
	.uleb128 .LBB24-.Ltext0
	.uleb128 .LBE24-.Ltext0
	.byte	0
.Ldebug_ranges3:
	.section	.debug_line,"",@progbits
.Ldebug_line0:
	.section	.debug_str,"MS",@progbits,1
.LASF2:
	.string	"long unsigned int"
.LASF8:
	.string	"step"
.LASF9:
	.string	"twice"
.LASF7:
	.string	"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fPIC -fno-optimize-sibling-calls -fcf-protection=none -fno-asynchronous-unwind-tables -fno-exceptions -fvisibility=hidden"
.LASF6:
	.string	"long int"
.LASF4:
	.string	"even"
.LASF3:
	.string	"argc"
.LASF5:
	.string	"sink"
	.section	.debug_line_str,"MS",@progbits,1
.LASF0:
	.string	"work.c"
.LASF1:
	.string	"/src"
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
