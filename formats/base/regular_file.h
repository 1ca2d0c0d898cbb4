/* Opening files that others named. Only regular files are opened, as to open a device can do
 * something, and to open a FIFO can wait: what is at the path is looked at first, and again when it
 * is open. A file that is not there, or is no regular file, is an error: "cannot be opened:
 * REASON", of kind ERROR_SYSTEM, or "is a FIFO, not a regular file", of kind ERROR_USAGE, to be
 * said after the path or as a message of its own. The descriptors are closed on exec and do not
 * wait. */
#ifndef FORMATS_BASE_REGULAR_FILE_H
#define FORMATS_BASE_REGULAR_FILE_H

#include "formats/base/error.h"

#include <limits.h>
#include <sys/stat.h>

/* "a FIFO", "a directory" and so on. */
const char *regular_file_kind(mode_t mode);

/* A descriptor to read path, and its status; or -1. */
int regular_file_open(const char *path, struct stat *st, struct error *e);

/* The same below the directory root, as if that were the root of the file system: neither ".." nor
 * a symbolic link leads out of it. *real is the path without links, below root. It holds also
 * while another process moves directories and links. */
int regular_file_open_below(const char *root, const char *path, char real[PATH_MAX],
			    struct stat *st, struct error *e);

#endif
