/*
 * What the decoder of x86-64 instructions says of all code of some libraries, beside Capstone; and
 * of instructions that are rare there, or that Capstone describes wrongly.
 */
#include <capstone/capstone.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "runtime/cpu/x86_64/decode.h"
#include "tests/lib/unit/cmocka_all.h"

enum { NO = CSPROF_INSN_NONE, READ = CSPROF_INSN_READS, WRITE = CSPROF_INSN_WRITES, BOTH = 3 };
enum { MOST_COMPLAINTS = 20 };

static unsigned long compared, complaints;

static void complain(const char *what, const cs_insn *in, const struct csprof_insn *i)
{
	if (complaints++ >= MOST_COMPLAINTS)
		return;
	fprintf(stderr, "# %s: %s %s:", what, in->mnemonic, in->op_str);
	for (int k = 0; k < in->size; k++)
		fprintf(stderr, " %02x", in->bytes[k]);
	fprintf(stderr,
		": length %d, dests %d (%d %d) of %d bytes, access %d of %d bytes at %d + "
		"%d * %d + %d\n",
		i->length, i->dests, i->dest[0], i->dest[1], i->dest_bytes, i->access, i->bytes,
		i->base, i->index, i->scale, i->offset);
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strncmp(name, *names, strlen(*names)) == 0)
			return true;
	return false;
}

/* Capstone's name of a register as a number of struct csprof_insn. */
static unsigned number_of(x86_reg reg)
{
#define ROW(q, d, w, b)                                                                            \
	{                                                                                          \
		X86_REG_##q, X86_REG_##d, X86_REG_##w, X86_REG_##b                                 \
	}
	static const x86_reg names[][4] = {
	    ROW(RAX, EAX, AX, AL),      ROW(RCX, ECX, CX, CL),      ROW(RDX, EDX, DX, DL),
	    ROW(RBX, EBX, BX, BL),      ROW(RSP, ESP, SP, SPL),     ROW(RBP, EBP, BP, BPL),
	    ROW(RSI, ESI, SI, SIL),     ROW(RDI, EDI, DI, DIL),     ROW(R8, R8D, R8W, R8B),
	    ROW(R9, R9D, R9W, R9B),     ROW(R10, R10D, R10W, R10B), ROW(R11, R11D, R11W, R11B),
	    ROW(R12, R12D, R12W, R12B), ROW(R13, R13D, R13W, R13B), ROW(R14, R14D, R14W, R14B),
	    ROW(R15, R15D, R15W, R15B)};
#undef ROW
	for (unsigned i = 0; i < 16; i++)
		for (int k = 0; k < 4; k++)
			if (names[i][k] == reg)
				return i;
	if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM15)
		return CSPROF_INSN_VECTORS + (reg - X86_REG_XMM0);
	if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM15)
		return CSPROF_INSN_VECTORS + (reg - X86_REG_YMM0);
	return NO;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* How the memory operand is used. Capstone takes test for a write, and stores of vectors and flags
 * for reads; of what has no value of interest our decoder says nothing. */
static int access_of(const cs_insn *in, const cs_x86_op *op)
{
	static const char *const nothing[] = {
	    "f",    "prefetch", "ldmxcsr", "stmxcsr", "vldmxcsr", "vstmxcsr", "rep",
	    "stos", "scas",     "lods",    "nop",     "lea",      NULL};
	static const char *const stores[] = {"mov",   "vmov",   "set", "vextract",
					     "pextr", "vpextr", NULL};
	const cs_x86 *x = &in->detail->x86;
	bool first = op == &x->operands[0];
	bool string = x->operands[0].type == X86_OP_MEM && x->operands[1].type == X86_OP_MEM;
	if ((x->op_count == 2 && string) || is_one_of(in->mnemonic, nothing))
		return 0;
	if (in->id == X86_INS_TEST)
		return READ;
	if (in->id == X86_INS_CMPXCHG)
		return BOTH;
	if (first && is_one_of(in->mnemonic, stores))
		return WRITE;
	return (op->access & CS_AC_READ ? READ : 0) | (op->access & CS_AC_WRITE ? WRITE : 0);
}

static void compare_memory(const cs_insn *in, const cs_x86_op *op, const struct csprof_insn *i)
{
	/* Capstone gives the size of a vector register */
	static const char *const other_sizes[] = {"comis", "ucomis", "vcomis", "vucomis",
						  "vfm",   "vfnm",   NULL};
	int access = access_of(in, op);
	bool relative = op->mem.base == X86_REG_RIP;
	unsigned base = relative ? NO : number_of(op->mem.base), index = number_of(op->mem.index);
	if ((i->access & BOTH) != access)
		complain("access", in, i);
	if (!access)
		return;
	if (i->bytes != op->size && !is_one_of(in->mnemonic, other_sizes))
		complain("size", in, i);
	if (i->relative != relative || i->base != base)
		complain("base", in, i);
	if (i->index != index || (index != NO && i->scale != op->mem.scale))
		complain("index", in, i);
	if (i->offset != op->mem.disp)
		complain("offset", in, i);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Its result is always the same: that is not recorded. */
static bool is_constant(const cs_insn *in)
{
	static const char *const zeroes[] = {"xor",    "sub",     "pxor", "vpxor", "xorp", "vxorp",
					     "pcmpeq", "vpcmpeq", "psub", "vpsub", NULL};
	const cs_x86 *x = &in->detail->x86;
	const cs_x86_op *last = &x->operands[x->op_count - 1];
	if (in->id == X86_INS_LEA)
		return number_of(x->operands[1].mem.base) == NO &&
		       number_of(x->operands[1].mem.index) == NO;
	if (in->id == X86_INS_MOV || in->id == X86_INS_MOVABS)
		return last->type == X86_OP_IMM;
	return is_one_of(in->mnemonic, zeroes) && last->type == X86_OP_REG &&
	       last->reg == x->operands[x->op_count - 2].reg;
}

/* Half of a vector, flags, or wrong: test writes nothing. */
static bool has_no_value(const cs_insn *in)
{
	static const char *const names[] = {"movhp", "vmovhp", "test", "fnstsw", "vzero", NULL};
	return is_one_of(in->mnemonic, names);
}

static bool writes(const cs_insn *in, unsigned reg)
{
	const cs_x86 *x = &in->detail->x86;
	for (int k = 0; k < x->op_count; k++)
		if (x->operands[k].type == X86_OP_REG && x->operands[k].access & CS_AC_WRITE &&
		    number_of(x->operands[k].reg) == reg)
			return true;
	for (int k = 0; k < in->detail->regs_write_count; k++)
		if (number_of(in->detail->regs_write[k]) == reg)
			return true;
	return in->id == X86_INS_CMPXCHG && reg == 0; /* which Capstone leaves out */
}

static void compare_registers(const cs_insn *in, const struct csprof_insn *i)
{
	const cs_x86 *x = &in->detail->x86;
	for (int k = 0; k < i->dests; k++)
		if (!writes(in, i->dest[k]))
			complain("writes less", in, i);
	if (is_constant(in) || has_no_value(in))
		return;
	for (int k = 0; k < x->op_count; k++) {
		const cs_x86_op *op = &x->operands[k];
		if (op->type != X86_OP_REG || !(op->access & CS_AC_WRITE) ||
		    number_of(op->reg) == NO)
			continue;
		unsigned reg = number_of(op->reg);
		if (reg != i->dest[0] && reg != i->dest[1])
			complain("writes more", in, i);
		else if (reg < CSPROF_INSN_VECTORS && op->size != i->dest_bytes)
			complain("bytes", in, i);
	}
}

/* ---- flow ------------------------------------------------------------------------------------ */

static int flow_of(const cs_insn *in)
{
	bool constant = in->detail->x86.op_count && in->detail->x86.operands[0].type == X86_OP_IMM;
	for (int k = 0; k < in->detail->groups_count; k++) {
		switch (in->detail->groups[k]) {
		case X86_GRP_CALL:
			return constant ? CSPROF_FLOW_CALL : CSPROF_FLOW_INDIRECT;
		case X86_GRP_RET:
			return CSPROF_FLOW_RETURN;
		case X86_GRP_JUMP:
			if (in->id == X86_INS_JMP)
				return constant ? CSPROF_FLOW_JUMP : CSPROF_FLOW_INDIRECT;
			return CSPROF_FLOW_BRANCH;
		}
	}
	return CSPROF_FLOW_NEXT;
}

/* Where the flag of single steps would be seen, or is changed, or the next instruction is another
 * mode's. */
static bool must_stop(const cs_insn *in)
{
	static const char *const names[] = {"syscall", "pushf",    "popf",   "int",  "iret",
					    "hlt",     "xbegin",   "xabort", "xend", "xtest",
					    "retf",    "sysenter", NULL};
	return is_one_of(in->mnemonic, names);
}

static void compare(const cs_insn *in, const struct csprof_insn *i)
{
	bool evex = in->bytes[0] == 0x62;
	if (i->stops != must_stop(in))
		complain("stops", in, i);
	if (i->stops || evex)
		return;
	if (flow_of(in) != i->flow)
		complain("flow", in, i);
	compare_registers(in, i);
	for (int k = 0; k < in->detail->x86.op_count; k++)
		if (in->detail->x86.operands[k].type == X86_OP_MEM)
			compare_memory(in, &in->detail->x86.operands[k], i);
}

static void compare_all(csh capstone, const uint8_t *code, size_t bytes)
{
	cs_insn *in = cs_malloc(capstone);
	while (bytes) {
		struct csprof_insn i;
		bool known = csprof_x86_decode(code, bytes, &i);
		const uint8_t *next = code;
		size_t left = bytes;
		uint64_t address = 0;
		if (!cs_disasm_iter(capstone, &next, &left, &address, in)) {
			code += known ? i.length : 1; /* newer than Capstone, or data */
			bytes -= known ? i.length : 1;
			continue;
		}
		compared++;
		if (!known)
			complain("unknown", in, &i);
		else if (i.length != in->size)
			complain("length", in, &i);
		else
			compare(in, &i);
		code = next;
		bytes = left;
	}
	cs_free(in, 1);
}

static int compare_module(struct dl_phdr_info *info, size_t size, void *capstone)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so") && !strstr(info->dlpi_name, "/libm.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && p->p_flags & PF_X)
			compare_all(*(csh *)capstone,
				    (const uint8_t *)(info->dlpi_addr + p->p_vaddr), p->p_filesz);
	}
	return 0;
}

static void test_code_of_libraries(void **unused)
{
	(void)unused;
	csh capstone;
	assert_non_null(dlopen("libm.so.6", RTLD_NOW));
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &capstone), CS_ERR_OK);
	cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	dl_iterate_phdr(compare_module, &capstone);
	cs_close(&capstone);
	fprintf(stderr, "# %lu instructions compared\n", compared);
	assert_true(compared > 100000);
	assert_int_equal(complaints, 0);
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* In words: length, what it writes, its operand, its memory, its flow. */
static const char *in_words(const uint8_t *code, size_t bytes)
{
	static const char *const flows[] = {"",      " branch",   " jump",
					    " call", " indirect", " return"};
	static char text[200];
	struct csprof_insn i;
	if (!csprof_x86_decode(code, bytes, &i))
		return "unknown";
	int n =
	    snprintf(text, sizeof text, "%d%s%s", i.length, i.stops ? " stops" : "", flows[i.flow]);
	for (int k = 0; k < i.dests; k++)
		n += snprintf(text + n, sizeof text - n, " dest %d/%d", i.dest[k], i.dest_bytes);
	if (i.operand != NO)
		n += snprintf(text + n, sizeof text - n, " by %d/%d", i.operand, i.operand_bytes);
	if (i.operand_in_memory)
		n += snprintf(text + n, sizeof text - n, " by memory/%d", i.operand_bytes);
	if (i.access & BOTH)
		n += snprintf(text + n, sizeof text - n, " %s%s%s/%d segment %d",
			      i.loads ? "load " : "", i.access & READ ? "r" : "",
			      i.access & WRITE ? "w" : "", i.bytes, i.segment);
	if (i.access & CSPROF_INSN_CALLS)
		snprintf(text + n, sizeof text - n, " calls");
	return text;
}

static void test_by_hand(void **unused)
{
	(void)unused;
	static const struct {
		const char *name, *code, *words;
	} rows[] = {
	    {"div rsi", "\x48\xf7\xf6", "3 dest 0/8 dest 2/8 by 6/8"},
	    {"idiv dword [rdi]", "\xf7\x3f", "2 dest 0/4 dest 2/4 by memory/4 r/4 segment 0"},
	    {"imul ecx, edx, 100", "\x6b\xca\x64", "3 dest 1/4 by 2/4"},
	    {"imul eax, [rdi]", "\x0f\xaf\x07", "3 dest 0/4 by memory/4 r/4 segment 0"},
	    {"divsd xmm0, xmm1", "\xf2\x0f\x5e\xc1", "4 dest 16/8 by 17/8"},
	    {"vdivsd xmm0, xmm2, xmm1", "\xc5\xeb\x5e\xc1", "4 dest 16/8 by 17/8"},
	    {"setg [rsp+39]", "\x0f\x9f\x44\x24\x27", "5 w/1 segment 0"},
	    {"mov rax, fs:[0x28]", "\x64\x48\x8b\x04\x25\x28\0\0\0",
	     "9 dest 0/8 load r/8 segment 4"},
	    {"mov eax, gs:[rbx]", "\x65\x8b\x03", "3 dest 0/4 load r/4 segment 5"},
	    {"movss xmm0, [rax]", "\xf3\x0f\x10\x00", "4 dest 16/4 load r/4 segment 0"},
	    {"movdqu [rdi], xmm0", "\xf3\x0f\x7f\x07", "4 w/16 segment 0"},
	    {"mov ah, [rax]", "\x8a\x20", "2 load r/1 segment 0"},
	    {"mov spl, [rax]", "\x40\x8a\x20", "3 dest 4/1 load r/1 segment 0"},
	    {"mov eax, [eax]", "\x67\x8b\x00", "3 dest 0/4"},
	    {"call [rax]", "\xff\x10", "2 indirect r/8 segment 0 calls"},
	    {"jmp rax", "\xff\xe0", "2 indirect"},
	    {"notrack jmp rax", "\x3e\xff\xe0", "3 indirect"},
	    {"bnd ret", "\xf2\xc3", "2 return"},
	    {"loop", "\xe2\xfe", "2 branch"},
	    {"jne far", "\x0f\x85\x10\0\0\0", "6 branch"},
	    {"pushf", "\x9c", "1 stops"},
	    {"popf", "\x9d", "1 stops"},
	    {"iretq", "\x48\xcf", "2 stops"},
	    {"int3", "\xcc", "1 stops"},
	    {"syscall", "\x0f\x05", "2 stops"},
	    {"mov ss, eax", "\x8e\xd0", "2 stops"},
	    {"xbegin", "\xc7\xf8\0\0\0\0", "6 stops"},
	    {"push es (not in 64-bit mode)", "\x06", "unknown"},
	    {"jmp with 66 (CPUs differ)", "\x66\xe9\0\0\0\0", "unknown"},
	    {"xop", "\x8f\xe8\x78\xc0\xc1\x01", "unknown"},
	    {"vaddpd zmm0, zmm1, zmm2", "\x62\xf1\xf5\x48\x58\xc2", "6"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		uint8_t code[15] = {0};
		memcpy(code, rows[k].code, 9);
		if (strcmp(in_words(code, sizeof code), rows[k].words) != 0)
			fail_msg("%s: %s, not %s", rows[k].name, in_words(code, sizeof code),
				 rows[k].words);
	}
}

static void test_refuses_what_is_cut(void **unused)
{
	(void)unused;
	static const uint8_t code[] = {0x48, 0x8b, 0x84, 0x88, 0x10, 0x00, 0x00, 0x00};
	struct csprof_insn i;
	for (size_t most = 0; most < sizeof code; most++) {
		uint8_t *copy = malloc(most ? most : 1);
		memcpy(copy, code, most);
		assert_false(csprof_x86_decode(copy, most, &i));
		free(copy);
	}
	assert_true(csprof_x86_decode(code, sizeof code, &i));
	assert_int_equal(i.length, sizeof code);
	assert_int_equal(i.base, 0);
	assert_int_equal(i.index, 1);
	assert_int_equal(i.scale, 4);
	assert_int_equal(i.offset, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_code_of_libraries),
					   cmocka_unit_test(test_by_hand),
					   cmocka_unit_test(test_refuses_what_is_cut)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
