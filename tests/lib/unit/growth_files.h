/* How the time and memory of a command grow with a file that is made. */
#ifndef TESTS_LIB_UNIT_GROWTH_FILES_H
#define TESTS_LIB_UNIT_GROWTH_FILES_H

#include <stddef.h>
#include <stdio.h>

#define GROWTH_BY_THREAD "text --stats --by thread"

struct growth_file {
	const char *name;
	const char *line; /* of the command, without the file */
	/* Write about so many bytes. */
	void (*make)(FILE *out, size_t bytes);
};

/* growth_is_linear_within for each, with at most 512 bytes of memory for each byte. A file may be
 * refused, with a reason. FAMILY in the environment chooses one by its name. */
void growth_of_files(const struct growth_file *files, size_t n);

#endif
