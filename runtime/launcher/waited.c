#include "runtime/launcher/waited.h"

#include "formats/base/regular_file.h"
#include "formats/decode.h"
#include "formats/encode.h"
#include "runtime/launcher/summary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number before *end in name, which a dot precedes; *end becomes the place of the dot. */
static bool number_before(const char *name, size_t *end, uint64_t *out)
{
	size_t at = *end;
	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	if (at == *end || at == 0 || name[at - 1] != '.')
		return false;
	*out = strtoull(name + at, NULL, 10);
	*end = at - 1;
	return true;
}

/* Whether this is the name of a datafile of pid: <command>.<host>.<pid>.<seq>SUFFIX */
static bool is_of(const char *name, pid_t pid, uint64_t *seq)
{
	size_t n = strlen(name), suffix = sizeof CSP_SUFFIX - 1;
	uint64_t number;
	if (n <= suffix || strcmp(name + n - suffix, CSP_SUFFIX) != 0)
		return false;
	n -= suffix;
	return number_before(name, &n, seq) && number_before(name, &n, &number) &&
	       number == (uint64_t)pid;
}

/* The name of the last image's datafile. */
static bool find_last(DIR *d, pid_t pid, const struct timespec *since, char *out)
{
	uint64_t last = 0, seq;
	bool found = false;
	for (struct dirent *e; (e = readdir(d));) {
		struct stat st;
		if (!is_of(e->d_name, pid, &seq) || (found && seq < last) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode) || launch_is_older(&st.st_mtim, since))
			continue;
		strcpy(out, e->d_name);
		last = seq;
		found = true;
	}
	return found;
}

static int write_all(void *ctx, const uint8_t *bytes, size_t n)
{
	while (n > 0) {
		ssize_t r = write(*(int *)ctx, bytes, n);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? -errno : -EIO;
		bytes += r;
		n -= (size_t)r;
	}
	return 0;
}

/* The place of the chunk PROCESS, whose pairs stand from *pairs to *end. */
static bool find_process(const uint8_t *bytes, size_t n, size_t *chunk, size_t *pairs, size_t *end)
{
	struct cursor c = cursor_of(bytes, n, false);
	uint32_t chunks;
	if (launch_skip_to_trailer(&c) < 0 || csp_get_trailer_header(&c, &chunks, NULL) < 0)
		return false;
	for (uint32_t i = 0; i < chunks; i++) {
		struct csp_chunk_header h;
		*chunk = c.pos;
		if (csp_get_chunk_header(&c, &h, NULL) < 0)
			return false;
		*pairs = c.pos;
		cursor_skip(&c, h.length);
		*end = c.pos;
		if (h.tag == CSP_CHUNK_PROCESS)
			return *end - *pairs >= 4;
	}
	return false;
}

static bool copy_with(const uint8_t *bytes, size_t n, int fd, uint64_t ns)
{
	enum { BYTES = 4096 };
	uint8_t buffer[BYTES], pair_bytes[64];
	struct csp_sink pair = {.buf = pair_bytes, .cap = sizeof pair_bytes};
	struct csp_sink out = {.buf = buffer, .cap = BYTES, .flush = write_all, .ctx = &fd};
	size_t chunk, pairs, end;
	uint32_t count;
	if (!find_process(bytes, n, &chunk, &pairs, &end))
		return false;
	struct cursor c = cursor_of(bytes + pairs, end - pairs, false);
	if (csp_get_u32(&c, "pairs", &count, NULL) < 0)
		return false;
	csp_put_pair_u64(&pair, "waited_ns", ns);
	csp_put_bytes(&out, bytes, chunk);
	csp_put_chunk_header(&out, CSP_CHUNK_PROCESS, end - pairs + pair.len);
	csp_put_u32(&out, count + 1);
	csp_put_bytes(&out, bytes + pairs + 4, end - pairs - 4);
	csp_put_bytes(&out, pair_bytes, pair.len);
	csp_put_bytes(&out, bytes + end, n - end);
	return csp_sink_flush(&out) == 0;
}

static void replace(int dir, const char *name, uint64_t ns)
{
	char part[NAME_MAX + sizeof ".part"];
	struct stat st;
	int fd = regular_file_open_at(dir, name, O_RDONLY, &st, NULL);
	if (fd < 0)
		return;
	void *bytes = regular_file_read(fd, &st, NULL);
	close(fd);
	snprintf(part, sizeof part, "%s.part", name);
	fd = bytes ? openat(dir, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0777)
		   : -1;
	if (fd >= 0) {
		bool ok = copy_with(bytes, (size_t)st.st_size, fd, ns);
		ok &= close(fd) == 0;
		if (!ok || renameat(dir, part, dir, name) != 0)
			unlinkat(dir, part, 0);
	}
	free(bytes);
}

void launch_waited_add(const char *dir, pid_t pid, const struct timespec *since, uint64_t ns)
{
	char name[NAME_MAX + 1];
	DIR *d = opendir(dir);
	if (!d)
		return;
	if (find_last(d, pid, since, name))
		replace(dirfd(d), name, ns);
	closedir(d);
}
