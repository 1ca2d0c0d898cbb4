/* Print a datafile field by field: `hpcprof dump`. */
#ifndef HPCPROF_VIEWS_DUMP_DUMP_H
#define HPCPROF_VIEWS_DUMP_DUMP_H

#include "formats/base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Print the datafile at path to out, as text or as one JSON object. Of a store, print the datafile
 * that would be made of it now.
 *
 * In both, there is one node per line, in the file's order. Addresses are 0x..., all other numbers
 * are decimal. A number with a meaning has the meaning beside it. The output does not depend on the
 * file's byte order. In text, strings are quoted, and what is not printable UTF-8 is written as
 * \xNN. JSON is always valid UTF-8: invalid bytes become U+FFFD. Integers are exact (up to 64
 * bits); addresses are strings.
 *
 * Returns 0; 1 if the trailer was damaged (*e says how; the rest was printed); -1 and *e if the
 * file cannot be read or out cannot be written. */
int dump_file(FILE *out, const char *path, bool json, struct error *e);

#endif
