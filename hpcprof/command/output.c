#include "hpcprof/command/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether path, such as /dev/stdout, is the file that the stream writes to. */
static bool is_stream(const struct stat *path, FILE *stream)
{
	struct stat st;

	return fstat(fileno(stream), &st) == 0 && st.st_dev == path->st_dev &&
	       st.st_ino == path->st_ino;
}

int output_open(struct output *out, FILE *standard, const char *path, struct error *e)
{
	struct stat st;
	int fd;

	*out = (struct output){.file = path ? NULL : standard, .path = path};
	if (!path)
		return 0;
	if (stat(path, &st) == 0 && is_stream(&st, standard)) {
		*out = (struct output){.file = standard};
		return 0;
	}
	if (stat(path, &st) != 0 || S_ISREG(st.st_mode)) {
		fd = atomic_file_begin(&out->whole, path, e);
		if (fd < 0)
			return -1;
	} else {
		fd = open(path, O_WRONLY | O_CLOEXEC);
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
