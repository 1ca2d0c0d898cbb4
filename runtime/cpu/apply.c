/* The general step: expressions, and each rule for each register. */
#include "runtime/cpu/cfi.h"

#include "runtime/cpu/bytes.h"

#define STACK_DEPTH 16
/* Branches could loop. Real expressions have some ten operations. */
#define MAX_OPERATIONS 256

enum { /* DW_OP_* */
       OP_ADDR = 0x03,
       OP_DEREF = 0x06,
       OP_CONST1U = 0x08,
       OP_CONST1S,
       OP_CONST2U,
       OP_CONST2S,
       OP_CONST4U,
       OP_CONST4S,
       OP_CONST8U,
       OP_CONST8S,
       OP_CONSTU,
       OP_CONSTS,
       OP_DUP,
       OP_DROP,
       OP_OVER,
       OP_PICK,
       OP_SWAP,
       OP_AND = 0x1a,
       OP_MINUS = 0x1c,
       OP_MUL = 0x1e,
       OP_NEG,
       OP_NOT,
       OP_OR,
       OP_PLUS,
       OP_PLUS_UCONST,
       OP_SHL,
       OP_SHR,
       OP_SHRA,
       OP_XOR,
       OP_BRA,
       OP_EQ,
       OP_GE,
       OP_GT,
       OP_LE,
       OP_LT,
       OP_NE,
       OP_SKIP,
       OP_LIT0 = 0x30,
       OP_LIT31 = 0x4f,
       OP_BREG0 = 0x70,
       OP_BREG31 = 0x8f,
       OP_BREGX = 0x92,
       OP_NOP = 0x96
};

struct machine {
	struct csprof_bytes b;
	const uint8_t *start;
	uintptr_t stack[STACK_DEPTH];
	unsigned depth;
};

static bool push(struct machine *m, uintptr_t value)
{
	if (m->depth == STACK_DEPTH)
		return false;
	m->stack[m->depth++] = value;
	return true;
}

/* Constants. False if `op` is not one. */
static bool constant(uint8_t op, struct csprof_bytes *b, uintptr_t *value)
{
	switch (op) {
	case OP_ADDR:
	case OP_CONST8U:
	case OP_CONST8S:
		*value = csprof_bytes_u64(b);
		return true;
	case OP_CONST1U:
		*value = csprof_bytes_u8(b);
		return true;
	case OP_CONST1S:
		*value = (uintptr_t)(intptr_t)(int8_t)csprof_bytes_u8(b);
		return true;
	case OP_CONST2U:
		*value = csprof_bytes_u16(b);
		return true;
	case OP_CONST2S:
		*value = (uintptr_t)(intptr_t)(int16_t)csprof_bytes_u16(b);
		return true;
	case OP_CONST4U:
		*value = csprof_bytes_u32(b);
		return true;
	case OP_CONST4S:
		*value = (uintptr_t)(intptr_t)(int32_t)csprof_bytes_u32(b);
		return true;
	case OP_CONSTU:
		*value = csprof_bytes_uleb(b);
		return true;
	case OP_CONSTS:
		*value = (uintptr_t)csprof_bytes_sleb(b);
		return true;
	default:
		*value = op - OP_LIT0;
		return op >= OP_LIT0 && op <= OP_LIT31;
	}
}

/* Operations on the two topmost values, `a` below `z`. False if `op` is not one. */
static bool binary(uint8_t op, uintptr_t a, uintptr_t z, uintptr_t *value)
{
	intptr_t sa = (intptr_t)a, sz = (intptr_t)z;

	switch (op) {
	case OP_AND:
		*value = a & z;
		return true;
	case OP_MINUS:
		*value = a - z;
		return true;
	case OP_MUL:
		*value = a * z;
		return true;
	case OP_OR:
		*value = a | z;
		return true;
	case OP_PLUS:
		*value = a + z;
		return true;
	case OP_SHL:
		*value = z < 64 ? a << z : 0;
		return true;
	case OP_SHR:
		*value = z < 64 ? a >> z : 0;
		return true;
	case OP_SHRA:
		*value = (z < 64 ? (sa < 0 ? ~(~a >> z) : a >> z) : sa < 0 ? UINTPTR_MAX : 0);
		return true;
	case OP_XOR:
		*value = a ^ z;
		return true;
	case OP_EQ:
		*value = a == z;
		return true;
	case OP_GE:
		*value = sa >= sz;
		return true;
	case OP_GT:
		*value = sa > sz;
		return true;
	case OP_LE:
		*value = sa <= sz;
		return true;
	case OP_LT:
		*value = sa < sz;
		return true;
	case OP_NE:
		*value = a != z;
		return true;
	default:
		return false;
	}
}

/* Stack operations, and operations on the topmost value. */
static bool unary(uint8_t op, struct machine *m, const struct csprof_stack *stack)
{
	uintptr_t *top = m->depth ? &m->stack[m->depth - 1] : NULL;
	uintptr_t below;
	unsigned index;

	if (!top || (m->depth < 2 && (op == OP_OVER || op == OP_SWAP)))
		return false;
	switch (op) {
	case OP_DEREF:
		return csprof_stack_load(stack, *top, top);
	case OP_DUP:
		return push(m, *top);
	case OP_DROP:
		m->depth--;
		return true;
	case OP_OVER:
		return push(m, top[-1]);
	case OP_PICK:
		index = csprof_bytes_u8(&m->b);
		return index < m->depth && push(m, m->stack[m->depth - 1 - index]);
	case OP_SWAP:
		below = top[-1];
		top[-1] = *top;
		*top = below;
		return true;
	case OP_NEG:
		*top = -*top;
		return true;
	case OP_NOT:
		*top = ~*top;
		return true;
	case OP_PLUS_UCONST:
		*top += csprof_bytes_uleb(&m->b);
		return true;
	default:
		return false;
	}
}

static bool branch(uint8_t op, struct machine *m)
{
	int16_t distance = (int16_t)csprof_bytes_u16(&m->b);
	ptrdiff_t target = m->b.at - m->start + distance;

	if (m->b.bad)
		return false;
	if (op == OP_BRA) {
		if (m->depth == 0)
			return false;
		if (m->stack[--m->depth] == 0)
			return true;
	}
	if (target < 0 || target > m->b.end - m->start)
		return false;
	m->b.at = m->start + target;
	return true;
}

static bool operation(uint8_t op, struct machine *m, const struct csprof_cursor *cur,
		      const struct csprof_stack *stack)
{
	uintptr_t value;

	if (op == OP_NOP)
		return true;
	if (op == OP_BRA || op == OP_SKIP)
		return branch(op, m);
	if ((op >= OP_BREG0 && op <= OP_BREG31) || op == OP_BREGX) {
		uint64_t reg = op == OP_BREGX ? csprof_bytes_uleb(&m->b) : (uint64_t)op - OP_BREG0;

		if (!csprof_cursor_reg(cur, reg, &value))
			return false;
		return push(m, value + (uintptr_t)csprof_bytes_sleb(&m->b));
	}
	if (constant(op, &m->b, &value))
		return push(m, value);
	if (m->depth >= 2 && binary(op, m->stack[m->depth - 2], m->stack[m->depth - 1], &value)) {
		m->stack[--m->depth - 1] = value;
		return true;
	}
	return unary(op, m, stack);
}

bool csprof_cfi_evaluate(uintptr_t block, const struct csprof_extent *readable,
			 const struct csprof_cursor *cur, const struct csprof_stack *stack,
			 const uintptr_t *initial, uintptr_t *result)
{
	struct machine m = {.depth = 0};
	uint64_t length;

	if (block < readable->start || block >= readable->end)
		return false;
	m.b.at = (const uint8_t *)block;
	m.b.end = (const uint8_t *)readable->end;
	length = csprof_bytes_uleb(&m.b);
	if (m.b.bad || length > (uint64_t)(m.b.end - m.b.at))
		return false;
	m.start = m.b.at;
	m.b.end = m.b.at + length;
	if (initial)
		push(&m, *initial);
	for (unsigned n = 0; m.b.at < m.b.end; n++) {
		if (n == MAX_OPERATIONS || !operation(csprof_bytes_u8(&m.b), &m, cur, stack))
			return false;
	}
	if (m.b.bad || m.depth == 0)
		return false;
	*result = m.stack[m.depth - 1];
	return true;
}

/* Apply the rule of one register: its value, and the address that it was loaded from, or 0. */
static bool follow(const struct csprof_cfi_row *row, unsigned reg, uintptr_t cfa,
		   const struct csprof_cursor *cur, const struct csprof_stack *stack,
		   uintptr_t *value, uintptr_t *from)
{
	*from = 0;
	switch (row->how[reg]) {
	case CSPROF_CFI_SAME:
		/* A call destroys the registers that it need not save. The innermost frame may
		 * not have made a call, nor saved its return address. */
		if (!row->signal_frame && reg < CSPROF_CPU_REGS && reg != CSPROF_REG_FP &&
		    !(CSPROF_CALLEE_SAVED >> reg & 1) && !(reg == CSPROF_REG_RETURN && cur->exact))
			return false;
		return csprof_cursor_reg(cur, reg, value);
	case CSPROF_CFI_AT:
		*from = cfa + (uintptr_t)row->value[reg];
		return csprof_stack_load(stack, *from, value);
	case CSPROF_CFI_IS:
		*value = cfa + (uintptr_t)row->value[reg];
		return true;
	case CSPROF_CFI_AT_EXPR:
		return csprof_cfi_evaluate((uintptr_t)row->value[reg], &row->readable, cur, stack,
					   &cfa, from) &&
		       csprof_stack_load(stack, *from, value);
	case CSPROF_CFI_IS_EXPR:
		return csprof_cfi_evaluate((uintptr_t)row->value[reg], &row->readable, cur, stack,
					   &cfa, value);
	case CSPROF_CFI_REG:
		return csprof_cursor_reg(cur, (uint64_t)row->value[reg], value);
	default:
		return false;
	}
}

static bool find_cfa(const struct csprof_cfi_row *row, const struct csprof_cursor *cur,
		     const struct csprof_stack *stack, uintptr_t *cfa)
{
	if (row->cfa_is_expr)
		return csprof_cfi_evaluate((uintptr_t)row->cfa_value, &row->readable, cur, stack,
					   NULL, cfa);
	if (!csprof_cursor_reg(cur, row->cfa_reg, cfa))
		return false;
	*cfa += (uintptr_t)row->cfa_value;
	return true;
}

/* See enum csprof_basis. */
static enum csprof_basis basis_of(const struct csprof_cfi_row *row)
{
	enum csprof_cfi_how fp = row->how[CSPROF_REG_FP];

	if (row->signal_frame || row->cfa_is_expr || row->how[CSPROF_REG_RETURN] != CSPROF_CFI_AT ||
	    row->how[CSPROF_REG_SP] != CSPROF_CFI_SAME ||
	    (fp != CSPROF_CFI_SAME && fp != CSPROF_CFI_AT && fp != CSPROF_CFI_UNDEFINED))
		return CSPROF_BASIS_OTHER;
	if (row->cfa_reg == CSPROF_REG_SP)
		return CSPROF_BASIS_STACK;
	return row->cfa_reg == CSPROF_REG_FP ? CSPROF_BASIS_FRAME : CSPROF_BASIS_OTHER;
}

enum csprof_step csprof_cfi_apply(struct csprof_cursor *cur, const struct csprof_cfi_row *row,
				  const struct csprof_stack *stack)
{
	struct csprof_cursor next = {.known = 0, .exact = row->signal_frame};
	uintptr_t cfa, cell, from = 0, unused;

	if (row->how[CSPROF_REG_RETURN] == CSPROF_CFI_UNDEFINED)
		return CSPROF_STEP_END;
	if ((CSPROF_RETURN_SLOT && row->how[CSPROF_REG_RETURN] == CSPROF_CFI_SAME) ||
	    !find_cfa(row, cur, stack, &cfa) ||
	    !follow(row, CSPROF_REG_RETURN, cfa, cur, stack, &next.ip, &cell))
		return CSPROF_STEP_BAD;
	next.ip = csprof_code_address(next.ip);
	next.cell = (uintptr_t *)cell;
	next.sp = cfa;
	if (row->how[CSPROF_REG_SP] != CSPROF_CFI_SAME &&
	    !follow(row, CSPROF_REG_SP, cfa, cur, stack, &next.sp, &unused))
		return CSPROF_STEP_BAD;
	/* During longjmp the stack may already be the target's. */
	if (!row->signal_frame && (next.sp < cur->sp || (next.sp == cur->sp && !cur->exact) ||
				   next.sp > stack->high || next.sp % sizeof(uintptr_t) != 0))
		return CSPROF_STEP_BAD;
	/* If the frame pointer is undefined, the caller does not use it. */
	next.bp = cur->bp;
	if (row->how[CSPROF_REG_FP] != CSPROF_CFI_UNDEFINED &&
	    !follow(row, CSPROF_REG_FP, cfa, cur, stack, &next.bp, &from))
		return CSPROF_STEP_BAD;
	next.fp_cell = (uintptr_t *)from;
	next.basis = basis_of(row);
	for (unsigned reg = 0; reg < CSPROF_CPU_REGS; reg++) {
		if (reg == CSPROF_REG_SP || reg == CSPROF_REG_FP)
			continue;
		if (follow(row, reg, cfa, cur, stack, &next.regs[reg], &unused))
			next.known |= UINT32_C(1) << reg;
	}
	if (next.ip == 0)
		return CSPROF_STEP_END;
	*cur = next;
	return CSPROF_STEP_OK;
}
