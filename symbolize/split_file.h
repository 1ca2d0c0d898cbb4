/* The .dwo files of skeleton units. libdw opens them by itself when it is asked for the split unit,
 * and takes whatever is at the path. So it is asked only if each file that it would open was looked
 * at first: it is absent, or a regular ELF file whose reading is paid for. */
#ifndef SYMBOLIZE_SPLIT_FILE_H
#define SYMBOLIZE_SPLIT_FILE_H

#include "formats/base/error.h"
#include "symbolize/abbreviations.h"
#include "symbolize/elf_file.h"

/* All zeros with abbreviations and fd is none. For one thread. */
struct split_files {
	struct abbreviations *abbreviations;
	int fd;                /* the file with the skeletons */
	struct interner known; /* files that gave steps */
	mapped_files *watched; /* those that libdw opened */
	struct interner opened;
	struct error refused; /* why the first of those that were refused was */
};

/* Whether libdw may be asked for the split unit of a skeleton. If not, refused says why, unless
 * that is that there are no steps left. */
bool split_file_pay(struct split_files *s, Dwarf_Die *skeleton);

/* Ask libdw for it, and watch its file. False if there is none. */
bool split_file_unit(struct split_files *s, Dwarf_Die *skeleton, Dwarf_Die *split);

void split_files_free(struct split_files *s);

#endif
