/* A program whose threads wait in every kind of call, some beside handlers of its own, while it is
 * measured and detached again and again. It goes on while its standard input is an open pipe; then
 * it prints how many calls have ended as they would not alone, and how many of its own signals were
 * lost. `detached blocks`: one thread blocks the signal of samples by a system call of its own
 * until SIGUSR1 comes; `detached holds`: from one SIGUSR1 to the next. `detached leaves`: one ends
 * when SIGUSR1 comes, and nobody is told. */
#include "runtime/hpcrun.h"
#include "tests/programs/spin.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000 };

static atomic_bool stop, blocking;
static atomic_int bad, sent, came;
static int pipes[2], word;

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "detached: %s: %s\n", what, strerror(errno));
	atomic_fetch_add(&bad, 1);
}

static struct timespec ms(int n)
{
	return (struct timespec){0, (long)n * MS};
}

static void *computes(void *arg)
{
	while (!stop)
		spin(1);
	return arg;
}

static void *polls(void *arg)
{
	struct pollfd none = {.fd = -1};
	while (!stop)
		check(poll(&none, 1, 150) == 0, "poll");
	return arg;
}

static void *sleeps(void *arg)
{
	while (!stop) {
		struct timespec t = ms(130);
		check(nanosleep(&t, NULL) == 0, "nanosleep");
	}
	return arg;
}

static void *calls(void *arg)
{
	while (!stop) {
		struct timespec t = ms(170);
		check(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &t, NULL, 0) == -1 &&
			  errno == ETIMEDOUT,
		      "futex");
	}
	return arg;
}

static void *awaits(void *arg)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	while (!stop) {
		struct timespec t = ms(110);
		check(sigtimedwait(&set, NULL, &t) == -1 && errno == EAGAIN, "sigtimedwait");
	}
	return arg;
}

static void *reads(void *arg)
{
	char c;
	check(read(pipes[0], &c, 1) == 1, "read");
	return arg;
}

static void *waits(void *arg)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	pthread_mutex_lock(&mutex);
	while (!stop) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 120 * MS;
		until.tv_sec += until.tv_nsec / (1000 * MS);
		until.tv_nsec %= 1000 * MS;
		check(pthread_cond_timedwait(&never, &mutex, &until) == ETIMEDOUT, "condition");
	}
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* Signals of the program's own with the number of the samples. */
static void own(int sig)
{
	(void)sig;
	atomic_fetch_add(&came, 1);
}

static void *raises(void *arg)
{
	while (!stop) {
		struct timespec t = ms(20);
		raise(SIGURG);
		atomic_fetch_add(&sent, 1);
		nanosleep(&t, NULL); /* a handler of its own may end it */
	}
	return arg;
}

static void *briefly(void *arg)
{
	spin(0.2);
	return arg;
}

static void await_usr1(void)
{
	uint64_t set = 1ull << (SIGUSR1 - 1);
	while (syscall(SYS_rt_sigtimedwait, &set, NULL, NULL, sizeof set) != SIGUSR1)
		;
}

/* later: after a SIGUSR1. */
static void *blocks(void *later)
{
	uint64_t set = 1ull << (SIGURG - 1);
	if (later)
		await_usr1();
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, sizeof set);
	atomic_store(&blocking, true);
	await_usr1();
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, sizeof set);
	while (!stop)
		usleep(20000);
	return NULL;
}

/* The thread ends by a system call of its own. */
static void *leaves(void *arg)
{
	pthread_setname_np(pthread_self(), "leaver");
	await_usr1();
#ifdef __x86_64__
	__asm__ volatile("syscall" : : "a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
#endif
	return arg;
}

int main(int argc, char **argv)
{
	static void *(*const all[])(void *) = {computes, polls, sleeps, calls,
					       awaits,   reads, waits,  raises};
	enum { THREADS = sizeof all / sizeof *all };
	pthread_t threads[THREADS + 1], brief;
	struct stat in;
	size_t n = THREADS;
	sigset_t usr;
	sigemptyset(&usr);
	sigaddset(&usr, SIGUSR1);
	sigaddset(&usr, SIGUSR2);
	sigprocmask(SIG_BLOCK, &usr, NULL);
	signal(SIGURG, own);
	if (pipe(pipes) != 0)
		return 2;
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, all[i], NULL);
	if (argc > 1 && strcmp(argv[1], "leaves") == 0) {
		pthread_create(&threads[n++], NULL, leaves, NULL);
	} else if (argc > 1) {
		bool later = strcmp(argv[1], "holds") == 0;
		pthread_create(&threads[n++], NULL, blocks, later ? &stop : NULL);
		while (!later && !blocking)
			usleep(1000);
	}
	puts("begun");
	fflush(stdout);
	int turns = hpcrun_metric_new("TURNS", "count");
	bool goes_on = fstat(STDIN_FILENO, &in) == 0 && S_ISFIFO(in.st_mode);
	for (int i = 0; goes_on; i++) {
		struct pollfd end = {.fd = STDIN_FILENO, .events = POLLIN};
		hpcrun_region_begin("turn");
		hpcrun_record(turns, 1);
		check(pthread_create(&brief, NULL, briefly, NULL) == 0, "pthread_create");
		pthread_join(brief, NULL);
		if (i % 8 == 0)
			check(system("/bin/true") == 0, "system");
		goes_on = poll(&end, 1, 30) <= 0;
		hpcrun_region_end("turn");
	}
	stop = true;
	check(write(pipes[1], "", 1) == 1, "write");
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%d calls ended otherwise, %d signals are lost\n", atomic_load(&bad),
	       atomic_load(&sent) - atomic_load(&came));
	return 0;
}
