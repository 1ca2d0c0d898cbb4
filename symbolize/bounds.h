/* Where functions begin, by a module's unwind tables: what is left to tell them apart in
 * a file without symbols. Read from .eh_frame_hdr and .eh_frame (LSB Core, "Exception
 * Frames") in the encodings that linkers write; other files simply give no bounds. */
#ifndef SYMBOLIZE_BOUNDS_H
#define SYMBOLIZE_BOUNDS_H

#include "formats/base/cursor.h"

#include <libelf.h>
#include <stdbool.h>

struct bounds {
	struct cursor table;  /* of .eh_frame_hdr: pairs of function and its description */
	struct cursor frames; /* .eh_frame */
	uint64_t table_base;  /* file address that the table's entries count from */
	uint64_t frames_base; /* file address of .eh_frame */
	size_t count;
};

/* Find the tables of elf, which must outlive *b. Without them *b is empty. */
void bounds_read(struct bounds *b, Elf *elf);

/* The beginning of the function that covers the file address, and where it ends; false if
 * none does. */
bool bounds_find(const struct bounds *b, uint64_t address, uint64_t *low, uint64_t *high);

#endif
