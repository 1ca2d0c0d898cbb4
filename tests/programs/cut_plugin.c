/* Preloaded: another process makes a file shorter or longer while it is read, or removes it.
 *
 *	CUT_FILE=NAME CUT_TO=BYTES|gone LD_PRELOAD=cut_plugin COMMAND
 *
 * It happens when COMMAND maps the file called NAME, or reads as many bytes of it with pread as it
 * has. */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_gone(void)
{
	const char *to = getenv("CUT_TO");
	return to && strcmp(to, "gone") == 0;
}

static size_t cut_to(void)
{
	const char *to = getenv("CUT_TO");
	return to ? strtoul(to, NULL, 10) : 0;
}

static bool is_cut(int fd, char path[PATH_MAX])
{
	const char *name = getenv("CUT_FILE"), *last;
	char link[40];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = fd < 0 ? -1 : readlink(link, path, PATH_MAX - 1);
	if (n <= 0 || !name)
		return false;
	path[n] = '\0';
	last = strrchr(path, '/');
	return last && strcmp(last + 1, name) == 0;
}

static void cut(const char *path)
{
	if ((is_gone() ? unlink(path) : truncate(path, (off_t)cut_to())) != 0)
		perror(path);
}

void *mmap64(void *at, size_t n, int protection, int flags, int fd, off64_t offset)
{
	void *mapped = (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
	char path[PATH_MAX];

	if (is_cut(fd, path))
		cut(path);
	return mapped;
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	return mmap64(at, n, protection, flags, fd, offset);
}

ssize_t pread64(int fd, void *to, size_t n, off64_t offset)
{
	char path[PATH_MAX];
	struct stat st;
	bool all = is_cut(fd, path) && fstat(fd, &st) == 0 && (off_t)n == st.st_size;
	bool less = all && !is_gone() && cut_to() < n;
	ssize_t got = syscall(SYS_pread64, fd, to, less ? cut_to() : n, offset);

	if (all)
		cut(path);
	return got;
}

ssize_t pread(int fd, void *to, size_t n, off_t offset)
{
	return pread64(fd, to, n, offset);
}
