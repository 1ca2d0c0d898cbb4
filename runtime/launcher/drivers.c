#include "runtime/launcher/drivers.h"

#include "runtime/base/options.h"
#define HPCRUN_INTERFACE_ONLY
#include "runtime/hpcrun_driver.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "libhpcrun-"
#define SUFFIX ".so"
#define SYMBOL "hpcrun_driver_1"

/* ---- one --------------------------------------------------------------------------------- */

/* Load it. Returns what it says of itself; NULL, and why: it is none. *handle is to be closed. */
static const struct hpcrun_driver *load(const char *path, void **handle, const char **why)
{
	*handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!*handle) {
		*why = dlerror();
		return NULL;
	}
	const struct hpcrun_driver *const *driver = dlsym(*handle, SYMBOL);
	if (driver && *driver && (*driver)->size >= sizeof **driver)
		return *driver;
	*why = driver && *driver ? "it was made for another version of hpcrun"
				 : "it is no driver of hpcrun: it has no " SYMBOL
				   " (see man hpcrun-driver)";
	dlclose(*handle);
	return NULL;
}

/* Why the driver cannot be used, or NULL. options: n characters. */
static const char *why_not(const char *path, const char *options, size_t n)
{
	static char text[CSPROF_DRIVERS_BYTES]; /* the driver's answer may be in it */
	void *handle;                           /* remains loaded, as the answer may be in it */
	const char *why;
	const struct hpcrun_driver *driver = load(path, &handle, &why);
	if (!driver)
		return why;
	snprintf(text, sizeof text, "%.*s", (int)n, options);
	return driver->check ? driver->check(text) : NULL;
}

static int refuse(const char *named, size_t n, const char *why)
{
	fprintf(stderr, "hpcrun: --driver '%.*s': %s\n", (int)n, named, why);
	return -1;
}

/* named: as after --driver, `all` characters, of which n are without options. path: PATH_MAX bytes.
 */
static int find_one(const char *named, size_t n, size_t all, const char *folder, char *path)
{
	char joined[PATH_MAX];
	bool is_path = memchr(named, '/', n) != NULL;
	if (is_path)
		snprintf(joined, sizeof joined, "%.*s", (int)n, named);
	else
		snprintf(joined, sizeof joined, "%s" PREFIX "%.*s" SUFFIX, folder, (int)n, named);
	if (!realpath(joined, path))
		return refuse(named, n,
			      is_path ? "there is no such file"
				      : "there is no such driver; hpcrun -L lists them (a file is "
					"named with its path, such as ./mine.so)");
	if (strpbrk(path, ": "))
		return refuse(named, n,
			      "the path contains a colon or a space, which LD_PRELOAD cannot");
	size_t options = n + (n < all);
	const char *why = why_not(path, named + options, all - options);
	return why ? refuse(named, all, why) : 0;
}

/* Is the path in a list as launch_drivers_find writes it? */
static bool is_listed(const char *list, const char *path)
{
	size_t length = strlen(path);
	for (const char *at = list; (at = strstr(at, path)) != NULL; at += length)
		if ((at == list || at[-1] == ' ') && strchr(": ", at[length]))
			return true;
	return false;
}

int launch_drivers_find(const char *named, const char *folder, char *out)
{
	char *to = out, *end = out + CSPROF_DRIVERS_BYTES - 2;
	char path[PATH_MAX];
	*out = '\0';
	for (size_t n; *named; named += n + (named[n] == ' ')) {
		n = strcspn(named, " ");
		size_t name = strcspn(named, ": ");
		if (n == 0)
			continue;
		if (find_one(named, name, n, folder, path) < 0)
			return -1;
		if (is_listed(out, path))
			return refuse(named, n, "it is given twice");
		int used = snprintf(to, (size_t)(end - to), "%s%s%.*s", to > out ? " " : "", path,
				    (int)(n - name), named + name);
		if (used < 0 || used >= end - to)
			return refuse(named, n, "the list is too long");
		to += used;
	}
	return 0;
}

int launch_drivers_paths(const char *list, int (*each)(void *what, const char *path), void *what)
{
	char path[PATH_MAX];
	for (size_t n; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		snprintf(path, sizeof path, "%.*s", (int)strcspn(list, ": "), list);
		if (each(what, path) != 0)
			return -1;
	}
	return 0;
}

/* ---- all --------------------------------------------------------------------------------- */

static int is_driver(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name), least = strlen(PREFIX) + strlen(SUFFIX);
	return n > least && strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 &&
	       strcmp(entry->d_name + n - strlen(SUFFIX), SUFFIX) == 0;
}

static void print(const struct hpcrun_driver *driver, bool details)
{
	enum { COLUMN = 18 };
	printf("%-*s  %s\n", COLUMN - 2, driver->name, driver->text ? driver->text : "");
	for (uint32_t i = 0; details && i < driver->num_metrics; i++) {
		const struct hpcrun_driver_metric *m = &driver->metrics[i];
		printf("%*s%s (%s): %s\n", COLUMN, "", m->name, m->unit, m->text ? m->text : "");
	}
	if (details && driver->options_text)
		printf("%*soptions: %s\n", COLUMN, "", driver->options_text);
}

void launch_drivers_list(const char *folder, bool details)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_driver, alphasort), shown = 0;
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];
		void *handle;
		const char *why;
		snprintf(path, sizeof path, "%s%s", folder, entries[i]->d_name);
		const struct hpcrun_driver *driver = load(path, &handle, &why);
		if (driver) {
			if (!shown++)
				puts(
				    "\nDrivers, which record what a program does (--driver NAME):");
			print(driver, details);
			dlclose(handle);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}
