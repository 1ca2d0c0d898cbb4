/* How the time and memory of a command grow with a file that is made. */
#ifndef TESTS_LIB_UNIT_GROWTH_FILES_H
#define TESTS_LIB_UNIT_GROWTH_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GROWTH_BY_THREAD "text --stats --by thread"

struct growth_file {
	const char *name;
	const char *line; /* of the command, without the file */
	/* Write about so many bytes. */
	void (*make)(FILE *out, size_t bytes);
	double memory; /* bytes for each byte at most; 0: as growth_is_linear */
	bool refused;  /* larger ones are, with a reason; others are read, whatever their size */
};

/* growth_is_linear for each. FAMILY in the environment chooses one by its name. */
void growth_of_files(const struct growth_file *files, size_t n);

#endif
