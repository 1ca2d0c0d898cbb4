/* A page of two sides: what a comparison (views/diff) adds to the page of its profile, which is
 * both sides merged. Its units are the runs. Used by one thread. */
#ifndef HPCPROF_VIEWS_HTML_COMPARE_H
#define HPCPROF_VIEWS_HTML_COMPARE_H

#include "formats/base/error.h"
#include "hpcprof/command/common.h"
#include "hpcprof/correlate/source_text.h"
#include "hpcprof/load/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What was found of a function: bits. */
enum { HTML_SELF_BEYOND = 1, HTML_TOTAL_BEYOND = 2 };
/* What was found of a line. */
enum { HTML_LINE_BEYOND = 1, HTML_LINE_GONE = 2 };

enum { HTML_EVENTS, HTML_SAMPLES, HTML_VALUES };
enum { HTML_SELF, HTML_TOTAL, HTML_KINDS };
enum { HTML_BEFORE, HTML_AFTER, HTML_SIDES };

/* A line of both sides, or of one. */
struct html_line {
	uint32_t line; /* of the code's lines: that of the side after, if it is there */
	uint8_t marks; /* HTML_LINE_ bits; gone: it is not there after */
	uint64_t sums[HTML_KINDS][HTML_VALUES]; /* of all runs */
	uint64_t means[HTML_SIDES][HTML_KINDS]; /* events of a run, divided by its factor */
};

/* All arrays, and what the functions return, stay valid and unchanged while the page is written. */
struct html_compare {
	void *context; /* for the functions below */
	/* [functions] the function that it is shown as: the same one for what is the same in two
	 * builds. It is shown as itself. */
	const uint32_t *same;
	/* [functions], but only of those that are shown as themselves */
	const char *const *names; /* clean */
	const uint8_t *marks;     /* HTML_ bits */
	const uint32_t *moved;    /* where its time moved to, or came from; UINT32_MAX: none */
	const uint8_t *callees;   /* that one is a callee */
	const struct html_line *lines;
	size_t num_lines; /* in any order */
	/* A path of functions: the path of a function called from another one, which may be a root
	 * (MODEL_ROOT, MODEL_PARTIAL_ROOT); and whether it changed beyond noise. */
	uint32_t (*path)(void *context, uint32_t caller, uint32_t function);
	bool (*path_beyond)(void *context, uint32_t path);
	/* Print the title, the comparison as text, and as the member "compare" of the profile. 0,
	 * or -1 and *e. */
	int (*put_title)(void *context, FILE *to, struct error *e);
	int (*put_text)(void *context, FILE *to, struct error *e);
	int (*put_json)(void *context, FILE *to, struct error *e);
};

/* What the page has besides. */
struct html_extras {
	bool sources;      /* embed the text of source files */
	bool instructions; /* and the instructions of lines; not in a page of two sides */
	bool open;         /* show the page */
	struct source_places places;
};

/* The options of these, for a struct that has an html_extras at offset. */
#define HTML_EXTRAS_OPTIONS(offset)                                                                \
	{0,           "sources",                                                                   \
	 NULL,        "put the text of source files into the page",                                \
	 option_flag, (offset) + offsetof(struct html_extras, sources),                            \
	 NULL},                                                                                    \
	    SOURCE_PLACES_OPTIONS((offset) + offsetof(struct html_extras, places)),                \
	{                                                                                          \
		0, "open", NULL, "show the page on the desktop", option_flag,                      \
		    (offset) + offsetof(struct html_extras, open), NULL                            \
	}

/* Write the page of a comparison of the profile's first metric. 0, or -1 and *e (memory ran out, or
 * it would be too large). Errors of the stream are left to its owner. */
int html_print_compare(FILE *out, const struct profile *p, const struct common *o,
		       const struct html_extras *extras, const struct html_compare *compare,
		       struct error *e);
/* Prepare to show a page, if that is wanted: before sandbox_enter. Once. */
void html_prepare_show(const struct html_extras *extras);
/* Say that the page was written and show it on the user's desktop, if that is wanted. 0, or 1 if it
 * could not be shown, which was reported. */
int html_show(const char *path, const struct html_extras *extras, struct diag *d);

#endif
