#include "hpcprof/load/scan.h"

#include "formats/base/regular_file.h"
#include "formats/store/recover.h"
#include "hpcprof/command/newest.h"
#include "hpcprof/load/snapshots.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int add(struct scan *s, const char *path, const char *datafile, const struct stat *st,
	       struct error *e)
{
	struct scan_file file = {.path = arena_strndup(&s->arena, path, strlen(path)),
				 .argument = s->argument,
				 .device = st->st_dev,
				 .inode = st->st_ino};
	if (datafile)
		file.datafile = arena_strndup(&s->arena, datafile, strlen(datafile));
	if (!file.path || (datafile && !file.datafile) || !vec_push(&s->files, file))
		return error_memory(e, strlen(path));
	return 0;
}

/* folder/name, with the last cut bytes of name replaced by suffix; NULL if memory ran out. */
static char *join(const char *folder, const char *name, size_t cut, const char *suffix)
{
	size_t n = strlen(folder);
	const char *slash = n && folder[n - 1] == '/' ? "" : "/";
	char *path;

	return asprintf(&path, "%s%s%.*s%s", folder, slash, (int)(strlen(name) - cut), name,
			suffix) < 0
		   ? NULL
		   : path;
}

static void tell_kind(const char *path, const struct stat *st, struct diag *d)
{
	diag_problem(d, path, "is %s, not a regular file (skipped)",
		     regular_file_kind(st->st_mode));
}

static int add_entry(struct scan *s, const char *folder, const char *name, struct diag *d,
		     struct error *e)
{
	char *path = join(folder, name, 0, "");
	struct stat st;
	int rc = 0;

	if (!path)
		return error_memory(e, strlen(name));
	if (stat(path, &st) != 0)
		diag_problem(d, path, "%s (skipped)", strerror(errno));
	else if (S_ISREG(st.st_mode))
		rc = add(s, path, NULL, &st, e);
	else
		tell_kind(path, &st, d);
	free(path);
	return rc;
}

/* Add a store of the folder stores, whose datafile will be in the folder out. If the datafile
 * exists by now, it is added instead. */
static int add_store(struct scan *s, const char *stores, const char *out, const char *name,
		     struct error *e)
{
	char *path = join(stores, name, 0, "");
	char *datafile = join(out, name, sizeof STORE_SUFFIX - 1, CSP_SUFFIX);
	struct stat st;
	int rc = 0;

	if (!path || !datafile)
		rc = error_memory(e, strlen(name));
	else if (stat(datafile, &st) == 0 && S_ISREG(st.st_mode))
		rc = add(s, datafile, NULL, &st, e);
	else if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size)
		rc = add(s, path, datafile, &st, e);
	free(path);
	free(datafile);
	return rc;
}

/* Add the stores of another user, in the directory `name` of stores. */
static int add_user(struct scan *s, const char *stores, const char *out, const char *name,
		    struct error *e)
{
	char *path = join(stores, name, 0, "");
	int top = open(stores, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = top < 0 ? -1 : store_open_user(top, name);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;
	int rc = path ? 0 : error_memory(e, strlen(name));

	while (rc == 0 && dir && (entry = readdir(dir)))
		if (store_has_suffix(entry->d_name, STORE_SUFFIX) &&
		    fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			rc = add_store(s, path, out, entry->d_name, e);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	if (top >= 0)
		close(top);
	free(path);
	return rc;
}

static int add_stores(struct scan *s, const char *stores, const char *out, struct error *e)
{
	uint32_t user;
	DIR *dir = opendir(stores);
	struct dirent *entry;
	int rc = 0;

	if (!dir)
		return 0; /* it was removed with its last store */
	s->links += strcmp(stores, out) != 0;
	while (rc == 0 && (entry = readdir(dir)))
		if (store_has_suffix(entry->d_name, STORE_SUFFIX))
			rc = add_store(s, stores, out, entry->d_name, e);
		else if (store_is_user(entry->d_name, &user))
			rc = add_user(s, stores, out, entry->d_name, e);
	closedir(dir);
	return rc;
}

static int add_link(struct scan *s, const char *folder, const char *name, struct error *e)
{
	char *path = join(folder, name, 0, "");
	int rc = path ? add_stores(s, path, folder, e) : error_memory(e, strlen(name));

	free(path);
	return rc;
}

/* Replace stores whose datafile was written while the folder was listed. */
static void prefer_datafiles(struct scan *s, size_t from)
{
	for (size_t i = from; i < s->files.len; i++) {
		struct scan_file *f = &s->files.at[i];
		struct stat st;
		if (f->datafile && stat(f->datafile, &st) == 0 && S_ISREG(st.st_mode))
			*f = (struct scan_file){.path = f->datafile,
						.argument = f->argument,
						.device = st.st_dev,
						.inode = st.st_ino};
	}
}

static bool is_listed(const struct scan *s, size_t from, const char *datafile)
{
	for (size_t i = from; i < s->files.len; i++)
		if (strcmp(s->files.at[i].datafile ? s->files.at[i].datafile : s->files.at[i].path,
			   datafile) == 0)
			return true;
	return false;
}

/* Of processes that have left nothing else because the machine went down: their last flush. */
static int add_flushed(struct scan *s, const char *folder, size_t from, struct diag *d,
		       struct error *e)
{
	char *flushed = join(folder, STORE_FLUSHED, 0, "");
	DIR *dir = flushed ? opendir(flushed) : NULL;
	struct dirent *entry;
	size_t listed = s->files.len;
	int rc = flushed ? 0 : error_memory(e, strlen(folder));

	while (rc == 0 && dir && (entry = readdir(dir))) {
		char *datafile = join(folder, entry->d_name, 0, "");
		if (!datafile)
			rc = error_memory(e, strlen(entry->d_name));
		else if (store_has_suffix(entry->d_name, CSP_SUFFIX) &&
			 !is_listed(s, from, datafile))
			rc = add_entry(s, flushed, entry->d_name, d, e);
		free(datafile);
	}
	if (dir)
		closedir(dir);
	free(flushed);
	if (rc == 0 && s->files.len > listed)
		diag_notice(d, folder,
			    "%zu program image%s left nothing but what was flushed before (hpcrun "
			    "control DIR flush)",
			    s->files.len - listed, s->files.len - listed == 1 ? "" : "s");
	return rc;
}

static int add_folder(struct scan *s, const char *folder, struct diag *d, struct error *e)
{
	DIR *dir = opendir(folder);
	size_t before = s->files.len;
	struct dirent *entry;
	int rc = 0;

	if (!dir) {
		diag_problem(d, folder, "%s (skipped)", strerror(errno));
		return 0;
	}
	while (rc == 0 && (entry = readdir(dir)))
		if (store_has_suffix(entry->d_name, CSP_SUFFIX))
			rc = add_entry(s, folder, entry->d_name, d, e);
		else if (store_has_suffix(entry->d_name, STORE_LINK_SUFFIX))
			rc = add_link(s, folder, entry->d_name, e);
		else if (store_has_suffix(entry->d_name, STORE_SUFFIX))
			rc = add_store(s, folder, folder, entry->d_name, e);
	closedir(dir);
	prefer_datafiles(s, before);
	return rc == 0 ? add_flushed(s, folder, before, d, e) : rc;
}

/* Report a folder without datafiles. Often it is the one above a measurement: name the first of
 * those. */
static void tell_nothing(struct scan *s, const char *folder, struct diag *d)
{
	DIR *dir = opendir(folder);
	const char *first = NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path = entry->d_name[0] == '.' ? NULL : join(folder, entry->d_name, 0, "");
		if (path && newest_is_measurement(path) && (!first || strcmp(path, first) < 0))
			first = arena_strndup(&s->arena, path, strlen(path));
		free(path);
	}
	if (dir)
		closedir(dir);
	diag_problem(d, folder,
		     "no datafile (*" CSP_SUFFIX ") in this directory (name the directory that "
		     "hpcrun wrote%s%s)",
		     first ? ", such as " : "", first ? first : "");
}

static int add_named_folder(struct scan *s, const char *folder, struct diag *d, struct error *e)
{
	size_t before = s->files.len, problems = d->problems;
	int rc = add_folder(s, folder, d, e);

	if (rc == 0 && s->files.len == before && d->problems == problems)
		tell_nothing(s, folder, d);
	return rc;
}

static int by_path(const void *pa, const void *pb)
{
	const struct scan_file *a = pa, *b = pb;
	return strcmp(a->path, b->path);
}

static int by_identity(const void *pa, const void *pb)
{
	const struct scan_file *a = pa, *b = pb;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* A file that was named twice, for example also by its directory, counts once. */
static void unify(struct scan *s)
{
	size_t kept = 0;

	if (!s->files.len)
		return;
	qsort(s->files.at, s->files.len, sizeof *s->files.at, by_identity);
	for (size_t i = 0; i < s->files.len; i++) {
		const struct scan_file *f = &s->files.at[i];
		struct scan_file *last = kept ? &s->files.at[kept - 1] : NULL;
		if (!last || f->device != last->device || f->inode != last->inode)
			s->files.at[kept++] = *f;
		else if (strcmp(f->argument, last->argument) < 0)
			last->argument = f->argument;
	}
	s->files.len = kept;
	qsort(s->files.at, s->files.len, sizeof *s->files.at, by_path);
}

int scan_profiles(struct scan *s, const char *const *profiles, size_t n, bool apart, struct diag *d,
		  struct error *e)
{
	int rc = 0;

	memset(s, 0, sizeof *s);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct stat st;
		s->argument = profiles[i];
		if (stat(profiles[i], &st) != 0)
			diag_problem(d, profiles[i], "%s (skipped; check the name)",
				     strerror(errno));
		else if (S_ISDIR(st.st_mode))
			rc = add_named_folder(s, profiles[i], d, e);
		else if (!S_ISREG(st.st_mode))
			diag_problem(d, profiles[i], "neither a file nor a directory (skipped)");
		else
			rc = add(s, profiles[i], NULL, &st, e);
	}
	if (rc != 0) {
		scan_deinit(s);
		return rc;
	}
	unify(s);
	if (snapshots_drop(s, apart, d, e) != 0) {
		scan_deinit(s);
		return -1;
	}
	return 0;
}

int scan_folder(struct scan *s, const char *folder, struct diag *d, struct error *e)
{
	int rc;

	memset(s, 0, sizeof *s);
	s->argument = folder;
	rc = add_folder(s, folder, d, e);
	if (rc != 0)
		scan_deinit(s);
	else
		unify(s);
	return rc;
}

void scan_deinit(struct scan *s)
{
	if (!s)
		return;
	vec_free(&s->files);
	arena_deinit(&s->arena);
}
