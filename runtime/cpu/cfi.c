#include "runtime/cpu/cfi.h"

#include "runtime/cpu/bytes.h"

/* The longest entry that is run. The longest entries of large programs have some 100 kB. */
#define MAX_ENTRY (UINT32_C(1) << 18)
/* Compilers nest DW_CFA_remember_state once. */
#define MAX_REMEMBERED 4
/* A sorted table of (sdata4 function, sdata4 entry), relative to .eh_frame_hdr. */
#define TABLE_ENCODING 0x3b

enum { /* DW_EH_PE_* of the LSB */
       PE_OMIT = 0xff,
       PE_FORMAT = 0x0f,
       PE_RELATIVE = 0x70,
       PE_PC_RELATIVE = 0x10,
       PE_DATA_RELATIVE = 0x30
};

enum { /* DW_CFA_*; the first three have an operand in their low six bits */
       CFA_ADVANCE_LOC = 0x40,
       CFA_OFFSET = 0x80,
       CFA_RESTORE = 0xc0,
       CFA_NEGATE_RA_STATE = 0x2d, /* DWARF for the Arm 64-bit Architecture, 5.1 */
       CFA_NOP = 0,
       CFA_SET_LOC,
       CFA_ADVANCE_LOC1,
       CFA_ADVANCE_LOC2,
       CFA_ADVANCE_LOC4,
       CFA_OFFSET_EXTENDED,
       CFA_RESTORE_EXTENDED,
       CFA_UNDEFINED,
       CFA_SAME_VALUE,
       CFA_REGISTER,
       CFA_REMEMBER_STATE,
       CFA_RESTORE_STATE,
       CFA_DEF_CFA,
       CFA_DEF_CFA_REGISTER,
       CFA_DEF_CFA_OFFSET,
       CFA_DEF_CFA_EXPRESSION,
       CFA_EXPRESSION,
       CFA_OFFSET_EXTENDED_SF,
       CFA_DEF_CFA_SF,
       CFA_DEF_CFA_OFFSET_SF,
       CFA_VAL_OFFSET,
       CFA_VAL_OFFSET_SF,
       CFA_VAL_EXPRESSION,
       CFA_GNU_ARGS_SIZE = 0x2e,
       CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f
};

/* A frame description entry with its common part. */
struct entry {
	uintptr_t start, end; /* the code that it covers */
	struct csprof_bytes common, own;
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding; /* of code addresses */
	bool augmented, signal_frame;
};

static uint64_t read_format(struct csprof_bytes *b, uint8_t encoding)
{
	switch (encoding & PE_FORMAT) {
	case 0x0: /* absptr */
	case 0x4: /* udata8 */
	case 0xc: /* sdata8 */
		return csprof_bytes_u64(b);
	case 0x1:
		return csprof_bytes_uleb(b);
	case 0x2:
		return csprof_bytes_u16(b);
	case 0x3:
		return csprof_bytes_u32(b);
	case 0x9:
		return (uint64_t)csprof_bytes_sleb(b);
	case 0xa:
		return (uint64_t)(int64_t)(int16_t)csprof_bytes_u16(b);
	case 0xb:
		return (uint64_t)(int64_t)(int32_t)csprof_bytes_u32(b);
	default:
		return csprof_bytes_fail(b);
	}
}

/* An encoded pointer. The value is skipped where pointers may be indirect. */
static uintptr_t read_pointer(struct csprof_bytes *b, uint8_t encoding, uintptr_t data)
{
	uintptr_t base = 0;

	if (encoding == PE_OMIT)
		return 0;
	if ((encoding & PE_RELATIVE) == PE_PC_RELATIVE)
		base = (uintptr_t)b->at;
	else if ((encoding & PE_RELATIVE) == PE_DATA_RELATIVE)
		base = data;
	else if (encoding & PE_RELATIVE)
		return csprof_bytes_fail(b);
	return base + read_format(b, encoding);
}

static bool bytes_at(struct csprof_bytes *b, const struct csprof_extent *readable, uintptr_t at)
{
	if (at < readable->start || at >= readable->end)
		return false;
	b->at = (const uint8_t *)at;
	b->end = (const uint8_t *)readable->end;
	b->bad = false;
	return true;
}

/* The contents of the entry at `at`, after its length. */
static bool entry_at(struct csprof_bytes *b, const struct csprof_extent *readable, uintptr_t at)
{
	uint32_t length;

	if (!bytes_at(b, readable, at))
		return false;
	length = csprof_bytes_u32(b);
	if (length == 0 || length > MAX_ENTRY || length > (uint64_t)(b->end - b->at))
		return false;
	b->end = b->at + length;
	return !b->bad;
}

/* Search the sorted table for the entry that may cover pc. */
static enum csprof_step search(uintptr_t pc, const struct csprof_extent *readable, uintptr_t header,
			       uintptr_t *found)
{
	struct csprof_bytes b;
	uint8_t frame_encoding, count_encoding, table_encoding;
	uint64_t low = 0, count;
	int32_t pair[2];

	if (!bytes_at(&b, readable, header) || csprof_bytes_u8(&b) != 1)
		return CSPROF_STEP_NO_INFO;
	frame_encoding = csprof_bytes_u8(&b);
	count_encoding = csprof_bytes_u8(&b);
	table_encoding = csprof_bytes_u8(&b);
	read_pointer(&b, frame_encoding, header);
	count = read_pointer(&b, count_encoding, header);
	if (b.bad)
		return CSPROF_STEP_BAD;
	if (table_encoding != TABLE_ENCODING || count == 0)
		return CSPROF_STEP_NO_INFO;
	if (count > (uint64_t)(b.end - b.at) / sizeof(pair))
		return CSPROF_STEP_BAD;
	for (uint64_t high = count; high - low > 1;) {
		uint64_t middle = low + (high - low) / 2;

		memcpy(pair, b.at + middle * sizeof(pair), sizeof(pair));
		if (header + (intptr_t)pair[0] <= pc)
			low = middle;
		else
			high = middle;
	}
	memcpy(pair, b.at + low * sizeof(pair), sizeof(pair));
	if (header + (intptr_t)pair[0] > pc)
		return CSPROF_STEP_NO_INFO;
	*found = header + (intptr_t)pair[1];
	return CSPROF_STEP_OK;
}

/* Read the augmentation data that is described by the string `letters` (after its 'z'). */
static bool read_augmentation(struct csprof_bytes *b, const uint8_t *letters, struct entry *e)
{
	uint64_t length = csprof_bytes_uleb(b);
	struct csprof_bytes data = *b;

	csprof_bytes_skip(b, length);
	if (b->bad)
		return false;
	data.end = b->at;
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			e->encoding = csprof_bytes_u8(&data);
			break;
		case 'L':
			csprof_bytes_u8(&data);
			break;
		case 'P':
			read_pointer(&data, csprof_bytes_u8(&data), 0);
			break;
		case 'S':
			e->signal_frame = true;
			break;
		default: /* unknown letters are skipped by the length */
			return !data.bad;
		}
	}
	return !data.bad;
}

/* The common information entry. */
static enum csprof_step read_common(struct csprof_bytes *b, struct entry *e)
{
	const uint8_t *letters;
	uint64_t return_column;
	uint8_t version;

	if (csprof_bytes_u32(b) != 0) /* the id of a common information entry */
		return CSPROF_STEP_BAD;
	version = csprof_bytes_u8(b);
	if (version != 1 && version != 3)
		return CSPROF_STEP_NO_INFO;
	letters = b->at;
	while (csprof_bytes_u8(b) != 0)
		;
	e->code_align = csprof_bytes_uleb(b);
	e->data_align = csprof_bytes_sleb(b);
	return_column = version == 1 ? csprof_bytes_u8(b) : csprof_bytes_uleb(b);
	if (b->bad)
		return CSPROF_STEP_BAD;
	if (return_column != CSPROF_REG_RETURN)
		return CSPROF_STEP_NO_INFO;
	e->augmented = *letters == 'z';
	if (e->augmented && !read_augmentation(b, letters + 1, e))
		return CSPROF_STEP_BAD;
	if (!e->augmented && *letters)
		return CSPROF_STEP_NO_INFO;
	e->common = *b;
	return CSPROF_STEP_OK;
}

static enum csprof_step read_entry(uintptr_t pc, uintptr_t at, const struct csprof_extent *readable,
				   struct entry *e)
{
	struct csprof_bytes b, common;
	uintptr_t origin;
	uint32_t back;
	enum csprof_step rc;

	if (!entry_at(&b, readable, at))
		return CSPROF_STEP_BAD;
	origin = (uintptr_t)b.at;
	back = csprof_bytes_u32(&b);
	if (b.bad || back > origin || !entry_at(&common, readable, origin - back))
		return CSPROF_STEP_BAD;
	e->encoding = 0;
	e->signal_frame = false;
	rc = read_common(&common, e);
	if (rc != CSPROF_STEP_OK)
		return rc;
	e->start = read_pointer(&b, e->encoding, 0);
	e->end = e->start + read_pointer(&b, e->encoding & PE_FORMAT, 0);
	if (e->augmented)
		csprof_bytes_skip(&b, csprof_bytes_uleb(&b));
	if (b.bad)
		return CSPROF_STEP_BAD;
	e->own = b;
	return pc >= e->start && pc < e->end ? CSPROF_STEP_OK : CSPROF_STEP_NO_INFO;
}

static void set(struct csprof_cfi_row *row, uint64_t reg, enum csprof_cfi_how how, int64_t value)
{
	if (reg >= CSPROF_CFI_REGS) /* vector and mask registers */
		return;
	row->how[reg] = (uint8_t)how;
	row->value[reg] = value;
}

/* Return the block's address and skip it. */
static int64_t take_block(struct csprof_bytes *b)
{
	const uint8_t *block = b->at;

	csprof_bytes_skip(b, csprof_bytes_uleb(b));
	return (int64_t)(uintptr_t)block;
}

static int64_t scaled(int64_t factor, int64_t by)
{
	return (int64_t)((uint64_t)factor * (uint64_t)by);
}

/* Instructions that set a register's rule. False if `op` is not one. */
static bool run_register_op(uint8_t op, struct csprof_bytes *b, int64_t align,
			    const struct csprof_cfi_row *initial, struct csprof_cfi_row *row)
{
	uint64_t reg;

	if (op < CFA_OFFSET_EXTENDED ||
	    (op > CFA_VAL_EXPRESSION && op != CFA_GNU_NEGATIVE_OFFSET_EXTENDED))
		return false;
	reg = csprof_bytes_uleb(b);
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set(row, reg, CSPROF_CFI_AT, scaled((int64_t)csprof_bytes_uleb(b), align));
		return true;
	case CFA_RESTORE_EXTENDED:
		if (reg < CSPROF_CFI_REGS)
			set(row, reg, initial->how[reg], initial->value[reg]);
		return true;
	case CFA_UNDEFINED:
		set(row, reg, CSPROF_CFI_UNDEFINED, 0);
		return true;
	case CFA_SAME_VALUE:
		set(row, reg, CSPROF_CFI_SAME, 0);
		return true;
	case CFA_REGISTER:
		set(row, reg, CSPROF_CFI_REG, (int64_t)csprof_bytes_uleb(b));
		return true;
	case CFA_EXPRESSION:
		set(row, reg, CSPROF_CFI_AT_EXPR, take_block(b));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		set(row, reg, CSPROF_CFI_AT, scaled(csprof_bytes_sleb(b), align));
		return true;
	case CFA_VAL_OFFSET:
		set(row, reg, CSPROF_CFI_IS, scaled((int64_t)csprof_bytes_uleb(b), align));
		return true;
	case CFA_VAL_OFFSET_SF:
		set(row, reg, CSPROF_CFI_IS, scaled(csprof_bytes_sleb(b), align));
		return true;
	case CFA_VAL_EXPRESSION:
		set(row, reg, CSPROF_CFI_IS_EXPR, take_block(b));
		return true;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set(row, reg, CSPROF_CFI_AT, scaled((int64_t)csprof_bytes_uleb(b), -align));
		return true;
	default:
		return false;
	}
}

/* Instructions that define the CFA. False if `op` is not one. */
static bool run_cfa_op(uint8_t op, struct csprof_bytes *b, int64_t align,
		       struct csprof_cfi_row *row)
{
	switch (op) {
	case CFA_DEF_CFA:
		row->cfa_is_expr = false;
		row->cfa_reg = csprof_bytes_uleb(b);
		row->cfa_value = (int64_t)csprof_bytes_uleb(b);
		return true;
	case CFA_DEF_CFA_SF:
		row->cfa_is_expr = false;
		row->cfa_reg = csprof_bytes_uleb(b);
		row->cfa_value = scaled(csprof_bytes_sleb(b), align);
		return true;
	case CFA_DEF_CFA_REGISTER:
		row->cfa_is_expr = false;
		row->cfa_reg = csprof_bytes_uleb(b);
		return true;
	case CFA_DEF_CFA_OFFSET:
		row->cfa_value = (int64_t)csprof_bytes_uleb(b);
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		row->cfa_value = scaled(csprof_bytes_sleb(b), align);
		return true;
	case CFA_DEF_CFA_EXPRESSION:
		row->cfa_is_expr = true;
		row->cfa_value = take_block(b);
		return true;
	default:
		return false;
	}
}

/* Instructions that begin the row of a later address. False if `op` is not one. */
static bool run_advance(uint8_t op, struct csprof_bytes *b, const struct entry *e, uintptr_t *at)
{
	switch (op) {
	case CFA_SET_LOC:
		*at = read_pointer(b, e->encoding, 0);
		return true;
	case CFA_ADVANCE_LOC1:
		*at += csprof_bytes_u8(b) * e->code_align;
		return true;
	case CFA_ADVANCE_LOC2:
		*at += csprof_bytes_u16(b) * e->code_align;
		return true;
	case CFA_ADVANCE_LOC4:
		*at += csprof_bytes_u32(b) * e->code_align;
		return true;
	default:
		return false;
	}
}

/* Run a program up to the row of pc. */
static enum csprof_step run(struct csprof_bytes b, const struct entry *e, uintptr_t pc,
			    const struct csprof_cfi_row *initial, struct csprof_cfi_row *row)
{
	struct csprof_cfi_row remembered[MAX_REMEMBERED];
	unsigned depth = 0;
	uintptr_t at = e->start;

	while (b.at < b.end) {
		uint8_t op = csprof_bytes_u8(&b), low = op & 0x3f;

		if ((op & 0xc0) == CFA_ADVANCE_LOC) {
			at += low * e->code_align;
		} else if ((op & 0xc0) == CFA_OFFSET) {
			set(row, low, CSPROF_CFI_AT,
			    scaled((int64_t)csprof_bytes_uleb(&b), e->data_align));
		} else if ((op & 0xc0) == CFA_RESTORE) {
			if (low < CSPROF_CFI_REGS)
				set(row, low, initial->how[low], initial->value[low]);
		} else if (op == CFA_NOP || (!CSPROF_RETURN_SLOT && op == CFA_NEGATE_RA_STATE)) {
			continue; /* csprof_code_address removes any signature */
		} else if (op == CFA_REMEMBER_STATE) {
			if (depth == MAX_REMEMBERED)
				return CSPROF_STEP_NO_INFO;
			remembered[depth++] = *row;
		} else if (op == CFA_RESTORE_STATE) {
			if (depth == 0)
				return CSPROF_STEP_BAD;
			*row = remembered[--depth];
		} else if (op == CFA_GNU_ARGS_SIZE) {
			csprof_bytes_uleb(&b); /* for landing pads only */
		} else if (!run_cfa_op(op, &b, e->data_align, row) &&
			   !run_advance(op, &b, e, &at) &&
			   !run_register_op(op, &b, e->data_align, initial, row)) {
			return CSPROF_STEP_NO_INFO;
		}
		if (at > pc)
			break;
	}
	return b.bad ? CSPROF_STEP_BAD : CSPROF_STEP_OK;
}

/* The entry that covers pc. */
static enum csprof_step find_entry(uintptr_t pc, struct csprof_extent *readable, struct entry *e)
{
	struct csprof_module module;
	uintptr_t at, header;
	enum csprof_step rc;

	if (!csprof_module_find(pc, &module) || !module.eh_frame_hdr)
		return CSPROF_STEP_NO_INFO;
	header = (uintptr_t)module.eh_frame_hdr;
	if (!csprof_module_segment(&module, header, false, readable))
		return CSPROF_STEP_BAD;
	rc = search(pc, readable, header, &at);
	return rc == CSPROF_STEP_OK ? read_entry(pc, at, readable, e) : rc;
}

uintptr_t csprof_function_start(uintptr_t pc)
{
	struct csprof_extent readable;
	struct entry e;

	return find_entry(pc, &readable, &e) == CSPROF_STEP_OK ? e.start : 0;
}

enum csprof_step csprof_cfi_find(uintptr_t pc, struct csprof_cfi_row *row)
{
	struct csprof_cfi_row initial;
	struct entry e;
	enum csprof_step rc = find_entry(pc, &row->readable, &e);

	if (rc != CSPROF_STEP_OK)
		return rc;
	memset(row->how, CSPROF_CFI_SAME, sizeof(row->how));
	row->cfa_is_expr = false;
	row->signal_frame = e.signal_frame;
	row->cfa_reg = CSPROF_CFI_REGS; /* none yet */
	row->cfa_value = 0;
	rc = run(e.common, &e, UINTPTR_MAX, row, row);
	if (rc != CSPROF_STEP_OK)
		return rc;
	initial = *row;
	return run(e.own, &e, pc, &initial, row);
}
