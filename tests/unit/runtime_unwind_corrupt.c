/*
 * Unwind information with errors: a copy of the C library's, which is a separate module for the
 * unwinder, is changed at random. No step may fault or hang; it may return anything. Guard pages
 * are after the copy and around the stack.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/cpu/cpu.h"
#include "tests/lib/unit/cmocka_all.h"

#define PAGE 4096u
#define STACK_WORDS 512
#define ROUNDS 6000
#define WALKS 24
#define MAX_STEPS 64
#define SECONDS_ALLOWED 90

static uint8_t *image; /* the copy of the module */
static size_t image_size;
static size_t info_start, info_end; /* its unwind information */
static uintptr_t *stack;            /* STACK_WORDS between guard pages */
static size_t code_start, code_size;
static union {
	struct csprof_module_table table;
	char room[sizeof(struct csprof_module_table) + sizeof(struct csprof_module_range)];
} modules;

/* xorshift64, so that every run makes the same errors. */
static uint64_t random_state = UINT64_C(0x2545f4914f6cdd1d);

static uint64_t draw(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % below;
}

static void *guarded(size_t size)
{
	size_t pages = (size + PAGE - 1) / PAGE * PAGE;
	uint8_t *map =
	    mmap(NULL, pages + 2 * (size_t)PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(map != MAP_FAILED);
	assert_int_equal(mprotect(map + PAGE, pages, PROT_READ | PROT_WRITE), 0);
	return map + PAGE;
}

static int copy_module(struct dl_phdr_info *info, size_t size, void *data)
{
	const uint8_t *base = (const uint8_t *)info->dlpi_addr;

	(void)size;
	(void)data;
	if (!strstr(info->dlpi_name, "libc.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD)
			image_size = (p->p_vaddr + p->p_memsz + PAGE - 1) / PAGE * PAGE;
	}
	image = guarded(image_size);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD)
			memcpy(image + p->p_vaddr, base + p->p_vaddr, p->p_filesz);
		if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			code_start = p->p_vaddr;
			code_size = p->p_memsz;
		}
		if (p->p_type == PT_GNU_EH_FRAME)
			info_start = p->p_vaddr;
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && info_start - p->p_vaddr < p->p_memsz)
			info_end = p->p_vaddr + p->p_memsz;
	}
	return 1;
}

static int setup(void **state)
{
	(void)state;
	if (dl_iterate_phdr(copy_module, NULL) != 1 || info_start == 0 || info_end <= info_start)
		return -1;
	stack = guarded(STACK_WORDS * sizeof(*stack));
	modules.table.count = 1;
	modules.table.range[0] = (struct csprof_module_range){
	    (uintptr_t)image, (uintptr_t)image + image_size, image + info_start};
	csprof_unwind_set_modules(&modules.table);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	csprof_unwind_set_modules(NULL);
	return 0;
}

static uintptr_t some_code(void)
{
	return (uintptr_t)image + code_start + draw(code_size);
}

static uintptr_t some_stack(void)
{
	return (uintptr_t)(stack + draw(STACK_WORDS));
}

static uintptr_t some_word(void)
{
	switch (draw(4)) {
	case 0:
		return some_code();
	case 1:
		return some_stack();
	case 2:
		return draw(UINT64_MAX);
	default:
		return draw(4096);
	}
}

/* Returns whether the first step succeeded. */
static bool walk(uintptr_t pc)
{
	struct csprof_cursor cur = {.ip = pc, .known = 0xffff, .exact = draw(2) != 0};
	uintptr_t low = (uintptr_t)stack, high = (uintptr_t)(stack + STACK_WORDS);
	bool first = false;

	cur.sp = (uintptr_t)(stack + draw(64));
	cur.bp = some_stack();
	for (unsigned reg = 0; reg < 16; reg++)
		cur.regs[reg] = some_word();
	for (int i = 0; i < MAX_STEPS; i++) {
		int rc = csprof_cpu.step(&cur, low, high);

		assert_true(rc >= CSPROF_STEP_BAD && rc <= CSPROF_STEP_OK);
		if (rc != CSPROF_STEP_OK)
			break;
		first = true;
		cur.known = 0xffff;
	}
	return first;
}

static void fill_stack(void)
{
	for (unsigned i = 0; i < STACK_WORDS; i++)
		stack[i] = some_word();
}

/* Without errors the copy must be readable, or the other tests check nothing. */
static void test_copy_is_read(void **state)
{
	unsigned walked = 0;

	(void)state;
	csprof_cpu.set_generation(1);
	for (int i = 0; i < 2000; i++) {
		fill_stack();
		walked += walk(some_code());
	}
	print_message("# %u of 2000 steps from random places succeed\n", walked);
	assert_true(walked > 500);
}

/* Change `errors` bytes between `from` and `to`, walk, and restore them. */
static void strike(size_t from, size_t to, unsigned errors, unsigned *walked)
{
	size_t at[16];
	uint8_t was[16];

	for (unsigned e = 0; e < errors; e++) {
		at[e] = from + draw(to - from);
		was[e] = image[at[e]];
		image[at[e]] = draw(2) ? (uint8_t)draw(256) : (uint8_t)(was[e] ^ 1u << draw(8));
	}
	for (int w = 0; w < WALKS; w++)
		*walked += walk(some_code());
	for (unsigned e = errors; e-- > 0;)
		image[at[e]] = was[e];
}

static void test_errors(void **state)
{
	unsigned generation = 2, walked = 0;

	(void)state;
	alarm(SECONDS_ALLOWED);
	for (int round = 0; round < ROUNDS; round++) {
		fill_stack();
		csprof_cpu.set_generation(++generation);
		/* The header; the start of its table; anywhere, many bytes. */
		strike(info_start, info_start + 12, 1, &walked);
		csprof_cpu.set_generation(++generation);
		strike(info_start, info_start + 4096, 16, &walked);
		csprof_cpu.set_generation(++generation);
		strike(info_start, info_end, 16, &walked);
	}
	alarm(0);
	print_message("# %d walks, %u began\n", 3 * ROUNDS * WALKS, walked);
	assert_true(walked > 0);
}

/* Each entry is overwritten completely: its length, its fields, its program. */
static void test_overwritten_entries(void **state)
{
	uint8_t was[64];
	unsigned generation = 3 * ROUNDS + 2, walked = 0;
	int32_t pair[2];
	uint32_t count;

	(void)state;
	alarm(SECONDS_ALLOWED);
	memcpy(&count, image + info_start + 8, sizeof(count));
	assert_true(count > 1000);
	for (int round = 0; round < ROUNDS * 4; round++) {
		size_t entry = draw(count), at, length = 1 + draw(sizeof(was));

		memcpy(pair, image + info_start + 12 + entry * sizeof(pair), sizeof(pair));
		at = info_start + (size_t)(int64_t)pair[1] + (draw(2) ? 16 : 0);
		if (at + sizeof(was) > info_end)
			continue;
		memcpy(was, image + at, length);
		for (size_t i = 0; i < length; i++)
			image[at + i] = (uint8_t)draw(256);
		fill_stack();
		csprof_cpu.set_generation(++generation);
		for (unsigned pc = 0; pc < 8; pc++)
			walked += walk((uintptr_t)image + info_start +
				       (uintptr_t)(intptr_t)pair[0] + 1 + draw(64));
		memcpy(image + at, was, length);
	}
	alarm(0);
	print_message("# %u walks began\n", walked);
	assert_true(walked > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_copy_is_read),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_overwritten_entries),
	};

	return cmocka_run_group_tests_name("runtime_unwind_corrupt", tests, setup, teardown);
}
