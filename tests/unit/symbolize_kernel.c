/* The names of what the kernel did. */
#include "formats/identity/kernel.h"
#include "symbolize/symbolize.h"
#include "tests/lib/unit/cmocka_all.h"

#include <elf.h>
#include <stdlib.h>

static void test_names(void **state)
{
	static const struct {
		unsigned machine, activity;
		const char *name;
	} cases[] = {
	    {EM_X86_64, 0, "[kernel] read"},
	    {EM_X86_64, 202, "[kernel] futex"},
	    {EM_X86_64, 231, "[kernel] exit_group"},
	    {EM_X86_64, 334, "[kernel] rseq"},
	    {EM_X86_64, 335, "[kernel] system call 335"},
	    {EM_X86_64, 423, "[kernel] system call 423"},
	    {EM_X86_64, 424, "[kernel] pidfd_send_signal"},
	    {EM_X86_64, 435, "[kernel] clone3"},
	    {EM_X86_64, 469, "[kernel] file_setattr"},
	    {EM_X86_64, 470, "[kernel] system call 470"},
	    {EM_X86_64, 4095, "[kernel] system call 4095"},
	    {EM_X86_64, CSP_KERNEL_CALL - 1, "[kernel] system call 32767"},
	    {EM_X86_64, 0x1000, "[kernel] read file"},
	    {EM_X86_64, 0x3001, "[kernel] write pipe"},
	    {EM_X86_64, 0x6000, "[kernel] read event"},
	    {EM_X86_64, 0x2fff, "[kernel] system call 4095 socket"},
	    {EM_X86_64, CSP_KERNEL_STOP, "[kernel] stopped"},
	    {EM_X86_64, CSP_KERNEL_STOP + 1, "[kernel] system call 32771"},
	    {EM_AARCH64, 0x203f, "[kernel] read socket"},
	    {EM_X86_64, CSP_KERNEL_CALL, "[kernel] system call"},
	    {EM_X86_64, CSP_KERNEL_FAULT, "[kernel] page fault"},
	    {EM_AARCH64, 0, "[kernel] io_setup"},
	    {EM_AARCH64, 63, "[kernel] read"},
	    {EM_AARCH64, 79, "[kernel] newfstatat"},
	    {EM_AARCH64, 98, "[kernel] futex"},
	    {EM_AARCH64, 244, "[kernel] system call 244"},
	    {EM_AARCH64, 260, "[kernel] wait4"},
	    {EM_AARCH64, 435, "[kernel] clone3"},
	    {EM_AARCH64, CSP_KERNEL_FAULT, "[kernel] page fault"},
	    {EM_RISCV, 63, "[kernel] system call 63"}, /* its table is not here */
	    {EM_RISCV, 450, "[kernel] set_mempolicy_home_node"},
	};
	struct symbolizer *s = symbolizer_create(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t address = CSP_KERNEL_BASE +
				   ((uint64_t)cases[i].machine << CSP_KERNEL_SHIFT) +
				   cases[i].activity;
		struct symbolize_request q = {
		    .name = CSP_MODULE_KERNEL, .addresses = &address, .num_addresses = 1};
		struct symbol_table t;
		struct error why;
		assert_int_equal(symbolize_module(s, &q, &t, &why), 0);
		assert_int_equal(t.first[1], 1);
		assert_string_equal(t.frames[0].function->name, cases[i].name);
		assert_int_equal(t.frames[0].line, 0);
		assert_int_equal(why.kind, ERROR_NONE);
		symbol_table_free(&t);
	}
	symbolizer_destroy(s);
}

/* A file with that name is not the kernel. */
static void test_file(void **state)
{
	uint64_t address = CSP_KERNEL_BASE;
	struct symbolize_request q = {.path = "/nowhere/[kernel]",
				      .name = CSP_MODULE_KERNEL,
				      .addresses = &address,
				      .num_addresses = 1};
	struct symbolizer *s = symbolizer_create(NULL);
	struct symbol_table t;

	(void)state;
	assert_int_equal(symbolize_module(s, &q, &t, NULL), 0);
	assert_string_equal(t.frames[0].function->name, "[kernel]+0x3ff0000000000000");
	symbol_table_free(&t);
	symbolizer_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),
					   cmocka_unit_test(test_file)};

	return cmocka_run_group_tests_name("symbolize_kernel", tests, NULL, NULL);
}
