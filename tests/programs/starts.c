/* Ways to start and to end, for the launcher's tests: each burns MILLISECONDS of CPU
 * time in a function of its own name first.
 *
 *     starts MILLISECONDS WAY
 *
 * exec: this program again, as `exit`, by execve with an empty environment.
 * bad-exec: an execvp that fails, then more burning, then exit 3.
 * fork: a child burns as well and ends by _exit(4); the parent waits and exits 5.
 * raise: by SIGUSR1 to itself. exit: exit 6. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((noinline)) static void burn(int ms)
{
	uint64_t until = cpu_now() + (uint64_t)ms * 1000000;

	while (cpu_now() < until)
		for (int i = 0; i < 1000; i++)
			sink += i;
}

__attribute__((noinline)) static void burn_in_child(int ms)
{
	burn(ms);
	sink++;
}

__attribute__((noinline)) static void burn_after_bad_exec(int ms)
{
	burn(ms);
	sink += 2; /* not the same code: the compiler would make one of the two */
}

int main(int argc, char **argv)
{
	char *again[] = {argv[0], argv[1], "exit", NULL};
	char *nowhere[] = {"there-is-no-such-program", NULL};
	char *empty[] = {NULL};
	int ms, status;

	if (argc != 3)
		return 2;
	ms = atoi(argv[1]);
	burn(ms);
	if (strcmp(argv[2], "exec") == 0) {
		execve("/proc/self/exe", again, empty);
		return 99;
	}
	if (strcmp(argv[2], "bad-exec") == 0) {
		if (execvp(nowhere[0], nowhere) != -1 || errno != ENOENT)
			return 98;
		burn_after_bad_exec(ms);
		return 3;
	}
	if (strcmp(argv[2], "fork") == 0) {
		pid_t child = fork();

		if (child == 0) {
			burn_in_child(ms);
			_exit(4);
		}
		if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 4)
			return 97;
		return 5;
	}
	if (strcmp(argv[2], "raise") == 0)
		raise(SIGUSR1);
	exit(6);
}
