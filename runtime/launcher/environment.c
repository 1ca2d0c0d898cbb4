#include "runtime/launcher/environment.h"

#include "formats/base/path.h"
#include "runtime/base/message.h"
#include "runtime/launcher/drivers.h"
#include "runtime/launcher/labels.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0: the default. */
static void set_number(const char *name, long value)
{
	char text[24] = "";
	if (value)
		snprintf(text, sizeof text, "%ld", value);
	setenv(name, text, 1);
}

/* Whether the library is in a list as in LD_PRELOAD, separated by colons or spaces. */
static bool is_listed(const char *list, const char *library)
{
	size_t n = strlen(library);
	for (const char *at = list + strspn(list, ": "); *at; at += strspn(at, ": ")) {
		size_t length = strcspn(at, ": ");
		if (length == n && memcmp(at, library, n) == 0)
			return true;
		at += length;
	}
	return false;
}

static int preload_first(const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	char *preload;
	int r;
	if (!old || !*old)
		return setenv("LD_PRELOAD", library, 1);
	if (is_listed(old, library))
		return 0;
	if (asprintf(&preload, "%s:%s", library, old) < 0)
		return -1;
	r = setenv("LD_PRELOAD", preload, 1);
	free(preload);
	return r;
}

static int preload_each(void *unused, const char *path)
{
	(void)unused;
	return preload_first(path);
}

/* Our library comes first, so that it sees the calls of the others. */
static int set_preload(const struct launch_options *o, const char *library)
{
	char beside[PATH_MAX];
	if (launch_drivers_paths(o->found_drivers, preload_each, NULL) != 0)
		return -1;
	int folder = (int)path_folder_length(library);
	snprintf(beside, sizeof beside, "%.*slibhpcrun-unsafe-calls.so", folder, library);
	if (o->debug & CSPROF_DEBUG_UPCALLS && preload_first(beside) != 0)
		return -1;
	return preload_first(library);
}

/* COMMAND is the first image of our child process. */
static int set_image(void)
{
	char text[64];
	struct stat st;
	uint64_t space = stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
	snprintf(text, sizeof text, "%d.0.%" PRIu64, (int)getpid(), space);
	return setenv(HPCRUN_ENV_IMAGE, text, 1);
}

int launch_set_environment(const struct launch_options *o, const char *library, const char *out,
			   const char *store, const struct csprof_cost *cost)
{
	char text[80];
	setenv(HPCRUN_ENV_OUT, out, 1);
	setenv(HPCRUN_ENV_LIBRARY, library, 1);
	setenv(HPCRUN_ENV_STORE, store[0] ? store : HPCRUN_STORE_PRIVATE, 1);
	/* defaults are set, too: our own environment may contain other values */
	setenv(HPCRUN_ENV_EVENTS, o->expanded, 1);
	setenv(HPCRUN_ENV_FOLLOW, o->follow ? "" : "no", 1);
	setenv(HPCRUN_ENV_INTERPRETER, o->interpreter ? "" : "no", 1);
	setenv(HPCRUN_ENV_ONLY, o->only, 1);
	setenv(HPCRUN_ENV_DRIVERS, o->found_drivers, 1);
	setenv(HPCRUN_ENV_TREES, o->trees ? o->trees : "", 1);
	set_number(HPCRUN_ENV_SIGNAL, o->sig);
	setenv(HPCRUN_ENV_UNWINDER, o->unwinder ? o->unwinder : "", 1);
	set_number(HPCRUN_ENV_ARENA, o->arena);
	set_number(HPCRUN_ENV_VERBOSE, o->verbose);
	setenv(HPCRUN_ENV_MARK, o->mark ? o->mark : "", 1);
	setenv(HPCRUN_ENV_RETURNS, o->returns ? o->returns : "", 1);
	setenv(HPCRUN_ENV_VALUES, o->values ? o->values : "", 1);
	setenv(HPCRUN_ENV_VALUE_KIND, o->value_kind ? o->value_kind : "", 1);
	setenv(HPCRUN_ENV_OTEL, o->otel ? o->otel : "", 1);
	set_number(HPCRUN_ENV_DEBUG, o->debug);
	setenv(HPCRUN_ENV_BUDGET, o->budget ? o->budget : "", 1);
	snprintf(text, sizeof text, "%u.%u.%u.%u.%u", cost->timer, cost->event, cost->change,
		 cost->image, cost->child);
	setenv(HPCRUN_ENV_COST, text, 1);
	if (launch_labels_pass(o->labels) != 0)
		return -1;
	return set_image() < 0 ? -1 : set_preload(o, library);
}
