#include "hpcprof/scan.h"

#include "formats/datafile.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool is_datafile_name(const char *name)
{
	size_t n = strlen(name), suffix = sizeof CSP_SUFFIX - 1;
	return n > suffix && strcmp(name + n - suffix, CSP_SUFFIX) == 0;
}

static int add(struct scan *s, const char *path, const struct stat *st, struct error *e)
{
	const char *copy = arena_strndup(&s->arena, path, strlen(path));
	if (!copy || !vec_push(&s->files, (struct scan_file){copy, st->st_dev, st->st_ino}))
		return error_memory(e, strlen(path));
	return 0;
}

static int add_entry(struct scan *s, const char *folder, const char *name, struct diag *d,
		     struct error *e)
{
	size_t n = strlen(folder);
	const char *slash = n && folder[n - 1] == '/' ? "" : "/";
	struct stat st;
	char *path;
	int rc = 0;

	if (asprintf(&path, "%s%s%s", folder, slash, name) < 0)
		return error_memory(e, n);
	if (stat(path, &st) != 0)
		diag_problem(d, path, "%s (it is left out)", strerror(errno));
	else if (S_ISREG(st.st_mode))
		rc = add(s, path, &st, e);
	free(path);
	return rc;
}

static int add_folder(struct scan *s, const char *folder, struct diag *d, struct error *e)
{
	DIR *dir = opendir(folder);
	size_t before = s->files.len;
	struct dirent *entry;
	int rc = 0;

	if (!dir) {
		diag_problem(d, folder, "%s (it is left out)", strerror(errno));
		return 0;
	}
	while (rc == 0 && (entry = readdir(dir)))
		if (is_datafile_name(entry->d_name))
			rc = add_entry(s, folder, entry->d_name, d, e);
	closedir(dir);
	if (rc == 0 && s->files.len == before)
		diag_problem(d, folder,
			     "no datafile (*" CSP_SUFFIX ") in this directory "
			     "(name the directory that hpcrun said it wrote)");
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

/* A file that was named twice, as itself and by its directory, counts once. */
static void unify(struct scan *s)
{
	size_t kept = 0;

	if (!s->files.len)
		return;
	qsort(s->files.at, s->files.len, sizeof *s->files.at, by_identity);
	for (size_t i = 0; i < s->files.len; i++) {
		const struct scan_file *f = &s->files.at[i];
		if (!i || f->device != f[-1].device || f->inode != f[-1].inode)
			s->files.at[kept++] = *f;
	}
	s->files.len = kept;
	qsort(s->files.at, s->files.len, sizeof *s->files.at, by_path);
}

int scan_profiles(struct scan *s, const char *const *profiles, size_t n, struct diag *d,
		  struct error *e)
{
	int rc = 0;

	memset(s, 0, sizeof *s);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct stat st;
		if (stat(profiles[i], &st) != 0)
			diag_problem(d, profiles[i], "%s (it is left out; check the name)",
				     strerror(errno));
		else if (S_ISDIR(st.st_mode))
			rc = add_folder(s, profiles[i], d, e);
		else if (!S_ISREG(st.st_mode))
			diag_problem(d, profiles[i],
				     "neither a file nor a directory (it is left out)");
		else
			rc = add(s, profiles[i], &st, e);
	}
	if (rc != 0) {
		scan_deinit(s);
		return rc;
	}
	unify(s);
	return 0;
}

void scan_deinit(struct scan *s)
{
	if (!s)
		return;
	vec_free(&s->files);
	arena_deinit(&s->arena);
}
