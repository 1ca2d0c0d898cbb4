/* The commands of hpcprof, and its command line. A command is a file (or a folder) with its table
 * of options, the struct that they are read into, and what it does; and a row of the table of
 * commands in commands.c. Used by one thread. */
#ifndef HPCPROF_COMMAND_COMMAND_H
#define HPCPROF_COMMAND_COMMAND_H

#include "formats/base/error.h"
#include "hpcprof/command/common.h"
#include "hpcprof/command/diag.h"
#include "hpcprof/command/option.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct profile;

/* Print a profile. 0; 1 if something was left out, which was said; or -1 and *e (ERROR_USAGE: what
 * the user asked for cannot be had). */
typedef int command_print(FILE *out, const struct profile *p, const void *options, struct error *e);

struct command {
	const char *name;
	const char *summary; /* a line of hpcprof --help */
	const char *subject; /* what its first argument is ("FUNCTION"), before the PROFILEs; or
				NULL: there is none */
	/* Its tables of options, with a NULL at the end. Options of one name mean the same in all
	 * commands. */
	const struct option_row *const *options;
	/* Bytes of the struct that they fill, which begins with a struct common. It is all zeros
	 * before set_defaults, if there is one. */
	size_t size;
	void (*set_defaults)(void *options);
	void (*deinit)(void *options); /* what it owns beside its struct common; NULL: nothing */
	/* Whether the options ask for something that takes no arguments; NULL: none does. */
	bool (*needs_nothing)(const void *options);
	/* Do it. 0; 1 if something was left out, which d was told; or -1 and *e (ERROR_USAGE: what
	 * the user asked for cannot be done; ERROR_NONE: d was told). */
	int (*run)(FILE *out, const void *options, struct diag *d, struct error *e);
	/* What run prints of the profile that it loads, of a command that does no more; else NULL.
	 */
	command_print *print;
};

/* A command line as it was read. */
struct command_line {
	const struct command *command; /* the first one where none was named */
	bool named;
	bool help, version; /* asked for; there are no options then */
	void *options;      /* malloc'd, of command */
};

/* Read a command line. The NULL at the end of commands ends them. out is where the command will
 * print, to know its width. The strings stay argv's, whose words change places. 0, or -1 and *e
 * (ERROR_USAGE: what the user should change); *l is to be freed in any case. */
int command_line_parse(struct command_line *l, const struct command *const *commands, int argc,
		       char **argv, FILE *out, struct error *e);
void command_line_deinit(struct command_line *l); /* takes NULL */

/* All commands; one command with its options. */
void command_list(FILE *out, const struct command *const *commands);
void command_help(FILE *out, const struct command *c);

#endif
