/* Crashes of libdw without memory. */
#include "formats/base/atomic_file.h"
#include "symbolize/dwarf_memory.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void crash_in(Dwarf *dwarf);

/* In a process of its own that writes a file and reads the test's own DWARF. Its status, and what
 * it says. */
static int crash(crash_in *in, char said[300])
{
	const char *output = scratch_path("output");
	int ends[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		struct atomic_file file;
		struct error e;
		int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
		Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
		signal(SIGABRT, SIG_DFL); /* cmocka and sanitizers have handlers */
		signal(SIGSEGV, SIG_DFL);
		dup2(ends[1], STDERR_FILENO);
		if (!dwarf || atomic_file_begin(&file, output, &e) < 0)
			_exit(100);
		dwarf_memory_handle(dwarf);
		errno = 0;
		in(dwarf);
		_exit(101);
	}
	close(ends[1]);
	n = read(ends[0], said, 299);
	said[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static bool is_nothing_left(void)
{
	char pattern[600];
	glob_t found;
	size_t n;

	snprintf(pattern, sizeof pattern, "%s*", scratch_path("output"));
	glob(pattern, 0, NULL, &found);
	n = found.gl_pathc;
	globfree(&found);
	return n == 0;
}

static void handler(Dwarf *dwarf)
{
	dwarf_new_oom_handler(dwarf, NULL)();
}

static void assertion(Dwarf *dwarf)
{
	(void)dwarf;
	errno = ENOMEM;
	abort();
}

static void null_pointer(Dwarf *dwarf)
{
	(void)dwarf;
	errno = ENOMEM;
	raise(SIGSEGV);
}

static void lack_of_memory_is_said(void **state)
{
	(void)state;
	crash_in *const all[] = {handler, assertion, null_pointer};
	char said[300];

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		int status = crash(all[i], said);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 3);
		assert_non_null(strstr(said, "no memory for debug information"));
		assert_non_null(strstr(said, "--module-limit"));
		assert_true(is_nothing_left());
	}
}

static void other_assertion(Dwarf *dwarf)
{
	(void)dwarf;
	abort();
}

static void other_pointer(Dwarf *dwarf)
{
	(void)dwarf;
	raise(SIGSEGV);
}

static void other_crashes_are_crashes(void **state)
{
	(void)state;
	char said[300];
	int status = crash(other_assertion, said);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_string_equal(said, "");
	assert_true(is_nothing_left());
	status = crash(other_pointer, said);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	assert_string_equal(said, "");
	assert_true(is_nothing_left());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lack_of_memory_is_said),
	    cmocka_unit_test(other_crashes_are_crashes),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
