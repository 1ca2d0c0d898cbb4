#include "hpcprof/command/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { READER_MS = 1000, STEP_MS = 10 };

/* Whether path, such as /dev/stdout, is the file that the stream writes to. */
static bool is_stream(const struct stat *path, FILE *stream)
{
	struct stat st;

	return fstat(fileno(stream), &st) == 0 && st.st_dev == path->st_dev &&
	       st.st_ino == path->st_ino;
}

/* Open what is no regular file, such as a FIFO: >(...) of the shell, or one whose reader is waited
 * for a while. -1 and errno. */
static int open_special(const char *path)
{
	const struct timespec step = {0, STEP_MS * 1000000L};
	int fd = -1;

	for (int ms = 0; fd < 0 && ms < READER_MS; ms += STEP_MS) {
		if (ms)
			nanosleep(&step, NULL);
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0 && errno != ENXIO)
			return -1;
	}
	if (fd >= 0 && fcntl(fd, F_SETFL, 0) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int output_open(struct output *out, FILE *standard, const char *path, struct error *e)
{
	struct stat st;
	int fd;

	*out = (struct output){.file = path ? NULL : standard, .path = path};
	if (!path)
		return 0;
	if (standard && stat(path, &st) == 0 && is_stream(&st, standard)) {
		*out = (struct output){.file = standard};
		return 0;
	}
	if (stat(path, &st) != 0 || S_ISREG(st.st_mode)) {
		fd = atomic_file_begin(&out->whole, path, e);
		if (fd < 0)
			return -1;
	} else if (S_ISBLK(st.st_mode) || S_ISSOCK(st.st_mode)) {
		return error_set(e, ERROR_USAGE, "it is a %s, which is not written to",
				 S_ISBLK(st.st_mode) ? "block device" : "socket");
	} else {
		fd = open_special(path);
		if (fd < 0 && errno == ENXIO && S_ISFIFO(st.st_mode))
			return error_set(e, ERROR_USAGE, "it is a FIFO that nobody reads");
	}
	out->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (out->file)
		return 0;
	error_writing(e);
	if (fd >= 0)
		close(fd);
	atomic_file_abandon(&out->whole);
	return -1;
}

int output_commit(struct output *out, struct error *e)
{
	bool ok;

	if (!out->path || !out->file)
		return 0;
	/* errno is still that of the failed write: nothing after it sets errno */
	ok = fflush(out->file) == 0 && !ferror(out->file);
	ok &= fclose(out->file) == 0;
	out->file = NULL;
	if (ok)
		return out->whole.name ? atomic_file_finish(&out->whole, e) : 0;
	error_writing(e);
	atomic_file_abandon(&out->whole);
	return -1;
}

void output_abandon(struct output *out)
{
	if (!out->path || !out->file)
		return;
	fclose(out->file);
	atomic_file_abandon(&out->whole);
	*out = (struct output){0};
}
