#include "tests/lib/unit/growth_files.h"

#include "tests/lib/unit/growth.h"
#include "tests/lib/unit/run_view.h"
#include "tests/lib/unit/scratch.h"

#include <stdlib.h>
#include <string.h>

struct made_file {
	const struct growth_file *of;
	char path[256];
};

static size_t prepare(void *context, size_t bytes)
{
	struct made_file *made = context;
	FILE *out;
	long n;

	snprintf(made->path, sizeof made->path, "%s", scratch_path("made"));
	out = fopen(made->path, "w");
	if (!out)
		abort();
	made->of->make(out, bytes);
	n = ftell(out);
	if (fclose(out) != 0 || n <= 0)
		abort();
	return (size_t)n;
}

static void run(void *context)
{
	struct made_file *made = context;
	const char *more[] = {made->path};
	FILE *out = fopen("/dev/null", "w");
	struct error e = {0};
	int rc;

	rc = out ? run_view(made->of->line, more, 1, out, &e) : -1;
	if (rc != 0 && (!made->of->refused || !e.text[0]))
		abort();
	fclose(out);
}

void growth_of_files(const struct growth_file *files, size_t n)
{
	const char *only = getenv("FAMILY");

	for (size_t i = 0; i < n; i++) {
		struct made_file made = {.of = &files[i]};
		if (only && strcmp(only, files[i].name) != 0)
			continue;
		if (files[i].memory > 0)
			growth_is_linear_within(files[i].memory, files[i].name, prepare, run,
						&made);
		else
			growth_is_linear(files[i].name, prepare, run, &made);
	}
}
