/* The profile of a measurement: the calling context trees of all processes and threads merged into
 * one, with the datafiles' data on how it was measured.
 *
 * A context is (parent context, frame). A frame is (load module, address in the module's file,
 * role). Modules are the same if their build-ids are equal, or, without build-ids, their names and
 * hashes of contents (formats/identity/content_id.h). So contexts of processes with different load
 * addresses, and of different epochs, are merged. Memory grows with the number of distinct
 * contexts. All contexts have a value, or a descendant with one.
 *
 * A model is filled (ingest.h; several models in parallel, model_join). Then model_finish sorts
 * everything, so that the order depends only on what was merged, not on the order of merging:
 * modules by name and build-id, frames by module, address and role, contexts depth first with
 * siblings in the order of their frames, metrics by their position in the files and name, processes
 * by path. Before that, ids are in no order, except that a context's id is always greater than its
 * parent's.
 *
 * A model is used by one thread at a time. It owns everything in it. Functions that return int
 * return 0, or -1 and *e (memory ran out, or ERROR_LIMIT past 2^32 contexts). After an error the
 * model can only be destroyed. */
#ifndef HPCPROF_MODEL_MODEL_H
#define HPCPROF_MODEL_MODEL_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "formats/datafile.h"
#include "hpcprof/model/contexts.h"
#include "hpcprof/model/metric_sums.h"
#include "reader/reader.h"
#include "symbolize/symbolize.h"

#include <stdbool.h>
#include <stdint.h>

/* What the address of a frame is. It is the address to look up: for a call the return address - 1,
 * which is within the call instruction. FRAME_ENTRY is for values of an activation, which are the
 * function's as a whole: the code is its entry, and not what was inlined where the address is. A
 * frame that came with its name is not looked up: its address is the id of a function << 32 | line.
 */
enum frame_role {
	FRAME_POINT,
	FRAME_CALL,
	FRAME_ENTRY,
	FRAME_ADDRESSED, /* the roles before it have addresses */
	FRAME_NAMED_POINT = FRAME_ADDRESSED,
	FRAME_NAMED_CALL,
	FRAME_NAMED_INLINED, /* this role and later ones: inlined into the parent's function */
	FRAME_NAMED_INLINED_POINT = FRAME_NAMED_INLINED,
	FRAME_NAMED_INLINED_CALL,
	FRAME_ROLES
};

struct model_frame {
	uint64_t address; /* in the module's file */
	uint32_t module;
	uint32_t role; /* enum frame_role */
};

enum { MODEL_ROOT = 0, MODEL_PARTIAL_ROOT = 1, MODEL_ROOTS = 2 };
#define MODEL_NO_FRAME UINT32_MAX /* the frame of the two roots */

/* The module of addresses outside all modules of their epoch. */
#define MODEL_UNKNOWN_MODULE "[unknown]"
/* The name of a function whose name is not known. */
#define MODEL_UNKNOWN_FUNCTION "[unknown function]"
/* What stands for MODEL_PARTIAL_ROOT in files of other programs: the frame above call paths whose
 * outermost frames are missing. */
#define MODEL_PARTIAL_PATHS "[partial call paths]"

struct model_module {
	const char *name;     /* path or [pseudo]; if several, the first in order */
	const char *build_id; /* lower-case hex, or formats/identity/content_id.h, or NULL */
	const char *image;    /* where the image of a [vdso] was saved, or NULL */
	bool assumed;         /* an address was assigned to it because an extent was not known */
	bool is_source;       /* a source file of an interpreter: see formats/identity/sources.h */
	/* for names that came with the frames, as in a database: how they were found */
	bool has_names, stale;
	enum symbol_source best;
	const char *why; /* what was missing, or NULL */
	/* in a finished model: its frames with addresses, by address and role */
	uint32_t first_frame, num_frames;
};

/* A function that came with its name, for example from a PROFILE. Strings are interned. file is
 * where its code is from. */
struct model_function {
	const char *name;         /* NULL: not known */
	const char *linkage_name; /* NULL: as name */
	const char *file;         /* NULL: not known */
	uint32_t line;            /* where it begins in the file, or 0 */
	uint32_t module;
	/* where it is declared, if this is known separately from where its code is from: then
	 * functions that differ only in file are one; else NULL. "" is not known */
	const char *declared;
	/* distinguishes functions with the same name, or 0; from code_function */
	uint64_t low;
	enum symbol_source source; /* of the name; SYMBOL_NONE: only a place in the code */
};

/* What a metric of activations has in its flags. */
#define MODEL_ACTIVATION_FLAGS (CSP_METRIC_RETURNS | CSP_METRIC_ACTIVATIONS | CSP_METRIC_ABANDONED)

/* In the flags of a metric that is the sum of others: REALTIME, if its parts were measured. It is
 * not in datafiles; reading them adds it. */
#define MODEL_SUM (UINT64_C(1) << 31)

enum model_kernel { KERNEL_NOT_SAID = 0, KERNEL_YES = 1, KERNEL_NO = 2, KERNEL_MIXED = 3 };

struct model_account {
	const char *disposition;
	uint64_t samples, weight;
};

/* Distinct texts, sorted. */
typedef VEC(const char *) model_texts;

struct model_metric {
	const char *name;
	const char *unit;  /* "ns", "bytes", "count", or "" if the file does not have it */
	uint64_t flags;    /* of V */
	uint64_t *events;  /* [contexts], exclusive */
	uint64_t *samples; /* [contexts], exclusive */
	uint32_t capacity; /* of events and samples, in contexts */
	struct model_sum total;
	enum model_kernel kernel;
	model_texts sources, requested, achieved, jitters;
	/* nominal mean interval: the period of N, or of a sampled V without N; if several, the
	 * largest; 0: not known */
	uint64_t interval;
	uint64_t cost; /* CPU time in ns that measuring took, as far as it is in the files; 0: not
			  known */
	/* Where it shared counters of the CPU by turns with others: the ns for which it should have
	 * counted, and has. Its values are scaled to the former. Else both are 0. */
	uint64_t enabled, running;
	VEC(struct model_account) account; /* those of the format first, in its order */
	uint32_t position;                 /* smallest one in the files; orders the metrics */
	bool has_account;
	struct model_sum unaccounted; /* from files without an account of it */
};

/* One program image. Texts are "" if the file does not have them. There may be many of these. */
struct model_process {
	const char *path;    /* of its datafile; not interned */
	const char *command; /* arguments joined by blanks */
	const char *executable;
	const char *host;
	const char *end;
	const char *tool;
	uint64_t pid, ppid, start_ns, wall_ns, cpu_ns;
	uint64_t outside_ns; /* CPU time that measuring took besides cpu_ns; 0: not known */
	/* CPU time of the process as a whole from the end of the account of the image before this
	 * one to the end of its own; 0: not known. cpu_ns is that of the threads that were seen. */
	uint64_t process_ns;
	/* CPU time of COMMAND and of all that it waited for, as wait4 tells it. Only the last image
	 * of COMMAND has it; 0: not known. */
	uint64_t waited_ns;
	const char *unmarked;      /* why its return addresses are not marked, though asked for */
	const char *uninterpreted; /* why its interpreter's frames were not read */
	uint64_t marks_lost;       /* threads that met a mark that was not theirs */
	uint64_t uncounted;        /* threads for which an event could not be counted */
	uint64_t tramp_samples;
	struct metric_sums sums;
	uint32_t threads;     /* rows of THREADS, or 0 */
	uint32_t rank, ranks; /* of a parallel program; ranks is 0 if not known */
	bool has_sums;        /* else they are not known */
	bool has_trailer, has_pid, has_start, has_wall, has_cpu, has_rank;
	bool estimated; /* its numbers of samples are estimates: the file has none */
	bool flat;      /* the file has no call paths */
	bool foreign;   /* another profiler wrote the file, and it is not XML */
	bool has_ended; /* one of the rows of THREADS stands for many ended threads */
};

/* The call with this address (see enum frame_role) in the module's file, or that of a frame that
 * came with its name. */
struct model_call {
	uint64_t address;
	uint32_t module;
	bool named;
};

enum thread_kind {
	THREAD_MAIN = CSP_GROUP_MAIN,
	THREAD_CREATED = CSP_GROUP_CREATED,
	THREAD_ENDED = CSP_GROUP_ENDED,
	THREAD_NOT_SAID = CSP_GROUP_NOT_SAID
};

/* Threads of one kind whose names are alike and that the same calls created. Of an unfinished
 * model, two groups can be one if the ids of modules are not the same. */
struct model_threads {
	const char *pattern;      /* the names with each number as a '#' */
	const char *first, *last; /* of the names, in alphabetical order */
	const char *creator;      /* the function that created them, if only its name is known */
	struct model_call *call;  /* [num_calls], innermost first; none: not known */
	uint32_t num_calls;
	enum thread_kind kind;
	uint64_t threads;
	struct metric_sums sums;
};
enum { MODEL_CREATOR_CALLS = 16 }; /* at most: those that created it */

/* What an instruction produced of one kind, in all files: see struct reader_value. Of kinds that
 * are addresses of code, a frequent value is one in the file of its module. */
#define MODEL_NO_MODULE UINT32_MAX
struct model_frequent {
	uint64_t value, count, error;
	uint32_t module; /* MODEL_NO_MODULE: it is a number */
};
struct model_value {
	uint64_t address; /* in the module's file */
	uint32_t module, what, bytes;
	uint32_t num_frequent; /* in m->frequent, from the first on: the most frequent first */
	size_t first_frequent;
	uint64_t count, zeros, same, rest;
};

/* Of an unfinished model, in no order: see values.h. rest: that of the list that has the value. */
struct value_place {
	uint64_t address;
	uint32_t module, what;
};
struct value_row {
	struct value_place place;
	uint32_t bytes;
	uint64_t count, zeros, same, rest;
};
struct value_often {
	struct value_place place;
	uint32_t module;
	uint64_t value, count, error, rest;
};
struct value_parts {
	VEC(struct value_row) rows;
	VEC(struct value_often) often;
	size_t settled; /* rows when they were last added up */
};

struct model {
	struct arena arena;
	struct strings *strings;
	struct contexts contexts;
	uint32_t framed; /* contexts below have frames; see model_make_frames */
	VEC(struct model_frame) frames;
	struct interner addresses, frame_keys; /* only before model_finish: see model_frame */
	VEC(struct model_module) modules;
	struct interner module_ids; /* key: string id of the identity */
	VEC(struct model_function) functions;
	struct interner text_ids;     /* addresses of the texts of functions */
	struct interner name_pairs;   /* pairs of ids, chained into a key for each function */
	struct interner function_ids; /* key: such a chain */
	VEC(struct model_metric) metrics;
	struct interner metric_ids; /* key: a hash, or one of those after it; see model_metric */
	VEC(struct model_process) processes;
	VEC(struct model_threads) threads; /* in no order; see threads.h */
	struct interner thread_ids;        /* key: string id of what makes a group */
	struct value_parts value_parts;
	VEC(struct model_value) values; /* of a finished model, by module, address and kind */
	VEC(struct model_frequent) frequent;
	struct reader_windows windows; /* of all files, */
	bool has_windows;              /* and whether one has any */
	bool has_labels;               /* a file has some, also if they are not read */
	bool saturated;                /* a sum reached 2^64 - 1 and was limited to it */
};

/* NULL if memory ran out. */
struct model *model_create(void);
void model_destroy(struct model *m); /* takes NULL */

/* Called for a problem with a datafile that is merged nevertheless. text is one line without the
 * file's name. */
typedef void model_complaint_fn(void *context, const char *text);

/* Add everything in from to m. from can then only be destroyed. Neither may be finished. The
 * finished model does not depend on the order of joining. */
int model_join(struct model *m, struct model *from, struct error *e);

/* Call it after everything was added: sort the model and extend all columns to all contexts.
 * Nothing can be added afterwards. */
int model_finish(struct model *m, struct error *e);
/* The same for n models, which n threads filled: the first becomes the finished model of all, as if
 * the others had been joined to it. The others can then only be destroyed. n threads sort them. */
int model_finish_all(struct model *const *models, size_t n, struct error *e);

/* The orders of functions, and of frames: by module, those with addresses first, by address and
 * role. <0, 0, >0. */
int model_compare_functions(const struct model_function *a, const struct model_function *b);
int model_compare_frames(const struct model_frame *a, const struct model_frame *b);

/* In a finished model: the frame that is the same; MODEL_NO_FRAME if there is none. */
uint32_t model_find_frame(const struct model *m, const struct model_frame *want);

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

/* The metrics before this number are those of the files; sums come after them. */
size_t model_num_recorded(const struct model *m);

/* How many of the program images have estimated numbers of samples, and how many no call paths. */
size_t model_num_estimated(const struct model *m);
size_t model_num_flat(const struct model *m);

/* ---- for filling a model ------------------------------------------------------- */

/* Ids of a child context, a frame, a module, a metric, which are added if they are new. UINT32_MAX
 * if memory (or the ids) ran out. Contexts with the same parent and frame are one. */
uint32_t model_context(struct model *m, uint32_t parent, uint32_t frame);
uint32_t model_frame(struct model *m, uint32_t module, uint64_t address, enum frame_role role);
uint32_t model_module(struct model *m, struct reader_text name, struct reader_text build_id);
/* The function. Its texts must be from model_text. */
uint32_t model_function(struct model *m, const struct model_function *f);
/* The frame of a line (0: not known) of a function, as FRAME_NAMED_POINT or _CALL. */
uint32_t model_named_frame(struct model *m, uint32_t function, uint32_t line, enum frame_role role);
uint32_t model_metric(struct model *m, struct reader_text name, struct reader_text unit,
		      uint64_t flags);
/* Let model_metric find the metrics after they were moved. False if memory ran out. */
bool model_index_metrics(struct model *m);

/* A step (see contexts.h) contains module, address and role if they are small enough, so that known
 * contexts are found without reading frames. Other steps are the frame's id with the highest bit
 * set. */
enum { MODEL_STEP_MODULES = 1 << 15, MODEL_STEP_ADDRESS_BITS = 47 };
#define MODEL_STEP_FRAME (UINT64_C(1) << 63)
static inline bool model_step_is_plain(uint32_t module, uint64_t address)
{
	return module < MODEL_STEP_MODULES && !(address >> MODEL_STEP_ADDRESS_BITS);
}
static inline bool model_frame_is_plain(const struct model_frame *f)
{
	return f->role < FRAME_ENTRY && model_step_is_plain(f->module, f->address);
}
static inline uint64_t model_plain_step(uint32_t module, uint64_t address, enum frame_role role)
{
	return address << 16 | (uint64_t)module << 1 | (uint64_t)role;
}
/* The frame of a plain step. */
static inline struct model_frame model_plain_frame(uint64_t step)
{
	return (struct model_frame){.address = step >> 16,
				    .module = (uint32_t)(step >> 1) & (MODEL_STEP_MODULES - 1),
				    .role = step & 1};
}
/* The step of a frame, plain or not. */
uint64_t model_step(const struct model *m, uint32_t frame);
/* Set the frame of each context that was inserted without one. Ingesting leaves this to callers
 * that need frames before the model is finished. False if memory ran out. */
bool model_make_frames(struct model *m);

/* Extend the metric's columns to the context. False if memory ran out. */
bool model_reach(struct model *m, struct model_metric *metric, uint32_t context);
/* The row of a disposition in a metric's account, which is added if it is missing. The rows of the
 * format's dispositions always exist, in their order; others follow by name. NULL if memory ran
 * out. */
struct model_account *model_account_row(struct model *m, struct model_metric *metric,
					struct reader_text name);
/* Add text to a sorted list of distinct texts. text is interned; "" is not added. False if memory
 * ran out, or if text is NULL. */
bool model_list_text(model_texts *list, const char *text);
/* Add all of another such list, which has texts of the same model and no "". */
bool model_list_texts(model_texts *list, const model_texts *from);
/* An interned copy, which lives as long as the model; NULL if memory ran out. */
const char *model_text(struct model *m, const char *at, size_t n);

#endif
