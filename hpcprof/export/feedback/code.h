/* The machine code that samples were taken in, for compilers and linkers: each instruction of each
 * procedure on their call paths, how many were taken there, and how often it was executed, as far
 * as samples tell that. Used by one thread.
 *
 * Samples count, not events: compilers compare numbers with each other. */
#ifndef HPCPROF_EXPORT_FEEDBACK_CODE_H
#define HPCPROF_EXPORT_FEEDBACK_CODE_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/correlate/disassemble.h"
#include "hpcprof/model/model.h"
#include "symbolize/procedure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct feedback_instruction {
	uint64_t address;
	uint64_t target; /* of a jump or call to a fixed place; else 0 */
	uint64_t samples;
	/* how often it was executed, in samples of one instruction: see frequencies.h */
	double executions;
	const struct symbol_frame *frames; /* innermost first */
	uint32_t num_frames;               /* at least 1 */
	enum instruction_flow flow;
};

struct feedback_procedure {
	uint64_t low, high; /* file addresses, [low, high) */
	const char *symbol; /* that begins at low; NULL: none does */
	uint32_t local;     /* of the local symbols of this name, which one; 0: it is not local */
	size_t first, num;  /* its instructions in code */
	uint64_t samples;   /* 0: it was only seen calling others */
	/* how often it was entered, as its calls tell, and the inverse of the expected squared
	 * error of that; 0: they tell nothing */
	double entered, entered_weight;
	bool is_part;   /* the compiler split it off from a function */
	bool has_lines; /* its function has a name and a line in debug information */
};

/* What a call was seen to reach: samples were taken in it, or below it. */
struct feedback_call {
	uint64_t address;  /* in the call instruction */
	uint32_t function; /* of the code of the profile; not inlined */
	uint64_t samples;
	double near;  /* samples of which those further below count less: see calls.h */
	double share; /* of the calls of this address, estimated; those of an address add up to 1 */
};

struct feedback_module {
	uint32_t module; /* of the model */
	struct procedures found;
	VEC(struct feedback_procedure) procedures; /* by address; with found's bytes */
	VEC(struct feedback_instruction) code;     /* by address */
	VEC(struct feedback_call) calls;           /* by address, then by function */
	struct symbol_table symbols;
	uint64_t *targets; /* symbols' addresses */
	uint64_t samples;  /* in the module's file */
	uint64_t unplaced; /* of them, in no procedure */
	uint64_t unlined;  /* of them, in procedures without lines */
	struct error why;  /* what was missing */
};

#define FEEDBACK_NONE UINT32_MAX

/* All zeros is empty. */
struct feedback {
	const struct model *m;
	const struct symbolized *c;
	struct symbolizer *symbolizer;
	VEC(struct feedback_module) modules; /* those with samples and a file */
	uint32_t *index; /* [modules of the model], in modules; or FEEDBACK_NONE */
	/* [contexts of the model], exclusive: samples at the frame's address, and at the address
	 * after it: see taken.h */
	uint64_t *taken, *exact;
	uint64_t samples; /* all: the sum of those below and of the modules' */
	uint64_t kernel;  /* of them, while the kernel ran */
	uint64_t own;     /* in the library that took them */
	uint64_t no_file; /* in code in no file, or that came with names */
};

/* Read the code. samples: [contexts], exclusive. 0, or -1 and *e (ERROR_USAGE: the code is of a
 * machine that cannot be disassembled; or memory ran out). Deinit it either way. */
int feedback_read(struct feedback *f, const struct model *m, const struct symbolized *c,
		  const struct common *o, const uint64_t *samples, struct error *e);
void feedback_deinit(struct feedback *f); /* takes NULL */

/* Read the code of a file's procedures that contain the request's addresses, which have no samples.
 * s must outlive it. 0, or -1 and *e as above. Deinit it either way. */
int feedback_read_code(struct feedback_module *m, struct symbolizer *s,
		       const struct symbolize_request *request, struct error *e);
void feedback_deinit_module(struct feedback_module *m);

/* The number of the procedure that contains the address; that of procedures if none does. */
size_t feedback_find(const struct feedback_module *m, uint64_t address);

/* The number of the instruction that contains the address; that of instructions if none does. */
size_t feedback_instruction_at(const struct feedback_module *m, uint64_t address);

/* The frames of a target of m's code; NULL if it is none. *n: how many. */
const struct symbol_frame *feedback_target(const struct feedback_module *m, uint64_t address,
					   uint32_t *n);

#endif
