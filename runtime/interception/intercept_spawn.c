/* Functions that start processes, besides exec and fork: libc's own implementations call neither
 * of those wrappers. */
#include "runtime/interception/intercept.h"

#include "runtime/interception/signals.h"
#include "runtime/process/environment.h"
#include "runtime/process/exec_check.h"
#include "runtime/process/fork_detect.h"
#include "runtime/process/process.h"

#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- posix_spawn: the child does nothing of ours before its exec ------------------ */

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const *, char *const *);

struct spawn_call {
	spawn_function *real;
	pid_t *pid;
	const char *file;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	char *const *argv;
};

static int call_spawn(char *const *environment, void *arg)
{
	const struct spawn_call *c = arg;
	struct csprof_spawning s = csprof_signal_before_spawn();
	int r = c->real(c->pid, c->file, c->actions, c->attributes, c->argv, environment);
	csprof_signal_after_spawn(s);
	return r;
}

#define SPAWN_WRAPPER(name, search)                                                                \
	CSPROF_WRAPPER int name(                                                                   \
	    pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,               \
	    const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])    \
	{                                                                                          \
		static _Atomic(void *) real;                                                       \
		CSPROF_GRAB_FUNCPTR(real, #name);                                                  \
		struct spawn_call c = {                                                            \
		    (spawn_function *)real, pid, file, actions, attributes, argv};                 \
		csprof_fork_detect_adopt();                                                        \
		return csprof_environment_call(                                                    \
		    environment,                                                                   \
		    csprof_exec_check(file, search) ? CSPROF_NEXT_FOREIGN : CSPROF_NEXT_CHILD,     \
		    call_spawn, &c);                                                               \
	}

SPAWN_WRAPPER(posix_spawn, false)
SPAWN_WRAPPER(posix_spawnp, true)

/* ---- functions that use environ, which may have been emptied -------------------------
 *
 * A thread that is cancelled in the call leaves it complete. system waits for the command, and all
 * the time SIGSEGV could not be ignored for real: a program that ignores it starts a command that
 * does not. */

CSPROF_WRAPPER int system(const char *command)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "system");
	csprof_fork_detect_adopt();
	char **lent = csprof_environment_lend();
	int r = ((int (*)(const char *))real)(command);
	csprof_environment_take_back(lent);
	return r;
}

/* The type of the stream is not needed here, and neither is stdio's header. */
void *popen(const char *command, const char *mode);

CSPROF_WRAPPER void *popen(const char *command, const char *mode)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "popen");
	csprof_fork_detect_adopt();
	char **lent = csprof_environment_lend();
	struct csprof_spawning s = csprof_signal_before_spawn();
	void *stream = ((void *(*)(const char *, const char *))real)(command, mode);
	csprof_signal_after_spawn(s);
	csprof_environment_take_back(lent);
	return stream;
}

/* ---- forks that do not call fork's handlers ------------------------------------------- */

CSPROF_WRAPPER pid_t _Fork(void)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "_Fork");
	bool ours = csprof_fork_detect_before();
	pid_t pid = ((pid_t(*)(void))real)();
	if (ours && pid == 0)
		csprof_fork_detect_in_child();
	else if (ours)
		csprof_fork_detect_in_parent();
	return pid;
}

struct clone_start {
	int (*function)(void *);
	void *arg;
};

/* The child ends with the result of this function, by a system call of clone's own. */
static int begin_clone(void *arg)
{
	const struct clone_start *start = arg;
	csprof_fork_detect_in_child();
	int status = start->function(start->arg);
	csprof_finish_exit(status, false);
	return status;
}

/* A child that shares our memory is a thread, or like vfork's: it is left alone. */
CSPROF_WRAPPER int clone(int (*function)(void *), void *stack, int flags, void *arg, ...)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "clone");
	int (*next)(int (*)(void *), void *, int, void *, ...) =
	    (int (*)(int (*)(void *), void *, int, void *, ...))real;
	va_list more;
	va_start(more, arg);
	pid_t *parent_tid = va_arg(more, pid_t *);
	void *tls = va_arg(more, void *);
	pid_t *child_tid = va_arg(more, pid_t *);
	va_end(more);
	struct clone_start start = {function, arg};
	if ((flags & CLONE_VM) || !function || !stack || !csprof_fork_detect_before())
		return next(function, stack, flags, arg, parent_tid, tls, child_tid);
	int pid = next(begin_clone, stack, flags, &start, parent_tid, tls, child_tid);
	csprof_fork_detect_in_parent();
	return pid;
}
