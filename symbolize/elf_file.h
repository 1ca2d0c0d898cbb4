/* An ELF file that is being read. */
#ifndef SYMBOLIZE_ELF_FILE_H
#define SYMBOLIZE_ELF_FILE_H

#include "formats/base/error.h"
#include "formats/base/mapped_file.h"
#include "formats/base/vec.h"
#include "symbolize/inflate.h"

#include <libelf.h>
#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>

typedef VEC(struct mapped_file) mapped_files;

struct elf_file {
	Elf *elf; /* NULL: it is not open */
	int fd;
	struct stat st;
	struct mapped_file mapped; /* its bytes, as libelf maps them */
	struct inflated inflated;
	char path[PATH_MAX];
	char real[PATH_MAX]; /* the same without links, if it is below a root; else "" */
};

/* Open path, which begins with root ("": none) and is shorter than PATH_MAX, if it is a regular ELF
 * file; below root as regular_file_open_below. -1 if it cannot be opened: then *why (may be NULL)
 * names the file, and its kind is ERROR_SYSTEM, ERROR_USAGE for what is no regular file
 * or was cut while it was read, ERROR_FORMAT for what is no ELF file, or ERROR_LIMIT if it has
 * large holes or its sections cannot be read in time that is linear in its bytes. */
int elf_file_open(struct elf_file *f, const char *root, const char *path, struct error *why);

/* Watch the bytes of a file that libelf has mapped, after mapped_file_opening; elf may be NULL. */
void elf_file_watch(struct mapped_file *m, Elf *elf);

/* Close it, unless it is not open. */
void elf_file_close(struct elf_file *f);

#endif
