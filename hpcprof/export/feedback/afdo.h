/* The profile that gcc reads with -fauto-profile (its auto-profile.cc describes the format, which
 * is a gcov data file of its own kind): a table of names, then for each function the counts of its
 * places, and the same for what was inlined. */
#ifndef HPCPROF_EXPORT_FEEDBACK_AFDO_H
#define HPCPROF_EXPORT_FEEDBACK_AFDO_H

#include "formats/base/error.h"
#include "hpcprof/export/feedback/locations.h"

#include <stdio.h>

/* Write finished locations. 0, or -1 and *e if memory ran out. */
int afdo_write(FILE *out, const struct locations *l, struct error *e);

#endif
