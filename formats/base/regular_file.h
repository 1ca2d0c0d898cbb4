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

/* The same for a name in a directory; a symbolic link is not followed. how is O_RDONLY or O_RDWR.
 */
int regular_file_open_at(int folder, const char *name, int how, struct stat *st, struct error *e);

/* The same below the directory root, as if that were the root of the file system: neither ".." nor
 * a symbolic link leads out of it. *real is the path without links, below root. It holds also
 * while another process moves directories and links. */
int regular_file_open_below(const char *root, const char *path, char real[PATH_MAX],
			    struct stat *st, struct error *e);

/* -1 and *e, of kind ERROR_LIMIT, if more than 64 MiB of the file are holes, as far as the file
 * system knows of them (lseek(2)): what takes no room in a file must not take memory or time. It
 * moves the descriptor's offset. */
int regular_file_check_holes(int fd, struct error *e);

/* All bytes of such a file and a NUL, malloc'd. NULL and *e if it cannot be read, if memory ran
 * out, it has large holes, or, of kind ERROR_LIMIT, it has fewer bytes than st says, "was cut while
 * it was read". What was added to it meanwhile is not read. */
void *regular_file_read(int fd, const struct stat *st, struct error *e);

#endif
