/* Print a datafile field by field: `hpcprof dump`. */
#ifndef HPCPROF_DUMP_H
#define HPCPROF_DUMP_H

#include "formats/base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Print the datafile at path, or the store as the datafile that would be made of it now, to
 * out, as text or as one JSON object.
 *
 * In both, nodes come one a line in the file's order; addresses are 0x..., all
 * other numbers decimal; a number that stands for something has its meaning
 * beside it. The file's byte order shows nowhere, so that the same profile prints
 * alike in both. In text, strings are quoted, and what is not printable UTF-8 is
 * written \xNN. JSON is always valid UTF-8: bytes that are not become U+FFFD;
 * integers are exact (up to 64 bits), addresses are strings.
 *
 * Returns 0; 1 if the trailer was damaged (*e says how; the rest was printed);
 * -1 and *e if the file cannot be read or out cannot be written. */
int dump_file(FILE *out, const char *path, bool json, struct error *e);

#endif
