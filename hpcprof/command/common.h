/* The options that commands have in common: what is read, how it is resolved, and what of it is
 * shown. The struct of each command begins with this one. */
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

/* What one of the units is that values are compared over. */
enum unit_kind { UNIT_USUAL, UNIT_PROFILE, UNIT_THREAD, UNIT_PROCESS, UNIT_RANK, UNIT_HOST };

/* All zeros is what holds where no option is given, but for threads and width. */
struct common {
	/* what is read */
	const char *subject;         /* what the command is about, if it takes such an argument */
	const char *const *profiles; /* the arguments, then those that --files-from names */
	size_t num_profiles;
	option_strings_field lists; /* --files-from */
	bool list_nul;              /* -0 */
	struct path_list listed;    /* what profiles points into where there are lists */
	bool join_threads;          /* hang threads under the call that created them */
	/* how it is resolved */
	const char *sysroot; /* or NULL */
	option_strings_field debug_dirs;
	bool no_inline;
	unsigned threads; /* of work, at least 1 */
	/* what is shown */
	option_strings_field metrics; /* in this order; empty: the command's choice */
	uint64_t rows;                /* 0: the usual number; UINT64_MAX: all */
	enum sort_key sort;
	bool samples, ci, stats, quiet;
	enum unit_kind by;
	unsigned width; /* columns of the output */
	bool color;
	struct arena arena; /* of what is no string of argv */
};

/* Tables of options, each of those that belong together. Every command takes the first one. */
extern const struct option_row options_of_input[];    /* --files-from, -0, -q */
extern const struct option_row options_of_symbols[];  /* --sysroot, --debug-dir */
extern const struct option_row options_of_loading[];  /* -j, --join-threads */
extern const struct option_row options_of_inlining[]; /* --no-inline */
extern const struct option_row options_of_metrics[];  /* -m */
extern const struct option_row options_of_rows[];     /* -n */
extern const struct option_row options_of_values[];   /* -s, --samples, --ci */
extern const struct option_row options_of_stats[];    /* --stats, --by */

/* What the environment (COLUMNS, NO_COLOR, TERM) and the machine say, where out is what will be
 * printed to. */
void common_init(struct common *o, FILE *out);
/* Read the lists of profiles, and append them to those of the command line. 0, or -1 and *e. */
int common_read_lists(struct common *o, struct error *e);
/* Of a command that compares nothing but by --stats: that there is no --by without it. 0, or -1
 * and *e. */
int common_check_by(const struct common *o, const char *command, struct error *e);
void common_deinit(struct common *o); /* takes NULL */

#endif
