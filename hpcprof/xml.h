/* PROFILE and CSPROFILE, in and out.
 *
 * A PROFILE has a place for each load module, file, function and line that has values of
 * its own: the code that the text view's tables of functions and lines count them to. So
 * inlined code stands under the inlined function, in the file that it was written in, and
 * in the load module that it was compiled into (with --no-inline under the function
 * around it). A function with code from several files stands in each. Functions that the
 * file could not tell apart, and load modules of one name, are one.
 *
 * A CSPROFILE has the call paths, inlined functions as if they were called; it knows
 * nothing of load modules. */
#ifndef HPCPROF_XML_H
#define HPCPROF_XML_H

#include "hpcprof/command/common.h"
#include "hpcprof/profile.h"

#include <stdio.h>

/* ---- in --------------------------------------------------------------------------- */

/* Merge the PROFILE or CSPROFILE at path. It is read twice, so that a file that is not
 * sound leaves the model as it was: then 1 and *e. 0, or -1 and *e as model_add.
 *
 * Events are as the file has them; numbers of samples, which it does not have, are
 * estimated: events / period, rounded. A metric with a period above 1 counts as sampled.
 * What a PROFILE holds has no callers and comes under the root of partial paths. Loops
 * and groups are dissolved into what they stand in. */
int model_add_xml(struct model *m, const char *path, struct error *e);
/* The same of bytes in memory, under this name. */
int model_add_xml_memory(struct model *m, const char *name, const void *bytes, size_t n,
			 struct error *e);

/* ---- out -------------------------------------------------------------------------- */

struct xml {
	FILE *out;
	const struct profile *p;
	const struct model *m;
	const struct code *c;
	const struct model_metric **metrics; /* [num_metrics], in the order of shortNames */
	size_t num_metrics;
};

/* The PGM with what is in it; program is its name. 0, or -1 and *e for want of memory;
 * what could not be written shows in ferror(out). */
int xml_scope_tree(const struct xml *x, const char *program, struct error *e);
int xml_call_tree(const struct xml *x, const char *program, struct error *e);

/* ---- shared by the two ---------------------------------------------------------- */

/* ' name="value"', escaped; a number. */
void xml_attribute(const struct xml *x, const char *name, const char *value);
void xml_number(const struct xml *x, const char *name, uint64_t value);
/* The M of each value that is not 0. */
void xml_values(const struct xml *x, const uint64_t *values);
bool xml_any(const struct xml *x, const uint64_t *values);

/* The rank of each of n things by compare: the same for those that compare equal. An
 * array that the caller frees; NULL if memory ran out. */
typedef int xml_compare(const struct xml *x, uint32_t a, uint32_t b);
uint32_t *xml_ranks(const struct xml *x, size_t n, xml_compare *compare);
/* By the names that are printed. */
xml_compare xml_compare_files;

/* The texts of the DTDs, from share/hpcprof. */
extern const char xml_profile_dtd[], xml_csprofile_dtd[];

#endif
