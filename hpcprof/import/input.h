/* The bytes of a file of another profiler, and its lines.
 *
 * The file is copied to memory, and unpacked if gzip compressed it; a large one is mapped. Used by
 * one thread. */
#ifndef HPCPROF_IMPORT_INPUT_H
#define HPCPROF_IMPORT_INPUT_H

#include "formats/base/cursor.h"
#include "formats/base/error.h"
#include "formats/base/mapped_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct input {
	const uint8_t *at;
	size_t n;
	void *unpacked, *bytes; /* one of them, or NULL */
	void *mapped;           /* or NULL */
	size_t mapped_n;
	struct mapped_file watched;
};

/* Open the file. 0, or -1 and *e: it cannot be read, is damaged (ERROR_FORMAT), or unpacks to more
 * than INPUT_MOST bytes (ERROR_LIMIT). To be closed in any case. */
#define INPUT_MOST (UINT64_C(4) << 30)
int input_open(struct input *in, const char *path, struct error *e);
void input_close(struct input *in); /* takes NULL */

/* After all was read: -1 and *e if another process made the file shorter meanwhile. */
int input_check(const struct input *in, struct error *e);

/* The file's first bytes, unpacked, at most room. Returns how many; 0 if it cannot be read. *whole:
 * there are no more. */
size_t input_head(const char *path, uint8_t *at, size_t room, bool *whole);

/* A part of a line. It belongs to the input and does not end in a NUL. */
struct span {
	const char *at;
	size_t n;
};

struct lines {
	struct cursor c;
	uint64_t number; /* of the last line read; the first is 1 */
};

static inline struct lines lines_of(const void *at, size_t n)
{
	return (struct lines){.c = cursor_of(at, n, false)};
}
/* Read a line, without its end ("\n" or "\r\n"). False after the last one. */
bool lines_next(struct lines *l, struct span *out);
/* -1 and *e: "line N: expected EXPECTED, found 'TEXT'". */
int lines_error(const struct lines *l, struct error *e, const char *expected, struct span found);

static inline struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}
/* Without blanks at its ends. */
struct span span_trim(struct span s);
bool span_is(struct span s, const char *text);
bool span_begins(struct span s, const char *text);
/* Remove text from the beginning or the end. False: it is not there. */
bool span_skip(struct span *s, const char *text);
bool span_drop(struct span *s, const char *text);
/* Take the first word; blanks around it are removed. False: there is none. */
bool span_word(struct span *s, struct span *word);
/* Take the first number, decimal or after 0x hexadecimal. False: there is none, or it is more than
 * 2^64 - 1. */
bool span_number(struct span *s, uint64_t *out);
/* The same for a hexadecimal number without 0x. */
bool span_hex(struct span *s, uint64_t *out);
/* The position of the last occurrence of c; SIZE_MAX: none. */
size_t span_last(struct span s, char c);
/* Whether there is at least one character and all are decimal digits. */
bool span_is_digits(struct span s);

#endif
