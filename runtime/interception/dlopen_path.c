#include "runtime/interception/dlopen_path.h"

#include "runtime/base/options.h"
#include "runtime/os/os.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* The run path of a module: DT_RUNPATH, else DT_RPATH (ELF specification, "Dynamic Section").
 * NULL if it has neither. *late: it comes after LD_LIBRARY_PATH (ld.so(8)). */
static const char *run_path(const struct link_map *map, bool *late)
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
	*late = has_run;
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

/* The directory that $ORIGIN means, without the last slash. */
static void find_origin(char *out, const struct link_map *map)
{
	size_t n = strlen(map->l_name);
	out[0] = '\0';
	if (n == 0) /* the executable */
		os_executable(out, PATH_MAX);
	else if (n < PATH_MAX)
		memcpy(out, map->l_name, n + 1);
	char *slash = strrchr(out, '/');
	*(slash ? slash : out) = '\0';
}

/* Make a path of one directory, with $ORIGIN replaced, and file; true if the file exists.
 * Directories with other tokens are left to the loader. */
static bool candidate(char *out, const char *dir, size_t len, const char *origin, const char *file)
{
	size_t n = 0;
	while (len > 0) {
		size_t token = 0;
		if (*dir == '$')
			token = len >= 7 && memcmp(dir, "$ORIGIN", 7) == 0     ? 7
				: len >= 9 && memcmp(dir, "${ORIGIN}", 9) == 0 ? 9
									       : 0;
		if (*dir == '$' && (!token || !*origin))
			return false;
		if (!add(out, &n, token ? origin : dir, token ? strlen(origin) : 1))
			return false;
		dir += token ? token : 1;
		len -= token ? token : 1;
	}
	return n && add(out, &n, "/", 1) && add(out, &n, file, strlen(file)) && os_can_read(out);
}

/* Find the first path of file along dirs, from *dirs on, and set *dirs after it. */
static bool next_candidate(char *out, const char **dirs, const char *origin, const char *file)
{
	while (**dirs) {
		const char *dir = *dirs;
		size_t len = strcspn(dir, ":;");
		*dirs += len + (dir[len] != '\0');
		if (candidate(out, dir, len, origin, file))
			return true;
	}
	return false;
}

static const struct link_map *module_of(void *caller)
{
	Dl_info info;
	struct link_map *map = NULL;
	if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP))
		return NULL;
	return map;
}

void *csprof_dlopen_path_open(void *(*next)(const char *, int), const char *file, int mode,
			      void *caller)
{
	if (!file || !*file || strchr(file, '/'))
		return next(file, mode);
	const struct link_map *map = module_of(caller);
	bool late = false;
	const char *dirs = map ? run_path(map, &late) : NULL;
	/* the loader itself searches the executable's DT_RPATH for any caller */
	if (!dirs || (!late && !map->l_name[0]))
		return next(file, mode);
	void *handle = next(file, mode | RTLD_NOLOAD);
	if (handle)
		return handle;
	char path[PATH_MAX], origin[PATH_MAX];
	find_origin(origin, map);
	const char *first = late ? csprof_variable(environ, "LD_LIBRARY_PATH") : NULL;
	if (first && next_candidate(path, &first, origin, file))
		return next(file, mode);
	while (next_candidate(path, &dirs, origin, file))
		if ((handle = next(path, mode)))
			return handle;
	return next(file, mode);
}
