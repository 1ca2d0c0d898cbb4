/* Command line options, read by tables. A row has an option's name, the field for its value and the
 * function that reads it. Used by one thread. */
#ifndef HPCPROF_COMMAND_OPTION_H
#define HPCPROF_COMMAND_OPTION_H

#include "formats/base/error.h"
#include "formats/base/vec.h"

#include <stddef.h>

struct option_row;

/* Read text (NULL for an option without a value) into *field. 0, or -1 and *e (ERROR_USAGE). */
typedef int option_read(const struct option_row *row, const char *text, void *field,
			struct error *e);

struct option_row {
	char letter;      /* 0: none */
	const char *name; /* without its dashes; NULL ends a table */
	/* Its value's name in the help; NULL: it takes no value. FILE, DIR and METRIC are
	 * completed as such. */
	const char *argument;
	const char *help;
	option_read *read; /* NULL: the parser handles it */
	size_t field;      /* its offset in the struct that the table fills */
	/* What option_word takes, with a NULL at the end. For others, what completion offers. */
	const char *const *words;
};

/* The option's name in messages: "-n" or "--depth". Returns out. */
enum { OPTION_NAME_BYTES = 40 };
char *option_name(char out[OPTION_NAME_BYTES], const struct option_row *row);

/* The type of the field that each fills. The field is 0 if the option is not given. */
option_read option_flag;    /* bool */
option_read option_no;      /* bool, which becomes false */
option_read option_string;  /* const char *, the string in argv */
option_read option_output;  /* the same; the path of a file or directory that is written */
option_read option_strings; /* option_strings_field: all values, in order */
option_read option_word;    /* an enum (unsigned int): 1 for the first of row->words, and so on */
option_read option_count;   /* uint64_t, up to UINT32_MAX */
option_read option_limit;   /* the same; 0 is UINT64_MAX, no limit */
option_read option_percent; /* double, from 0 to 100 */
option_read option_seconds; /* double, from 0.1 to 86400 */

typedef VEC(const char *) option_strings_field;

#endif
