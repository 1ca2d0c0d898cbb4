/* A file that is there as a whole or not at all: it is written under another name beside
 * its place and renamed in the end. While one is open, the signals that end a program
 * (SIGINT, SIGTERM, SIGHUP, where they have their default action) remove it first. Used by
 * one thread; of several at once the signals remove the one begun last. */
#ifndef FORMATS_BASE_UNFINISHED_H
#define FORMATS_BASE_UNFINISHED_H

#include "formats/base/error.h"

#include <signal.h>

enum { UNFINISHED_SIGNALS = 3 };

struct unfinished {
	const char *path;
	char *name; /* of the file until it is finished; NULL: none is open */
	struct sigaction before[UNFINISHED_SIGNALS];
};

/* Make an empty file that is to become path, which lives as long as *u. A descriptor that
 * is open for writing and the caller's to close, or -1 and *e. */
int unfinished_begin(struct unfinished *u, const char *path, struct error *e);
/* All is written: make it last. 0, or -1 and *e, with the file gone; what was at path is
 * then still the same. */
int unfinished_finish(struct unfinished *u, struct error *e);
/* Leave everything as it was before. Nothing happens where none is open. */
void unfinished_abandon(struct unfinished *u);

#endif
