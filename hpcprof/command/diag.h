/* Messages to the user, on stderr: "hpcprof: FILE: what is wrong (what to do)".
 * One struct per run; used by one thread at a time. */
#ifndef HPCPROF_DIAG_H
#define HPCPROF_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct diag {
	FILE *out;
	bool quiet;      /* -q: no progress either */
	bool terminal;   /* progress is shown */
	bool progress;   /* a line of progress stands there */
	size_t problems; /* how often diag_problem was called */
};

/* Something was left out or is wrong; the exit status will say so. subject is a file's
 * name, or NULL. Escapes what a terminal should not get. */
void diag_problem(struct diag *d, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Something that the user should know, and that is not wrong; not with -q. */
void diag_notice(struct diag *d, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Long work: replaces the line of progress before it, if stderr is a terminal. */
void diag_progress(struct diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Take the line of progress away. */
void diag_progress_end(struct diag *d);

#endif
