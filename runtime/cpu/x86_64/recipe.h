/*
 * Recipes: the unwind rules of one code address in one word, and their cache. Private to the
 * port. Async-signal-safe.
 *
 * Nearly every frame has its CFA at rsp, rbp or rbx plus a constant, the return address at
 * CFA-8, and the callee-saved registers just below. That fits into 64 bits:
 *
 *	bits  0-2   kind
 *	bit   3     the module is one of the system's: CSPROF_TRAIT_SYSTEM
 *	bits  4-22  CFA offset / 8, signed
 *	bits 23-52  slots of rbp, rbx, r12, r13, r14, r15, five bits each:
 *	            0 not saved, n saved at CFA - 8 - 8n
 *	bits 53-57  the deepest slot, so that one comparison bounds all reads
 *	bits 58-62  which of rbx, r12-r15 are saved
 *	bit  63     the next instruction follows a call: CSPROF_TRAIT_AFTER_CALL
 *
 * Rules that do not fit are SLOW: they are run again each time. With these, bit 4 is set for
 * CSPROF_TRAIT_UNWINDER.
 */
#ifndef RUNTIME_CPU_X86_64_RECIPE_H
#define RUNTIME_CPU_X86_64_RECIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/cpu/cfi.h"

enum csprof_recipe_kind {
	CSPROF_RECIPE_NONE, /* no valid recipe is 0 */
	CSPROF_RECIPE_RSP,
	CSPROF_RECIPE_RBP,
	CSPROF_RECIPE_RBX,
	CSPROF_RECIPE_SLOW,
	CSPROF_RECIPE_SIGNAL,
	CSPROF_RECIPE_END,
	CSPROF_RECIPE_NO_ENTRY
};

#define CSPROF_RECIPE_KIND_MASK 7
#define CSPROF_RECIPE_SYSTEM_BIT 3
#define CSPROF_RECIPE_UNWINDER_BIT 4
#define CSPROF_RECIPE_OFFSET_BIT 4
#define CSPROF_RECIPE_OFFSET_BITS 19
#define CSPROF_RECIPE_SLOT_BIT 23
#define CSPROF_RECIPE_SLOT_BITS 5
#define CSPROF_RECIPE_SLOT_MASK 31
#define CSPROF_RECIPE_DEEPEST_BIT 53
#define CSPROF_RECIPE_SAVED_BIT 58
#define CSPROF_RECIPE_SAVED_MASK 31
#define CSPROF_RECIPE_AFTER_CALL_BIT 63

/* What csprof_recipe_step returns, besides an enum csprof_step, for other kinds of recipes. */
#define CSPROF_RECIPE_OTHER 2

/* The bits of a recipe as a mask of enum csprof_trait. */
static inline uint8_t csprof_recipe_traits(uint64_t recipe)
{
	uint64_t other = recipe >> CSPROF_RECIPE_UNWINDER_BIT & 1;
	uint64_t kind = recipe & CSPROF_RECIPE_KIND_MASK;

	return (uint8_t)((recipe >> CSPROF_RECIPE_SYSTEM_BIT & 1) * CSPROF_TRAIT_SYSTEM |
			 (recipe >> CSPROF_RECIPE_AFTER_CALL_BIT) * CSPROF_TRAIT_AFTER_CALL |
			 (kind == CSPROF_RECIPE_SLOW ? other : 0) * CSPROF_TRAIT_UNWINDER |
			 (kind == CSPROF_RECIPE_NO_ENTRY) * CSPROF_TRAIT_GUESSED);
}

/*
 * Look up the recipe of `pc` (an address in the instruction at which the frame is). If its kind
 * is RSP, RBP or RBX, go to the caller with it; else store it and return CSPROF_RECIPE_OTHER.
 * Unless OK is returned, the cursor is unchanged.
 */
int csprof_recipe_step(struct csprof_cursor *cur, uintptr_t pc, struct csprof_stack stack,
		       uint64_t *recipe);

/* Find the traits SYSTEM and AFTER_CALL, too, which costs a look at the module. Before the first
 * step. */
void csprof_recipe_want_traits(void);

/* Entries of other generations are not found any more. See cpu.h. */
void csprof_recipe_set_generation(unsigned generation);

#endif
