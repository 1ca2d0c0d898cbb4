#include "runtime/search.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* The run path of a module: DT_RUNPATH, or DT_RPATH where there is none (ELF
 * specification, "Dynamic Section"). NULL where it has neither. */
static const char *run_path(const struct link_map *map)
{
	const char *strings = NULL;
	uintptr_t run = 0, r = 0;
	bool has_run = false, has_r = false;
	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_STRTAB)
			strings = (const char *)d->d_un.d_ptr;
		else if (d->d_tag == DT_RUNPATH)
			run = d->d_un.d_val, has_run = true;
		else if (d->d_tag == DT_RPATH)
			r = d->d_un.d_val, has_r = true;
	}
	if (!strings || !(has_run || has_r))
		return NULL;
	return strings + (has_run ? run : r);
}

static bool add(char *out, size_t *n, const char *s, size_t len)
{
	if (*n + len >= PATH_MAX)
		return false;
	memcpy(out + *n, s, len);
	*n += len;
	out[*n] = '\0';
	return true;
}

/* One directory of a run path with $ORIGIN put in, and file behind it. Directories
 * with other tokens are left to the loader. */
static bool candidate(char *out, const char *dir, size_t len, const struct link_map *map,
		      const char *file)
{
	size_t n = 0;
	const char *slash = strrchr(map->l_name, '/');
	size_t origin = slash ? (size_t)(slash - map->l_name) : 0;
	while (len > 0) {
		size_t token = 0;
		if (*dir == '$')
			token = len >= 7 && memcmp(dir, "$ORIGIN", 7) == 0     ? 7
				: len >= 9 && memcmp(dir, "${ORIGIN}", 9) == 0 ? 9
									       : 0;
		if (*dir == '$' && (!token || !origin))
			return false;
		if (!add(out, &n, token ? map->l_name : dir, token ? origin : 1))
			return false;
		dir += token ? token : 1;
		len -= token ? token : 1;
	}
	return n && add(out, &n, "/", 1) && add(out, &n, file, strlen(file)) &&
	       access(out, R_OK) == 0;
}

static const struct link_map *module_of(void *caller)
{
	Dl_info info;
	struct link_map *map = NULL;
	if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP))
		return NULL;
	return map;
}

void *csprof_search_dlopen(void *(*next)(const char *, int), const char *file, int mode,
			   void *caller)
{
	/* a path is a path; the executable's run path (its name is empty) serves all */
	if (!file || !*file || strchr(file, '/'))
		return next(file, mode);
	const struct link_map *map = module_of(caller);
	const char *dirs = map && map->l_name[0] ? run_path(map) : NULL;
	if (!dirs)
		return next(file, mode);
	void *loaded = next(file, mode | RTLD_NOLOAD);
	if (loaded)
		return loaded;
	for (const char *dir = dirs; *dir;) {
		char path[PATH_MAX];
		size_t len = strcspn(dir, ":");
		if (candidate(path, dir, len, map, file)) {
			void *handle = next(path, mode);
			if (handle)
				return handle;
		}
		dir += len + (dir[len] == ':');
	}
	return next(file, mode);
}
