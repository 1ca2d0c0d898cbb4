/* formats/base/regular_file.h: what is opened, what is said of the rest, and that nothing leads out
 * of a root. */
#include "formats/base/regular_file.h"

#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/failing_alloc.h"
#include "tests/lib/unit/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void make_socket(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_true(snprintf(name.sun_path, sizeof name.sun_path, "%s", path) <
		    (int)sizeof name.sun_path);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
	close(fd);
}

/* Write what is read into text, or what is said. */
static void take(char text[512], int fd, const struct error *e)
{
	ssize_t n = 0;

	if (fd >= 0) {
		n = read(fd, text, 511);
		assert_true(n >= 0);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		close(fd);
		text[n] = '\0';
	} else {
		strcpy(text, e->text);
	}
}

static void only_regular_files(void **state)
{
	struct error e;
	struct stat st;
	char text[512], socket_path[256];
	(void)state;

	write_file(scratch_path("file"), "text");
	assert_int_equal(symlink("file", scratch_path("link")), 0);
	assert_int_equal(symlink("loop", scratch_path("loop")), 0);
	assert_int_equal(symlink("/dev/zero", scratch_path("zero")), 0);
	assert_int_equal(mkfifo(scratch_path("fifo"), 0600), 0);
	snprintf(socket_path, sizeof socket_path, "%s", scratch_path("socket"));
	make_socket(socket_path);

	const struct {
		const char *name, *says;
	} files[] = {
	    {"file", "text"},
	    {"link", "text"},
	    {"none", "cannot be opened: No such file or directory"},
	    {"loop", "cannot be opened: Too many levels of symbolic links"},
	    {"zero", "is a device, not a regular file"},
	    {"fifo", "is a FIFO, not a regular file"},
	    {"socket", "is a socket, not a regular file"},
	    {".", "is a directory, not a regular file"},
	    {"file/x", "cannot be opened: Not a directory"},
	};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char real[PATH_MAX];
		take(text, regular_file_open(scratch_path(files[i].name), &st, &e), &e);
		assert_string_equal(text, files[i].says);
		/* /dev is not below the folder */
		take(text, regular_file_open_below(scratch_folder(), files[i].name, real, &st, &e),
		     &e);
		assert_string_equal(text, strcmp(files[i].name, "zero") == 0
					      ? "cannot be opened: No such file or directory"
					      : files[i].says);
	}
}

/* The path without links, or what is said. */
static const char *way(const char *path)
{
	static char text[PATH_MAX];
	char root[256];
	struct error e;
	struct stat st;

	snprintf(root, sizeof root, "%s", scratch_path("root"));
	int fd = regular_file_open_below(root, path, text, &st, &e);
	if (fd < 0)
		strcpy(text, e.text);
	else
		close(fd);
	return text;
}

static void nothing_leads_out_of_a_root(void **state)
{
	static const char absent[] = "cannot be opened: No such file or directory",
			  loop[] = "cannot be opened: Too many levels of symbolic links";
	char name[32], target[64], deep[PATH_MAX] = "";
	(void)state;

	write_file(scratch_path("secret"), "x");
	assert_int_equal(mkdir(scratch_path("root"), 0700), 0);
	assert_int_equal(mkdir(scratch_path("root/usr"), 0700), 0);
	assert_int_equal(mkdir(scratch_path("root/usr/lib"), 0700), 0);
	write_file(scratch_path("root/usr/lib/file"), "x");
	assert_int_equal(symlink("usr/lib", scratch_path("root/lib")), 0);
	assert_int_equal(symlink("/usr/lib/file", scratch_path("root/absolute")), 0);
	assert_int_equal(symlink("../../../secret", scratch_path("root/usr/lib/up")), 0);
	assert_int_equal(symlink(scratch_path("secret"), scratch_path("root/out")), 0);
	assert_int_equal(symlink("../lib/file", scratch_path("root/usr/lib/across")), 0);

	assert_string_equal(way("/usr/lib/file"), "/usr/lib/file");
	assert_string_equal(way("//usr/./lib//file"), "/usr/lib/file");
	assert_string_equal(way("/lib/file"), "/usr/lib/file");
	assert_string_equal(way("/absolute"), "/usr/lib/file");
	assert_string_equal(way("/lib/across"), "/usr/lib/file");
	assert_string_equal(way("/lib/../lib/file"), "/usr/lib/file");
	assert_string_equal(way("/../../usr/lib/file"), "/usr/lib/file");
	assert_string_equal(way("/../secret"), absent);
	assert_string_equal(way("/lib/up"), absent);
	assert_string_equal(way("/out"), absent);
	assert_string_equal(way("/usr"), "is a directory, not a regular file");
	assert_string_equal(way("/usr/.."), "is a directory, not a regular file");
	assert_string_equal(way("/"), "is a directory, not a regular file");
	assert_string_equal(way(""), "is a directory, not a regular file");

	/* as many links as the kernel follows, and one more */
	for (int i = 0; i < 41; i++) {
		snprintf(name, sizeof name, "root/n%d", i);
		snprintf(target, sizeof target, i ? "n%d" : "usr/lib/file", i - 1);
		assert_int_equal(symlink(target, scratch_path(name)), 0);
	}
	assert_string_equal(way("/n39"), "/usr/lib/file");
	assert_string_equal(way("/n40"), loop);
	/* names that take long */
	for (int i = 0; i < 400; i++)
		strcat(deep, "/usr/..");
	assert_string_equal(way(strcat(deep, "/lib/file")), "/usr/lib/file");
	assert_string_equal(way(memset(deep, 'x', 300)), "cannot be opened: File name too long");
	memset(deep, '/', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	assert_string_equal(way(deep), "is a directory, not a regular file");
}

static void all_that_was_there(void **state)
{
	struct error e;
	struct stat st;
	char *text;
	int fd;
	(void)state;

	write_file(scratch_path("read"), "all of it");
	fd = regular_file_open(scratch_path("read"), &st, &e);
	assert_true(fd >= 0);
	text = regular_file_read(fd, &st, &e);
	assert_non_null(text);
	assert_string_equal(text, "all of it");
	free(text);
	/* what was added is not read, and what is missing is said */
	assert_int_equal(truncate(scratch_path("read"), 100), 0);
	text = regular_file_read(fd, &st, &e);
	assert_non_null(text);
	assert_string_equal(text, "all of it");
	free(text);
	assert_int_equal(truncate(scratch_path("read"), 3), 0);
	assert_null(regular_file_read(fd, &st, &e));
	assert_int_equal(e.kind, ERROR_LIMIT);
	assert_string_equal(e.text, "was cut while it was read");
	assert_int_equal(truncate(scratch_path("read"), (off_t)1 << 40), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_null(regular_file_read(fd, &st, &e));
	assert_int_equal(e.kind, ERROR_LIMIT);
	assert_string_equal(e.text, "has more than 64 MiB of holes");
	assert_int_equal(truncate(scratch_path("read"), 3), 0);
	failing_alloc_start(1);
	assert_null(regular_file_read(fd, &st, &e));
	assert_int_equal(e.kind, ERROR_MEMORY);
	failing_alloc_start(0);
	close(fd);
	fd = regular_file_open(scratch_path("read"), &st, &e);
	assert_int_equal(truncate(scratch_path("read"), 0), 0);
	st.st_size = 0;
	text = regular_file_read(fd, &st, &e);
	assert_non_null(text);
	assert_string_equal(text, "");
	free(text);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(only_regular_files),
	    cmocka_unit_test(nothing_leads_out_of_a_root),
	    cmocka_unit_test(all_that_was_there),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
