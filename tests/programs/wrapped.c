/* Calls a function that libhpcrun.so wraps, again and again, for about 0.3 s of CPU time:
 *
 *     wrapped FUNCTION
 *
 * FUNCTION is raise (of SIGURG, for which it has a handler), sigprocmask, sigaction, or syscall. */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

static void handler(int sig)
{
	(void)sig;
}

static int do_raise(void)
{
	return raise(SIGURG);
}

static int do_sigprocmask(void)
{
	sigset_t set = set_of(SIGUSR2), old;

	return sigprocmask(SIG_BLOCK, &set, &old) || sigprocmask(SIG_SETMASK, &old, NULL);
}

static int do_sigaction(void)
{
	struct sigaction act = {.sa_handler = handler};

	return sigaction(SIGUSR1, &act, NULL);
}

static int do_syscall(void)
{
	return syscall(SYS_getppid) < 0;
}

int main(int argc, char **argv)
{
	static const struct a_case all[] = {
	    {"raise", do_raise},
	    {"sigprocmask", do_sigprocmask},
	    {"sigaction", do_sigaction},
	    {"syscall", do_syscall},
	};
	const double seconds = 0.3;
	double end = cpu() + seconds;

	handle(SIGURG, handler, 0);
	while (cpu() < end)
		for (int i = 0; i < 1000; i++)
			if (run_case(all, sizeof all / sizeof *all, argc > 1 ? argv[1] : NULL) != 0)
				return 1;
	say_mask("mask");
	return 0;
}
