/* The cost of starting and ending a process or a thread.
 *
 *     churn KIND TIMES
 *
 * fork: a child that ends at once. exec: a child that executes true(1). vfork: the same with vfork.
 * thread: a thread that ends at once and is joined. Prints the CPU time (of all processes) and the
 * elapsed time of all TIMES together, in microseconds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *why)
{
	perror(why);
	exit(1);
}

static void end_child(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		die("child");
}

static void by_fork(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	end_child(child);
}

static void by_exec(void)
{
	pid_t child = fork();

	if (child == 0) {
		execl("/bin/true", "true", (char *)0);
		_exit(1);
	}
	end_child(child);
}

static void by_vfork(void)
{
	pid_t child = vfork(); /* NOLINT: vfork is measured here */

	if (child == 0) {
		execl("/bin/true", "true", (char *)0);
		_exit(1);
	}
	end_child(child);
}

static void *nothing(void *arg)
{
	return arg;
}

static void by_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
		die("thread");
}

static const struct kind {
	const char *name;
	void (*once)(void);
} kinds[] = {{"fork", by_fork}, {"exec", by_exec}, {"vfork", by_vfork}, {"thread", by_thread}};

static long long microseconds(struct timeval t)
{
	return (long long)t.tv_sec * 1000000 + t.tv_usec;
}

static long long cpu(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return microseconds(self.ru_utime) + microseconds(self.ru_stime) +
	       microseconds(children.ru_utime) + microseconds(children.ru_stime);
}

static long long wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	enum { FIRST = 5 }; /* not counted */
	long times = argc == 3 ? atol(argv[2]) : 0;
	long long cpu_before = 0, wall_before = 0;
	const struct kind *k = kinds, *end = kinds + sizeof kinds / sizeof *kinds;

	while (k < end && (argc != 3 || strcmp(k->name, argv[1]) != 0))
		k++;
	if (k == end || times < 1) {
		fprintf(stderr, "usage: churn fork|exec|vfork|thread TIMES\n");
		return 2;
	}
	for (long i = 0; i < FIRST + times; i++) {
		if (i == FIRST) {
			cpu_before = cpu();
			wall_before = wall();
		}
		k->once();
	}
	printf("%lld %lld\n", cpu() - cpu_before, wall() - wall_before);
	return 0;
}
