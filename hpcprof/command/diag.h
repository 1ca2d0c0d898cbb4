/* Messages to the user, on stderr: "hpcprof: FILE: what is wrong (what to do)".
 * One struct per run; used by one thread at a time. */
#ifndef HPCPROF_DIAG_H
#define HPCPROF_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct diag {
	FILE *out;
	bool quiet;      /* -q: also no progress */
	bool terminal;   /* progress is shown */
	bool progress;   /* a progress line is on the terminal */
	double begun;    /* time of the first progress, in seconds; 0: none */
	size_t problems; /* how often diag_problem was called */
};

/* Report something that was left out or is wrong; the exit status shows it. subject is the name of
 * a file, or NULL. Characters that are not safe for a terminal are escaped. */
void diag_problem(struct diag *d, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Report something that is not an error. Prints nothing with -q. */
void diag_notice(struct diag *d, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Report progress: replaces the progress line, if stderr is a terminal. Shown half a second after
 * the first call, so that what is quick does not flicker. */
void diag_progress(struct diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Remove the progress line. */
void diag_progress_end(struct diag *d);

#endif
