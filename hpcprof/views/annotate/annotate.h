/* Internal to the annotate view: shared by its files. */
#ifndef HPCPROF_VIEWS_ANNOTATE_ANNOTATE_H
#define HPCPROF_VIEWS_ANNOTATE_ANNOTATE_H

#include "hpcprof/command/common.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/metrics/shown_metrics.h"
#include "hpcprof/metrics/value_gutter.h"
#include "hpcprof/correlate/source_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* How the code of a line was seen; bits. */
enum { CODE_STANDING = 1, CODE_INLINED = 2 };

struct annotate_options {
	struct common common;
	bool object, all;
	struct source_places sources; /* -I, --directory */
};

struct annotation {
	FILE *out;
	const struct model *m;
	const struct symbolized *c;
	const struct annotate_options *own;
	const struct common *o; /* of own */
	struct arena arena;
	struct shown_metrics columns;
	struct value_gutter margin;
	/* What is annotated: functions, or else files. */
	bool *functions;  /* [functions], or NULL */
	uint32_t which;   /* one of them */
	bool *files;      /* [files], or NULL */
	const char *name; /* of the function or file, clean */
};

/* Whether code belongs to the annotated functions or files. */
static inline bool annotation_wants(const struct annotation *t, const struct code_frame *f)
{
	return t->functions ? t->functions[f->function] : t->files[t->c->lines.at[f->line].file];
}

/* Print the sources, file by file; print the instructions, procedure by procedure. 0, or -1 and
 * *e. */
int annotate_sources(struct annotation *t, struct error *e);
int annotate_object(struct annotation *t, struct error *e);

/* Print a title, and a line for each metric with the values of what follows. False if memory ran
 * out. */
bool annotate_heading(struct annotation *t, const char *title, const uint64_t *exclusive,
		      const uint64_t *inclusive);

#endif
