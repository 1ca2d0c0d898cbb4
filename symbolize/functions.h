/* The distinct functions of one module. A function is known by its name, the file
 * that declares it and the line there: an out-of-line copy, its split-off parts and
 * its inlined instances are one record. */
#ifndef SYMBOLIZE_FUNCTIONS_H
#define SYMBOLIZE_FUNCTIONS_H

#include "formats/base/arena.h"
#include "symbolize/map.h"
#include "symbolize/symbolize.h"

struct functions {
	struct arena *arena; /* where records live; the symbolizer's */
	struct map by_key;
	struct function_record *newest;
};

struct function_record {
	struct symbol_function f;
	uint64_t entry; /* where its lowest out-of-line copy begins, or 0: its cold part may
			   lie below */
	struct function_record *same_key; /* records whose keys collide */
	struct function_record *older;    /* all records of the module */
};

void functions_init(struct functions *t, struct arena *arena);
/* The records stay in the arena. */
void functions_deinit(struct functions *t);

/* The record of wanted's function, made if there is none; its strings are interned.
 * NULL if memory ran out. */
struct function_record *functions_get(struct functions *t, const struct symbol_function *wanted);

/* An out-of-line copy was seen that is entered at entry and has its lowest code at low. */
void functions_add_copy(struct function_record *r, uint64_t entry, uint64_t low);

#endif
