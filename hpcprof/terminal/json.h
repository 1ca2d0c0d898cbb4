/* Strings in JSON. */
#ifndef HPCPROF_TERMINAL_JSON_H
#define HPCPROF_TERMINAL_JSON_H

#include <stddef.h>
#include <stdio.h>

/* Print n bytes as a string with its quotes. What is not UTF-8 becomes U+FFFD; what a terminal must
 * not get is escaped (utf8_is_harmful). */
void json_string(FILE *out, const char *s, size_t n);
/* Print "NAME":"VALUE", or "NAME":null for NULL. */
void json_member(FILE *out, const char *name, const char *value);

#endif
