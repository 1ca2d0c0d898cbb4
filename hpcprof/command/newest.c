#include "hpcprof/command/newest.h"

#include "formats/datafile.h"
#include "formats/store/recover.h"
#include "formats/store/store.h"

#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

bool newest_is_measurement(const char *path)
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

/* The measurement here that was changed last, of those that are not `other` and, unless end is
 * NULL, were changed before it. */
static const char *find_newest(struct arena *a, const struct stat *other,
			       const struct timespec *end)
{
	struct timespec latest = {0};
	const char *name = NULL;
	struct dirent *entry;
	struct stat st;
	DIR *here = opendir(".");

	while (here && (entry = readdir(here))) {
		if (entry->d_name[0] == '.' || stat(entry->d_name, &st) != 0 ||
		    !S_ISDIR(st.st_mode) || !is_later(&st.st_mtim, &latest) ||
		    (other && other->st_dev == st.st_dev && other->st_ino == st.st_ino) ||
		    (end && is_later(&st.st_mtim, end)) || !newest_is_measurement(entry->d_name))
			continue;
		latest = st.st_mtim;
		name = arena_strndup(a, entry->d_name, strlen(entry->d_name));
	}
	if (here)
		closedir(here);
	return name;
}

const char *newest_measurement(struct arena *a)
{
	return newest_is_measurement(".") ? "." : find_newest(a, NULL, NULL);
}

const char *newest_other(struct arena *a, const char *other, bool before)
{
	struct stat st;

	if (stat(other, &st) != 0)
		return before ? NULL : find_newest(a, NULL, NULL);
	return find_newest(a, &st, before ? &st.st_mtim : NULL);
}
