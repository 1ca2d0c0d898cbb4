/* Ways to start and to end, for the launcher's tests: each first uses MILLISECONDS of CPU time in a
 * function of its own.
 *
 *     starts MILLISECONDS WAY
 *
 * exec: this program again, with the way `exit`, by execve with an empty environment.
 * bad-exec: an execvp that fails, then more CPU time, then exit 3.
 * fork: a child uses CPU time as well and ends by _exit(4); the parent waits and exits 5.
 * raise: sends SIGUSR1 to itself. exit: exit 6.
 * small-stack: _exit(8) from a handler on an alternate stack of 8 KB.
 * no-room: exit 6 with a limit of 100 bytes per file.
 * fork-in-handler: the handler of a timer forks repeatedly while threads start and end, each
 * time 0.5 ms after the last fork; exit 6.
 * no-descriptors: exit 6 with the maximum number of files open.
 * two-ends: one thread calls exit(5), another _exit(5) at the same time. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((noinline)) static void burn(int ms)
{
	uint64_t until = cpu_now() + (uint64_t)ms * 1000000;

	while (cpu_now() < until)
		for (int i = 0; i < 1000; i++)
			sink += i;
}

__attribute__((noinline)) static void burn_in_child(int ms)
{
	burn(ms);
	sink++;
}

__attribute__((noinline)) static void burn_after_bad_exec(int ms)
{
	burn(ms);
	sink += 2; /* different code: else the compiler would merge the two */
}

static void leave(int sig)
{
	(void)sig;
	_exit(8);
}

/* The page below the stack is not accessible. */
static int end_on_small_stack(void)
{
	enum { GUARD = 4096, STACK = 8192 };
	struct sigaction act = {.sa_handler = leave, .sa_flags = SA_ONSTACK};
	char *p =
	    mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = p + GUARD, .ss_size = STACK};

	if (p == MAP_FAILED || mprotect(p, GUARD, PROT_NONE) != 0 || sigaltstack(&stack, NULL) != 0)
		return 96;
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	return 95;
}

/* Fork once more, 0.5 ms after the handler: threads can run however long a fork takes. */
static void fork_again(void)
{
	struct itimerval soon = {{0, 0}, {0, 500}};

	setitimer(ITIMER_REAL, &soon, NULL);
}

static void fork_now(int sig)
{
	int saved = errno;
	pid_t child = fork();

	(void)sig;
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	fork_again();
	errno = saved;
}

static void *nothing(void *arg)
{
	return arg;
}

static int fork_in_handler(int ms)
{
	struct sigaction act = {.sa_handler = fork_now, .sa_flags = SA_RESTART};
	struct itimerval off = {{0, 0}, {0, 0}};
	uint64_t until = cpu_now() + (uint64_t)ms * 1000000;
	pthread_t thread;

	/* the first thread takes memory, whose lock fork needs, too; the others reuse its stack */
	if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
		return 94;
	sigaction(SIGALRM, &act, NULL);
	fork_again();
	while (cpu_now() < until)
		if (pthread_create(&thread, NULL, nothing, NULL) == 0)
			pthread_join(thread, NULL);
	signal(SIGALRM, SIG_IGN);
	setitimer(ITIMER_REAL, &off, NULL);
	return 6;
}

static pthread_barrier_t together;

static void *end_at_once(void *arg)
{
	pthread_barrier_wait(&together);
	_exit(5);
	return arg;
}

static void end_twice(void)
{
	pthread_t thread;

	pthread_barrier_init(&together, NULL, 2);
	pthread_create(&thread, NULL, end_at_once, NULL);
	pthread_barrier_wait(&together);
	exit(5);
}

int main(int argc, char **argv)
{
	struct rlimit little = {100, 100};
	char *again[] = {argv[0], argv[1], "exit", NULL};
	char *nowhere[] = {"there-is-no-such-program", NULL};
	char *empty[] = {NULL};
	int ms, status;

	if (argc != 3)
		return 2;
	ms = atoi(argv[1]);
	burn(ms);
	if (strcmp(argv[2], "exec") == 0) {
		execve("/proc/self/exe", again, empty);
		return 99;
	}
	if (strcmp(argv[2], "bad-exec") == 0) {
		if (execvp(nowhere[0], nowhere) != -1 || (errno != ENOENT && errno != EACCES))
			return 98;
		burn_after_bad_exec(ms);
		return 3;
	}
	if (strcmp(argv[2], "fork") == 0) {
		pid_t child = fork();

		if (child == 0) {
			burn_in_child(ms);
			_exit(4);
		}
		if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 4)
			return 97;
		return 5;
	}
	if (strcmp(argv[2], "small-stack") == 0)
		return end_on_small_stack();
	if (strcmp(argv[2], "fork-in-handler") == 0)
		return fork_in_handler(ms);
	if (strcmp(argv[2], "two-ends") == 0)
		end_twice();
	if (strcmp(argv[2], "no-descriptors") == 0)
		while (open("/dev/null", O_RDONLY) >= 0)
			;
	if (strcmp(argv[2], "no-room") == 0)
		setrlimit(RLIMIT_FSIZE, &little);
	if (strcmp(argv[2], "raise") == 0)
		raise(SIGUSR1);
	exit(6);
}
