#include "runtime/cpu/x86_64/step.h"

#include "runtime/cpu/x86_64/decode.h"

#include <string.h>
#include <ucontext.h>

enum { TRAP_FLAG = 0x100 };

static bool is_on(const void *ucontext)
{
	const ucontext_t *u = ucontext;
	return u->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG;
}

static void set(void *ucontext, bool on)
{
	greg_t *flags = &((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_EFL];
	*flags = on ? *flags | TRAP_FLAG : *flags & ~(greg_t)TRAP_FLAG;
}

/* The signal's frame has the vector registers as FXSAVE stores them. */
static uint64_t vector(const ucontext_t *u, uint32_t number)
{
	uint64_t value = 0;
	if (u->uc_mcontext.fpregs)
		memcpy(&value, &u->uc_mcontext.fpregs->_xmm[number], sizeof value);
	return value;
}

static uint64_t value(const void *ucontext, uint32_t reg)
{
	static const uint8_t at[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
				     REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
				     REG_R12, REG_R13, REG_R14, REG_R15};
	const ucontext_t *u = ucontext;
	if (reg >= CSPROF_INSN_REGISTERS)
		return 0;
	return reg < CSPROF_INSN_VECTORS ? (uint64_t)u->uc_mcontext.gregs[at[reg]]
					 : vector(u, reg - CSPROF_INSN_VECTORS);
}

/* The page of old system calls is above, and may be executed only. */
static bool is_readable(uintptr_t pc)
{
	return pc < 1ull << 47;
}

static bool jumps_on(uintptr_t pc)
{
	static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	static const uint8_t jump[] = {0xff, 0x25};                /* jmp *offset(%rip) */
	enum { BND = 0xf2 };
	const uint8_t *code = (const uint8_t *)pc;
	if (memcmp(code, landing, sizeof landing) == 0)
		code += sizeof landing;
	code += *code == BND;
	return memcmp(code, jump, sizeof jump) == 0;
}

const struct csprof_stepping csprof_x86_stepping = {
    .decode = csprof_x86_decode,
    .is_on = is_on,
    .set = set,
    .value = value,
    .arguments = {7, 6, 2, 1, 8, 9},
    .stack_pointer = 4,
    .is_readable = is_readable,
    .jumps_on = jumps_on,
};
