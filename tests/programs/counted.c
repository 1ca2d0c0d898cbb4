/* Do what the kernel counts, in known functions and shares.
 *
 *     counted faults|switches|threads|children ROUNDS [TRUTH]
 *
 * faults: four of five page faults in many(), the others in few(). switches: three of four waits in
 * often(), the others in seldom(). threads: both in three threads. children: the faults in a child
 * and in what it executes. TRUTH gets lines `FUNCTION SHARE`. At the end two lines are printed,
 * `page-faults N` and `context-switches N`: those of this process and its children, from the
 * beginning of main on. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PART = 256 };

static void touch(size_t pages)
{
	char *p =
	    mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	madvise(p, pages * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		p[i * PAGE] = 1;
	munmap(p, pages * PAGE);
}

__attribute__((noinline)) static void many(void)
{
	touch(4 * PART);
	__asm__ volatile("");
}

__attribute__((noinline)) static void few(void)
{
	touch(PART);
	__asm__ volatile("");
}

/* Waits, and computes for much longer than a switch takes. */
static void waits(int times)
{
	const struct timespec little = {0, 50000};

	for (int i = 0; i < times; i++) {
		nanosleep(&little, NULL);
		for (volatile int n = 0; n < 400000; n++)
			;
	}
}

__attribute__((noinline)) static void often(void)
{
	waits(3);
	__asm__ volatile("");
}

__attribute__((noinline)) static void seldom(void)
{
	waits(1);
	__asm__ volatile("");
}

static void faults(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		many();
		few();
	}
}

static void switches(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		often();
		seldom();
	}
}

static void *both(void *rounds)
{
	faults((long)rounds);
	switches((long)rounds);
	return NULL;
}

static void threads(long rounds)
{
	enum { THREADS = 3 };
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, both, (void *)rounds) != 0)
			exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void children(const char *self, const char *rounds)
{
	pid_t child = fork();

	if (child == 0) {
		faults(atol(rounds));
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		execl(self, self, "faults", rounds, (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static void add(int who, long *page_faults, long *context_switches, int sign)
{
	struct rusage r;

	getrusage(who, &r);
	*page_faults += sign * (r.ru_minflt + r.ru_majflt);
	*context_switches += sign * (r.ru_nvcsw + r.ru_nivcsw);
}

int main(int argc, char **argv)
{
	long page_faults = 0, context_switches = 0;

	if (argc < 3)
		return 2;
	add(RUSAGE_SELF, &page_faults, &context_switches, -1);
	long rounds = atol(argv[2]);
	if (strcmp(argv[1], "faults") == 0)
		faults(rounds);
	else if (strcmp(argv[1], "switches") == 0)
		switches(rounds);
	else if (strcmp(argv[1], "threads") == 0)
		threads(rounds);
	else if (strcmp(argv[1], "children") == 0)
		children(argv[0], argv[2]);
	else
		return 2;
	add(RUSAGE_SELF, &page_faults, &context_switches, 1);
	add(RUSAGE_CHILDREN, &page_faults, &context_switches, 1);
	printf("page-faults %ld\ncontext-switches %ld\n", page_faults, context_switches);
	return 0;
}
