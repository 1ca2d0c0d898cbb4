/*
 * Slots, to which marked return addresses lead. A frame is marked when the cell that holds its
 * return address holds the address of a slot instead, and the slot knows the real one:
 *
 *	slot:	count one return
 *		jump to csprof_slot_address[slot]
 *
 * To unwinders a slot is a frame of its own, of size 0, whose return address is the real one. They
 * stand in the library's code, between csprof_trampoline and csprof_trampoline_end.
 *
 * They take address space, so only libhpcrun-marks.so has them (x86_64/marks). The other library,
 * static programs and ports without slots have none between the two (no_slots.c).
 */
#ifndef RUNTIME_CPU_SLOTS_H
#define RUNTIME_CPU_SLOTS_H

#include "runtime/cpu/slots_size.h"

#include <stdbool.h>
#include <stdint.h>

#define CSPROF_SLOT_DATA __attribute__((visibility("hidden")))
extern const char csprof_trampoline[] CSPROF_SLOT_DATA;
extern const char csprof_trampoline_end[] CSPROF_SLOT_DATA;
/* Of each slot: the real return address, and how often it was passed since that was set. */
extern uintptr_t csprof_slot_address[] CSPROF_SLOT_DATA;
extern uint64_t csprof_slot_returns[] CSPROF_SLOT_DATA;

/* Called at the start of the process, before the first walk: steps report all traits. */
void csprof_slots_want(void);
/* Before main: look up what the slots need of the program's C++ unwinder. Returns why there is
 * nothing to mark with, or NULL. */
const char *csprof_slots_prepare(void);

static inline bool csprof_have_slots(void)
{
	return (uintptr_t)csprof_trampoline != (uintptr_t)csprof_trampoline_end;
}

/* Whether ip is in a slot. */
static inline bool csprof_is_slot(uintptr_t ip)
{
	return ip - (uintptr_t)csprof_trampoline <
	       (uintptr_t)csprof_trampoline_end - (uintptr_t)csprof_trampoline;
}

static inline uint32_t csprof_slot_of(uintptr_t ip)
{
	return (uint32_t)((ip - (uintptr_t)csprof_trampoline) / CSPROF_SLOT_BYTES);
}

static inline uintptr_t csprof_slot_begin(uint32_t slot)
{
	return (uintptr_t)csprof_trampoline + (uintptr_t)slot * CSPROF_SLOT_BYTES;
}

#endif
