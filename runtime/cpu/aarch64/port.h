/* AArch64, AAPCS64: see port.h in the folder above. */
#ifndef RUNTIME_CPU_AARCH64_PORT_H
#define RUNTIME_CPU_AARCH64_PORT_H

#include <linux/audit.h>
#include <stdint.h>

#define CSPROF_CPU_AUDIT AUDIT_ARCH_AARCH64
#define CSPROF_CPU_UNWIND "_ULaarch64_"
enum { CSPROF_CPU_CURSOR = 4096, CSPROF_UNWIND_SP = 31, CSPROF_UNWIND_IP = 32 };

/* DWARF register numbers (DWARF for the Arm 64-bit Architecture, 4.1). */
enum {
	CSPROF_REG_FP = 29,
	CSPROF_REG_SP = 31,
	CSPROF_REG_RETURN = 30,
	CSPROF_CPU_REGS = 31,
	CSPROF_CFI_REGS = 32,
	CSPROF_RED_ZONE = 0, /* AAPCS64, 6.4.5 */
	CSPROF_CONTINUES_CALLS = 0,
	CSPROF_RETURN_SLOT = 0
};

/* x19-x28 */
#define CSPROF_CALLEE_SAVED UINT32_C(0x1ff80000)

/* Remove the pointer authentication code: xpaclri, which older CPUs execute as a nop. */
static inline uintptr_t csprof_code_address(uintptr_t ip)
{
	register uintptr_t x30 __asm__("x30") = ip;
	__asm__("hint #7" : "+r"(x30));
	return x30;
}

static inline long csprof_raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b,
			 x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e,
			 x5 __asm__("x5") = f;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

/* As for x86-64. */
enum { CSPROF_DTV = 0, CSPROF_TLS_BELOW = 0 };
static inline uintptr_t csprof_thread_pointer(void)
{
	uintptr_t p;
	__asm__("mrs %0, tpidr_el0" : "=r"(p));
	return p;
}

/* Relocations of words with the address of an imported function: R_AARCH64_JUMP_SLOT, and
 * R_AARCH64_GLOB_DAT (elf.h). */
enum { CSPROF_RELOC_SLOT = 1026, CSPROF_RELOC_DATA = 1025 };

#endif
