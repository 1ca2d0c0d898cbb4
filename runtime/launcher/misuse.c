#include "runtime/launcher/misuse.h"

#include <stdio.h>

void launch_misuse(const char *command, const char *what, const char *value)
{
	fprintf(stderr, "hpcrun %s: %s%s%s (see hpcrun %s --help)\n", command, what,
		value ? " " : "", value ? value : "", command);
}
