#include "hpcprof/command/newest.h"

#include "formats/datafile.h"
#include "formats/store/recover.h"
#include "formats/store/store.h"

#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

/* Whether a folder has datafiles or stores. */
static bool is_measurement(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = store_has_suffix(entry->d_name, CSP_SUFFIX) ||
			store_has_suffix(entry->d_name, STORE_LINK_SUFFIX) ||
			store_has_suffix(entry->d_name, STORE_SUFFIX);
	if (dir)
		closedir(dir);
	return found;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

const char *newest_measurement(struct arena *a)
{
	struct timespec latest = {0};
	const char *name = NULL;
	struct dirent *entry;
	struct stat st;
	DIR *here;

	if (is_measurement("."))
		return ".";
	here = opendir(".");
	while (here && (entry = readdir(here))) {
		if (entry->d_name[0] == '.' || stat(entry->d_name, &st) != 0 ||
		    !S_ISDIR(st.st_mode) || !is_later(&st.st_mtim, &latest) ||
		    !is_measurement(entry->d_name))
			continue;
		latest = st.st_mtim;
		name = arena_strndup(a, entry->d_name, strlen(entry->d_name));
	}
	if (here)
		closedir(here);
	return name;
}
