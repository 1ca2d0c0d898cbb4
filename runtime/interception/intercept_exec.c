/* exec: the image's datafile is written before, because nothing of the image remains afterwards.
 * A vfork child shares our memory and must not change it: csprof_process_finish recognises it by
 * its pid. If exec fails, the measurement continues. */
#include "runtime/interception/intercept.h"

#include "runtime/interception/signals.h"
#include "runtime/process/environment.h"
#include "runtime/process/exec_check.h"
#include "runtime/process/fork_detect.h"
#include "runtime/process/process.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* A call of one form of exec and its arguments; call(e, environment) calls libc's function. */
struct exec_call {
	int (*call)(const struct exec_call *e, char *const *environment);
	void *real;
	const char *file;
	int fd, flags;
	char *const *argv;
	bool search; /* search file along PATH */
};

static int by_file(const struct exec_call *e, char *const *environment)
{
	return ((int (*)(const char *, char *const *, char *const *))e->real)(e->file, e->argv,
									      environment);
}

static int by_descriptor(const struct exec_call *e, char *const *environment)
{
	return ((int (*)(int, char *const *, char *const *))e->real)(e->fd, e->argv, environment);
}

static int by_both(const struct exec_call *e, char *const *environment)
{
	return ((int (*)(int, const char *, char *const *, char *const *, int))e->real)(
	    e->fd, e->file, e->argv, environment, e->flags);
}

static int finish_and_call(char *const *environment, void *arg)
{
	const struct exec_call *e = arg;
	bool finished = csprof_process_finish(CSPROF_END_EXEC);
	uint64_t mask = csprof_signal_before_exec();
	int r = e->call(e, environment);
	int saved = errno;
	csprof_signal_after_failed_exec(mask);
	if (finished)
		csprof_process_resume();
	errno = saved;
	return r;
}

static int run_exec(struct exec_call *e, char *const *environment)
{
	csprof_fork_detect_adopt();
	enum csprof_next next = csprof_process_measured() ? CSPROF_NEXT_IMAGE : CSPROF_NEXT_CHILD;
	if (e->call == by_file ? csprof_exec_check(e->file, e->search)
			       : csprof_exec_check_at(e->fd, e->file))
		next = CSPROF_NEXT_FOREIGN;
	return csprof_environment_call(environment, next, finish_and_call, e);
}

CSPROF_WRAPPER int execve(const char *path, char *const argv[], char *const environment[])
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "execve");
	struct exec_call e = {.call = by_file, .real = real, .file = path, .argv = argv};
	return run_exec(&e, environment);
}

CSPROF_WRAPPER int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

CSPROF_WRAPPER int execvpe(const char *file, char *const argv[], char *const environment[])
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "execvpe");
	struct exec_call e = {
	    .call = by_file, .real = real, .file = file, .argv = argv, .search = true};
	return run_exec(&e, environment);
}

CSPROF_WRAPPER int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

CSPROF_WRAPPER int fexecve(int fd, char *const argv[], char *const environment[])
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "fexecve");
	struct exec_call e = {.call = by_descriptor, .real = real, .fd = fd, .argv = argv};
	return run_exec(&e, environment);
}

CSPROF_WRAPPER int execveat(int fd, const char *path, char *const argv[], char *const environment[],
			    int flags)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "execveat");
	struct exec_call e = {by_both, real, path, fd, flags, argv, false};
	return run_exec(&e, environment);
}

/* Count the arguments of execl and its relatives, from the first up to the NULL. */
static size_t count_arguments(va_list ap)
{
	size_t n = 1;
	while (va_arg(ap, char *))
		n++;
	return n;
}

#define COLLECT(argv, first, ap, count)                                                            \
	char *argv[(count) + 1];                                                                   \
	argv[0] = (char *)(first);                                                                 \
	for (size_t i_ = 1; i_ <= (count); i_++)                                                   \
	argv[i_] = va_arg(ap, char *)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvla" /* a vfork child must only use its stack */

#define LIST_WRAPPER(name, vector_form)                                                            \
	CSPROF_WRAPPER int name(const char *file, const char *arg, ...)                            \
	{                                                                                          \
		va_list ap, count;                                                                 \
		va_start(ap, arg);                                                                 \
		va_copy(count, ap);                                                                \
		size_t n = count_arguments(count);                                                 \
		va_end(count);                                                                     \
		COLLECT(argv, arg, ap, n);                                                         \
		va_end(ap);                                                                        \
		return vector_form(file, argv, environ);                                           \
	}

LIST_WRAPPER(execl, execve)
LIST_WRAPPER(execlp, execvpe)

CSPROF_WRAPPER int execle(const char *path, const char *arg, ...)
{
	va_list ap, count;
	va_start(ap, arg);
	va_copy(count, ap);
	size_t n = count_arguments(count);
	va_end(count);
	COLLECT(argv, arg, ap, n);
	char *const *environment = va_arg(ap, char *const *);
	va_end(ap);
	return execve(path, argv, environment);
}

#pragma GCC diagnostic pop
