/* The profile of a measurement: the calling context trees of all processes and
 * threads merged into one, with what the datafiles say about how it was measured.
 *
 * A context is (parent context, frame), a frame is (load module, address in the
 * module's file, role). Modules are the same where their build-ids are, or their
 * names where no build-id is known, so that processes at other load addresses,
 * and epochs, fall together. Memory follows the number of distinct contexts. Only contexts
 * with a value, or with one below them, are there.
 *
 * A model is filled (ingest.h; several models side by side, model_join), then model_finish
 * puts everything into an order that depends on what was merged alone, not on which came
 * first: modules by name and build-id, frames by module, address and role, contexts depth
 * first with siblings in the order of their frames, metrics by their place in the files and
 * name, processes by path. Until then ids tell nothing but that a context's id is greater
 * than its parent's, which always holds.
 *
 * A model is used by one thread at a time. It owns everything in it. Functions
 * that return int give 0, or -1 with *e filled (want of memory, or ERROR_LIMIT
 * past 2^32 contexts); the model can then only be destroyed. */
#ifndef HPCPROF_MODEL_H
#define HPCPROF_MODEL_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/contexts.h"
#include "hpcprof/interner.h"
#include "reader/reader.h"
#include "symbolize/symbolize.h"

#include <stdbool.h>
#include <stdint.h>

/* What the address of a frame stands for. A frame holds the address to look up:
 * for a call that is the return address - 1, within the call instruction. A frame
 * that came with its name has nothing to look up: its address is the id of a
 * function << 32 | line. */
enum frame_role {
	FRAME_POINT,
	FRAME_CALL,
	FRAME_ADDRESSED, /* the roles before it have addresses */
	FRAME_NAMED_POINT = FRAME_ADDRESSED,
	FRAME_NAMED_CALL,
	FRAME_NAMED_INLINED, /* the roles from here on: inlined into the parent's function */
	FRAME_NAMED_INLINED_POINT = FRAME_NAMED_INLINED,
	FRAME_NAMED_INLINED_CALL,
	FRAME_ROLES
};

struct model_frame {
	uint64_t address; /* in the module's file; to be looked up as it is */
	uint32_t module;
	uint32_t role; /* enum frame_role */
};

enum { MODEL_ROOT = 0, MODEL_PARTIAL_ROOT = 1, MODEL_ROOTS = 2 };
#define MODEL_NO_FRAME UINT32_MAX /* the frame of the two roots */

/* The module of addresses that no module of their epoch covers. */
#define MODEL_UNKNOWN_MODULE "[unknown]"
/* How a function is called whose name is not known. */
#define MODEL_UNKNOWN_FUNCTION "[unknown function]"

struct model_module {
	const char *name;     /* path or [pseudo]; the first in order where there are several */
	const char *build_id; /* lower-case hex, or NULL */
	const char *image;    /* where the image of a [vdso] was saved, or NULL */
	bool assumed;         /* some address was given to it for want of an extent */
	/* of names that came along, as a database has them: how they were found */
	bool has_names, stale;
	enum symbol_source best;
	const char *why; /* what was missing, or NULL */
	/* of a finished model: its frames with addresses, by address and role */
	uint32_t first_frame, num_frames;
};

/* A function that came with its name, for example out of a PROFILE. Texts are
 * interned; file is where its code comes from. */
struct model_function {
	const char *name;         /* NULL: not known */
	const char *linkage_name; /* NULL: as name */
	const char *file;         /* NULL: not known */
	uint32_t line;            /* where it begins in the file, or 0 */
	uint32_t module;
	/* where it is declared, if that is told apart from where its code comes from: functions
	 * that differ in file alone are then one; else NULL. "" is not known */
	const char *declared;
	uint64_t low;              /* tells apart those of one name, or 0: code_function's */
	enum symbol_source source; /* of the name; SYMBOL_NONE: it only says where the code is */
};

/* Sums of one metric. */
struct model_sum {
	uint64_t events, samples;
};

enum model_kernel { KERNEL_NOT_SAID = 0, KERNEL_YES = 1, KERNEL_NO = 2, KERNEL_MIXED = 3 };

struct model_account {
	const char *disposition;
	uint64_t samples, weight;
};

/* Distinct texts, in order. */
typedef VEC(const char *) model_texts;

struct model_metric {
	const char *name;
	const char *unit;  /* "ns", "bytes", "count", or "" where the file does not say */
	uint64_t flags;    /* of V */
	uint64_t *events;  /* [contexts], exclusive */
	uint64_t *samples; /* [contexts], exclusive */
	uint32_t capacity; /* of the two, in contexts */
	struct model_sum total;
	enum model_kernel kernel;
	model_texts sources, requested, achieved, jitters;
	uint64_t interval; /* nominal mean interval: the period of N, or of a sampled V without
			      N; the largest of several; 0: not known */
	uint64_t
	    cost; /* ns of CPU time that measuring took, as far as the files say; 0: none does */
	VEC(struct model_account) account; /* dispositions of the format first, in its order */
	uint32_t position;                 /* in the files, the smallest: orders the metrics */
	bool has_account;
	struct model_sum unaccounted; /* of files that have no account of it */
};

/* One program image. Texts are "" where the file does not say. There may be many of these. */
struct model_process {
	const char *path;    /* of its datafile; not interned */
	const char *command; /* arguments joined by blanks */
	const char *executable;
	const char *host;
	const char *end;
	const char *tool;
	uint64_t pid, ppid, start_ns, wall_ns, cpu_ns;
	uint64_t tramp_samples;
	struct model_sum *sums; /* [num_sums], by the model's metrics */
	uint32_t num_sums;      /* metrics that the model had when it was added */
	uint32_t threads;       /* THREADS rows, else trees' distinct epochs say nothing: 0 */
	uint32_t rank, ranks;   /* of a parallel program; ranks is 0 where that is not known */
	bool has_trailer, has_pid, has_start, has_wall, has_cpu, has_rank;
	bool has_ended; /* there were more threads: one of these rows is of many ended ones */
};

struct model {
	struct arena arena;
	struct strings *strings;
	struct contexts contexts;
	uint32_t framed; /* contexts below have frames; see model_make_frames */
	VEC(struct model_frame) frames;
	uint32_t *frame_slots; /* [frame_mask + 1], frame + 1 or 0; NULL while empty */
	uint32_t frame_mask;
	VEC(struct model_module) modules;
	struct interner module_ids; /* key: string id of the identity */
	VEC(struct model_function) functions;
	struct interner name_pairs;   /* pairs of ids, chained into a key for each function */
	struct interner function_ids; /* key: such a chain */
	VEC(struct model_metric) metrics;
	VEC(struct model_process) processes;
	bool saturated; /* some sum reached 2^64 - 1 and stands there */
};

/* NULL if memory ran out. */
struct model *model_create(void);
void model_destroy(struct model *m); /* takes NULL */

/* Called for what is wrong with a datafile that is merged all the same; the text is
 * one line without the file's name. */
typedef void model_complaint_fn(void *context, const char *text);

/* Merge the datafile at path, opened as r. sysroot (or NULL) is where files of
 * modules are looked for whose extent the trailer does not give. For many files there is
 * ingest.h. */
int model_add(struct model *m, const struct reader *r, const char *path, const char *sysroot,
	      model_complaint_fn *complain, void *context, struct error *e);

/* Add all that is in from to m; from can then only be destroyed. Joining is commutative and
 * associative, in what model_finish makes of it. Neither may be finished. */
int model_join(struct model *m, struct model *from, struct error *e);

/* After the last of these: put all into its order and make all columns as long as there are
 * contexts. Nothing can be added any more. */
int model_finish(struct model *m, struct error *e);
/* The same for n models, each as a thread of work filled it: the first becomes the finished one
 * of all, as if the others had been joined to it; they can then only be destroyed. As many
 * threads put them into their order. */
int model_finish_all(struct model *const *models, size_t n, struct error *e);

/* The orders of functions, and of frames: by module, those with addresses first, by address and
 * role. <0, 0, >0. */
int model_compare_functions(const struct model_function *a, const struct model_function *b);
int model_compare_frames(const struct model_frame *a, const struct model_frame *b);

static inline uint32_t model_num_contexts(const struct model *m)
{
	return m->contexts.len;
}
static inline uint32_t model_parent(const struct model *m, uint32_t context)
{
	return (uint32_t)(m->contexts.keys[context] >> 32);
}
static inline uint32_t model_frame_of(const struct model *m, uint32_t context)
{
	return (uint32_t)m->contexts.keys[context];
}

/* ---- what ingest.c needs to build it ------------------------------------------- */

/* Ids for a child context, a frame, a module, a metric; UINT32_MAX if memory (or the
 * ids) ran out. The contexts of one parent and frame are one. */
uint32_t model_context(struct model *m, uint32_t parent, uint32_t frame);
uint32_t model_frame(struct model *m, uint32_t module, uint64_t address, enum frame_role role);
uint32_t model_module(struct model *m, struct reader_text name, struct reader_text build_id);
/* The function, whose texts are model_text's. */
uint32_t model_function(struct model *m, const struct model_function *f);
/* The frame of a line (0: not known) of a function, as FRAME_NAMED_POINT or _CALL. */
uint32_t model_named_frame(struct model *m, uint32_t function, uint32_t line, enum frame_role role);
uint32_t model_metric(struct model *m, struct reader_text name, struct reader_text unit,
		      uint64_t flags);

/* A step (see contexts.h) says module, address and role (FRAME_POINT or FRAME_CALL) itself
 * where they are small enough, so that known contexts are found without a look at frames; any
 * other is the frame's id with the highest bit set. */
enum { MODEL_STEP_MODULES = 1 << 15, MODEL_STEP_ADDRESS_BITS = 47 };
#define MODEL_STEP_FRAME (UINT64_C(1) << 63)
static inline bool model_step_is_plain(uint32_t module, uint64_t address)
{
	return module < MODEL_STEP_MODULES && !(address >> MODEL_STEP_ADDRESS_BITS);
}
static inline uint64_t model_plain_step(uint32_t module, uint64_t address, enum frame_role role)
{
	return address << 16 | (uint64_t)module << 1 | (uint64_t)role;
}
/* The frame that a plain step says. */
static inline struct model_frame model_plain_frame(uint64_t step)
{
	return (struct model_frame){.address = step >> 16,
				    .module = (uint32_t)(step >> 1) & (MODEL_STEP_MODULES - 1),
				    .role = step & 1};
}
/* Any step, of a frame. */
uint64_t model_step(const struct model *m, uint32_t frame);
/* Give a frame to each context that was inserted without one: ingesting leaves that to those who
 * look at frames before the model is finished. False if memory ran out. */
bool model_make_frames(struct model *m);

/* Make the metric's columns reach the context. False if memory ran out. */
bool model_reach(struct model *m, struct model_metric *metric, uint32_t context);
/* The row of a disposition in a metric's account, made where it is missing: the format's own
 * are there from the start, in their order, others follow by name. NULL if memory ran out. */
struct model_account *model_account_row(struct model *m, struct model_metric *metric,
					struct reader_text name);
/* Keep a sorted list of distinct texts; text is interned, "" is left out. False if memory ran
 * out, or text is NULL for that reason. */
bool model_list_text(model_texts *list, const char *text);
/* An interned copy that lives as long as the model; NULL if memory ran out. */
const char *model_text(struct model *m, const char *at, size_t n);

#endif
