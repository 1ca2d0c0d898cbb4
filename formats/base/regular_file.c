#include "formats/base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	COMMON = O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
	FOLDER = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	LINKS_MAX = 40,    /* in a path, as in path_resolution(7) */
	OPENED_MAX = 4096, /* directories on the way to a file */
	HOLES_MOST = 64 << 20
};

const char *regular_file_kind(mode_t mode)
{
	return S_ISREG(mode)    ? "a regular file"
	       : S_ISDIR(mode)  ? "a directory"
	       : S_ISFIFO(mode) ? "a FIFO"
	       : S_ISSOCK(mode) ? "a socket"
	       : S_ISLNK(mode)  ? "a symbolic link"
				: "a device";
}

static int refuse(struct error *e, mode_t mode)
{
	return error_set(e, ERROR_USAGE, "is %s, not a regular file", regular_file_kind(mode));
}

/* Open a name in a directory, with more flags of O_. */
static int open_at(int folder, const char *name, int flags, struct stat *st, struct error *e)
{
	int fd = -1;

	if (fstatat(folder, name, st, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0) != 0)
		return error_system(e, "cannot be opened");
	if (!S_ISREG(st->st_mode))
		return refuse(e, st->st_mode);
	fd = openat(folder, name, COMMON | flags);
	if (fd < 0 || fstat(fd, st) != 0)
		error_system(e, "cannot be opened");
	else if (!S_ISREG(st->st_mode))
		refuse(e, st->st_mode);
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int regular_file_open(const char *path, struct stat *st, struct error *e)
{
	return open_at(AT_FDCWD, path, O_RDONLY, st, e);
}

int regular_file_open_at(int folder, const char *name, int how, struct stat *st, struct error *e)
{
	return open_at(folder, name, how | O_NOFOLLOW, st, e);
}

/* The way to a file below a root. */
struct regular_walk {
	const char *root;
	int folder;          /* that was reached */
	char *real;          /* its path below root: "" or "/a/b" */
	char left[PATH_MAX]; /* what follows */
	unsigned links, opened;
};

/* Go to a folder in the one that was reached; NULL: to the root. */
static bool enter(struct regular_walk *w, const char *name)
{
	int next = name ? openat(w->folder, name, FOLDER)
			: open(w->root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (++w->opened > OPENED_MAX && next >= 0) {
		close(next);
		next = -1;
		errno = ELOOP;
	}
	if (next < 0)
		return false;
	if (w->folder >= 0)
		close(w->folder);
	w->folder = next;
	return true;
}

static bool append(struct regular_walk *w, const char *name)
{
	size_t n = strlen(w->real);

	if (n + 1 + strlen(name) < PATH_MAX) {
		w->real[n] = '/';
		strcpy(w->real + n + 1, name);
		return true;
	}
	errno = ENAMETOOLONG;
	return false;
}

/* Go up by going down again: the folder may have been moved out of the root. */
static bool go_up(struct regular_walk *w)
{
	char way[PATH_MAX], *last = strrchr(w->real, '/'), *name, *next;
	bool ok;

	if (last)
		*last = '\0';
	strcpy(way, w->real);
	ok = enter(w, NULL);
	for (name = strtok_r(way, "/", &next); ok && name; name = strtok_r(NULL, "/", &next))
		ok = enter(w, name);
	return ok;
}

/* Continue with the target of a link, and rest behind it. */
static bool follow_link(struct regular_walk *w, const char *target, const char *rest)
{
	char both[2 * PATH_MAX];

	if (++w->links > LINKS_MAX) {
		errno = ELOOP;
		return false;
	}
	if (snprintf(both, sizeof both, "%s/%s", target, rest) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	strcpy(w->left, both);
	if (*target != '/')
		return true;
	w->real[0] = '\0';
	return enter(w, NULL);
}

/* Take the next name of the way. 1: go on; 0: it is the file's, in a folder that was reached; -1.
 */
static int step(struct regular_walk *w, char name[NAME_MAX + 1])
{
	char target[PATH_MAX], *from = w->left + strspn(w->left, "/");
	size_t n = strcspn(from, "/");
	char *rest = from + n + strspn(from + n, "/");
	ssize_t length;

	if (n > NAME_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, from, n);
	name[n] = '\0';
	if (n == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		memmove(w->left, rest, strlen(rest) + 1);
		if (n == 2 && !go_up(w))
			return -1;
		strcpy(name, ".");
		return *w->left ? 1 : 0;
	}
	length = readlinkat(w->folder, name, target, sizeof target - 1);
	if (length >= 0) {
		target[length] = '\0';
		return follow_link(w, target, rest) ? 1 : -1;
	}
	memmove(w->left, rest, strlen(rest) + 1);
	if (*w->left)
		return enter(w, name) && append(w, name) ? 1 : -1;
	return append(w, name) ? 0 : -1;
}

int regular_file_open_below(const char *root, const char *path, char real[PATH_MAX],
			    struct stat *st, struct error *e)
{
	struct regular_walk w = {.root = root, .folder = -1, .real = real};
	char name[NAME_MAX + 1];
	int go_on = 1, fd = -1;

	real[0] = '\0';
	if (strlen(path) >= sizeof w.left) {
		errno = ENAMETOOLONG;
		return error_system(e, "cannot be opened");
	}
	strcpy(w.left, path);
	if (!enter(&w, NULL))
		go_on = -1;
	while (go_on > 0)
		go_on = step(&w, name);
	if (go_on < 0)
		error_system(e, "cannot be opened");
	else
		fd = open_at(w.folder, name, O_NOFOLLOW, st, e);
	if (w.folder >= 0)
		close(w.folder);
	return fd;
}

int regular_file_check_holes(int fd, struct error *e)
{
	off_t size = lseek(fd, 0, SEEK_END), left = HOLES_MOST, hole, data;

	for (off_t at = 0; size > HOLES_MOST && at < size; at = data) {
		hole = lseek(fd, at, SEEK_HOLE);
		if (hole < 0 || hole >= size)
			break;
		data = lseek(fd, hole, SEEK_DATA);
		if (data < 0) /* ENXIO: none follows */
			data = size;
		left -= data - hole;
		if (left < 0)
			return error_set(e, ERROR_LIMIT, "has more than %d MiB of holes",
					 HOLES_MOST >> 20);
	}
	return 0;
}

void *regular_file_read(int fd, const struct stat *st, struct error *e)
{
	uint64_t size = (uint64_t)st->st_size, at = 0;
	char *bytes = NULL;
	ssize_t n = 1;

	if (regular_file_check_holes(fd, e) != 0)
		return NULL;
	if (size < SIZE_MAX)
		bytes = malloc(size + 1);
	if (!bytes) {
		error_memory(e, size);
		return NULL;
	}
	while (at < size && n) {
		n = pread(fd, bytes + at, size - at, (off_t)at);
		if (n < 0 && errno != EINTR) {
			error_system(e, "cannot be read");
			free(bytes);
			return NULL;
		}
		at += n > 0 ? (uint64_t)n : 0;
	}
	bytes[at] = '\0';
	if (at == size)
		return bytes;
	error_set(e, ERROR_LIMIT, "was cut while it was read");
	free(bytes);
	return NULL;
}
