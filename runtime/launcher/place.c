#include "runtime/launcher/place.h"

#include "formats/base/path.h"
#include "runtime/launcher/quote.h"
#include "runtime/launcher/self.h"
#include "runtime/launcher/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DIRECTORIES = 1000000 };

static int fail(const char *what, const char *name)
{
	fprintf(stderr, "hpcrun: %s %s: %s\n", what, name, strerror(errno));
	return -1;
}

/* That with slots (runtime/cpu/slots.h), which not every CPU has. */
static bool find_marks(const struct launch_options *o, char *out)
{
	char joined[PATH_MAX];
	bool wanted = o->mark && (strcmp(o->mark, "marks") == 0 || strcmp(o->mark, "always") == 0);
	if (!wanted)
		return false;
	if (launch_beside(joined, "../lib/libhpcrun-marks.so") == 0 && realpath(joined, out))
		return true;
	fprintf(stderr,
		"hpcrun: --mark %s: libhpcrun-marks.so is not there (x86-64 only): "
		"frames are remembered instead (--mark memo)\n",
		o->mark);
	return false;
}

/* The library is found relative to the launcher. */
int launch_find_library(const struct launch_options *o, char out[PATH_MAX])
{
	char joined[PATH_MAX];
	if (launch_beside(joined, "../lib/libhpcrun.so") != 0)
		return fail("cannot find", "itself");
	if (!find_marks(o, out) && !realpath(joined, out))
		return fail("cannot find", joined);
	if (strpbrk(out, ": ")) {
		fprintf(stderr,
			"hpcrun: %s: this path contains a colon or a space, which LD_PRELOAD "
			"cannot (install hpcrun elsewhere)\n",
			out);
		return -1;
	}
	return 0;
}

/* Make hpcrun-COMMAND-N in the current directory, with the first free N from 1. */
static int make_default(const char *command, char *out, size_t size)
{
	const char *base = path_basename(command);
	for (int i = 1; i < MAX_DIRECTORIES; i++) {
		snprintf(out, size, "hpcrun-%.128s-%d", base, i);
		if (mkdir(out, 0700) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return fail("cannot create", out);
}

int launch_make_directory(const struct launch_options *o, const char *name, char shown[PATH_MAX],
			  char absolute[PATH_MAX], bool *made)
{
	struct stat st;
	*made = true;
	if (!o->out) {
		if (make_default(name, shown, PATH_MAX) < 0)
			return -1;
	} else {
		snprintf(shown, PATH_MAX, "%s", o->out);
		*made = mkdir(shown, 0700) == 0;
		if (!*made && errno != EEXIST)
			return fail("cannot create", shown);
	}
	if (!realpath(shown, absolute) || stat(absolute, &st) != 0)
		return fail("cannot use", shown);
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return fail("cannot use", shown);
	}
	if (access(absolute, W_OK | X_OK) != 0)
		return fail("cannot write to", shown);
	return 0;
}

/* What is measured now is added to what is there, and hpcprof adds it up. */
void launch_tell_earlier(const char *shown, const char *absolute)
{
	char quoted[LAUNCH_QUOTED_BYTES(PATH_MAX)];
	uint32_t n = launch_count_datafiles(absolute);
	launch_quote(quoted, shown);
	if (n)
		fprintf(stderr,
			"hpcrun: %s has %u datafile%s of earlier measurements; this one is added "
			"to them (another directory with -o keeps it apart)\n",
			quoted, n, n == 1 ? "" : "s");
}
