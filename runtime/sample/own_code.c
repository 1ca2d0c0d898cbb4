/* Where our own code is, in the preloaded library. */
#include "runtime/sample/unwind.h"

#include "runtime/cpu/slots.h"

/* The bounds of our own text, from the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

bool csprof_own_code(uintptr_t pc)
{
	return pc >= (uintptr_t)__ehdr_start && pc < (uintptr_t)etext && !csprof_is_slot(pc);
}
