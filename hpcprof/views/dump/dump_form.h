/* The form of a dump: callbacks that get records, fields and lists in the order of the file. Used
 * only by dump.c. The forms are in dump_text.c and dump_json.c. */
#ifndef HPCPROF_VIEWS_DUMP_DUMP_FORM_H
#define HPCPROF_VIEWS_DUMP_DUMP_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct dump_bytes {
	const char *at;
	size_t n;
};

/* The state of a form. Zeroed, except for out, before the first callback. */
struct dump_to {
	FILE *out;
	unsigned depth;  /* records and lists that are open */
	bool has_before; /* this record or list is not empty */
	bool in_line;    /* text: the line of a record has not ended */
};

/* Records in a list are numbered (index 0 and up) or not; others are not in a list. */
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
	/* Fields, in a record. meaning may be NULL. A word needs no escaping. */
	void (*number)(struct dump_to *to, const char *name, uint64_t v, const char *meaning);
	void (*address)(struct dump_to *to, const char *name, uint64_t v);
	void (*numbers)(struct dump_to *to, const char *name, const uint64_t *v, size_t n);
	void (*string)(struct dump_to *to, const char *name, struct dump_bytes s);
	void (*word)(struct dump_to *to, const char *name, struct dump_bytes s);
	/* A field that is not in the file. */
	void (*absent)(struct dump_to *to, const char *name);
};

extern const struct dump_form dump_text, dump_json;

/* For the forms: print v in decimal; print v as 0x and hexadecimal. */
void dump_put_u64(FILE *out, uint64_t v);
void dump_put_hex(FILE *out, uint64_t v);

#endif
