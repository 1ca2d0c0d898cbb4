/* How a dump looks: the form's callbacks get records, fields and lists in the
 * order of the file. Used by dump.c alone; forms are in dump_text.c and
 * dump_json.c. */
#ifndef HPCPROF_DUMP_FORM_H
#define HPCPROF_DUMP_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct dump_bytes {
	const char *at;
	size_t n;
};

/* Where a form has got to. Zeroed but for out before the first callback. */
struct dump_to {
	FILE *out;
	unsigned depth;  /* records and lists that are open */
	bool has_before; /* something stands before in this record or list */
	bool in_line;    /* text: the line of a record has not ended */
};

/* Records in a list are numbered (index 0 and up) or not; others stand alone. */
enum { DUMP_ALONE = -2, DUMP_UNNUMBERED = -1 };

struct dump_form {
	/* The whole file, which is a record. */
	void (*begin)(struct dump_to *to, const char *name);
	void (*end)(struct dump_to *to);
	void (*record)(struct dump_to *to, const char *name, int64_t index);
	void (*end_record)(struct dump_to *to);
	/* A list of records, in a record. */
	void (*list)(struct dump_to *to, const char *name);
	void (*end_list)(struct dump_to *to);
	/* Fields, in a record. meaning may be NULL; words are printable as they are. */
	void (*number)(struct dump_to *to, const char *name, uint64_t v, const char *meaning);
	void (*address)(struct dump_to *to, const char *name, uint64_t v);
	void (*numbers)(struct dump_to *to, const char *name, const uint64_t *v, size_t n);
	void (*string)(struct dump_to *to, const char *name, struct dump_bytes s);
	void (*word)(struct dump_to *to, const char *name, struct dump_bytes s);
	/* A field that the file leaves out. */
	void (*absent)(struct dump_to *to, const char *name);
};

extern const struct dump_form dump_text, dump_json;

/* For the forms: v in decimal; v as 0x and hexadecimal. */
void dump_put_u64(FILE *out, uint64_t v);
void dump_put_hex(FILE *out, uint64_t v);

#endif
