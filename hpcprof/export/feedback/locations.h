/* Samples by function and place in the source, as compilers read them: the place is the line
 * counted from that of the function, with the discriminator, and below it what was inlined there.
 * Used by one thread.
 *
 * The functions of all modules are together: compilers know them by their names. */
#ifndef HPCPROF_EXPORT_FEEDBACK_LOCATIONS_H
#define HPCPROF_EXPORT_FEEDBACK_LOCATIONS_H

#include "formats/base/arena.h"
#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "hpcprof/export/feedback/code.h"

#include <stdbool.h>
#include <stdint.h>

enum feedback_reader { FEEDBACK_CLANG, FEEDBACK_GCC };

/* What the count of a place is. */
enum feedback_weights {
	WEIGHTS_BLOCKS,  /* the executions of its code with most, in each procedure */
	WEIGHTS_LARGEST, /* the samples of its address with most */
	WEIGHTS_MEAN,    /* its samples divided by its instructions */
	WEIGHTS_SUM      /* its samples */
};

#define LOCATION_NONE UINT32_MAX

/* A function, or a copy that was inlined at a location of another, or with contexts: was called
 * there. */
struct location_function {
	uint32_t name;    /* of strings */
	uint32_t parent;  /* the location of the call, or LOCATION_NONE */
	uint64_t samples; /* of its procedures, if it was not inlined */
	uint64_t own;     /* of its code, without what was inlined */
	double head;      /* how often it was entered */
	double total;     /* the counts of its locations and of those inlined into it */
	/* of the first of its procedures: the function, and the location of the entry */
	const struct symbol_function *first;
	uint32_t entry;
};

struct location {
	uint32_t function;
	uint32_t place; /* of places: the line from that of the function << 32 | discriminator */
	double count, sum;
	/* of count, in procedures where code of the place is executed unlike: see statements.h */
	double unlike;
	/* in the procedure that is added: the executions of its instruction with most, and of the
	 * statement with most; and by how much less than its branches where these lead is executed
	 */
	double most, most_begun, less;
	uint32_t instructions;
	bool has_code; /* else it is only the place of an inlined call, or is left out */
	bool reaches;  /* has calls that are not to a fixed place */
	/* in the procedure that is added */
	bool is_added, begins; /* it is in added; statements begin there */
};

/* What a call was seen to reach. */
struct location_target {
	uint32_t location, name;
	double count;
};

/* All zeros is empty, but for strings. */
struct locations {
	enum feedback_reader reader;
	enum feedback_weights weights;
	struct strings *strings; /* names of functions */
	uint32_t num_names;
	struct interner places;
	struct interner function_keys, keys, target_keys;
	/* names of functions that were not inlined, and those of several of them */
	struct interner standing, sharing;
	VEC(const struct symbol_function *) first_of; /* [standing] */
	VEC(struct location_function) functions;
	VEC(struct location) at;
	VEC(struct location_target) targets;
	VEC(uint32_t) added; /* of at: in the procedure that is added */
	VEC(uint32_t) ids;   /* of its instructions, in at; or LOCATION_NONE */
	uint64_t samples;    /* of the functions */
	uint64_t unnamed;    /* of functions whose names cannot be written */
	/* of samples: in inlined functions whose names cannot be written, so no place has them */
	uint64_t nowhere;
	/* instructions, and those of them that have a discriminator which the reader knows */
	uint64_t instructions, discriminators;
	size_t unlike;   /* places that are left out: see statements.h */
	size_t contexts; /* of functions, if they are told apart */
	bool by_context; /* they are */
	bool decodes;    /* those of the module that is added have */
	bool by_gcc;     /* a module has gcc's, and the reader clang's */
};

/* 0, or -1 and *e if memory ran out. Deinit it either way. */
int locations_init(struct locations *l, enum feedback_reader reader, enum feedback_weights weights,
		   struct error *e);
void locations_deinit(struct locations *l); /* takes NULL */

/* Add a module's procedures that have lines and samples. 0, or -1 and *e if memory ran out. */
int locations_add(struct locations *l, const struct feedback *f, const struct feedback_module *m,
		  struct error *e);

/* The same, each context by itself (code_contexts.h): what called a function is as if the function
 * was inlined there. */
int locations_add_contexts(struct locations *l, const struct feedback *f,
			   const struct feedback_module *m, struct error *e);

/* The location of code of frames, innermost first, of a function that was called at the location
 * caller. LOCATION_NONE, and *failed if memory ran out, else it has none. */
uint32_t locations_find(struct locations *l, uint32_t caller, const struct symbol_frame *frames,
			uint32_t n, bool *failed);

/* Note that a location has code or statements in the procedure that is added. False if memory ran
 * out. */
bool locations_touch(struct locations *l, uint32_t id);

/* After all were added: sum up. */
void locations_finish(struct locations *l);

/* A count as it is written: what is not a number of samples is multiplied by a constant, so that
 * little is lost by rounding. */
uint64_t locations_count(const struct locations *l, double count);

/* How many places have counts. */
size_t locations_places(const struct locations *l);

/* How many functions were not inlined, and how many of these share their name. */
void locations_functions(const struct locations *l, size_t *functions, size_t *shared);

#endif
