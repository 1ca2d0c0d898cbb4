/* The distinct functions of one module. A function is identified by its name, the file that
 * declares it and the line there. So an out-of-line copy, its split-off parts and its inlined
 * instances are one record. */
#ifndef SYMBOLIZE_FUNCTIONS_H
#define SYMBOLIZE_FUNCTIONS_H

#include "formats/base/arena.h"
#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "symbolize/symbolize.h"

struct functions {
	struct arena *arena; /* owns the records; the symbolizer's */
	struct interner keys;
	VEC(struct function_record *) by_key; /* [keys] the newest with that key */
	struct function_record *newest;
};

struct function_record {
	struct symbol_function f;
	uint64_t entry; /* entry of its lowest out-of-line copy, or 0; its cold part may be below */
	struct function_record *same_key; /* next record with the same key */
	struct function_record *older;    /* next of all records of the module */
};

void functions_init(struct functions *t, struct arena *arena);
/* The records stay in the arena. */
void functions_deinit(struct functions *t);

/* The record of wanted's function, which is added if it is new. Its strings are interned. NULL if
 * memory ran out. */
struct function_record *functions_get(struct functions *t, const struct symbol_function *wanted);

/* Note an out-of-line copy with this entry and lowest address. */
void functions_add_copy(struct function_record *r, uint64_t entry, uint64_t low);

#endif
