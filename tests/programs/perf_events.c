/* Known numbers of events that only perf counts.
 *
 * faults USER KERNEL: so many page faults outside the kernel, in `touch`, and in it, in `fill`,
 * which reads into fresh pages.
 * calls OFTEN SELDOM: so many calls of getppid in `often`, and in `seldom`.
 * moves N: N times to another CPU, in `move`.
 * threads N: `calls N 0` in each of two threads and in a child process.
 * many N: N threads at once, each with 100 page faults in `touch`. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *fresh(long pages, size_t page)
{
	char *p = mmap(NULL, (size_t)pages * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || madvise(p, (size_t)pages * page, MADV_NOHUGEPAGE) != 0)
		exit(1);
	return p;
}

static __attribute__((noinline)) void touch(long pages, size_t page)
{
	char *p = fresh(pages, page);
	for (long i = 0; i < pages; i++)
		*(volatile char *)(p + (size_t)i * page) = 1;
}

static __attribute__((noinline)) void fill(long pages, size_t page, int zero)
{
	char *p = fresh(pages, page);
	for (long i = 0; i < pages; i++)
		if (read(zero, p + (size_t)i * page, 1) != 1)
			exit(1);
}

static __attribute__((noinline)) void often(long n)
{
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void seldom(long n)
{
	for (long i = n; i > 0; i--)
		syscall(SYS_getppid);
	__asm__ volatile("# not as the other" ::: "memory");
}

static void *thread(void *n)
{
	often(*(long *)n);
	return NULL;
}

static pthread_barrier_t together;

static void *touching(void *unused)
{
	pthread_barrier_wait(&together);
	touch(100, (size_t)sysconf(_SC_PAGESIZE));
	pthread_barrier_wait(&together);
	return unused;
}

static int many(long n)
{
	pthread_t t[n];
	pthread_barrier_init(&together, NULL, (unsigned)n);
	for (long i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, touching, NULL) != 0)
			return 1;
	for (long i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static __attribute__((noinline)) void move(long n)
{
	cpu_set_t all, one;
	int cpus[2], found = 0;
	if (sched_getaffinity(0, sizeof all, &all) != 0)
		exit(1);
	for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
		if (CPU_ISSET(i, &all))
			cpus[found++] = i;
	if (found < 2)
		exit(77);
	for (long i = 0; i < n; i++) {
		CPU_ZERO(&one);
		CPU_SET(cpus[i % 2], &one);
		if (sched_setaffinity(0, sizeof one, &one) != 0)
			exit(1);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	long a = argc > 2 ? atol(argv[2]) : 0, b = argc > 3 ? atol(argv[3]) : 0;
	if (strcmp(mode, "faults") == 0) {
		size_t page = (size_t)sysconf(_SC_PAGESIZE);
		int zero = open("/dev/zero", O_RDONLY);
		if (zero < 0)
			return 1;
		touch(a, page);
		fill(b, page, zero);
	} else if (strcmp(mode, "calls") == 0) {
		often(a);
		seldom(b);
	} else if (strcmp(mode, "moves") == 0) {
		move(a);
	} else if (strcmp(mode, "many") == 0) {
		return many(a);
	} else if (strcmp(mode, "threads") == 0) {
		pthread_t t[2];
		for (int i = 0; i < 2; i++)
			if (pthread_create(&t[i], NULL, thread, &a) != 0)
				return 1;
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		pid_t child = fork();
		if (child == 0) {
			often(a);
			return 0;
		}
		waitpid(child, NULL, 0);
	} else {
		return 2;
	}
	return 0;
}
