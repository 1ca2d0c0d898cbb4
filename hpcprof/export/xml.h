/* PROFILE and CSPROFILE, as XML. hpcprof/load/ingest_xml.h reads them.
 *
 * A PROFILE has an element for each load module, file, function and line with values of its own.
 * Values belong to the same code as in the text view's tables of functions and lines: inlined code
 * is under the inlined function, in the file that it was written in, and in the load module that it
 * was compiled into (with --no-inline, under the function around it). A function with code from
 * several files is in each of them. Functions that would look the same in the file are combined, as
 * are load modules with the same name. Every value is in an S, and no two files of the program, and
 * no two procedures of a file, have the same n: see xml_profile.c.
 *
 * A CSPROFILE has the call paths, with inlined functions as if they were called. It has no load
 * modules. */
#ifndef HPCPROF_EXPORT_XML_H
#define HPCPROF_EXPORT_XML_H

#include "hpcprof/command/common.h"
#include "hpcprof/load/profile.h"

#include <stdio.h>

struct xml {
	FILE *out;
	const struct profile *p;
	const struct model *m;
	const struct symbolized *c;
	const struct model_metric **metrics; /* [num_metrics], in the order of shortNames */
	size_t num_metrics;
};

/* Print the PGM element and its contents; program is its name. 0, or -1 and *e if memory ran out.
 * Write errors are in ferror(out). */
int xml_scope_tree(const struct xml *x, const char *program, struct error *e);
int xml_call_tree(const struct xml *x, const char *program, struct error *e);

/* ---- shared by the two ---------------------------------------------------------- */

/* Print ' name="value"', escaped; the same for a number. */
void xml_attribute(const struct xml *x, const char *name, const char *value);
void xml_number(const struct xml *x, const char *name, uint64_t value);
/* Print an M element for each value that is not 0. */
void xml_values(const struct xml *x, const uint64_t *values);
bool xml_any(const struct xml *x, const uint64_t *values);

/* The rank of each of n things by compare; things that compare equal have the same rank. The caller
 * frees the array. NULL if memory ran out. */
typedef int xml_compare(const struct xml *x, uint32_t a, uint32_t b);
uint32_t *xml_ranks(const struct xml *x, size_t n, xml_compare *compare);
/* Compares the names that are printed. */
xml_compare xml_compare_files;

/* The texts of the DTDs, from share/hpcprof. */
extern const char xml_profile_dtd[], xml_csprofile_dtd[];

#endif
