/* Programs with different parts of their time in the kernel.
 *
 * modes KIND SECONDS: until the process has used that much CPU time. KIND is
 *   faults    touches new pages
 *   fills     the same with a repeated string instruction, which touches many pages
 *   reads     reads single bytes
 *   forks     makes processes with a copy of its memory, which end at once
 *   futexes   wakes another thread by syscall()
 *   computes  makes no system calls
 * all with some computing between. Prints "user NS" and "kernel NS": what the kernel has counted
 * for its threads. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, BLOCK = 16 << 20, NS_PER_US = 1000, NS_PER_S = 1000000000 };

static volatile uint64_t result;
static int zero;
static int futex_word;

__attribute__((noinline)) static void compute(unsigned n)
{
	uint64_t x = n;
	for (unsigned i = 0; i < n; i++)
		x = x * UINT64_C(6364136223846793005) + 1;
	result = x;
}

static char *new_block(void)
{
	char *p = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		exit(1);
	madvise(p, BLOCK, MADV_NOHUGEPAGE);
	return p;
}

__attribute__((noinline)) static void touch(char *p)
{
	for (size_t i = 0; i < BLOCK; i += PAGE) {
		p[i] = 1;
		compute(300);
	}
}

static void faults(void)
{
	char *p = new_block();
	touch(p);
	munmap(p, BLOCK);
}

__attribute__((noinline)) static void fill(char *p)
{
#ifdef __x86_64__
	size_t n = BLOCK;
	__asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(1) : "memory");
#else
	memset(p, 1, BLOCK);
#endif
}

static void fills(void)
{
	char *p = new_block();
	fill(p);
	for (int i = 0; i < 2; i++)
		fill(p); /* without faults */
	munmap(p, BLOCK);
	compute(1000000);
}

static void reads(void)
{
	char byte;
	for (int i = 0; i < 1000; i++) {
		if (read(zero, &byte, 1) != 1)
			exit(1);
		compute(50);
	}
}

static void forks(void)
{
	static char *memory;
	if (!memory) {
		memory = new_block();
		memset(memory, 1, BLOCK);
	}
	pid_t pid = fork();
	if (pid < 0)
		exit(1);
	if (pid == 0)
		_exit(0);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	compute(200000);
}

static pthread_t thread;
static volatile bool stop;

/* Returns its usage. */
static void *sleeper(void *usage)
{
	while (!stop)
		syscall(SYS_futex, &futex_word, FUTEX_WAIT, 0, NULL, NULL, 0);
	getrusage(RUSAGE_THREAD, usage);
	return usage;
}

static void futexes(void)
{
	static struct rusage usage;
	if (!thread && pthread_create(&thread, NULL, sleeper, &usage) != 0)
		exit(1);
	for (int i = 0; i < 100; i++) {
		syscall(SYS_futex, &futex_word, FUTEX_WAKE, 1, NULL, NULL, 0);
		compute(500);
	}
}

static void computes(void)
{
	compute(10000000);
}

static uint64_t ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * NS_PER_US;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {{"faults", faults}, {"fills", fills},     {"reads", reads},
		     {"forks", forks},   {"futexes", futexes}, {"computes", computes}};
	void (*run)(void) = NULL;
	struct rusage u;

	zero = open("/dev/zero", O_RDONLY);
	for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			run = kinds[i].run;
	if (!run || zero < 0)
		return 2;
	do {
		run();
		getrusage(RUSAGE_SELF, &u);
	} while (ns(u.ru_utime) + ns(u.ru_stime) < strtod(argv[2], NULL) * NS_PER_S);
	getrusage(RUSAGE_THREAD, &u);
	uint64_t user = ns(u.ru_utime), kernel = ns(u.ru_stime);
	if (thread) {
		void *usage;
		stop = true;
		futex_word = 1;
		syscall(SYS_futex, &futex_word, FUTEX_WAKE, 1, NULL, NULL, 0);
		pthread_join(thread, &usage);
		user += ns(((struct rusage *)usage)->ru_utime);
		kernel += ns(((struct rusage *)usage)->ru_stime);
	}
	printf("user %llu\nkernel %llu\n", (unsigned long long)user, (unsigned long long)kernel);
	return 0;
}
