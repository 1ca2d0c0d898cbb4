/* Run a command and report what its parent sees of it.
 *
 *     waitcpu [-m] FILE COMMAND [ARGUMENT]...
 *
 * Writes one line to FILE: microseconds of CPU time (user + system, of the command
 * and of the descendants for which it waited) as reported by wait4, then microseconds
 * of wall time. With -m, a second line "memory KB": the most memory that any of them had.
 * Exits with the command's status, or with 128 + the signal that ended
 * it. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long microseconds(struct timeval t)
{
	return (long long)t.tv_sec * 1000000 + t.tv_usec;
}

static long long wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	long long start = wall();
	pid_t pid;
	int status, memory = argc > 1 && strcmp(argv[1], "-m") == 0;

	argc -= memory;
	argv += memory;
	if (argc < 3) {
		fprintf(stderr, "usage: waitcpu [-m] FILE COMMAND [ARGUMENT]...\n");
		return 125;
	}
	int failed = posix_spawnp(&pid, argv[2], NULL, NULL, argv + 2, environ);
	if (failed) {
		fprintf(stderr, "waitcpu: %s: %s\n", argv[2], strerror(failed));
		return 127;
	}
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return 125;

	FILE *out = fopen(argv[1], "w");
	if (!out)
		return 125;
	fprintf(out, "%lld %lld\n", microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
		wall() - start);
	if (memory)
		fprintf(out, "memory %ld\n", usage.ru_maxrss);
	fclose(out);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
