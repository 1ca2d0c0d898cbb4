/* The commands of hpcprof, and its command line. A command is a file (or a folder) with its tables
 * of options, the struct that they fill, and its function. It has a row in the table of commands in
 * commands.c. Used by one thread. */
#ifndef HPCPROF_COMMAND_COMMAND_H
#define HPCPROF_COMMAND_COMMAND_H

#include "formats/base/error.h"
#include "hpcprof/command/common.h"
#include "hpcprof/command/diag.h"
#include "hpcprof/command/option.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct completion;
struct profile;

/* Print a profile. 0; 1 if something was left out, which was reported; or -1 and *e (ERROR_USAGE:
 * the user asked for something impossible). */
typedef int command_print(FILE *out, const struct profile *p, const void *options, struct error *e);

/* Where a command writes, besides what its options of the type option_output name. */
enum command_writes {
	WRITES_NOTHING,
	WRITES_PROFILES, /* in the directories that are its arguments */
	WRITES_ANYWHERE, /* as its data says */
};

struct command {
	const char *name;
	const char *summary; /* a line of hpcprof --help */
	/* its first argument ("FUNCTION"), before the PROFILEs; or NULL: none */
	const char *subject;
	/* Offers what the subject can be, for completion; NULL: it cannot be told. */
	void (*complete_subject)(const struct completion *c);
	const char *arguments; /* the PROFILEs in its usage; NULL: any number */
	/* Whether the newest measurement here is read if no PROFILE is named (see newest.h) */
	bool newest;
	/* Its tables of options, with a NULL at the end. Options with the same name mean the same
	 * in all commands. */
	const struct option_row *const *options;
	/* Bytes of the struct that they fill, which begins with a struct common. It is all zeros
	 * before set_defaults, if there is one. */
	size_t size;
	void (*set_defaults)(void *options);
	void (*deinit)(void *options); /* frees all but its struct common; NULL: nothing */
	/* Whether the command takes no arguments with these options; NULL: never. */
	bool (*needs_nothing)(const void *options);
	/* Start the programs that it will need: none can be started later, see sandbox.h. NULL:
	 * none. */
	void (*start)(const void *options);
	enum command_writes writes;
	/* Run the command. 0; 1 if something was left out, which was reported to d; an exit status
	 * above 3 with a meaning of its own; or -1 and *e
	 * (ERROR_USAGE: the user asked for something impossible; ERROR_NONE: already reported to
	 * d). */
	int (*run)(FILE *out, const void *options, struct diag *d, struct error *e);
	/* For a command that only loads a profile and prints it: the function that prints; else
	 * NULL. */
	command_print *print;
};

/* The tables of options that every command has besides its own, with a NULL at the end. */
extern const struct option_row *const command_common_options[];

/* A parsed command line. */
struct command_line {
	const struct command *command; /* the first one if none was named */
	bool named;
	bool help, version; /* given; then options is NULL */
	void *options;      /* malloc'd, of command */
	const char *newest; /* the PROFILE if none was named (see newest.h); else NULL */
};

/* Read a command line. commands ends with a NULL. out is where the command will print; it gives the
 * width. Strings point into argv, whose words are reordered. 0, or -1 and *e (ERROR_USAGE: what the
 * user should change). Free *l in any case. */
int command_line_parse(struct command_line *l, const struct command *const *commands, int argc,
		       char **argv, FILE *out, struct error *e);
void command_line_deinit(struct command_line *l); /* takes NULL */
/* Append the files and directories that the command will write; not for WRITES_ANYWHERE. 0, or -1
 * and *e. */
int command_line_outputs(const struct command_line *l, option_strings_field *to, struct error *e);

/* Print help: all commands; one command with its options. */
void command_list(FILE *out, const struct command *const *commands);
void command_help(FILE *out, const struct command *c);

#endif
