#include "symbolize/kernel.h"

#include "formats/identity/kernel.h"
#include "symbolize/kernel_calls.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

bool kernel_is_module(const struct symbolize_request *request)
{
	return !request->path && strcmp(request->name, CSP_MODULE_KERNEL) == 0;
}

/* Copy the word of that number. False if there is none. */
static bool copy_word(char *name, size_t size, const char *words, uint64_t number)
{
	size_t n = strcspn(words, " ");

	for (; number > 0 && *words; number--) {
		words += n + 1;
		n = strcspn(words, " ");
	}
	if (!*words || *words == '-' || n >= size)
		return false;
	memcpy(name, words, n);
	name[n] = '\0';
	return true;
}

static bool call_name(char *name, size_t size, uint64_t machine, uint64_t number)
{
	if (number >= FIRST_COMMON_CALL)
		return copy_word(name, size, common_calls, number - FIRST_COMMON_CALL);
	if (machine == EM_X86_64)
		return copy_word(name, size, x86_64_calls, number);
	return machine == EM_AARCH64 && copy_word(name, size, generic_calls, number);
}

void kernel_name(char name[KERNEL_NAME_BYTES], uint64_t address)
{
	uint64_t activity = address & CSP_KERNEL_ACTIVITY;
	uint64_t machine = (address - CSP_KERNEL_BASE) >> CSP_KERNEL_SHIFT;
	char call[KERNEL_NAME_BYTES / 2];

	if (call_name(call, sizeof call, machine, activity))
		snprintf(name, KERNEL_NAME_BYTES, "%s %s", CSP_MODULE_KERNEL, call);
	else if (activity == CSP_KERNEL_FAULT)
		snprintf(name, KERNEL_NAME_BYTES, "%s page fault", CSP_MODULE_KERNEL);
	else if (activity == CSP_KERNEL_CALL)
		snprintf(name, KERNEL_NAME_BYTES, "%s system call", CSP_MODULE_KERNEL);
	else
		snprintf(name, KERNEL_NAME_BYTES, "%s system call %u", CSP_MODULE_KERNEL,
			 (unsigned)activity);
}
