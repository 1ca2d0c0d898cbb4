/* Fields of CSV (RFC 4180). */
#ifndef HPCPROF_TERMINAL_CSV_H
#define HPCPROF_TERMINAL_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Print n bytes of text as a field, in quotes if it needs them or is empty. Harmful characters but
 * for tabs and newlines, and bytes that are not UTF-8, are escaped as by utf8_clean. formulas: put
 * an apostrophe before what spreadsheet programs would take for a formula. */
void csv_field(FILE *out, const char *s, size_t n, bool formulas);

#endif
