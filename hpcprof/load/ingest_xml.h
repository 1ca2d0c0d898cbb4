/* Merges PROFILE and CSPROFILE XML into a model. hpcprof/export/xml.h describes them. */
#ifndef HPCPROF_LOAD_INGEST_XML_H
#define HPCPROF_LOAD_INGEST_XML_H

#include "hpcprof/model/model.h"

#include <stddef.h>

/* Merge the PROFILE or CSPROFILE at path. It is read twice, so that an invalid file leaves the
 * model unchanged: then 1 and *e. 0, or -1 and *e as ingest_datafile.
 *
 * Events are those of the file. It has no numbers of samples; they are estimated as events /
 * period, rounded. A metric with a period above 1 counts as sampled. The contents of a PROFILE have
 * no callers and are put below the root of partial paths. Loops and groups are replaced by their
 * contents.
 *
 * Time and memory grow with the bytes of the file: at most 256 bytes of memory for each, as
 * tests/unit/linear_imports.c holds (at most 36 are seen). */
int ingest_xml(struct model *m, const char *path, struct error *e);
/* The same for a file in memory, under this name. */
int ingest_xml_memory(struct model *m, const char *name, const void *bytes, size_t n,
		      struct error *e);

#endif
