/* Whether a program would run with a shadow stack, from made-up executables and lists of CPUs. */
#include "runtime/launcher/hardening.h"
#include "tests/lib/unit/cmocka_all.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WITH "processor\t: 0\nflags\t\t: fpu user_shstk sse2\n"
#define WITHOUT "processor\t: 0\nflags\t\t: fpu not_user_shstk user_shstk2\nbugs\t: user_shstk\n"

struct program {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Nhdr note;
	char name[4];
	uint32_t first[4], second[4]; /* properties: type, size, value, padding */
};

static struct program program(uint32_t features)
{
	struct program p = {
	    .header = {.e_machine = EM_X86_64,
		       .e_phoff = offsetof(struct program, segment),
		       .e_phentsize = sizeof(Elf64_Phdr),
		       .e_phnum = 1},
	    .segment = {.p_type = PT_GNU_PROPERTY, .p_offset = offsetof(struct program, note)},
	    .note = {.n_namesz = 4,
		     .n_descsz = sizeof p.first + sizeof p.second,
		     .n_type = NT_GNU_PROPERTY_TYPE_0},
	    .name = "GNU",
	    .first = {0xc0008002, 4, 1, 0},
	    .second = {GNU_PROPERTY_X86_FEATURE_1_AND, 4, features, 0}};
	memcpy(p.header.e_ident, ELFMAG, SELFMAG);
	p.segment.p_filesz = sizeof p - p.segment.p_offset;
	return p;
}

static const char *written(char *path, const void *bytes, size_t n)
{
	int fd = mkstemp(strcpy(path, "/tmp/hpchardening.XXXXXX"));

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
	return path;
}

static bool loses(const struct program *p, size_t n, const char *cpus, const char *libc)
{
	char a[40], b[40];
	bool result =
	    launch_loses_shadow_stack(written(a, p, n), written(b, cpus, strlen(cpus)), libc);

	unlink(a);
	unlink(b);
	return result;
}

static void test_shadow_stacks(void **state)
{
	(void)state;
	struct program both = program(3), branches = program(1), damaged = program(3);

	assert_true(loses(&both, sizeof both, WITH, "2.39"));
	assert_true(loses(&both, sizeof both, WITH, "3.0"));
	assert_false(loses(&both, sizeof both, WITH, "2.38"));
	assert_false(loses(&both, sizeof both, WITH, "?"));
	assert_false(loses(&both, sizeof both, WITHOUT, "2.39"));
	assert_false(loses(&both, sizeof both, "", "2.39"));
	assert_false(loses(&branches, sizeof branches, WITH, "2.39"));
	for (size_t n = 0; n < sizeof both; n++)
		loses(&both, n, WITH, "2.39");
	damaged.first[1] = UINT32_MAX; /* longer than the note */
	assert_false(loses(&damaged, sizeof damaged, WITH, "2.39"));
	damaged = program(3);
	damaged.note.n_descsz = UINT32_MAX;
	assert_false(loses(&damaged, sizeof damaged, WITH, "2.39"));
	assert_false(launch_loses_shadow_stack("/nowhere", "/nowhere", "2.39"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_shadow_stacks)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
