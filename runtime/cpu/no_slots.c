/* No slots. */
#include "runtime/cpu/slots.h"

const char csprof_trampoline[1];
extern const char csprof_trampoline_end[1] __attribute__((alias("csprof_trampoline")));
uintptr_t csprof_slot_address[1];
uint64_t csprof_slot_returns[1];

void csprof_slots_want(void)
{
}

const char *csprof_slots_prepare(void)
{
	return "this library has no slots";
}
