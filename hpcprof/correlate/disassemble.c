#include "hpcprof/correlate/disassemble.h"

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Capstone is loaded when it is needed: its 77,000 relocations take longer than all else that most
 * commands do before they begin. */
static struct {
	typeof(cs_open) *open;
	typeof(cs_option) *option;
	typeof(cs_malloc) *malloc;
	typeof(cs_free) *free;
	typeof(cs_close) *close;
	typeof(cs_insn_group) *insn_group;
	typeof(cs_regs_access) *regs_access;
	typeof(cs_disasm_iter) *disasm_iter;
} capstone;
static char not_loaded[256]; /* why; empty: it is */

#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)
#define FIND(library, name) ((*(void **)&capstone.name = dlsym(library, "cs_" #name)) != NULL)

static void load_capstone(void)
{
	void *c = dlopen("libcapstone.so." TEXT_OF(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);
	const char *why;
	if (c && FIND(c, open) && FIND(c, option) && FIND(c, malloc) && FIND(c, free) &&
	    FIND(c, close) && FIND(c, insn_group) && FIND(c, regs_access) && FIND(c, disasm_iter))
		return;
	why = dlerror();
	snprintf(not_loaded, sizeof not_loaded, "%s", why ? why : "the library lacks a function");
}

struct disassembler {
	csh handle;
	cs_insn *insn;
	uint16_t machine;
	uint32_t step; /* bytes to skip if there is no valid instruction */
};

static const struct machine {
	uint16_t elf;
	cs_arch arch;
	cs_mode mode;
	uint32_t step;
} machines[] = {
    {EM_X86_64, CS_ARCH_X86, CS_MODE_64, 1},
    {EM_386, CS_ARCH_X86, CS_MODE_32, 1},
    {EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM, 4},
};

struct disassembler *disassembler_create(uint16_t machine, bool big, struct error *e)
{
	const struct machine *m = NULL;
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct disassembler *d;
	cs_mode mode;

	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		if (machines[i].elf == machine)
			m = &machines[i];
	if (!m) {
		error_set(e, ERROR_USAGE, "code of ELF machine %u cannot be disassembled", machine);
		return NULL;
	}
	pthread_once(&once, load_capstone);
	if (not_loaded[0]) {
		error_set(e, ERROR_USAGE, "instructions cannot be shown without Capstone: %s",
			  not_loaded);
		return NULL;
	}
	d = calloc(1, sizeof *d);
	mode = m->mode | (big ? CS_MODE_BIG_ENDIAN : 0);
	if (!d || capstone.open(m->arch, mode, &d->handle) != CS_ERR_OK) {
		free(d);
		error_memory(e, sizeof *d);
		return NULL;
	}
	d->machine = machine;
	d->step = m->step;
	/* the syntax of the GNU tools */
	if (m->arch == CS_ARCH_X86)
		capstone.option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	capstone.option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	d->insn = capstone.malloc(d->handle);
	if (!d->insn) {
		disassembler_destroy(d);
		error_memory(e, sizeof *d->insn);
		return NULL;
	}
	return d;
}

void disassembler_destroy(struct disassembler *d)
{
	if (!d)
		return;
	if (d->insn)
		capstone.free(d->insn, 1);
	capstone.close(&d->handle);
	free(d);
}

/* The address in the last operand of a jump or call, or 0. */
static uint64_t target_of(const struct disassembler *d)
{
	const cs_detail *detail = d->insn->detail;

	if (!capstone.insn_group(d->handle, d->insn, CS_GRP_JUMP) &&
	    !capstone.insn_group(d->handle, d->insn, CS_GRP_CALL) &&
	    !capstone.insn_group(d->handle, d->insn, CS_GRP_BRANCH_RELATIVE))
		return 0;
	if (d->machine == EM_AARCH64) {
		const cs_arm64 *a = &detail->arm64;
		const cs_arm64_op *op = a->op_count ? &a->operands[a->op_count - 1] : NULL;
		return op && op->type == ARM64_OP_IMM ? (uint64_t)op->imm : 0;
	}
	if (detail->x86.op_count && detail->x86.operands[0].type == X86_OP_IMM)
		return (uint64_t)detail->x86.operands[0].imm;
	return 0;
}

/* What compilers put where code ends that cannot end. */
static bool fails(const struct disassembler *d)
{
	unsigned id = d->insn->id;

	return d->machine == EM_AARCH64 ? id == ARM64_INS_BRK
					: id == X86_INS_UD2 || id == X86_INS_HLT;
}

/* int3 is what some linkers put between functions. */
static bool pads(const struct disassembler *d)
{
	return d->machine == EM_AARCH64 ? d->insn->id == ARM64_INS_NOP
					: d->insn->id == X86_INS_NOP || d->insn->id == X86_INS_INT3;
}

static enum instruction_flow flow_of(const struct disassembler *d)
{
	bool jumps = capstone.insn_group(d->handle, d->insn, CS_GRP_JUMP);

	if (capstone.insn_group(d->handle, d->insn, CS_GRP_CALL))
		return INSTRUCTION_CALL;
	if (capstone.insn_group(d->handle, d->insn, CS_GRP_RET) ||
	    capstone.insn_group(d->handle, d->insn, CS_GRP_IRET))
		return INSTRUCTION_LEAVES;
	if (fails(d))
		return INSTRUCTION_LEAVES;
	if (!jumps)
		return pads(d) ? INSTRUCTION_PADS : INSTRUCTION_NEXT;
	if (d->machine == EM_AARCH64)
		return d->insn->id == ARM64_INS_B && d->insn->detail->arm64.cc == ARM64_CC_INVALID
			   ? INSTRUCTION_LEAVES
			   : INSTRUCTION_BRANCH;
	return d->insn->id == X86_INS_JMP ? INSTRUCTION_LEAVES : INSTRUCTION_BRANCH;
}

/* The registers of arguments (System V ABI, AMD64 supplement, 3.2.3) among n registers. */
static uint8_t arguments_among(const uint16_t *registers, size_t n)
{
	static const uint16_t arguments[INSTRUCTION_ARGUMENTS][4] = {
	    {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
	    {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
	    {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
	    {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
	    {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
	    {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B}};
	uint8_t mask = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned a = 0; a < INSTRUCTION_ARGUMENTS; a++)
			for (unsigned k = 0; k < 4; k++)
				if (registers[i] == arguments[a][k])
					mask |= (uint8_t)(1u << a);
	return mask;
}

/* xor %edi,%edi reads nothing. */
static bool makes_zero(const struct disassembler *d)
{
	const cs_x86 *x = &d->insn->detail->x86;

	return (d->insn->id == X86_INS_XOR || d->insn->id == X86_INS_SUB) && x->op_count == 2 &&
	       x->operands[0].type == X86_OP_REG && x->operands[1].type == X86_OP_REG &&
	       x->operands[0].reg == x->operands[1].reg;
}

static void find_arguments(const struct disassembler *d, struct instruction *out)
{
	cs_regs reads, writes;
	uint8_t num_reads = 0, num_writes = 0;

	if (d->machine != EM_X86_64 || capstone.regs_access(d->handle, d->insn, reads, &num_reads,
							    writes, &num_writes) != CS_ERR_OK)
		return;
	out->reads = makes_zero(d) ? 0 : arguments_among(reads, num_reads);
	out->writes = arguments_among(writes, num_writes);
}

/* ---- vector instructions that Capstone does not know --------------------------------------
 *
 * What is behind such an instruction would be read from its middle. All with a VEX or EVEX prefix
 * are encoded in the same way (Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 2, 2.3 and 2.7): a prefix that has the opcode's map, an opcode, a ModRM byte with what
 * belongs to it, and an immediate byte in map 3, and with a few opcodes of map 1. */

enum { VEX_2 = 0xc5, VEX_3 = 0xc4, EVEX = 0x62 };

static uint32_t prefix_size(uint8_t first)
{
	return first == VEX_2 ? 2 : first == VEX_3 ? 3 : first == EVEX ? 4 : 0;
}

static bool has_immediate(uint8_t map, uint8_t opcode)
{
	return map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) ||
					 (opcode >= 0xc4 && opcode <= 0xc6) || opcode == 0xc2));
}

/* Of a ModRM byte, and the SIB byte and displacement that it asks for. */
static uint32_t operand_size(const uint8_t *modrm, size_t n)
{
	enum { IN_REGISTER = 3, SIB = 4, BASE_32 = 5, SMALL = 1, LARGE = 4 };
	uint8_t mode = modrm[0] >> 6, base = modrm[0] & 7;
	uint32_t size = 1;

	if (mode == IN_REGISTER)
		return size;
	if (base == SIB) {
		base = n > 1 ? modrm[1] & 7 : 0;
		size++;
	}
	if (mode == 0)
		return size + (base == BASE_32 ? LARGE : 0);
	return size + (mode == 1 ? SMALL : LARGE);
}

/* The size of the vector instruction there; 0: it is none, or not all of it is there. */
static uint32_t vector_size(const struct disassembler *d, const uint8_t *bytes, size_t n)
{
	uint32_t prefix = prefix_size(bytes[0]), size = prefix + 1;
	enum { MAP_3 = 0x1f, MAP_EVEX = 0x07 };

	if (d->machine != EM_X86_64 || !prefix || n <= size)
		return 0;
	uint8_t map = bytes[0] == VEX_2   ? 1
		      : bytes[0] == VEX_3 ? bytes[1] & MAP_3
					  : bytes[1] & MAP_EVEX;
	size += operand_size(bytes + size, n - size) + has_immediate(map, bytes[prefix]);
	return size <= n ? size : 0;
}

void disassemble(struct disassembler *d, const uint8_t *bytes, size_t n, uint64_t address,
		 struct instruction *out)
{
	const uint8_t *at = bytes;
	size_t left = n;
	uint64_t next = address;
	uint32_t step = d->step <= n ? d->step : (uint32_t)n, vector;
	char *to = out->text;

	out->address = address;
	out->target = 0;
	out->flow = INSTRUCTION_NEXT;
	out->reads = out->writes = 0;
	if (capstone.disasm_iter(d->handle, &at, &left, &next, d->insn) && d->insn->size) {
		out->size = d->insn->size;
		out->target = target_of(d);
		out->flow = flow_of(d);
		find_arguments(d, out);
		snprintf(out->text, sizeof out->text, "%s%s%s", d->insn->mnemonic,
			 d->insn->op_str[0] ? " " : "", d->insn->op_str);
		return;
	}
	vector = vector_size(d, bytes, n);
	out->size = step = vector ? vector : step;
	to += sprintf(to, ".byte");
	for (uint32_t i = 0; i < step; i++)
		to += sprintf(to, " 0x%02x", bytes[i]);
}
