/* Two threads of a program that ignores SIGSEGV start processes at the same time.
 *
 *     spawns TIMES
 *
 * The processes do not exist, so that the starts fail and are short. Exits with 1 if SIGSEGV was
 * ignored by the kernel after a start: measured, a handler must then be there that ignores it for
 * the program. */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

extern char **environ;

static pthread_barrier_t both;
static long times, bad;

/* Whether the kernel ignores SIGSEGV; -1: not known. */
static int ignored(void)
{
	unsigned long long set = 0;
	char line[256];
	int known = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && !known && fgets(line, sizeof line, f))
		known = sscanf(line, "SigIgn: %llx", &set) == 1;
	if (f)
		fclose(f);
	return known ? (int)(set >> (SIGSEGV - 1) & 1) : -1;
}

static void *start(void *looks)
{
	char *argv[] = {"none", NULL};
	pid_t pid;

	for (long i = 0; i < times; i++) {
		pthread_barrier_wait(&both);
		posix_spawn(&pid, "/nonexistent/none", NULL, NULL, argv, environ);
		pthread_barrier_wait(&both);
		if (looks && ignored() != 0)
			bad++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;

	times = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
	signal(SIGSEGV, SIG_IGN);
	pthread_barrier_init(&both, NULL, 2);
	if (pthread_create(&other, NULL, start, NULL) != 0)
		return 2;
	start(&bad);
	pthread_join(other, NULL);
	printf("%ld of %ld\n", bad, times);
	return bad != 0;
}
