/* Any bytes: the decoder of instructions reads none after their end, and what it says is
 * consistent. */
#include "runtime/cpu/x86_64/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static bool is_register(uint8_t number)
{
	return number < CSPROF_INSN_REGISTERS || number == CSPROF_INSN_NONE;
}

static void check(const struct csprof_insn *i, size_t n)
{
	enum { LONGEST = 15 };
	const char *problem = NULL;
	if (i->length == 0 || i->length > n || i->length > LONGEST)
		problem = "length";
	else if (i->dests > sizeof i->dest || !is_register(i->dest[0]) || !is_register(i->dest[1]))
		problem = "destination";
	else if (!is_register(i->base) || !is_register(i->index) || !is_register(i->operand))
		problem = "register";
	else if (i->access & (CSPROF_INSN_READS | CSPROF_INSN_WRITES) && i->bytes == 0)
		problem = "memory without a size";
	if (problem) {
		fprintf(stderr, "fuzz_insn: %s\n", problem);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1); /* so that a byte too many is seen */
	if (!copy)
		return 0;
	memcpy(copy, bytes, n);
	for (size_t at = 0; at < n;) {
		struct csprof_insn i;
		bool known = csprof_x86_decode(copy + at, n - at, &i);
		if (known)
			check(&i, n - at);
		at += known ? i.length : 1;
	}
	free(copy);
	return 0;
}
