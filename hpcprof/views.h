/* The views: what `hpcprof VIEW` can print. A view is a file of its own and a line in
 * the table of views.c. */
#ifndef HPCPROF_VIEWS_H
#define HPCPROF_VIEWS_H

#include "formats/base/error.h"
#include "hpcprof/options.h"
#include "hpcprof/profile.h"

#include <stdio.h>

struct view {
	const char *name, *summary;
	const char *subject; /* what its first argument is ("FUNCTION"), before the PROFILEs;
				or NULL: there is none */
	unsigned takes;      /* OPTION_* */
	bool no_names;       /* addresses need not be resolved: there is no code to print */
	/* One of the three: print the merged profile of all PROFILEs, or one datafile after
	 * the other, or do something of its own with what the PROFILEs name. 0, or 1 if
	 * something was left out, which has been said, or -1 and *e (ERROR_USAGE for what the
	 * user asked and cannot have). */
	int (*print)(FILE *out, const struct profile *p, const struct options *o, struct error *e);
	int (*print_file)(FILE *out, const char *path, const struct options *o, struct error *e);
	int (*run)(FILE *out, const struct options *o, struct diag *d, struct error *e);
};

/* NULL ends the table. The text view is the default. */
extern const struct view *views[];
/* Put one more view at its end, before options are parsed. The table has room for what main
 * adds. */
void views_add(const struct view *view);

extern const struct view text_view, tree_view, callers_view, callees_view, annotate_view, xml_view,
    merge_view, dump_view, recover_view, top_view;

#endif
