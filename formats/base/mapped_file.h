/* Files that a library maps to read them, and that others may make shorter meanwhile. A process
 * that has called mapped_file_guard reads zeros where such a file has no bytes any more, in place
 * of being killed by SIGBUS; whoever reads the file asks mapped_file_is_cut when it is done. All
 * functions may be called by several threads, each with files of its own. */
#ifndef FORMATS_BASE_MAPPED_FILE_H
#define FORMATS_BASE_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* All zeros is not watched. */
struct mapped_file {
	struct mapped_range *range;
};

/* To be called once, before there are threads. It takes the process's SIGBUS. */
void mapped_file_guard(void);
bool mapped_file_is_guarded(void);

/* This thread calls a library that maps a file and reads it at once: until one of the two functions
 * below, whatever the thread misses is of this file. */
void mapped_file_opening(struct mapped_file *m);

/* Watch bytes that are mapped from a file, until mapped_file_leave, which is called before they are
 * unmapped, or after that by the thread that did it. False if memory ran out. */
bool mapped_file_watch(struct mapped_file *m, const void *bytes, size_t size);
void mapped_file_leave(struct mapped_file *m);

/* Whether bytes were sought that the file does not have any more. */
bool mapped_file_is_cut(const struct mapped_file *m);

#endif
