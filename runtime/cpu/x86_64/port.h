/* x86-64, System V ABI: see port.h in the folder above. */
#ifndef RUNTIME_CPU_X86_64_PORT_H
#define RUNTIME_CPU_X86_64_PORT_H

#include <linux/audit.h>
#include <stdint.h>

#define CSPROF_CPU_AUDIT AUDIT_ARCH_X86_64
#define CSPROF_CPU_UNWIND "_ULx86_64_"
enum { CSPROF_CPU_CURSOR = 127, CSPROF_UNWIND_SP = 7, CSPROF_UNWIND_IP = 16 };

/* DWARF register numbers (System V ABI, figure 3.36). */
enum {
	CSPROF_REG_RBX = 3,
	CSPROF_REG_FP = 6,
	CSPROF_REG_SP = 7,
	CSPROF_REG_R12 = 12,
	CSPROF_REG_RETURN = 16,
	CSPROF_CPU_REGS = 16,
	CSPROF_CFI_REGS = 17,
	CSPROF_RED_ZONE = 128, /* System V ABI, 3.2.2 */
	CSPROF_CONTINUES_CALLS = 1,
	CSPROF_RETURN_SLOT = 1
};

/* rbx and r12-r15 */
#define CSPROF_CALLEE_SAVED ((UINT32_C(1) << CSPROF_REG_RBX) | UINT32_C(0xf000))

static inline uintptr_t csprof_code_address(uintptr_t ip)
{
	return ip;
}

static inline long csprof_raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* The thread pointer; where the address of the dynamic thread vector is from it (glibc's
 * tcbhead_t); and on which side static blocks are. */
enum { CSPROF_DTV = 8, CSPROF_TLS_BELOW = 1 };
static inline uintptr_t csprof_thread_pointer(void)
{
	uintptr_t p;
	__asm__("mov %%fs:0, %0" : "=r"(p));
	return p;
}

/* Relocations of words with the address of an imported function: R_X86_64_JUMP_SLOT, and
 * R_X86_64_GLOB_DAT (elf.h). */
enum { CSPROF_RELOC_SLOT = 7, CSPROF_RELOC_DATA = 6 };

#endif
