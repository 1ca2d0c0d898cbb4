/* Profiles in the formats of other programs: `hpcprof export`. A format is a const struct
 * export_format in a file of its own and a row in EXPORT_FORMATS. Used by one thread.
 *
 * Values are exact integers of events, and those of all nodes add up to the profile's total.
 * Functions that return int return 0, or -1 and *e (memory ran out, unless they say more). Errors
 * of the stream are left to its owner. */
#ifndef HPCPROF_EXPORT_FORMATS_FORMATS_H
#define HPCPROF_EXPORT_FORMATS_FORMATS_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "hpcprof/command/common.h"
#include "hpcprof/metrics/path_tree.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/metrics/shown_metrics.h"
#include "hpcprof/metrics/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The frame above call paths whose outermost frames are missing. */
#define EXPORT_PARTIAL MODEL_PARTIAL_PATHS
/* The frame in the place of those that export_path leaves out. */
#define EXPORT_LEFT_OUT "[frames left out]"
/* The greatest integer up to which all are exact for programs that read numbers as doubles. */
#define EXPORT_MOST_DOUBLE (UINT64_C(1) << 53)

struct export_options {
	struct common common;
	const char *output; /* or NULL */
	unsigned format;    /* 1 for the first of EXPORT_FORMATS; 0: that of the reader */
	double min;         /* percent of the first metric's total */
	bool quote_formulas;
	bool contexts;
	const char *against; /* the file of another build; or NULL */
	unsigned weights;    /* 1 + enum feedback_weights; 0: not given */
	unsigned reader;     /* enum export_for */
};

/* The compilers and linkers that formats are for. */
enum export_for {
	EXPORT_FOR_ANY,
	EXPORT_FOR_CLANG,
	EXPORT_FOR_GCC,
	EXPORT_FOR_LLD,
	EXPORT_FOR_GOLD,
	EXPORT_FOR_BOLT
};

/* What is written. */
struct export_data {
	FILE *out;
	const struct profile *p;
	const struct model *m;
	const struct symbolized *c;
	const struct export_options *o;
	/* Events of each metric, then samples of each: 2 * num_metrics columns, those of the
	 * tree. At least one metric, unless no datafile has any. */
	struct shown_metrics columns;
	size_t num_metrics;
	struct path_tree tree;
	uint32_t end_frames;   /* of a path that is written without its middle: at each end */
	const uint32_t *outer; /* by node: where the outer end of its path begins; or NULL */
	uint32_t *path;        /* that is written */
	bool shortened;        /* export_path left frames out */
	/* Clean names by id. A file that is not known is NULL. declared: by function, the file in
	 * which it is declared. */
	const char **functions, **declared, **files, **modules;
	/* What values are told apart by; one part without a name: by nothing. They add up to the
	 * values of the tree. */
	struct stats stats;
	size_t num_parts;
	struct arena arena;
};

struct export_format {
	const char *name;
	enum path_tree_shape shape;
	bool binary;      /* not for a terminal */
	bool one_metric;  /* it holds values of one metric only */
	bool parts;       /* it tells threads and so on apart (--by) */
	bool paths;       /* it writes out every path (export_path) */
	bool bounded;     /* -n and --min choose its rows */
	bool code;        /* it is made of the samples of instructions: there is no tree */
	uint64_t most;    /* the greatest total that its readers take exactly */
	const char *lost; /* what it does not hold, in words; NULL: nothing */
	int (*write)(struct export_data *x, struct error *e);
};

/* In the order of the manual. */
#define EXPORT_FORMATS(X)                                                                          \
	X(folded)                                                                                  \
	X(pprof)                                                                                   \
	X(speedscope)                                                                              \
	X(callgrind)                                                                               \
	X(firefox)                                                                                 \
	X(chrome)                                                                                  \
	X(otlp)                                                                                    \
	X(csv)                                                                                     \
	X(json)                                                                                    \
	X(llvm_sample)                                                                             \
	X(afdo)                                                                                    \
	X(order)                                                                                   \
	X(bolt)

#define EXPORT_DECLARE(name) extern const struct export_format export_##name;
EXPORT_FORMATS(EXPORT_DECLARE)

/* ---- what formats share ------------------------------------------------------------ */

/* The values of the nodes in a part: [nodes * columns] as in struct path_tree. */
struct export_part {
	const char *name; /* clean; NULL: all is one part */
	const uint64_t *exclusive, *inclusive;
	uint64_t *own; /* internal */
};

/* Gather what values are told apart by, if --by was given. -1 also if there is too much to keep
 * (ERROR_LIMIT). */
int export_parts_collect(struct export_data *x, struct error *e);
/* The values of part i, which is below num_parts. To be freed by export_part_deinit in any case. */
int export_part_init(struct export_part *part, const struct export_data *x, size_t i,
		     struct error *e);
void export_part_deinit(struct export_part *part); /* takes NULL */
/* The part's name, with that of the metric if there are several, or if there is one part. NULL if
 * memory ran out. */
const char *export_part_title(struct export_data *x, const struct export_part *part, size_t metric);

/* What a node of lines or functions is. */
struct export_frame {
	const char *function; /* clean */
	const char *file;     /* clean; NULL: not known */
	const char *module;   /* clean; NULL: of no module */
	uint32_t line;        /* in file; 0: not known. For functions, where it begins. */
	bool inlined;
};
struct export_frame export_frame_of(const struct export_data *x, uint32_t node);

/* The node's name followed by " [inlined]" if it is inlined. NULL if memory ran out. */
const char *export_marked_name(struct export_data *x, uint32_t node);

/* The nodes of a call path, from the innermost out, for formats that write out every path. Together
 * the paths may have EXPORT_FRAMES_PER_PATH frames for each path and EXPORT_MORE_FRAMES, so that
 * what is written is linear in what was read, as deep as recursion may be. If they have more, long
 * ones are written without their middle, in the place of which is EXPORT_MIDDLE. *n: how many
 * nodes; valid until the next call. */
enum { EXPORT_FRAMES_PER_PATH = 64, EXPORT_MORE_FRAMES = 4 << 20 };
#define EXPORT_MIDDLE UINT32_MAX
const uint32_t *export_path(struct export_data *x, uint32_t node, uint32_t *n);
/* After the tree and the parts are made. */
int export_path_prepare(struct export_data *x, struct error *e);
/* Whether the node's path is written without its middle. */
static inline bool export_is_shortened(const struct export_data *x, uint32_t node)
{
	return x->tree.depth[node] >= 2 * x->end_frames;
}

static inline bool export_is_sampled(const struct export_data *x, size_t metric)
{
	const struct shown_metric *c = &x->columns.at[metric];
	return c->metric->total.samples != c->metric->total.events;
}

/* The program that used the most CPU time: the path of its executable or its command; "" if not
 * known. Not clean. */
const char *export_program(const struct model *m);

#endif
