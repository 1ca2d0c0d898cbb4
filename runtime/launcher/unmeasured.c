#include "runtime/launcher/unmeasured.h"

#include "formats/base/path.h"
#include "formats/datafile.h"
#include "runtime/launcher/quote.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMED = 3, LARGEST = 1 << 20 }; /* programs in the line; bytes that are read */

static int open_list(const char *dir, struct stat *st)
{
	char path[PATH_MAX + sizeof CSP_UNMEASURED_FILE + 1];
	snprintf(path, sizeof path, "%s/" CSP_UNMEASURED_FILE, dir);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0 && (fstat(fd, st) != 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

size_t launch_unmeasured_size(const char *dir)
{
	struct stat st;
	int fd = open_list(dir, &st);
	if (fd < 0)
		return 0;
	close(fd);
	return (size_t)st.st_size;
}

void launch_unmeasured_add(const char *dir, const char *reason, const char *program)
{
	char path[PATH_MAX + sizeof CSP_UNMEASURED_FILE + 1], line[PATH_MAX + 32];
	snprintf(path, sizeof path, "%s/" CSP_UNMEASURED_FILE, dir);
	size_t n = (size_t)snprintf(line, sizeof line, "%s\t%s\n", reason, program);
	if (n >= sizeof line || strchr(program, '\n'))
		return;
	int fd =
	    open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (write(fd, line, n) < 0)
		fprintf(stderr, "hpcrun: %s: %s\n", path, strerror(errno));
	close(fd);
}

static const char *meaning(const char *line, size_t n)
{
	static const struct {
		const char *reason, *text;
	} of[] = CSP_UNMEASURED_TEXTS;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (strlen(of[i].reason) == n && memcmp(of[i].reason, line, n) == 0)
			return of[i].text;
	return "unknown reason";
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_lines(FILE *out, char **lines, size_t n)
{
	char quoted[LAUNCH_QUOTED_BYTES(PATH_MAX)];
	size_t programs = 0, more = 0;
	qsort(lines, n, sizeof *lines, compare);
	fprintf(out, "; %zu program start%s not measured: ", n, n == 1 ? "" : "s");
	for (size_t i = 0, same; i < n; i += same) {
		for (same = 1; i + same < n && strcmp(lines[i], lines[i + same]) == 0;)
			same++;
		if (programs++ >= NAMED) {
			more++;
			continue;
		}
		size_t reason = strcspn(lines[i], "\t");
		const char *path = lines[i][reason] ? lines[i] + reason + 1 : "?";
		snprintf(quoted, sizeof quoted, "?");
		if (strlen(path) < PATH_MAX)
			launch_quote(quoted, path_basename(path));
		fprintf(out, "%s%s (%s", programs > 1 ? ", " : "", quoted,
			meaning(lines[i], reason));
		fprintf(out, same > 1 ? ", %zu times)" : ")", same);
	}
	if (more)
		fprintf(out, " and %zu more", more);
}

void launch_unmeasured_print(FILE *out, const char *dir, size_t from)
{
	struct stat st;
	int fd = open_list(dir, &st);
	char *text = fd >= 0 ? malloc(LARGEST + 1) : NULL, *save = NULL;
	ssize_t n = text ? pread(fd, text, LARGEST, (off_t)from) : -1;
	char **lines = n > 0 ? calloc((size_t)n, sizeof *lines) : NULL;
	size_t count = 0;
	if (fd >= 0)
		close(fd);
	if (lines) {
		text[n] = '\0';
		for (char *line = strtok_r(text, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			lines[count++] = line;
		if (count)
			print_lines(out, lines, count);
	}
	free(lines);
	free(text);
}
