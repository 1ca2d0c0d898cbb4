/* The names of what is recorded of an instruction: enum csp_value in formats/datafile.h. */
#include "reader/reader.h"

#include "formats/datafile.h"

#include <stdio.h>

/* As assemblers write it, by its size: rax, eax, ax, al. */
static void name_register(char *name, size_t most, uint32_t number, uint32_t bytes)
{
	static const char *const old[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
	enum { OLD = 8, FIRST_VECTOR = 16, WITH_L = 4 };
	if (number >= FIRST_VECTOR)
		snprintf(name, most, "xmm%u", number - FIRST_VECTOR);
	else if (number >= OLD)
		snprintf(name, most, "r%u%s", number,
			 bytes == 8   ? ""
			 : bytes == 4 ? "d"
			 : bytes == 2 ? "w"
				      : "b");
	else if (bytes == 1)
		snprintf(name, most, "%.*sl", number < WITH_L ? 1 : 2, old[number]);
	else
		snprintf(name, most, "%s%s", bytes == 8 ? "r" : bytes == 4 ? "e" : "", old[number]);
}

const char *reader_value_kind(uint32_t what, uint32_t bytes, char *name, size_t most)
{
	static const char *const kinds[] = {"taken",  "target",  "address",        "stored",
					    "loaded", "operand", "replayed store", "aliased store"};
	enum { KINDS = sizeof kinds / sizeof *kinds };
	static const char difference[] = "stride of ";
	size_t n = 0;
	if (what >= CSP_VALUE_DIFFERENCE && most > sizeof difference) {
		n = (size_t)snprintf(name, most, "%s", difference);
		what -= CSP_VALUE_DIFFERENCE;
	}
	if (what < CSP_VALUE_REGISTERS)
		name_register(name + n, most - n, what, bytes);
	else if (what >= CSP_VALUE_BRANCH && what < CSP_VALUE_BRANCH + KINDS)
		snprintf(name + n, most - n, "%s", kinds[what - CSP_VALUE_BRANCH]);
	else if (what >= CSP_VALUE_ARGUMENT && what < CSP_VALUE_ARGUMENT + CSP_VALUE_ARGUMENTS)
		snprintf(name + n, most - n, "argument %u", what - CSP_VALUE_ARGUMENT + 1);
	else
		snprintf(name + n, most - n, "kind %u", what);
	return name;
}
