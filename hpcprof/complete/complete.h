/* hpcprof --complete: what the last word of a command line can be (formats/base/completion.h). */
#ifndef HPCPROF_COMPLETE_COMPLETE_H
#define HPCPROF_COMPLETE_COMPLETE_H

#include "formats/base/error.h"
#include "hpcprof/command/command.h"

#include <stddef.h>
#include <stdio.h>

/* Print the answer for the words after "hpcprof", of which the last is being typed; n may be 0.
 * commands ends with a NULL. Folders and the heads of files that the words name are read. 0, or -1
 * and *e. */
int complete(FILE *out, const struct command *const *commands, const char *const *words, size_t n,
	     struct error *e);

#endif
