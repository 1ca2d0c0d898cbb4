/* Labels and regions as one text, as in the environment of the next program: KEY=VALUE, and the
 * names of regions, joined by ','. A backslash stands before a ',', '=' or backslash of a key or a
 * name, before a ',' or backslash of a value, and before a value that is a text though it looks
 * like a number: a value without backslashes that is a decimal number, as it is printed, is one.
 * Async-signal-safe. */
#ifndef FORMATS_IDENTITY_LABEL_LIST_H
#define FORMATS_IDENTITY_LABEL_LIST_H

#include "formats/identity/notes.h"

#include <stdbool.h>
#include <stddef.h>

/* What programs pass to those that they start is not longer; labels beyond that are left out. */
enum { LABEL_LIST_BYTES = 1023 };

struct label_list_item {
	char key[CSP_NAME_BYTES + 1], value[CSP_LABEL_BYTES + 1]; /* cut at that */
	bool number;
	bool region; /* its name is the key */
};

/* The next label at *at, which goes on behind it. Returns false at the end. What has no key is
 * passed over. */
bool label_list_next(const char **at, struct label_list_item *item);

/* Add a label after the first n bytes of a list, of which there are at most LABEL_LIST_BYTES with a
 * zero behind them. list NULL: it is not written. text: the value is no number, whatever it looks
 * like. Returns how long the list is then: n if there is no room. */
size_t label_list_add(char *list, size_t n, const char *key, const char *value, bool text);

/* The same of a region. */
size_t label_list_add_region(char *list, size_t n, const char *name);

/* Whether the text is a number as a label has it: of at most 64 bits, with its sign, without
 * leading zeros. */
bool label_list_is_number(const char *text);

#endif
