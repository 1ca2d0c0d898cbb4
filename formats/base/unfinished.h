/* A file that is there as a whole or not at all: it is written under another name beside
 * its place and renamed in the end. While one is open, the signals that end a program
 * (SIGINT, SIGTERM, SIGHUP, where they have their default action) remove it first. Several
 * may be open at once. Used by one thread. */
#ifndef FORMATS_BASE_UNFINISHED_H
#define FORMATS_BASE_UNFINISHED_H

#include "formats/base/error.h"

struct unfinished { /* stays where it is while it is open */
	const char *path;
	char *name; /* of the file until it is finished; NULL: none is open */
	struct unfinished *next;
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
