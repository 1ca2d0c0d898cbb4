/*
 * Call frame information of .eh_frame: find the entry of a code address and run it. Private to
 * runtime/cpu. Async-signal-safe, no state.
 *
 * Sources: DWARF 5 section 6.4, and "Exception Frames" in the LSB core specification for the
 * differences of .eh_frame and .eh_frame_hdr.
 */
#ifndef CSPROF_CPU_CFI_H
#define CSPROF_CPU_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/cpu/cpu.h"
#include "runtime/cpu/module.h"
#include "runtime/cpu/port.h"

enum csprof_cfi_how {
	CSPROF_CFI_SAME,      /* unchanged by the callee */
	CSPROF_CFI_UNDEFINED, /* lost */
	CSPROF_CFI_AT,        /* saved at CFA + value */
	CSPROF_CFI_IS,        /* is CFA + value */
	CSPROF_CFI_AT_EXPR,   /* saved at the address that the expression at value gives */
	CSPROF_CFI_IS_EXPR,   /* is the value of the expression at value */
	CSPROF_CFI_REG        /* is in register number value */
};

/* The rules for one address. For an expression, value is the address of its length. */
struct csprof_cfi_row {
	int64_t value[CSPROF_CFI_REGS];
	uint8_t how[CSPROF_CFI_REGS];
	bool cfa_is_expr;
	bool signal_frame; /* augmentation 'S' */
	uint64_t cfa_reg;
	int64_t cfa_value;             /* offset or expression */
	struct csprof_extent readable; /* where the expressions may be read */
};

/*
 * Find the rules for `pc`. Returns OK, NO_INFO if no entry covers pc or the entry uses something
 * that is not supported, or BAD if it is malformed.
 */
enum csprof_step csprof_cfi_find(uintptr_t pc, struct csprof_cfi_row *row);

/* The bounds of stack reads of one step. */
struct csprof_stack {
	uintptr_t low, high;
};

/* Load the word at `address`; false if it is not an aligned word of the stack. */
static inline bool csprof_stack_load(const struct csprof_stack *stack, uintptr_t address,
				     uintptr_t *word)
{
	if (address == 0 || address < stack->low || address % sizeof(*word) != 0 ||
	    stack->high < sizeof(*word) || address > stack->high - sizeof(*word))
		return false;
	*word = *(const uintptr_t *)address;
	return true;
}

/* A register of the frame; false if it is not known. */
static inline bool csprof_cursor_reg(const struct csprof_cursor *cur, uint64_t reg,
				     uintptr_t *value)
{
	if (reg == CSPROF_REG_SP)
		*value = cur->sp;
	else if (reg == CSPROF_REG_FP)
		*value = cur->bp;
	else if (CSPROF_RETURN_SLOT && reg == CSPROF_REG_RETURN)
		*value = cur->ip;
	else if (reg < CSPROF_CPU_REGS && (cur->known >> reg & 1))
		*value = cur->regs[reg];
	else
		return false;
	return true;
}

/*
 * Evaluate the expression block at `block` (its length first) with `initial`, if
 * not NULL, on the stack. False if it is malformed, too long, or needs an unknown
 * register or memory outside the stack.
 */
bool csprof_cfi_evaluate(uintptr_t block, const struct csprof_extent *readable,
			 const struct csprof_cursor *cur, const struct csprof_stack *stack,
			 const uintptr_t *initial, uintptr_t *result);

/* Go to the caller with `row`, which may contain any rule. As `step` of cpu.h. */
enum csprof_step csprof_cfi_apply(struct csprof_cursor *cur, const struct csprof_cfi_row *row,
				  const struct csprof_stack *stack);

#endif
