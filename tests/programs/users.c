/* A program that becomes another user.
 *
 *     users WAY USER MILLISECONDS [COMMAND [ARGUMENT]...]
 *
 * It computes, gives up the rights of root by setuid, seteuid, setreuid, setresuid, syscall or
 * vfork (in a child of vfork, before COMMAND), computes again, lets a child and a grandchild
 * compute, and becomes COMMAND. Each computes for that long. `root` is a way that changes nothing.
 * Prints the ids at the end. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void compute(int ms)
{
	struct timespec from, now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static int become(const char *way, uid_t user)
{
	if (strcmp(way, "setuid") == 0)
		return setuid(user);
	if (strcmp(way, "seteuid") == 0)
		return seteuid(user);
	if (strcmp(way, "setreuid") == 0)
		return setreuid(user, user);
	if (strcmp(way, "setresuid") == 0)
		return setresuid(user, user, user);
	if (strcmp(way, "syscall") == 0)
		return (int)syscall(SYS_setresuid, user, user, user);
	return strcmp(way, "root") == 0 ? 0 : -1;
}

static int finish(pid_t child)
{
	int status = 0;
	return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

static int descend(int depth, int ms)
{
	pid_t child = fork();
	if (child == 0) {
		compute(ms);
		_exit(depth > 1 ? descend(depth - 1, ms) : 0);
	}
	return finish(child);
}

int main(int argc, char **argv)
{
	enum { GENERATIONS = 2, REFUSED = 2 };
	if (argc < 4)
		return REFUSED;
	uid_t user = (uid_t)atoi(argv[2]);
	int ms = atoi(argv[3]);
	compute(ms);
	if (strcmp(argv[1], "vfork") == 0) {
		pid_t child = vfork(); /* NOLINT: as runtimes do it */
		if (child == 0) {
			/* NOLINTNEXTLINE(clang-analyzer-unix.Vfork) */
			if (syscall(SYS_setresuid, user, user, user) == 0)
				execvp(argv[4], argv + 4);
			_exit(REFUSED);
		}
		return finish(child);
	}
	if (become(argv[1], user) != 0)
		return REFUSED;
	compute(ms);
	if (descend(GENERATIONS, ms) != 0)
		return 1;
	printf("%u %u\n", (unsigned)getuid(), (unsigned)geteuid());
	fflush(stdout);
	if (argc > 4)
		execvp(argv[4], argv + 4);
	return 0;
}
