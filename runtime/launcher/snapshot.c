#include "runtime/launcher/snapshot.h"

#include "formats/base/atomic_file.h"
#include "formats/base/regular_file.h"
#include "formats/store/recover.h"
#include "runtime/launcher/quote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_DIRECTORIES = 1000000 };

/* Files of which a snapshot has the same ones: datafiles, names that were kept, images of the vdso,
 * programs that were not measured. */
static bool is_shared(const char *name)
{
	return !store_has_suffix(name, ".part") && strcmp(name, STORE_STOPPED_FILE) != 0 &&
	       name[0] != '.';
}

int launch_content(const char *directory, struct launch_content *content)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	*content = (struct launch_content){0};
	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		content->stores += store_has_suffix(entry->d_name, STORE_LINK_SUFFIX);
		content->datafiles += store_has_suffix(entry->d_name, CSP_SUFFIX);
	}
	closedir(dir);
	return 0;
}

bool launch_is_reserved(const char *name)
{
	static const char *const suffixes[] = {CSP_SUFFIX, STORE_LINK_SUFFIX, STORE_SUFFIX,
					       ".part"};
	static const char *const names[] = {STORE_STOPPED_FILE, STORE_FLUSHED, CSP_UNMEASURED_FILE,
					    "symbols"};
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (store_has_suffix(name, suffixes[i]))
			return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* ---- datafiles of stores ------------------------------------------------------------------- */

struct writing {
	const char *directory; /* for datafiles */
	int to;                /* the same */
	bool durable;          /* only of running processes, again and again, and on the disk */
	unsigned written, others;
	struct error failed; /* the first failure */
	char name[NAME_MAX + 16];
};

static uint64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A reader of the directory finds only complete datafiles. */
static int write_datafile(const struct writing *w, const uint8_t *bytes, size_t n, struct error *e)
{
	char path[PATH_MAX];
	struct atomic_file file;
	if (snprintf(path, sizeof path, "%s/%s", w->directory, w->name) >= (int)sizeof path)
		return error_set(e, ERROR_USAGE, "its path is too long");
	int fd = atomic_file_begin(&file, path, e);
	if (fd < 0)
		return -1;
	fchmod(fd, 0600); /* like those that processes write */
	FILE *f = fdopen(fd, "wb");
	bool ok =
	    f && fwrite(bytes, 1, n, f) == n && fflush(f) == 0 && (!w->durable || fsync(fd) == 0);
	if (!ok)
		error_system(e, "cannot be written");
	if ((f ? fclose(f) : close(fd)) != 0 && ok) {
		error_system(e, "cannot be written");
		ok = false;
	}
	if (ok)
		return atomic_file_finish(&file, e);
	atomic_file_abandon(&file);
	return -1;
}

static int copy_store(const struct writing *w, const struct store_visit *v, struct error *e)
{
	const struct store_ending now = {v->alive ? "running" : NULL, monotonic_ns()};
	struct store_copy c;
	uint8_t *bytes;
	size_t n;
	if (store_copy_file(&c, v->fd, e) != 0)
		return -1;
	store_settle(&c, v->alive ? &now : NULL);
	int r = store_copy_to_datafile(&c, &bytes, &n, e);
	store_copy_free(&c);
	if (r != 0)
		return -1;
	r = write_datafile(w, bytes, n, e);
	free(bytes);
	return r;
}

static void write_store(void *context, const struct store_visit *v)
{
	struct writing *w = context;
	struct error e = {0};
	if (w->durable && !v->alive)
		return;
	snprintf(w->name, sizeof w->name, "%.*s" CSP_SUFFIX,
		 (int)(strlen(v->name) - strlen(STORE_SUFFIX)), v->name);
	if (copy_store(w, v, &e) == 0)
		w->written++;
	else if (!w->failed.kind)
		error_set(&w->failed, e.kind, "%s: %s", w->name, e.text);
}

/* ---- snapshots ------------------------------------------------------------------------------ */

/* As a second name, or where a file system has none, as a copy. What was written from a store just
 * before is kept. */
static int take_file(int from, int to, const char *name)
{
	struct stat st;
	if (linkat(from, name, to, name, 0) == 0 || errno == EEXIST)
		return 0;
	struct error e;
	int in = regular_file_open_at(from, name, O_RDONLY, &st, &e), r = -1;
	if (in < 0)
		return e.kind == ERROR_USAGE || e.sys_errno == ENOENT ? 0 : -1;
	int out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out >= 0) {
		off_t left = st.st_size;
		ssize_t n = 1;
		while (left > 0 && (n = sendfile(out, in, NULL, (size_t)left)) > 0)
			left -= n;
		r = n > 0 ? 0 : -1;
	}
	close(in);
	if (out >= 0 && close(out) != 0)
		r = -1;
	return r;
}

static int take_files(struct writing *w, int from)
{
	int copy = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	struct stat st;
	int r = 0;
	if (!dir) {
		error_system(&w->failed, "cannot be listed");
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while (r == 0 && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		if (!is_shared(name) || fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		if (take_file(from, w->to, name) != 0)
			r = error_system(&w->failed, "%s: cannot be copied", name);
		w->others += store_has_suffix(name, CSP_SUFFIX) &&
			     fstatat(w->to, name, &st, 0) == 0 && st.st_nlink > 1;
	}
	closedir(dir);
	return r;
}

/* A new directory in `in`, first with the suffix ".part". */
static int make_directory(int in, const char *name, char chosen[NAME_MAX + 1])
{
	char part[NAME_MAX + 1];
	for (int i = 1; i < MAX_DIRECTORIES; i++) {
		struct stat st;
		if (name)
			snprintf(chosen, NAME_MAX + 1, "%s", name);
		else
			snprintf(chosen, NAME_MAX + 1, "snapshot-%d", i);
		if (snprintf(part, sizeof part, "%s.part", chosen) >= (int)sizeof part) {
			errno = ENAMETOOLONG;
			return -1;
		}
		errno = EEXIST;
		if (fstatat(in, chosen, &st, AT_SYMLINK_NOFOLLOW) != 0 &&
		    mkdirat(in, part, 0700) == 0)
			return openat(in, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (errno != EEXIST || name)
			return -1;
	}
	return -1;
}

static void remove_all(int in, const char *name)
{
	int fd = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
	unlinkat(in, name, AT_REMOVEDIR);
}

static int fail(const char *out, const char *what, const char *why)
{
	fprintf(stderr, "hpcrun control: %s%s%s: %s\n", out, what ? "/" : "", what ? what : "",
		why);
	return -1;
}

int launch_snapshot(const char *out, const char *name, bool quiet)
{
	char chosen[NAME_MAX + 1], part[NAME_MAX + 8], directory[PATH_MAX];
	char quoted[LAUNCH_QUOTED_BYTES(PATH_MAX)];
	struct writing w = {0};
	int in = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (in < 0)
		return fail(out, NULL, strerror(errno));
	w.to = make_directory(in, name, chosen);
	if (w.to < 0) {
		int failed = errno;
		close(in);
		return fail(out, name,
			    failed == EEXIST ? "it exists already, or is being written"
					     : strerror(failed));
	}
	snprintf(part, sizeof part, "%s.part", chosen);
	snprintf(directory, sizeof directory, "%s/%s", out, part);
	w.directory = directory;
	int r = store_visit_all(out, write_store, &w, &w.failed);
	if (r == 0 && !w.failed.kind)
		r = take_files(&w, in);
	if (r == 0 && !w.failed.kind && renameat(in, part, in, chosen) != 0)
		r = error_system(&w.failed, "cannot be renamed");
	close(w.to);
	if (r != 0 || w.failed.kind) {
		remove_all(in, part);
		close(in);
		return fail(out, chosen, w.failed.text);
	}
	close(in);
	launch_quote(quoted, out);
	if (!quiet)
		printf("hpcrun: %s/%s: datafiles of %u running and %u ended program images\n",
		       quoted, chosen, w.written, w.others);
	return 0;
}

/* ---- the disk ------------------------------------------------------------------------------- */

/* Datafiles of processes that have written theirs since are of no more use. */
static void drop_finished(int in, int to)
{
	int copy = openat(to, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	struct stat st;
	while (dir && (entry = readdir(dir)))
		if (store_has_suffix(entry->d_name, CSP_SUFFIX) &&
		    fstatat(in, entry->d_name, &st, 0) == 0)
			unlinkat(to, entry->d_name, 0);
	if (dir)
		closedir(dir);
	else if (copy >= 0)
		close(copy);
}

int launch_flush(const char *out, bool quiet)
{
	char quoted[LAUNCH_QUOTED_BYTES(PATH_MAX)];
	char directory[PATH_MAX];
	struct writing w = {.directory = directory, .to = -1, .durable = true};
	int in = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (in < 0)
		return fail(out, NULL, strerror(errno));
	if (mkdirat(in, STORE_FLUSHED, 0700) == 0 || errno == EEXIST)
		w.to = openat(in, STORE_FLUSHED, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w.to < 0) {
		int failed = errno;
		close(in);
		return fail(out, STORE_FLUSHED, strerror(failed));
	}
	snprintf(directory, sizeof directory, "%s/" STORE_FLUSHED, out);
	int r = store_visit_all(out, write_store, &w, &w.failed);
	drop_finished(in, w.to);
	/* the datafiles of ended processes were left to the kernel */
	if (syncfs(in) != 0 || fsync(w.to) != 0)
		r = error_system(&w.failed, "cannot be written to disk");
	close(w.to);
	close(in);
	if (r != 0 || w.failed.kind)
		return fail(out, STORE_FLUSHED, w.failed.text);
	launch_quote(quoted, out);
	if (!quiet)
		printf("hpcrun: %s: what %u program image%s recorded is on disk\n", quoted,
		       w.written, w.written == 1 ? " has" : "s have");
	return 0;
}

void launch_flushed_drop(const char *out)
{
	int in = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int to = in < 0
		     ? -1
		     : openat(in, STORE_FLUSHED, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (to >= 0) {
		drop_finished(in, to);
		unlinkat(in, STORE_FLUSHED, AT_REMOVEDIR); /* if it is empty now */
		close(to);
	}
	if (in >= 0)
		close(in);
}
