#include "runtime/cpu/x86_64/recipe.h"

#include <stddef.h>
#include <string.h>

#include "runtime/base/sections.h"

/*
 * The cache, shared by all threads and written without a lock. An entry is two words that are
 * stored one after the other, so a reader may see halves of two entries, or an entry that is
 * being overwritten by a handler that interrupted its writer. `check` is a checksum over
 * address, generation and recipe: such a pair does not match and is a miss. A lost entry is
 * computed again.
 *
 * Only the first part of the table is used. The part doubles when the number of entries computed
 * since the last time exceeds half its size: a process with few samples touches few pages, and
 * each costs a page fault. After that the entries of the smaller part are still found: half of
 * them are in their place, and the others are copied from their old place at the next miss.
 */
#define CACHE_BITS 15
#define CACHE_ENTRIES (1u << CACHE_BITS)
#define FIRST_ENTRIES 256u /* a page */

struct cached {
	uint64_t check, recipe;
};

static CSPROF_LARGE struct cached cache[CACHE_ENTRIES];
static uint32_t cache_mask = FIRST_ENTRIES - 1, computed;

/* Odd constants with evenly distributed bits: 2^64 / golden ratio, and the multiplier of Knuth's
 * MMIX generator. */
#define MIX_ADDRESS UINT64_C(0x9e3779b97f4a7c15)
#define MIX_RECIPE UINT64_C(0x5851f42d4c957f2d)

/* Code addresses have 47 bits; the rest of the word holds the generation. */
#define GENERATION_BIT 47
#define GENERATION_MASK 0x1ffff

static uint64_t generation_key;

static bool with_traits; /* they cost a look at the module */

void csprof_recipe_want_traits(void)
{
	with_traits = true;
}

static inline uint64_t checksum(uintptr_t pc, uint64_t recipe)
{
	return pc ^ __atomic_load_n(&generation_key, __ATOMIC_RELAXED) ^ recipe * MIX_RECIPE;
}

void csprof_recipe_set_generation(unsigned generation)
{
	uint64_t key = (uint64_t)(generation & GENERATION_MASK) << GENERATION_BIT;

	/* The numbers begin again: remove entries with the same number. */
	if (key <= __atomic_load_n(&generation_key, __ATOMIC_RELAXED)) {
		for (size_t i = 0; i < CACHE_ENTRIES; i++)
			__atomic_store_n(&cache[i].recipe, 0, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&generation_key, key, __ATOMIC_RELEASE);
}

/* The registers in the order of the slots. */
static const uint8_t slot_register[6] = {
    CSPROF_REG_FP,      CSPROF_REG_RBX,     CSPROF_REG_R12,
    CSPROF_REG_R12 + 1, CSPROF_REG_R12 + 2, CSPROF_REG_R12 + 3,
};

/* Pack the slots; 0 if a register's rule does not fit, else with bit 0 set. */
static uint64_t pack_slots(const struct csprof_cfi_row *row)
{
	uint64_t slots = 0, deepest = 0, saved = 0;

	for (unsigned i = 0; i < sizeof(slot_register); i++) {
		unsigned reg = slot_register[i];
		int64_t value = row->value[reg];
		uint64_t slot;

		if (row->how[reg] == CSPROF_CFI_SAME)
			continue;
		if (row->how[reg] != CSPROF_CFI_AT || value % 8 != 0 || value > -16 ||
		    value < -8 - 8 * CSPROF_RECIPE_SLOT_MASK)
			return 0;
		slot = (uint64_t)(-value / 8 - 1);
		slots |= slot << (CSPROF_RECIPE_SLOT_BIT + CSPROF_RECIPE_SLOT_BITS * i);
		deepest = slot > deepest ? slot : deepest;
		if (i > 0)
			saved |= UINT64_C(1) << (i - 1);
	}
	return slots | deepest << CSPROF_RECIPE_DEEPEST_BIT | saved << CSPROF_RECIPE_SAVED_BIT | 1;
}

/* Functions that leave by __builtin_eh_return save the registers by which they pass values to a
 * landing pad, rax and rdx (GCC's EH_RETURN_DATA_REGNO). No other function has a rule for them. */
static bool is_unwinder(const struct csprof_cfi_row *row)
{
	enum { RAX = 0, RDX = 1 };

	return row->how[RAX] == CSPROF_CFI_AT && row->how[RDX] == CSPROF_CFI_AT &&
	       !row->signal_frame;
}

static uint64_t pack(const struct csprof_cfi_row *row)
{
	const int64_t limit = INT64_C(8) << (CSPROF_RECIPE_OFFSET_BITS - 1);
	uint64_t slots, kind, offset;

	if (row->signal_frame)
		return CSPROF_RECIPE_SIGNAL;
	if (row->how[CSPROF_REG_RETURN] == CSPROF_CFI_UNDEFINED)
		return CSPROF_RECIPE_END;
	if (is_unwinder(row))
		return CSPROF_RECIPE_SLOW | UINT64_C(1) << CSPROF_RECIPE_UNWINDER_BIT;
	if (row->cfa_is_expr || row->how[CSPROF_REG_RETURN] != CSPROF_CFI_AT ||
	    row->value[CSPROF_REG_RETURN] != -8 || row->how[CSPROF_REG_SP] != CSPROF_CFI_SAME)
		return CSPROF_RECIPE_SLOW;
	if (row->cfa_reg == CSPROF_REG_SP)
		kind = CSPROF_RECIPE_RSP;
	else if (row->cfa_reg == CSPROF_REG_FP)
		kind = CSPROF_RECIPE_RBP;
	else if (row->cfa_reg == CSPROF_REG_RBX)
		kind = CSPROF_RECIPE_RBX;
	else
		return CSPROF_RECIPE_SLOW;
	if (row->cfa_value % 8 != 0 || row->cfa_value < -limit || row->cfa_value >= limit)
		return CSPROF_RECIPE_SLOW;
	slots = pack_slots(row);
	if (slots == 0)
		return CSPROF_RECIPE_SLOW;
	offset = (uint64_t)(row->cfa_value / 8) & ((1u << CSPROF_RECIPE_OFFSET_BITS) - 1);
	return (slots & ~UINT64_C(1)) | offset << CSPROF_RECIPE_OFFSET_BIT | kind;
}

/* Whether `name` is that of a library whose functions look at their return addresses. */
static bool is_system(const char *name)
{
	static const char *const prefixes[] = {
	    "libc.so.",     "libgcc_s.so.",  "ld-linux",    "ld.so.",      "libpthread.",
	    "libdl.so.",    "libhpcrun.",    "libunwind",   "libasan.so.", "libtsan.so.",
	    "libubsan.so.", "libhwasan.so.", "liblsan.so.", "libclang_rt."};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* The traits of the code at `pc` and of the return address behind it. */
static uint64_t traits_of(uintptr_t pc)
{
	uint64_t after_call = csprof_follows_call(pc + 1);
	const char *name = csprof_module_soname(pc);
	uint64_t system = name && is_system(name);

	return after_call << CSPROF_RECIPE_AFTER_CALL_BIT | system << CSPROF_RECIPE_SYSTEM_BIT;
}

static uint64_t compute_rules(uintptr_t pc)
{
	struct csprof_cfi_row row;

	switch (csprof_cfi_find(pc, &row)) {
	case CSPROF_STEP_OK:
		return pack(&row);
	case CSPROF_STEP_BAD:
		return CSPROF_RECIPE_SLOW; /* the slow step returns BAD again */
	default:
		return CSPROF_RECIPE_NO_ENTRY;
	}
}

/* Compute the recipe of `pc`. */
static uint64_t compute(uintptr_t pc)
{
	uint64_t recipe = compute_rules(pc);

	return with_traits ? recipe | traits_of(pc) : recipe;
}

static inline uint32_t hash(uintptr_t pc)
{
	return (uint32_t)(pc * MIX_ADDRESS >> (64 - CACHE_BITS));
}

/* The recipe of `pc` in this entry, or 0. */
static inline uint64_t recipe_in(const struct cached *entry, uintptr_t pc)
{
	uint64_t recipe = __atomic_load_n(&entry->recipe, __ATOMIC_RELAXED);
	uint64_t check = __atomic_load_n(&entry->check, __ATOMIC_RELAXED);

	return __builtin_expect(check == checksum(pc, recipe), 1) ? recipe : 0;
}

/* Threads may count at the same time: then the part doubles a little later or earlier. */
static void count_computed(uint32_t mask)
{
	uint32_t n = __atomic_load_n(&computed, __ATOMIC_RELAXED) + 1;

	if (n > mask / 2 && mask < CACHE_ENTRIES - 1) {
		__atomic_store_n(&cache_mask, mask * 2 + 1, __ATOMIC_RELAXED);
		n = 0;
	}
	__atomic_store_n(&computed, n, __ATOMIC_RELAXED);
}

/* Fill the entry of `pc`. */
__attribute__((noinline)) static uint64_t miss(uintptr_t pc)
{
	/* The checksum uses the generation from before the rules are read: if the module is
	 * unloaded in the meantime, the entry is invalid already. */
	uint64_t check = checksum(pc, 0), recipe = 0;
	uint32_t mask = __atomic_load_n(&cache_mask, __ATOMIC_RELAXED);
	struct cached *entry = &cache[hash(pc) & mask];

	if (mask > FIRST_ENTRIES)
		recipe = recipe_in(&cache[hash(pc) & mask / 2], pc);
	if (!recipe) {
		recipe = compute(pc);
		count_computed(mask);
	}
	__atomic_store_n(&entry->recipe, recipe, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->check, check ^ recipe * MIX_RECIPE, __ATOMIC_RELAXED);
	return recipe;
}

static inline uint64_t look_up(uintptr_t pc)
{
	uint32_t mask = __atomic_load_n(&cache_mask, __ATOMIC_RELAXED);
	uint64_t recipe = recipe_in(&cache[hash(pc) & mask], pc);

	return __builtin_expect(recipe != 0, 1) ? recipe : miss(pc);
}

/* The saved register in slot i, or its present value. Written so that no branch depends on which
 * registers a frame saves. */
static inline uintptr_t slot_value(uint64_t recipe, unsigned i, uintptr_t cfa, const uintptr_t *now)
{
	uint64_t slot = recipe >> (CSPROF_RECIPE_SLOT_BIT + CSPROF_RECIPE_SLOT_BITS * i) &
			CSPROF_RECIPE_SLOT_MASK;
	const uintptr_t *saved = (const uintptr_t *)(cfa - 8 - 8 * slot);

	return *(slot ? saved : now);
}

static const uint8_t kind_basis[] = {
    [CSPROF_RECIPE_RSP] = CSPROF_BASIS_STACK,
    [CSPROF_RECIPE_RBP] = CSPROF_BASIS_FRAME,
    [CSPROF_RECIPE_RBX] = CSPROF_BASIS_OTHER,
};

int csprof_recipe_step(struct csprof_cursor *cur, uintptr_t pc, struct csprof_stack stack,
		       uint64_t *other)
{
	uint64_t recipe = look_up(pc), kind = recipe & CSPROF_RECIPE_KIND_MASK;
	uint8_t traits = csprof_recipe_traits(recipe);
	int64_t offset =
	    (int64_t)(recipe << (64 - CSPROF_RECIPE_SLOT_BIT)) >> (64 - CSPROF_RECIPE_OFFSET_BITS);
	uint64_t deepest = recipe >> CSPROF_RECIPE_DEEPEST_BIT & CSPROF_RECIPE_SLOT_MASK;
	uint64_t saved = recipe >> CSPROF_RECIPE_SAVED_BIT & CSPROF_RECIPE_SAVED_MASK;
	uint64_t fp_slot = recipe >> CSPROF_RECIPE_SLOT_BIT & CSPROF_RECIPE_SLOT_MASK;
	uintptr_t cfa = cur->sp, ip;

	if (kind > CSPROF_RECIPE_RBX) {
		*other = recipe;
		return CSPROF_RECIPE_OTHER;
	}
	if (kind == CSPROF_RECIPE_RBP)
		cfa = cur->bp;
	else if (kind == CSPROF_RECIPE_RBX && !csprof_cursor_reg(cur, CSPROF_REG_RBX, &cfa))
		return CSPROF_STEP_BAD;
	cfa += (uintptr_t)offset * 8;
	if (cfa <= cur->sp || cfa > stack.high || cfa % 8 != 0 || cfa < 8 * (deepest + 1) ||
	    cfa - 8 * (deepest + 1) < stack.low)
		return CSPROF_STEP_BAD;
	ip = ((const uintptr_t *)cfa)[-1];
	if (ip == 0)
		return CSPROF_STEP_END;
	cur->known &= CSPROF_CALLEE_SAVED;
	if (deepest) {
		cur->bp = slot_value(recipe, 0, cfa, &cur->bp);
		if (saved) {
			uintptr_t *regs = cur->regs;

			regs[3] = slot_value(recipe, 1, cfa, &regs[3]);
			regs[12] = slot_value(recipe, 2, cfa, &regs[12]);
			regs[13] = slot_value(recipe, 3, cfa, &regs[13]);
			regs[14] = slot_value(recipe, 4, cfa, &regs[14]);
			regs[15] = slot_value(recipe, 5, cfa, &regs[15]);
			cur->known |= (uint32_t)((saved & 1) << 3 | saved >> 1 << 12);
		}
	}
	cur->cell = (uintptr_t *)cfa - 1;
	cur->fp_cell = fp_slot ? (uintptr_t *)cfa - 1 - fp_slot : NULL;
	cur->basis = kind_basis[kind];
	cur->traits = traits;
	cur->ip = ip;
	cur->sp = cfa;
	cur->exact = false;
	return CSPROF_STEP_OK;
}
