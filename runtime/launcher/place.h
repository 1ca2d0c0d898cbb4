/* Where the library is, and where the datafiles go. */
#ifndef RUNTIME_LAUNCHER_PLACE_H
#define RUNTIME_LAUNCHER_PLACE_H

#include "runtime/launcher/options.h"

#include <limits.h>

/* The library, beside the launcher, that the options ask for. 0, or -1 after one line on stderr. */
int launch_find_library(const struct launch_options *o, char out[PATH_MAX]);

/* Make the directory for datafiles: that of -o, or hpcrun-NAME-N with the last part of name and the
 * first N from 1 that is free. shown: as the user may type it. *made: it did not exist. 0, or -1
 * after one line on stderr. */
int launch_make_directory(const struct launch_options *o, const char *name, char shown[PATH_MAX],
			  char absolute[PATH_MAX], bool *made);

/* Say that the directory has datafiles, if it has. */
void launch_tell_earlier(const char *shown, const char *absolute);

#endif
