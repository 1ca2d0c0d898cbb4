/* Run hpcprof's commands from within a test, as main does. Used by one thread. */
#ifndef TESTS_LIB_UNIT_RUN_VIEW_H
#define TESTS_LIB_UNIT_RUN_VIEW_H

#include "formats/base/error.h"
#include "hpcprof/command/command.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A command line: the words of line, separated by single spaces, and n more. It has one worker
 * thread and a width of 100 columns, unless the caller changes common. */
struct view_line {
	struct command_line parsed;
	struct common *common; /* of parsed */
	char *text, **argv;
};
/* 0, or -1 and *e if the line is refused. Free v in any case. */
int view_line_parse(struct view_line *v, const char *line, const char *const *more, size_t n,
		    struct error *e);
void view_line_free(struct view_line *v);

/* Run such a command line. Its messages on stderr are not shown. Returns what the command returns,
 * and *e, which is empty if there was no error. */
int run_view(const char *line, const char *const *more, size_t n, FILE *out, struct error *e);
/* Print a profile with the command of a line without PROFILEs. Returns the same. */
int print_view(const char *line, unsigned width, const struct profile *p, FILE *out,
	       struct error *e);
/* Run hpcprof db -o TO FROM... Returns the same. */
int run_db(const char *to, const char *const *from, size_t n, bool append, struct error *e);
/* Run hpcprof query --format csv QUERY... PROFILE with the n words, of which the last is the
 * profile. malloc'd text, or NULL and *e. */
char *run_query(const char *const *words, size_t n, struct error *e);

/* All bytes of a file, malloc'd and followed by a NUL; NULL if there is no such file. */
char *read_file(const char *path, size_t *n);

#endif
