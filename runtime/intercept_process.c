/* The start of an image, its end, and exec. */
#include "runtime/intercept.h"

#include "formats/encode.h"
#include "runtime/environment.h"
#include "runtime/os/os.h"
#include "runtime/process.h"
#include "runtime/thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_key_t thread_key;

/* The value counts the rounds that libc makes through the keys' destructors: ours, the
 * first of each round, ends the measurement in the last, behind the program's own. */
static void end_thread(void *round)
{
	uintptr_t next = (uintptr_t)round + 1;
	if (next > PTHREAD_DESTRUCTOR_ITERATIONS ||
	    pthread_setspecific(thread_key, (void *)next) != 0)
		csprof_thread_end();
}

/* "exit N" */
static void finish_exit(int status, bool with_loader)
{
	char end[16] = "exit ", digits[20];
	unsigned n = csp_format_u64(digits, (unsigned)status & 0xff);
	memcpy(end + 5, digits, n);
	end[5 + n] = '\0';
	csprof_process_finish(end, with_loader);
}

static void at_exit(int status, void *arg)
{
	(void)arg;
	finish_exit(status, true);
}

static void in_child(void)
{
	csprof_process_in_child();
}

/* The loader runs this before any other constructor (Makefile: initfirst), libc's own
 * among them: environ is not set yet, so what is asked for is the argument. The exit
 * handler is registered before the program's and the loader's own, so it runs after
 * the last destructor. */
__attribute__((constructor)) static void library_start(int argc, char **argv, char **environment)
{
	csprof_process_start(argc, argv, environment);
	if (!csprof_process_measured())
		return;
	on_exit(at_exit, NULL);
	pthread_atfork(csprof_process_before_fork, csprof_process_after_fork, in_child);
	if (pthread_key_create(&thread_key, end_thread) == 0)
		csprof_thread_end_later();
}

void csprof_thread_end_later(void)
{
	pthread_setspecific(thread_key, (void *)1);
}

/* The launch point of every program (glibc's csu/libc-start.c): constructors have run,
 * main has not. A dlopen in our own constructor would initialise libc with neither
 * arguments nor environment. */
typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
			   void (*)(void), void *);
start_function __libc_start_main;

CSPROF_WRAPPER int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
				     void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "__libc_start_main");
	if (csprof_process_measured())
		csprof_process_before_main();
	return ((start_function *)atomic_load(&real))(main, argc, argv, init, fini, loader_fini,
						      stack_end);
}

/* ---- the ends that pass no exit handler ------------------------------------------- */

#define EXIT_WRAPPER(name)                                                                         \
	CSPROF_WRAPPER void name(int status)                                                       \
	{                                                                                          \
		static _Atomic(void *) real;                                                       \
		CSPROF_GRAB_FUNCPTR(real, #name);                                                  \
		finish_exit(status, false);                                                        \
		((void (*)(int))real)(status);                                                     \
		__builtin_unreachable();                                                           \
	}

EXIT_WRAPPER(_exit)
EXIT_WRAPPER(_Exit)

/* ---- exec --------------------------------------------------------------------------
 *
 * The image's datafile is written before, since nothing of it is left after. A vfork
 * child shares our memory and must leave it alone: csprof_process_finish sees that by
 * the pid. If exec fails, the measurement goes on. */

struct exec_call {
	void *real;
	const char *file; /* NULL: fd */
	int fd;
	char *const *argv;
};

static int call_exec(const struct exec_call *c, char *const *environment)
{
	if (c->file)
		return ((int (*)(const char *, char *const[], char *const[]))c->real)(
		    c->file, c->argv, environment);
	return ((int (*)(int, char *const[], char *const[]))c->real)(c->fd, c->argv, environment);
}

static int run_exec(const struct exec_call *c, char *const *environment)
{
	struct csprof_environment e;
	bool measured = csprof_process_measured();
	csprof_environment_for_exec(&e, environment, measured);
	bool finished = csprof_process_finish(CSPROF_END_EXEC, false);
	int r = call_exec(c, e.variables);
	int saved = errno;
	if (finished)
		csprof_process_resume();
	csprof_environment_free(&e);
	errno = saved;
	return r;
}

CSPROF_WRAPPER int execve(const char *path, char *const argv[], char *const environment[])
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "execve");
	return run_exec(&(struct exec_call){real, path, -1, argv}, environment);
}

CSPROF_WRAPPER int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

CSPROF_WRAPPER int execvpe(const char *file, char *const argv[], char *const environment[])
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "execvpe");
	return run_exec(&(struct exec_call){real, file, -1, argv}, environment);
}

CSPROF_WRAPPER int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

CSPROF_WRAPPER int fexecve(int fd, char *const argv[], char *const environment[])
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "fexecve");
	return run_exec(&(struct exec_call){real, NULL, fd, argv}, environment);
}

/* Collect the arguments of execl and its kin: those behind first up to the NULL. */
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
#pragma GCC diagnostic ignored "-Wvla" /* the stack is the only memory that a vfork child may use  \
					*/

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
