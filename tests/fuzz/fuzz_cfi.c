/*
 * Fuzzes the reading and running of call frame information. The input is a module's .eh_frame_hdr
 * and what follows it, or the instructions of one entry, and the stack.
 *
 *	byte 0    even: the rest is a whole image; odd: instructions
 *	byte 1    where in the code the walk begins
 *	byte 2    bit 0: an interrupted instruction
 *	byte 3    of instructions: how many belong to the common entry
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cpu/cpu.h"

#define HEADER 4
#define STACK_WORDS 64
#define MAX_STEPS 64
#define MAX_INPUT 8192

/* A header with a table of one entry, a common entry and an own entry, without lengths and
 * instructions. Offsets are filled in below. */
static const uint8_t table[20] = {1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 1, 0, 0, 0};
static const uint8_t common[17] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b};

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* Build a module around instructions. Returns its size. */
static size_t build(uint8_t *image, const uint8_t *code, size_t size, size_t shared)
{
	size_t at = sizeof(table), entry;

	shared = shared < size ? shared : size;
	memcpy(image, table, sizeof(table));
	memcpy(image + at, common, sizeof(common));
	put32(image + at, (uint32_t)(sizeof(common) - 4 + shared));
	memcpy(image + at + sizeof(common), code, shared);
	entry = at + sizeof(common) + shared;
	put32(image + 4, (uint32_t)(at - 4));
	put32(image + 12, 0);
	put32(image + 16, (uint32_t)entry);
	put32(image + entry, (uint32_t)(13 + size - shared));
	put32(image + entry + 4, (uint32_t)(entry + 4 - at));
	put32(image + entry + 8, (uint32_t) - (int32_t)(entry + 8)); /* from the module's start */
	put32(image + entry + 12, MAX_INPUT);
	image[entry + 16] = 0;
	memcpy(image + entry + 17, code + shared, size - shared);
	return entry + 17 + size - shared;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static union {
		struct csprof_module_table table;
		char room[sizeof(struct csprof_module_table) + sizeof(struct csprof_module_range)];
	} modules;
	static unsigned generation;
	static uint8_t built[MAX_INPUT + 64];
	uintptr_t *stack = malloc(STACK_WORDS * sizeof(*stack));
	struct csprof_cursor cur = {.known = 0xffff};
	const uint8_t *from = data + HEADER;
	size_t length = size - HEADER;
	uint8_t *image;

	if (size <= HEADER || length > MAX_INPUT || !stack) {
		free(stack);
		return 0;
	}
	if (data[0] & 1) {
		length = build(built, from, length, data[3]);
		from = built;
	}
	/* Exactly this size, so that reads past the end are detected. */
	image = malloc(length);
	if (!image)
		abort();
	memcpy(image, from, length);
	modules.table.count = 1;
	modules.table.range[0] =
	    (struct csprof_module_range){(uintptr_t)image, (uintptr_t)image + length, image};
	csprof_unwind_set_modules(&modules.table);
	csprof_cpu.set_generation(++generation);
	for (unsigned i = 0; i < STACK_WORDS; i++)
		stack[i] = i % 2 ? (uintptr_t)image + (data[i % size] | 1u)
				 : (uintptr_t)(stack + data[i % size] % STACK_WORDS);
	cur.ip = (uintptr_t)image + data[1];
	cur.exact = data[2] & 1;
	cur.sp = (uintptr_t)(stack + 4);
	cur.bp = (uintptr_t)(stack + 12);
	for (unsigned reg = 0; reg < 16; reg++)
		cur.regs[reg] = (uintptr_t)(stack + reg);
	for (int i = 0; i < MAX_STEPS; i++) {
		if (csprof_cpu.step(&cur, (uintptr_t)stack, (uintptr_t)(stack + STACK_WORDS)) !=
		    CSPROF_STEP_OK)
			break;
	}
	csprof_unwind_set_modules(NULL);
	free(image);
	free(stack);
	return 0;
}
