#include "hpcprof/export/feedback/report.h"

#include "hpcprof/correlate/label.h"
#include "hpcprof/terminal/layout.h"

#include <inttypes.h>
#include <stdio.h>

/* About 4 seconds at 1 kHz. The relative error of a block's share is one by the square root of its
 * samples. */
enum { FEW_SAMPLES = 4000 };

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- what was left out ------------------------------------------------------------- */

static void tell_left(struct diag *d, const char *subject, uint64_t samples, const char *why)
{
	if (samples)
		diag_notice(d, subject, "%" PRIu64 " sample%s left out: %s", samples,
			    plural(samples), why);
}

/* What is in no module of which code could be read. */
static void tell_outside(struct diag *d, const struct feedback *f)
{
	tell_left(d, NULL, f->kernel, "while the kernel ran");
	tell_left(d, NULL, f->own, "in the library that took them");
	tell_left(d, NULL, f->no_file,
		  "in code that is in no file, or of which only names are known");
}

static void tell_others(struct diag *d, const struct feedback *f, const struct feedback_module *m)
{
	tell_left(d, NULL, f->samples - f->kernel - f->own - f->no_file - m->samples,
		  "in other load modules (--module chooses them)");
}

/* What of a module could not be used. */
static void tell_module(struct diag *d, struct arena *a, const struct feedback *f,
			const struct feedback_module *m, bool by_line)
{
	const char *name = label_module(f->m, a, m->module);

	if (m->unplaced)
		tell_left(d, name, m->unplaced,
			  m->why.text[0] ? m->why.text : "not in a function that is known");
	if (by_line && m->unlined)
		tell_left(d, name, m->unlined,
			  m->unlined == m->samples - m->unplaced
			      ? "it has no debug information (compile it with -g)"
			      : "in functions without debug information");
}

/* ---- formats with places in the source --------------------------------------------- */

static void tell_few(struct diag *d, uint64_t samples)
{
	if (samples < FEW_SAMPLES)
		diag_notice(d, NULL,
			    "%" PRIu64 " sample%s are few: measure longer, or several runs",
			    samples, plural(samples));
}

static void tell_names(struct diag *d, const struct locations *l)
{
	size_t functions, shared;

	locations_functions(l, &functions, &shared);
	if (shared)
		diag_notice(
		    d, NULL,
		    "%zu name%s of functions that are not the same: their samples cannot be "
		    "told apart (compile with clang's -funique-internal-linkage-names)",
		    shared, shared == 1 ? " is" : "s are");
	tell_left(d, NULL, l->unnamed, "in functions without the name of a symbol");
	if (l->nowhere)
		diag_notice(d, NULL,
			    "%" PRIu64 " sample%s count for no line: in inlined functions without "
			    "the name of a symbol",
			    l->nowhere, plural(l->nowhere));
}

void report_locations(struct diag *d, struct arena *a, const struct feedback *f,
		      const struct feedback_module *only, const struct locations *l)
{
	const char *name = only ? label_module(f->m, a, only->module) : NULL;
	char contexts[48] = "";
	size_t functions, shared;

	if (l->by_context)
		snprintf(contexts, sizeof contexts, " and %zu context%s", l->contexts,
			 plural(l->contexts));
	locations_functions(l, &functions, &shared);
	diag_notice(
	    d, name,
	    "%" PRIu64 " of %" PRIu64 " samples, in %zu function%s%s, with counts for %zu places",
	    l->samples, f->samples, functions, plural(functions), contexts, locations_places(l));
	tell_outside(d, f);
	if (only)
		tell_others(d, f, only);
	for (size_t i = 0; i < f->modules.len; i++)
		if (!only || only == &f->modules.at[i])
			tell_module(d, a, f, &f->modules.at[i], true);
	tell_names(d, l);
	if (l->reader == FEEDBACK_CLANG && l->instructions && !l->discriminators)
		diag_notice(d, NULL,
			    "%s: code of one line cannot be told apart (compile with clang's "
			    "-fdebug-info-for-profiling)",
			    l->by_gcc ? "gcc compiled it, whose discriminators clang does not know"
				      : "there are no discriminators");
	if (l->unlike)
		diag_notice(
		    d, NULL,
		    "%zu place%s no count: code there branches to code of the same line that "
		    "is executed less than half as often",
		    l->unlike, l->unlike == 1 ? " has" : "s have");
	tell_few(d, l->samples);
}

void report_against(struct diag *d, const char *path, const struct against *a)
{
	double part = a->samples ? 100 * (double)a->fit_samples / (double)a->samples : 0;

	if (!a->functions)
		diag_notice(d, path, "the profile has no function to compare");
	else if (a->fit == a->functions && !a->moved)
		diag_notice(d, path, "all %zu function%s %s as many lines as before", a->functions,
			    plural(a->functions), a->functions == 1 ? "has" : "have");
	else
		diag_notice(d, path,
			    "%zu of %zu function%s, with %.1f%% of the samples, %s as many lines "
			    "as before (%zu begin%s elsewhere); %zu %s not, and %zu %s not found",
			    a->fit, a->functions, plural(a->functions), part,
			    a->fit == 1 ? "has" : "have", a->moved, a->moved == 1 ? "s" : "",
			    a->differ, a->differ == 1 ? "has" : "have", a->gone,
			    a->gone == 1 ? "was" : "were");
}

/* ---- formats of one module --------------------------------------------------------- */

void report_module(struct diag *d, struct arena *a, const struct feedback *f,
		   const struct feedback_module *m, uint64_t written)
{
	const char *name = label_module(f->m, a, m->module);

	diag_notice(d, name, "%" PRIu64 " of %" PRIu64 " samples", written, f->samples);
	tell_outside(d, f);
	tell_others(d, f, m);
	tell_module(d, a, f, m, false);
	tell_left(d, name, m->samples - m->unplaced - written, "in functions without a symbol");
	tell_few(d, written);
}
