# Made from src/list.cc by the command in tests/e2e/outputs.t.
	.file	"list.cc"
	.text
.Ltext0:
	.cfi_sections	.debug_frame
	.file 0 "/src" "list.cc"
	.section	.text._ZNK4list4nodeIlE3sumEi,"axG",@progbits,_ZNK4list4nodeIlE3sumEi,comdat
	.align 2
	.p2align 4
	.weak	_ZNK4list4nodeIlE3sumEi
	.hidden	_ZNK4list4nodeIlE3sumEi
	.type	_ZNK4list4nodeIlE3sumEi, @function
_ZNK4list4nodeIlE3sumEi:
.LVL0:
.LFB3:
	.file 1 "list.cc"
	.loc 1 11 30 view -0
	.cfi_startproc
	.loc 1 11 30 is_stmt 0 view .LVU1
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	.loc 1 13 26 view .LVU2
	movq	(%rdi), %rbx
	.loc 1 13 24 view .LVU3
	testl	%esi, %esi
	je	.L2
	.loc 1 13 19 discriminator 1 view .LVU4
	movq	8(%rdi), %rdi
.LVL1:
	.loc 1 13 16 discriminator 1 view .LVU5
	testq	%rdi, %rdi
	je	.L2
	.loc 1 13 43 discriminator 3 view .LVU6
	subl	$1, %esi
.LVL2:
	.loc 1 13 43 discriminator 3 view .LVU7
	call	_ZNK4list4nodeIlE3sumEi
.LVL3:
	.loc 1 13 24 discriminator 3 view .LVU8
	addq	%rbx, %rax
	.loc 1 14 2 discriminator 3 view .LVU9
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
.LVL4:
	.p2align 4,,10
	.p2align 3
.L2:
	.cfi_restore_state
.LBB6:
.LBI6:
	.file 2 "work.h"
	.loc 2 2 60 is_stmt 1 discriminator 4 view .LVU10
.LBB7:
	.loc 2 4 2 discriminator 4 view .LVU11
	.loc 2 5 2 discriminator 4 view .LVU12
	.loc 2 5 13 is_stmt 0 discriminator 4 view .LVU13
	movabsq	$2685821657736338717, %rdx
	.loc 2 4 9 discriminator 4 view .LVU14
	movq	%rbx, %rax
	shrq	$12, %rax
	.loc 2 4 4 discriminator 4 view .LVU15
	xorq	%rbx, %rax
.LBE7:
.LBE6:
	.loc 1 14 2 discriminator 4 view .LVU16
	popq	%rbx
	.cfi_def_cfa_offset 8
.LBB9:
.LBB8:
	.loc 2 5 13 discriminator 4 view .LVU17
	imulq	%rdx, %rax
.LBE8:
.LBE9:
	.loc 1 14 2 discriminator 4 view .LVU18
	ret
	.cfi_endproc
.LFE3:
	.size	_ZNK4list4nodeIlE3sumEi, .-_ZNK4list4nodeIlE3sumEi
	.section	.text._ZNK4list4nodeIhE3sumEi,"axG",@progbits,_ZNK4list4nodeIhE3sumEi,comdat
	.align 2
	.p2align 4
	.weak	_ZNK4list4nodeIhE3sumEi
	.hidden	_ZNK4list4nodeIhE3sumEi
	.type	_ZNK4list4nodeIhE3sumEi, @function
_ZNK4list4nodeIhE3sumEi:
.LVL5:
.LFB4:
	.loc 1 11 30 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 11 30 is_stmt 0 view .LVU20
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	.loc 1 13 26 view .LVU21
	movzbl	(%rdi), %ebx
	.loc 1 13 66 view .LVU22
	testl	%esi, %esi
	je	.L13
	.loc 1 13 19 discriminator 1 view .LVU23
	movq	8(%rdi), %rdi
.LVL6:
	.loc 1 13 16 discriminator 1 view .LVU24
	testq	%rdi, %rdi
	je	.L13
	.loc 1 13 43 discriminator 3 view .LVU25
	subl	$1, %esi
.LVL7:
	.loc 1 13 43 discriminator 3 view .LVU26
	call	_ZNK4list4nodeIhE3sumEi
.LVL8:
	.loc 1 13 66 discriminator 3 view .LVU27
	addl	%ebx, %eax
	.loc 1 14 2 discriminator 3 view .LVU28
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
.LVL9:
	.p2align 4,,10
	.p2align 3
.L13:
	.cfi_restore_state
.LBB10:
.LBI10:
	.loc 2 2 60 is_stmt 1 discriminator 4 view .LVU29
.LBB11:
	.loc 2 4 2 discriminator 4 view .LVU30
	.loc 2 5 2 discriminator 4 view .LVU31
	.loc 2 5 2 is_stmt 0 discriminator 4 view .LVU32
.LBE11:
.LBE10:
	.loc 1 13 66 discriminator 4 view .LVU33
	movabsq	$2685821657736338717, %rdx
	movl	%ebx, %eax
	.loc 1 14 2 discriminator 4 view .LVU34
	popq	%rbx
	.cfi_def_cfa_offset 8
	.loc 1 13 66 discriminator 4 view .LVU35
	imull	%edx, %eax
	.loc 1 14 2 discriminator 4 view .LVU36
	ret
	.cfi_endproc
.LFE4:
	.size	_ZNK4list4nodeIhE3sumEi, .-_ZNK4list4nodeIhE3sumEi
	.text
	.p2align 4
	.globl	_Z4workRKN4list4nodeIlEEPKNS0_IhEE
	.hidden	_Z4workRKN4list4nodeIlEEPKNS0_IhEE
	.type	_Z4workRKN4list4nodeIlEEPKNS0_IhEE, @function
_Z4workRKN4list4nodeIlEEPKNS0_IhEE:
.LVL10:
.LFB2:
	.loc 1 21 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 22 2 view .LVU38
	.loc 1 21 1 is_stmt 0 view .LVU39
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	pushq	%rbx
	.cfi_def_cfa_offset 24
	.cfi_offset 3, -24
	movq	%rsi, %rbx
	.loc 1 22 19 view .LVU40
	movl	$5, %esi
.LVL11:
	.loc 1 21 1 view .LVU41
	subq	$8, %rsp
	.cfi_def_cfa_offset 32
	.loc 1 22 19 view .LVU42
	call	_ZNK4list4nodeIlE3sumEi
.LVL12:
	.loc 1 22 31 view .LVU43
	movq	%rbx, %rdi
	movl	$6, %esi
	.loc 1 22 19 view .LVU44
	movq	%rax, %rbp
	.loc 1 22 31 view .LVU45
	call	_ZNK4list4nodeIhE3sumEi
.LVL13:
	.loc 1 22 40 view .LVU46
	movl	$7, %edi
	.loc 1 22 31 view .LVU47
	movzbl	%al, %ebx
.LVL14:
	.loc 1 22 40 view .LVU48
	call	run@PLT
.LVL15:
	.loc 1 22 23 view .LVU49
	addl	%ebp, %ebx
	.loc 1 23 1 view .LVU50
	addq	$8, %rsp
	.cfi_def_cfa_offset 24
	.loc 1 22 42 view .LVU51
	addl	%ebx, %eax
	.loc 1 23 1 view .LVU52
	popq	%rbx
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE2:
	.size	_Z4workRKN4list4nodeIlEEPKNS0_IhEE, .-_Z4workRKN4list4nodeIlEEPKNS0_IhEE
.Letext0:
	.section	.debug_info,"",@progbits
.Ldebug_info0:
	.long	0x2e3
	.value	0x5
	.byte	0x1
	.byte	0x8
	.long	.Ldebug_abbrev0
	.uleb128 0x12
	.long	.LASF13
	.byte	0x21
	.long	.LASF0
	.long	.LASF1
	.long	.LLRL9
	.quad	0
	.long	.Ldebug_line0
	.uleb128 0x13
	.long	.LASF14
	.byte	0x1
	.byte	0x6
	.byte	0xb
	.long	0xd3
	.uleb128 0x8
	.long	.LASF4
	.long	0x7f
	.uleb128 0x2
	.long	.LASF2
	.byte	0x9
	.byte	0x4
	.long	0xd3
	.byte	0
	.uleb128 0x2
	.long	.LASF3
	.byte	0xa
	.byte	0x8
	.long	0xda
	.byte	0x8
	.uleb128 0x9
	.string	"sum"
	.long	.LASF6
	.long	0xd3
	.long	0x6c
	.long	0x77
	.uleb128 0xa
	.long	0xdf
	.uleb128 0x5
	.long	0xe9
	.byte	0
	.uleb128 0xb
	.string	"T"
	.long	0xd3
	.byte	0
	.uleb128 0x3
	.long	0x36
	.uleb128 0x8
	.long	.LASF5
	.long	0xcd
	.uleb128 0x2
	.long	.LASF2
	.byte	0x9
	.byte	0x4
	.long	0xf0
	.byte	0
	.uleb128 0x2
	.long	.LASF3
	.byte	0xa
	.byte	0x8
	.long	0xf7
	.byte	0x8
	.uleb128 0x9
	.string	"sum"
	.long	.LASF7
	.long	0xf0
	.long	0xba
	.long	0xc5
	.uleb128 0xa
	.long	0xfc
	.uleb128 0x5
	.long	0xe9
	.byte	0
	.uleb128 0xb
	.string	"T"
	.long	0xf0
	.byte	0
	.uleb128 0x3
	.long	0x84
	.byte	0
	.uleb128 0x6
	.byte	0x8
	.byte	0x5
	.long	.LASF8
	.uleb128 0x4
	.long	0x36
	.uleb128 0x4
	.long	0x7f
	.uleb128 0x3
	.long	0xdf
	.uleb128 0x14
	.byte	0x4
	.byte	0x5
	.string	"int"
	.uleb128 0x6
	.byte	0x1
	.byte	0x8
	.long	.LASF9
	.uleb128 0x4
	.long	0x84
	.uleb128 0x4
	.long	0xcd
	.uleb128 0x3
	.long	0xfc
	.uleb128 0x15
	.string	"run"
	.byte	0x1
	.byte	0x4
	.byte	0x10
	.long	0xe9
	.long	0x11c
	.uleb128 0x5
	.long	0xe9
	.byte	0
	.uleb128 0x16
	.long	.LASF15
	.byte	0x1
	.byte	0x14
	.byte	0x5
	.long	.LASF16
	.long	0xe9
	.quad	.LFB2
	.quad	.LFE2-.LFB2
	.uleb128 0x1
	.byte	0x9c
	.long	0x1b1
	.uleb128 0xc
	.string	"n"
	.byte	0x22
	.long	0x1b1
	.long	.LLST7
	.long	.LVUS7
	.uleb128 0xc
	.string	"m"
	.byte	0x46
	.long	0xfc
	.long	.LLST8
	.long	.LVUS8
	.uleb128 0xd
	.quad	.LVL12
	.long	0x243
	.long	0x180
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x3
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x54
	.uleb128 0x1
	.byte	0x35
	.byte	0
	.uleb128 0xd
	.quad	.LVL13
	.long	0x1b7
	.long	0x19d
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x73
	.sleb128 0
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x54
	.uleb128 0x1
	.byte	0x36
	.byte	0
	.uleb128 0x7
	.quad	.LVL15
	.long	0x106
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x1
	.byte	0x37
	.byte	0
	.byte	0
	.uleb128 0x17
	.byte	0x8
	.long	0x7f
	.uleb128 0xe
	.long	0xa5
	.long	0x1d6
	.quad	.LFB4
	.quad	.LFE4-.LFB4
	.uleb128 0x1
	.byte	0x9c
	.long	0x243
	.uleb128 0xf
	.long	.LASF11
	.long	0x101
	.long	.LLST4
	.long	.LVUS4
	.uleb128 0x10
	.long	.LASF10
	.long	0xe9
	.long	.LLST5
	.long	.LVUS5
	.uleb128 0x18
	.long	0x2c3
	.quad	.LBI10
	.byte	.LVU29
	.quad	.LBB10
	.quad	.LBE10-.LBB10
	.byte	0x1
	.byte	0xd
	.byte	0x3c
	.long	0x22b
	.uleb128 0x11
	.long	0x2d4
	.long	.LLST6
	.long	.LVUS6
	.byte	0
	.uleb128 0x7
	.quad	.LVL8
	.long	0x1b7
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x54
	.uleb128 0x5
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x31
	.byte	0x1c
	.byte	0
	.byte	0
	.uleb128 0xe
	.long	0x57
	.long	0x262
	.quad	.LFB3
	.quad	.LFE3-.LFB3
	.uleb128 0x1
	.byte	0x9c
	.long	0x2c3
	.uleb128 0xf
	.long	.LASF11
	.long	0xe4
	.long	.LLST0
	.long	.LVUS0
	.uleb128 0x10
	.long	.LASF10
	.long	0xe9
	.long	.LLST1
	.long	.LVUS1
	.uleb128 0x19
	.long	0x2c3
	.quad	.LBI6
	.byte	.LVU10
	.long	.LLRL2
	.byte	0x1
	.byte	0xd
	.byte	0x3c
	.long	0x2ab
	.uleb128 0x11
	.long	0x2d4
	.long	.LLST3
	.long	.LVUS3
	.byte	0
	.uleb128 0x7
	.quad	.LVL3
	.long	0x243
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x54
	.uleb128 0x5
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x31
	.byte	0x1c
	.byte	0
	.byte	0
	.uleb128 0x1a
	.string	"mix"
	.byte	0x2
	.byte	0x2
	.byte	0x3c
	.long	0x2df
	.byte	0x3
	.long	0x2df
	.uleb128 0x1b
	.string	"x"
	.byte	0x2
	.byte	0x2
	.byte	0x4e
	.long	0x2df
	.byte	0
	.uleb128 0x6
	.byte	0x8
	.byte	0x7
	.long	.LASF12
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
	.uleb128 0xd
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x38
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0x3
	.uleb128 0x26
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x4
	.uleb128 0xf
	.byte	0
	.uleb128 0xb
	.uleb128 0x21
	.sleb128 8
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x5
	.uleb128 0x5
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x6
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0xe
	.byte	0
	.byte	0
	.uleb128 0x7
	.uleb128 0x48
	.byte	0x1
	.uleb128 0x7d
	.uleb128 0x1
	.uleb128 0x7f
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x8
	.uleb128 0x13
	.byte	0x1
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0xb
	.uleb128 0x21
	.sleb128 16
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0x21
	.sleb128 8
	.uleb128 0x39
	.uleb128 0x21
	.sleb128 30
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x9
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
	.uleb128 0x21
	.sleb128 11
	.uleb128 0x39
	.uleb128 0x21
	.sleb128 30
	.uleb128 0x6e
	.uleb128 0xe
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x3c
	.uleb128 0x19
	.uleb128 0x64
	.uleb128 0x13
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xa
	.uleb128 0x5
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x34
	.uleb128 0x19
	.byte	0
	.byte	0
	.uleb128 0xb
	.uleb128 0x2f
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xc
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0x21
	.sleb128 20
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
	.uleb128 0xe
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x47
	.uleb128 0x13
	.uleb128 0x64
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
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x34
	.uleb128 0x19
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x10
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0x21
	.sleb128 11
	.uleb128 0x39
	.uleb128 0x21
	.sleb128 38
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x11
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
	.uleb128 0x12
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
	.uleb128 0x55
	.uleb128 0x17
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x10
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x13
	.uleb128 0x39
	.byte	0x1
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x14
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
	.uleb128 0x15
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
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
	.uleb128 0x3c
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x16
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
	.uleb128 0x6e
	.uleb128 0xe
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
	.uleb128 0x17
	.uleb128 0x10
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x18
	.uleb128 0x1d
	.byte	0x1
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x52
	.uleb128 0x1
	.uleb128 0x2138
	.uleb128 0xb
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
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
	.uleb128 0x19
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
	.uleb128 0x1a
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
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x20
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x1b
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
	.byte	0
	.section	.debug_loclists,"",@progbits
	.long	.Ldebug_loc3-.Ldebug_loc2
.Ldebug_loc2:
	.value	0x5
	.byte	0x8
	.byte	0
	.long	0
.Ldebug_loc0:
.LVUS7:
	.uleb128 0
	.uleb128 .LVU43
	.uleb128 .LVU43
	.uleb128 0
.LLST7:
	.byte	0x6
	.quad	.LVL10
	.byte	0x4
	.uleb128 .LVL10-.LVL10
	.uleb128 .LVL12-1-.LVL10
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL12-1-.LVL10
	.uleb128 .LFE2-.LVL10
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS8:
	.uleb128 0
	.uleb128 .LVU41
	.uleb128 .LVU41
	.uleb128 .LVU48
	.uleb128 .LVU48
	.uleb128 0
.LLST8:
	.byte	0x6
	.quad	.LVL10
	.byte	0x4
	.uleb128 .LVL10-.LVL10
	.uleb128 .LVL11-.LVL10
	.uleb128 0x1
	.byte	0x54
	.byte	0x4
	.uleb128 .LVL11-.LVL10
	.uleb128 .LVL14-.LVL10
	.uleb128 0x1
	.byte	0x53
	.byte	0x4
	.uleb128 .LVL14-.LVL10
	.uleb128 .LFE2-.LVL10
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0
.LVUS4:
	.uleb128 0
	.uleb128 .LVU24
	.uleb128 .LVU24
	.uleb128 0
.LLST4:
	.byte	0x6
	.quad	.LVL5
	.byte	0x4
	.uleb128 .LVL5-.LVL5
	.uleb128 .LVL6-.LVL5
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL6-.LVL5
	.uleb128 .LFE4-.LVL5
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS5:
	.uleb128 0
	.uleb128 .LVU26
	.uleb128 .LVU26
	.uleb128 .LVU27
	.uleb128 .LVU27
	.uleb128 .LVU29
	.uleb128 .LVU29
	.uleb128 0
.LLST5:
	.byte	0x6
	.quad	.LVL5
	.byte	0x4
	.uleb128 .LVL5-.LVL5
	.uleb128 .LVL7-.LVL5
	.uleb128 0x1
	.byte	0x54
	.byte	0x4
	.uleb128 .LVL7-.LVL5
	.uleb128 .LVL8-1-.LVL5
	.uleb128 0x3
	.byte	0x74
	.sleb128 1
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL8-1-.LVL5
	.uleb128 .LVL9-.LVL5
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL9-.LVL5
	.uleb128 .LFE4-.LVL5
	.uleb128 0x1
	.byte	0x54
	.byte	0
.LVUS6:
	.uleb128 .LVU29
	.uleb128 .LVU32
.LLST6:
	.byte	0x8
	.quad	.LVL9
	.uleb128 .LVL9-.LVL9
	.uleb128 0x6
	.byte	0x73
	.sleb128 0
	.byte	0x8
	.byte	0xff
	.byte	0x1a
	.byte	0x9f
	.byte	0
.LVUS0:
	.uleb128 0
	.uleb128 .LVU5
	.uleb128 .LVU5
	.uleb128 0
.LLST0:
	.byte	0x6
	.quad	.LVL0
	.byte	0x4
	.uleb128 .LVL0-.LVL0
	.uleb128 .LVL1-.LVL0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL1-.LVL0
	.uleb128 .LFE3-.LVL0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS1:
	.uleb128 0
	.uleb128 .LVU7
	.uleb128 .LVU7
	.uleb128 .LVU8
	.uleb128 .LVU8
	.uleb128 .LVU10
	.uleb128 .LVU10
	.uleb128 0
.LLST1:
	.byte	0x6
	.quad	.LVL0
	.byte	0x4
	.uleb128 .LVL0-.LVL0
	.uleb128 .LVL2-.LVL0
	.uleb128 0x1
	.byte	0x54
	.byte	0x4
	.uleb128 .LVL2-.LVL0
	.uleb128 .LVL3-1-.LVL0
	.uleb128 0x3
	.byte	0x74
	.sleb128 1
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL3-1-.LVL0
	.uleb128 .LVL4-.LVL0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL4-.LVL0
	.uleb128 .LFE3-.LVL0
	.uleb128 0x1
	.byte	0x54
	.byte	0
.LVUS3:
	.uleb128 .LVU10
	.uleb128 .LVU12
	.uleb128 .LVU12
	.uleb128 .LVU13
.LLST3:
	.byte	0x8
	.quad	.LVL4
	.uleb128 .LVL4-.LVL4
	.uleb128 0x1
	.byte	0x53
	.byte	0x8
	.quad	.LVL4
	.uleb128 .LVL4-.LVL4
	.uleb128 0x8
	.byte	0x73
	.sleb128 0
	.byte	0x3c
	.byte	0x25
	.byte	0x73
	.sleb128 0
	.byte	0x27
	.byte	0x9f
	.byte	0
.Ldebug_loc3:
	.section	.debug_aranges,"",@progbits
	.long	0x4c
	.value	0x2
	.long	.Ldebug_info0
	.byte	0x8
	.byte	0
	.value	0
	.value	0
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.quad	.LFB3
	.quad	.LFE3-.LFB3
	.quad	.LFB4
	.quad	.LFE4-.LFB4
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
.LLRL2:
	.byte	0x5
	.quad	.LBB6
	.byte	0x4
	.uleb128 .LBB6-.LBB6
	.uleb128 .LBE6-.LBB6
	.byte	0x4
	.uleb128 .LBB9-.LBB6
	.uleb128 .LBE9-.LBB6
	.byte	0
.LLRL9:
	.byte	0x7
	.quad	.Ltext0
	.uleb128 .Letext0-.Ltext0
	.byte	0x7
	.quad	.LFB3
	.uleb128 .LFE3-.LFB3
	.byte	0x7
	.quad	.LFB4
	.uleb128 .LFE4-.LFB4
	.byte	0
.Ldebug_ranges3:
	.section	.debug_line,"",@progbits
.Ldebug_line0:
	.section	.debug_str,"MS",@progbits,1
.LASF5:
	.string	"node<unsigned char>"
.LASF12:
	.string	"long unsigned int"
.LASF6:
	.string	"_ZNK4list4nodeIlE3sumEi"
.LASF16:
	.string	"_Z4workRKN4list4nodeIlEEPKNS0_IhEE"
.LASF7:
	.string	"_ZNK4list4nodeIhE3sumEi"
.LASF13:
	.string	"GNU C++17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fPIC -fno-optimize-sibling-calls -fcf-protection=none -fno-asynchronous-unwind-tables -fno-exceptions -fvisibility=hidden"
.LASF11:
	.string	"this"
.LASF2:
	.string	"value"
.LASF15:
	.string	"work"
.LASF3:
	.string	"next"
.LASF9:
	.string	"unsigned char"
.LASF8:
	.string	"long int"
.LASF10:
	.string	"depth"
.LASF4:
	.string	"node<long int>"
.LASF14:
	.string	"list"
	.section	.debug_line_str,"MS",@progbits,1
.LASF1:
	.string	"/src"
.LASF0:
	.string	"list.cc"
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
