/* The instructions of the procedures that a model has code of: disassembled, with names and lines.
 * Used by one thread. */
#ifndef HPCPROF_CORRELATE_INSTRUCTIONS_H
#define HPCPROF_CORRELATE_INSTRUCTIONS_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate/disassemble.h"
#include "hpcprof/model/model.h"
#include "symbolize/procedure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One instruction. */
struct listed_instruction {
	uint64_t address, target; /* target: of a jump or call to a fixed place; else 0 */
	const char *text;         /* clean; a jump or call names its target: "call 401126 <work>" */
	const struct symbol_frame *frames; /* innermost first */
	size_t num_frames;                 /* at least 1 */
	enum instruction_flow flow;
	uint8_t reads, writes; /* see struct instruction */
};

/* One procedure. Its instructions are there after instructions_read. */
struct instructions {
	uint32_t module;
	struct procedure code;
	uint16_t machine; /* EM_* of ELF */
	bool big;
	VEC(struct listed_instruction) list; /* by address */
	struct symbol_table symbols;
};

/* Procedures in the order of modules and addresses. All zeros is empty. */
struct procedure_list {
	struct symbolizer *modules, *images;
	VEC(struct instructions) at;
};

/* Prepare an empty list. 0, or -1 and *e if memory ran out; deinit it either way. */
int procedure_list_init(struct procedure_list *l, const struct symbolizer_options *options,
			struct error *e);
void procedure_list_deinit(struct procedure_list *l); /* takes NULL */

/* Append the procedures of a module that contain some of n addresses, which ascend. Modules must
 * ascend from call to call. 1 if all addresses are in procedures; 0 and *why if some are not; -1
 * and *e if memory ran out. */
int procedure_list_add(struct procedure_list *l, const struct model *m, uint32_t module,
		       const uint64_t *addresses, size_t n, struct error *why, struct error *e);

/* The number of the procedure that contains a frame; that of procedures if none does. */
uint32_t procedure_list_find(const struct procedure_list *l, const struct model_frame *f);

/* Disassemble a procedure and name its instructions; texts are in the arena. 0, or -1 and *e
 * (ERROR_USAGE: its machine is not supported; or memory ran out). */
int instructions_read(struct procedure_list *l, const struct model *m, struct instructions *i,
		      struct arena *arena, struct error *e);

/* The number of the instruction that contains an address of the procedure. */
uint32_t instructions_at(const struct instructions *i, uint64_t address);

/* Free the instructions again, but not the procedure. */
void instructions_forget(struct instructions *i);

#endif
