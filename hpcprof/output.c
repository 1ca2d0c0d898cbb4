#include "hpcprof/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int output_open(struct output *out, const char *path, struct error *e)
{
	struct stat st;
	int fd;

	*out = (struct output){.file = stdout, .path = path};
	if (!path)
		return 0;
	if (stat(path, &st) != 0 || S_ISREG(st.st_mode)) {
		if (asprintf(&out->temporary, "%s.%ld.tmp", path, (long)getpid()) < 0) {
			out->temporary = NULL;
			return error_memory(e, strlen(path));
		}
		fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	} else {
		fd = open(path, O_WRONLY | O_CLOEXEC);
	}
	out->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (out->file)
		return 0;
	error_system(e, "cannot be written");
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	out->temporary = NULL;
	return -1;
}

int output_commit(struct output *out, struct error *e)
{
	bool ok;

	if (!out->path || !out->file)
		return 0;
	/* a write that failed left its errno; nothing that came after it set another */
	ok = fflush(out->file) == 0 && !ferror(out->file);
	ok &= fclose(out->file) == 0;
	out->file = NULL;
	if (ok && out->temporary)
		ok = rename(out->temporary, out->path) == 0;
	if (!ok)
		error_system(e, "cannot be written");
	if (!ok && out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	out->temporary = NULL;
	return ok ? 0 : -1;
}

void output_abandon(struct output *out)
{
	if (!out->path || !out->file)
		return;
	fclose(out->file);
	if (out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	*out = (struct output){0};
}
