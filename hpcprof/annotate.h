/* Inside the annotate view: what its files share. */
#ifndef HPCPROF_ANNOTATE_H
#define HPCPROF_ANNOTATE_H

#include "hpcprof/attribute.h"
#include "hpcprof/columns.h"
#include "hpcprof/margin.h"
#include "hpcprof/command/common.h"
#include "hpcprof/profile.h"
#include "hpcprof/source_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a line's code was, bits. */
enum { CODE_STANDING = 1, CODE_INLINED = 2 };

struct annotate_options {
	struct common common;
	bool object, all;
	struct source_places sources; /* -I, --directory */
};

struct annotation {
	FILE *out;
	const struct model *m;
	const struct code *c;
	const struct annotate_options *own;
	const struct common *o; /* of own */
	struct arena arena;
	struct columns columns;
	struct margin margin;
	/* What is annotated: functions, else files. */
	bool *functions;  /* [functions], or NULL */
	uint32_t which;   /* one of them */
	bool *files;      /* [files], or NULL */
	const char *name; /* of the function or file, clean */
};

/* Whether code belongs to what is annotated. */
static inline bool annotation_wants(const struct annotation *t, const struct code_frame *f)
{
	return t->functions ? t->functions[f->function] : t->files[t->c->lines.at[f->line].file];
}

/* Print the sources, file by file; the instructions, procedure by procedure. 0, or -1 and *e. */
int annotate_sources(struct annotation *t, struct error *e);
int annotate_object(struct annotation *t, struct error *e);

/* A title, and a line for each metric: what all that follows has of it. False if memory ran
 * out. */
bool annotate_heading(struct annotation *t, const char *title, const uint64_t *exclusive,
		      const uint64_t *inclusive);

#endif
