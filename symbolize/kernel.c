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

/* " pipe", or "". */
static const char *descriptor_text(uint64_t activity)
{
	static const char *const texts[CSP_DESCRIPTORS] = {
	    "", " file", " socket", " pipe", " terminal", " device", " event"};
	uint64_t descriptor = activity >> CSP_KERNEL_DESCRIPTOR;

	return descriptor < CSP_DESCRIPTORS ? texts[descriptor] : "";
}

void kernel_name(char name[KERNEL_NAME_BYTES], uint64_t address)
{
	uint64_t activity = address & CSP_KERNEL_ACTIVITY;
	uint64_t machine = (address - CSP_KERNEL_BASE) >> CSP_KERNEL_SHIFT;
	uint64_t number = activity & ((1 << CSP_KERNEL_DESCRIPTOR) - 1);
	const char *descriptor = descriptor_text(activity);
	char call[KERNEL_NAME_BYTES / 2];

	if ((descriptor[0] || number == activity) && call_name(call, sizeof call, machine, number))
		snprintf(name, KERNEL_NAME_BYTES, "%s %s%s", CSP_MODULE_KERNEL, call, descriptor);
	else if (activity == CSP_KERNEL_FAULT)
		snprintf(name, KERNEL_NAME_BYTES, "%s page fault", CSP_MODULE_KERNEL);
	else if (activity == CSP_KERNEL_STOP)
		snprintf(name, KERNEL_NAME_BYTES, "%s stopped", CSP_MODULE_KERNEL);
	else if (activity == CSP_KERNEL_CALL)
		snprintf(name, KERNEL_NAME_BYTES, "%s system call", CSP_MODULE_KERNEL);
	else
		snprintf(name, KERNEL_NAME_BYTES, "%s system call %u%s", CSP_MODULE_KERNEL,
			 (unsigned)(descriptor[0] ? number : activity), descriptor);
}
