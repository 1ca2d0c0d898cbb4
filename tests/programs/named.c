/* Threads that name themselves in different ways, and never end.
 *
 *     named exit|kill
 *         four threads use 50 ms of CPU time each and then wait; the process ends by a system call
 *         of its main thread, or is killed */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t done;

static void use_and_wait(void)
{
	struct timespec t = {0, 0};
	volatile unsigned long sum = 0;

	while (t.tv_sec == 0 && t.tv_nsec < 50 * 1000 * 1000) {
		for (unsigned i = 0; i < 10000; i++)
			sum += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	}
	pthread_barrier_wait(&done);
	for (;;)
		pause();
}

static void *by_pthread(void *unused)
{
	pthread_setname_np(pthread_self(), "by-pthread");
	use_and_wait();
	return unused;
}

static void *by_prctl(void *unused)
{
	prctl(PR_SET_NAME, "by-prctl");
	use_and_wait();
	return unused;
}

static void *by_syscall(void *unused)
{
	syscall(SYS_prctl, PR_SET_NAME, "by-syscall");
	use_and_wait();
	return unused;
}

static void *not_at_all(void *unused)
{
	use_and_wait();
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const starts[])(void *) = {by_pthread, by_prctl, by_syscall, not_at_all};
	enum { THREADS = sizeof starts / sizeof *starts };
	pthread_t thread;

	if (argc != 2)
		return 2;
	pthread_barrier_init(&done, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, starts[i], NULL) != 0)
			return 1;
	pthread_barrier_wait(&done);
	if (strcmp(argv[1], "kill") == 0)
		raise(SIGKILL);
	syscall(SYS_exit_group, 0);
	return 1;
}
