/* CPU time that the clock of no known thread has.
 *
 *     unseen KIND MILLISECONDS
 *
 * aio           aio_read, in a thread that libc makes
 * lookup        getaddrinfo_a, in one, too
 * clone         a thread of a raw clone
 * none          the main thread alone computes
 *
 * Works until the other thread, or the main thread, has used that much CPU time. Prints the
 * nanoseconds of CPU time of the process that are not the main thread's. */
#include <aio.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netdb.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t of_others(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) - clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static int by_aio(void)
{
	enum { BYTES = 8 << 20 };
	static char bytes[BYTES];
	struct aiocb a = {
	    .aio_fildes = open("/dev/zero", O_RDONLY), .aio_buf = bytes, .aio_nbytes = BYTES};
	const struct aiocb *list[] = {&a};
	if (a.aio_fildes < 0 || aio_read(&a) != 0 || aio_suspend(list, 1, NULL) != 0)
		return -1;
	close(a.aio_fildes);
	return aio_return(&a) == BYTES ? 0 : -1;
}

static int by_lookup(void)
{
	enum { MANY = 50 };
	struct gaicb g[MANY], *list[MANY];
	for (int i = 0; i < MANY; i++) {
		g[i] = (struct gaicb){.ar_name = "localhost"};
		list[i] = &g[i];
	}
	if (getaddrinfo_a(GAI_WAIT, list, MANY, NULL) != 0)
		return -1;
	for (int i = 0; i < MANY; i++)
		if (gai_error(&g[i]) == 0)
			freeaddrinfo(g[i].ar_result);
	return 0;
}

static int64_t wanted;

/* Without a thread's descriptor of its own: only what needs none is called. */
static int in_clone(void *arg)
{
	volatile uint64_t x = 1;
	(void)arg;
	while (of_others() < wanted && clock_ns(CLOCK_THREAD_CPUTIME_ID) < wanted)
		for (int i = 0; i < 100000; i++)
			x = x * 6364136223846793005u + 1;
	return 0;
}

static int by_clone(void)
{
	enum { BYTES = 256 << 10 };
	static int tid = 1;
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID;
	char *stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int seen;
	if (stack == MAP_FAILED ||
	    clone(in_clone, stack + BYTES, flags, NULL, &tid, NULL, &tid) < 0)
		return -1;
	while ((seen = __atomic_load_n(&tid, __ATOMIC_ACQUIRE)) != 0)
		syscall(SYS_futex, &tid, FUTEX_WAIT, seen, NULL, NULL, 0);
	return 0;
}

static int by_none(void)
{
	volatile uint64_t x = 1;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < wanted)
		for (int i = 0; i < 100000; i++)
			x = x * 6364136223846793005u + 1;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*work)(void);
	} kinds[] = {
	    {"aio", by_aio}, {"lookup", by_lookup}, {"clone", by_clone}, {"none", by_none}};
	if (argc != 3)
		return 2;
	wanted = atoll(argv[2]) * 1000000;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		do
			if (kinds[i].work() != 0)
				return 1;
		while (kinds[i].work != by_none && of_others() < wanted);
		printf("%lld\n", (long long)of_others());
		return 0;
	}
	return 2;
}
