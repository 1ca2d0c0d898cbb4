/* The command line of hpcprof, read once. */
#ifndef HPCPROF_OPTIONS_H
#define HPCPROF_OPTIONS_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/list.h"
#include "hpcprof/source_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct view;

/* What a view may take, as bits: an option that the view makes no use of is an error. */
enum {
	OPTION_METRIC = 1 << 0,
	OPTION_ROWS = 1 << 1,
	OPTION_SORT = 1 << 2,
	OPTION_SAMPLES = 1 << 3,
	OPTION_NO_INLINE = 1 << 4,
	OPTION_SYMBOLS = 1 << 5, /* --sysroot, --debug-dir */
	OPTION_THREADS = 1 << 6,
	OPTION_JSON = 1 << 7,
	OPTION_JOIN = 1 << 20, /* --join-threads */
	OPTION_OUTPUT = 1 << 12,
	OPTION_CALLPATH = 1 << 13,
	OPTION_DELAY = 1 << 11,
	OPTION_SCREENS = 1 << 14, /* -n, as a number of screens */
	OPTION_TREE = 1 << 8,     /* --bottom-up, --min, --depth, --focus */
	OPTION_ALL = 1 << 9,
	OPTION_SOURCES = 1 << 15,  /* --object, -I, -d */
	OPTION_DATABASE = 1 << 21, /* --append, --per-profile, --csv */
	OPTION_QUERY = 1 << 22,    /* --format, --list, --time-limit, --memory-limit */
	OPTION_STATS = 1 << 16,    /* --stats, --by */
	OPTION_COLLECTIVE = 1 << 17,
	OPTION_CI = 1 << 18,
};

enum sort_key { SORT_EXCLUSIVE, SORT_INCLUSIVE, SORT_NAME };
enum per_profile { PER_PROFILE_SMALL, PER_PROFILE_YES, PER_PROFILE_NO };
enum row_format { ROWS_TABLE, ROWS_CSV, ROWS_JSON };

/* What one of the units is that values are compared over. */
enum unit_kind { UNIT_PROFILE, UNIT_THREAD, UNIT_PROCESS, UNIT_RANK, UNIT_HOST };

struct options {
	const struct view *view;
	bool help, version;
	VEC(const char *) metrics;    /* -m, in order; empty: the view's choice */
	VEC(const char *) debug_dirs; /* --debug-dir, in order */
	const char *sysroot;          /* or NULL */
	const char *output;           /* -o; NULL: standard output */
	double delay;                 /* --delay, in seconds; 0: not given */
	VEC(const char *) lists;      /* --files-from, in order */
	bool list_nul;                /* -0 */
	const char *const *profiles;  /* PROFILE arguments, then those of lists */
	size_t num_profiles;
	struct list listed;  /* what profiles is made of where there are lists */
	const char *subject; /* what the view is about, if it takes such an argument */
	uint64_t rows;       /* -n; 0: all */
	bool rows_given;
	enum sort_key sort;
	bool sort_given;
	bool bottom_up, all, object;
	struct source_places sources; /* -I, -d */
	struct arena arena;           /* of what is no string of argv */
	double min;                   /* percent; what has less is cut from trees */
	uint64_t depth;               /* of trees; 0: no limit */
	bool depth_given;
	const char *focus; /* an extended regular expression, or NULL */
	bool stats, ci;
	enum unit_kind by;
	bool by_given;
	uint64_t collective; /* from so many units on they have common columns; 0: no columns of
				units at all */
	bool samples, no_inline, json, callpath, quiet;
	bool join_threads; /* hang threads under the call that created them */
	bool append;       /* to a database */
	enum per_profile per_profile;
	const char *csv;        /* --csv, or NULL */
	enum row_format format; /* of query */
	bool list;              /* the queries that there are */
	double time_limit;      /* in seconds; 0: none */
	uint64_t memory_limit;  /* in MiB; 0: none */
	bool no_names;          /* the view prints none: addresses need not be resolved */
	unsigned threads;
	unsigned width; /* columns of the output */
	bool color;
};

/* Fill *o from the command line and the environment (COLUMNS, NO_COLOR, TERM); out is
 * where the view will print, to know its width. The strings stay argv's. 0, or -1 and *e
 * (ERROR_USAGE: what the user should change). */
int options_parse(struct options *o, int argc, char **argv, FILE *out, struct error *e);
void options_deinit(struct options *o); /* takes NULL */

void options_help(FILE *out);

#endif
