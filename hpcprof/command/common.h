/* The options that commands share: what is read, how it is resolved, and what of it is shown. The
 * struct of each command begins with struct common. */
#ifndef HPCPROF_COMMAND_COMMON_H
#define HPCPROF_COMMAND_COMMON_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "hpcprof/command/option.h"
#include "hpcprof/command/path_list.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum sort_key { SORT_USUAL, SORT_EXCLUSIVE, SORT_INCLUSIVE, SORT_NAME };

/* The kind of units that values are compared over. */
enum unit_kind { UNIT_USUAL, UNIT_PROFILE, UNIT_THREAD, UNIT_PROCESS, UNIT_RANK, UNIT_HOST };

/* All zeros are the defaults, except for threads and width. */
struct common {
	/* what is read */
	const char *subject;         /* the command's first argument, if it takes one */
	const char *const *profiles; /* the arguments, then the names from --files-from */
	size_t num_profiles;
	bool is_newest;             /* none was named: it is the newest measurement here */
	size_t after_dashes;        /* of the arguments, how many come after "--" */
	option_strings_field lists; /* --files-from */
	bool list_nul;              /* -0 */
	struct path_list listed;    /* what profiles points to if there are lists */
	/* expressions and numbers, see load/choice.h */
	option_strings_field programs, processes, hosts, ranks, threads_named, labels;
	option_strings_field group_by; /* keys of labels, see load/ingest_notes.c */
	bool join_threads;             /* put threads below the call that created them */
	bool interpreter;              /* show the interpreter's own frames */
	/* how it is resolved */
	const char *sysroot; /* or NULL */
	option_strings_field debug_dirs;
	uint64_t module_limit;
	bool no_inline;
	unsigned threads; /* worker threads, at least 1 */
	/* what is shown */
	option_strings_field focus, ignore, modules; /* expressions, see metrics/path_filter.h */
	const char *under;            /* a function, see correlate/under.h; or NULL */
	option_strings_field metrics; /* in this order; empty: the command's choice */
	option_strings_field ratios;  /* see metrics/ratio.h */
	uint64_t rows;                /* 0: the default; UINT64_MAX: all */
	enum sort_key sort;
	bool samples, ci, stats, quiet, json;
	enum unit_kind by;
	unsigned width; /* columns of the output; LAYOUT_WHOLE: nothing is cut */
	bool color, page;
	bool sandbox;       /* see sandbox.h */
	struct arena arena; /* owns strings that are not in argv */
};

/* Tables of options that belong together. Every command takes the first one. */
extern const struct option_row
    common_input_options[]; /* --files-from, -0, --no-pager, --no-sandbox, -q */
extern const struct option_row common_symbols_options[];  /* --sysroot, --debug-dir */
extern const struct option_row common_loading_options[];  /* -j, --join-threads and so on */
extern const struct option_row common_choice_options[];   /* --program and so on */
extern const struct option_row common_inlining_options[]; /* --no-inline */
extern const struct option_row common_metrics_options[];  /* -m */
extern const struct option_row common_ratio_options[];    /* --ratio */
extern const struct option_row common_paths_options[];    /* --focus, --ignore, --module */
extern const struct option_row common_under_options[];    /* --under */
extern const struct option_row common_rows_options[];     /* -n */
extern const struct option_row common_values_options[];   /* -s, --samples, --ci */
extern const struct option_row common_stats_options[];    /* --stats, --by */

extern const struct option_row common_json_options[]; /* --json */

/* Set the defaults from the environment (COLUMNS, NO_COLOR, TERM) and the machine. out is the
 * stream that will be printed to. */
void common_init(struct common *o, FILE *out);
/* Read the lists of profiles, and append their names to those of the command line. 0, or -1 and
 * *e. */
int common_read_lists(struct common *o, struct error *e);
/* For a command that compares values only with --stats: check that --by is not given without it. 0,
 * or -1 and *e. */
int common_check_by(const struct common *o, const char *command, struct error *e);
/* For a command with --json: check that no option is given that it has no place for. */
int common_check_json(const struct common *o, const char *command, struct error *e);
void common_deinit(struct common *o); /* takes NULL */

#endif
