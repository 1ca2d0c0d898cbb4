/* The bounds of functions according to a module's unwind tables. They separate functions in a file
 * without symbols. Read from .eh_frame_hdr and .eh_frame (LSB Core, "Exception Frames") in the
 * encodings that linkers write; other files give no bounds. */
#ifndef SYMBOLIZE_BOUNDS_H
#define SYMBOLIZE_BOUNDS_H

#include "formats/base/cursor.h"

#include <libelf.h>
#include <stdbool.h>

struct bounds {
	struct cursor table;  /* of .eh_frame_hdr: pairs of function and FDE */
	struct cursor frames; /* .eh_frame */
	uint64_t table_base;  /* file address that the table's entries are relative to */
	uint64_t frames_base; /* file address of .eh_frame */
	size_t count;
};

/* Find the tables of elf, which must outlive *b. Without them *b is empty. */
void bounds_read(struct bounds *b, Elf *elf);

/* The bounds of the function that contains the file address; false if there is none. */
bool bounds_find(const struct bounds *b, uint64_t address, uint64_t *low, uint64_t *high);

#endif
