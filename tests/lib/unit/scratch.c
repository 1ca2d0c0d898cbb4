#include "tests/lib/unit/scratch.h"

#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/hpctest-scratch.XXXXXX";

int scratch_make(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

int scratch_remove(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

const char *scratch_folder(void)
{
	return folder;
}

char *scratch_path(const char *name)
{
	static char paths[8][200];
	static int next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

char *scratch_datafile(const struct build_file *f, const char *name)
{
	char *path = scratch_path(name);
	struct built b;

	build(f, &b);
	built_write(&b, path);
	built_free(&b);
	return path;
}
