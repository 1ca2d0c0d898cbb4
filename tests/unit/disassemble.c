/* Disassembling machine code, and reading the bytes of procedures. */
#include "hpcprof/correlate/disassemble.h"
#include "symbolize/procedure.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/builders/elfmake.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static void test_instructions(void **state)
{
	(void)state;
	/* push %rbp; call to itself + 0x10; an opcode that is invalid in 64-bit mode; a lone
	 * prefix */
	static const uint8_t code[] = {0x55, 0xe8, 0x0a, 0, 0, 0, 0x06, 0xf0};
	struct disassembler *d = disassembler_create(EM_X86_64, false, NULL);
	struct instruction i = {0};

	assert_non_null(d);
	disassemble(d, code, sizeof code, 0x1000, &i);
	assert_string_equal(i.text, "pushq %rbp");
	assert_int_equal(i.size, 1);
	assert_int_equal(i.target, 0);
	disassemble(d, code + 1, sizeof code - 1, 0x1001, &i);
	assert_int_equal(i.size, 5);
	assert_int_equal(i.target, 0x1010);
	disassemble(d, code + 6, 2, 0x1006, &i);
	assert_string_equal(i.text, ".byte 0x06");
	assert_int_equal(i.size, 1);
	disassemble(d, code + 7, 1, 0x1007, &i);
	assert_string_equal(i.text, ".byte 0xf0");
	disassembler_destroy(d);
}

static void assert_flow(uint16_t machine, const char *bytes, size_t n, enum instruction_flow flow)
{
	struct disassembler *d = disassembler_create(machine, false, NULL);
	struct instruction i = {0};

	assert_non_null(d);
	disassemble(d, (const uint8_t *)bytes, n, 0x1000, &i);
	assert_int_equal(i.size, n);
	if (i.flow != flow)
		fail_msg("%s: %d instead of %d", i.text, (int)i.flow, (int)flow);
	disassembler_destroy(d);
}

static void test_flow(void **state)
{
	(void)state;
#define FLOW(machine, bytes, flow)                                                                 \
	assert_flow(machine, bytes, sizeof(bytes) - 1, INSTRUCTION_##flow)
	FLOW(EM_X86_64, "\x55", NEXT);                                     /* push %rbp */
	FLOW(EM_X86_64, "\xf3\x0f\x1e\xfa", NEXT);                         /* endbr64 */
	FLOW(EM_X86_64, "\x90", PADS);                                     /* nop */
	FLOW(EM_X86_64, "\x66\x90", PADS);                                 /* xchg %ax,%ax */
	FLOW(EM_X86_64, "\x0f\x1f\x44\x00\x00", PADS);                     /* nopl (%rax,%rax) */
	FLOW(EM_X86_64, "\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", PADS); /* cs nopw */
	FLOW(EM_X86_64, "\xcc", PADS);                                     /* int3 */
	FLOW(EM_X86_64, "\x75\x02", BRANCH);                               /* jne */
	FLOW(EM_X86_64, "\xff\xd0", CALL);                                 /* call *%rax */
	FLOW(EM_X86_64, "\xeb\x02", LEAVES);                               /* jmp */
	FLOW(EM_X86_64, "\xff\xe0", LEAVES);                               /* jmp *%rax */
	FLOW(EM_X86_64, "\xc3", LEAVES);                                   /* ret */
	FLOW(EM_X86_64, "\x0f\x0b", LEAVES);                               /* ud2 */
	FLOW(EM_AARCH64, "\xfd\x7b\xbf\xa9", NEXT);                        /* stp */
	FLOW(EM_AARCH64, "\x1f\x20\x03\xd5", PADS);                        /* nop */
	FLOW(EM_AARCH64, "\x41\x00\x00\x54", BRANCH);                      /* b.ne */
	FLOW(EM_AARCH64, "\x02\x00\x00\x14", LEAVES);                      /* b */
	FLOW(EM_AARCH64, "\xc0\x03\x5f\xd6", LEAVES);                      /* ret */
	FLOW(EM_AARCH64, "\x20\x00\x20\xd4", LEAVES);                      /* brk */
#undef FLOW
}

/* Code of memcmp for AVX-512, as objdump reads it. Capstone may know an instruction or not: the
 * next one begins where it begins. */
static void test_vectors(void **state)
{
	(void)state;
	static const uint8_t code[] = {
	    0xc5, 0xfb, 0x92, 0xd1,                               /* kmovd %ecx,%k2 */
	    0x62, 0xe1, 0x7f, 0x2a, 0x6f, 0x16,                   /* vmovdqu8 (%rsi),%ymm18{%k2} */
	    0x62, 0xf3, 0x6d, 0x22, 0x3e, 0x0f, 0x04,             /* vpcmpnequb (%rdi),... */
	    0xc4, 0xe2, 0x78, 0xf5, 0xc1,                         /* bzhi %eax,%ecx,%eax */
	    0x62, 0xf3, 0x6d, 0x22, 0x3e, 0x4c, 0x24, 0x01, 0x04, /* with a SIB byte */
	    0x62, 0xf1, 0xff, 0x08, 0x6f, 0x05, 1,    2,    3,    4,    /* relative to %rip */
	    0x62, 0xf1, 0xff, 0x08, 0x6f, 0x84, 0x24, 1,    2,    3, 4, /* 32 bits more */
	    0xc5, 0xf9, 0x70, 0xc1, 0x03,                               /* vpshufd $3,%xmm1,%xmm0 */
	    0xc3,
	};
	static const uint32_t sizes[] = {4, 6, 7, 5, 9, 10, 11, 5, 1};
	struct disassembler *d = disassembler_create(EM_X86_64, false, NULL);
	struct instruction i = {0};
	size_t at = 0;

	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++, at += i.size) {
		disassemble(d, code + at, sizeof code - at, at, &i);
		assert_int_equal(i.size, sizes[k]);
	}
	assert_int_equal(at, sizeof code);
	disassemble(d, code, 3, 0, &i); /* not all of it is there */
	assert_int_equal(i.size, 1);
	disassembler_destroy(d);
}

static void test_arm(void **state)
{
	(void)state;
	static const uint8_t branch[] = {0x02, 0, 0, 0x94, 0xff};
	struct disassembler *d = disassembler_create(EM_AARCH64, false, NULL);
	struct instruction i = {0};

	assert_non_null(d);
	disassemble(d, branch, 4, 0x1000, &i);
	assert_int_equal(i.size, 4);
	assert_int_equal(i.target, 0x1008);
	disassemble(d, branch + 4, 1, 0x1004, &i);
	assert_string_equal(i.text, ".byte 0xff");
	disassembler_destroy(d);
}

static void test_unknown_machine(void **state)
{
	(void)state;
	struct error e = {0};

	assert_null(disassembler_create(EM_VAX, false, &e));
	assert_int_equal(e.kind, ERROR_USAGE);
	disassembler_destroy(NULL);
}

/* Any bytes: there is always some text, and the address always advances. */
static void test_any_bytes(void **state)
{
	(void)state;
	static const uint16_t machines[] = {EM_X86_64, EM_386, EM_AARCH64};
	uint8_t bytes[4096];
	uint32_t seed = 1;

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
		struct disassembler *d = disassembler_create(machines[m], false, NULL);
		for (size_t at = 0; at < sizeof bytes;) {
			struct instruction i = {0};
			disassemble(d, bytes + at, sizeof bytes - at, at, &i);
			assert_true(i.size > 0 && i.size <= sizeof bytes - at && i.text[0]);
			at += i.size;
		}
		disassembler_destroy(d);
	}
}

static size_t procedures_in(const char *file, const char *build_id, const uint64_t *addresses,
			    size_t n, struct procedures *out)
{
	struct symbolizer *s = symbolizer_create(NULL);
	struct symbolize_request q = {.path = elfmake_path("%s", file),
				      .name = file,
				      .build_id = build_id,
				      .addresses = addresses,
				      .num_addresses = n};
	assert_int_equal(procedures_read(s, &q, out, NULL), 0);
	symbolizer_destroy(s);
	return out->len;
}

static void test_procedures(void **state)
{
	(void)state;
	uint64_t one = elfmake_symbol("p", "one"), two = elfmake_symbol("p", "two");
	uint64_t addresses[] = {one, one + 1, two + 2};
	struct procedures p;

	if (two < one) {
		addresses[0] = two;
		addresses[1] = two + 2;
		addresses[2] = one;
	}
	assert_int_equal(procedures_in("p", NULL, addresses, 3, &p), 2);
	assert_int_equal(p.missed, 0);
	assert_int_equal(p.at[0].low, addresses[0]);
	assert_true(p.at[0].high > p.at[0].low && p.at[0].high <= p.at[1].low);
	procedures_free(&p);
	/* without symbols the unwind tables give the same */
	assert_int_equal(procedures_in("stripped", NULL, addresses, 3, &p), 2);
	assert_int_equal(p.at[0].low, addresses[0]);
	procedures_free(&p);
	addresses[0] = 1;
	assert_int_equal(procedures_in("p", NULL, addresses, 1, &p), 0);
	assert_int_equal(p.missed, 1);
	procedures_free(&p);
	assert_int_equal(procedures_in("p", "00", addresses, 1, &p), 0);
	procedures_free(&p);
	assert_int_equal(procedures_in("none", NULL, addresses, 1, &p), 0);
	procedures_free(&p);
	procedures_free(NULL);
}

static void make_program(void)
{
	elfmake_run("echo '%s' > p.c && cc -O1 -fasynchronous-unwind-tables -o p p.c && "
		    "strip -o stripped p",
		    "volatile int sink;\n"
		    "__attribute__((noinline)) void one(void) { sink++; }\n"
		    "__attribute__((noinline)) void two(void) { sink += 2; one(); sink++; }\n"
		    "int main(void) { two(); return 0; }\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_instructions),
	    cmocka_unit_test(test_arm),
	    cmocka_unit_test(test_flow),
	    cmocka_unit_test(test_vectors),
	    cmocka_unit_test(test_unknown_machine),
	    cmocka_unit_test(test_any_bytes),
	    cmocka_unit_test(test_procedures),
	};
	int failed;

	elfmake_folder();
	make_program();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	elfmake_clean();
	return failed;
}
