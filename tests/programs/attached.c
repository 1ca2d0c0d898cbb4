/* A program that is measured from some point on (hpcrun attach). attached LIBRARY VARIABLE... loads
 * the library into itself and calls it, as the tracer does; `attached wait` waits until another one
 * has, and `attached vfork` first for a child; without arguments it runs as alone. `attached as
 * WHAT` is a process that cannot be measured. It prints what `measured` has taken since, of all
 * threads, in ms. `unmeasured` runs before. */
#include "tests/programs/spin.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_bool attached, stop;
static _Atomic double measured_ms;
static atomic_int alarms, interrupted;

static void fail(const char *what)
{
	fprintf(stderr, "attached: %s: %s\n", what, strerror(errno));
	exit(1);
}

APART static void measured(double ms)
{
	double now = measured_ms;
	spin(ms);
	while (!atomic_compare_exchange_weak(&measured_ms, &now, now + ms))
		;
}

APART static void unmeasured(double ms)
{
	spin(ms);
}

/* ---- threads that are there at the start ---------------------------------------------------- */

APART static void *computes(void *arg)
{
	while (!attached)
		unmeasured(1);
	usleep(50 * 1000); /* it has begun */
	measured(100);
	return arg;
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Its waits end when the time is over, or by a handler of the program, and not before. */
APART static void *waits(void *arg)
{
	int poller = epoll_create1(0);
	struct epoll_event event;
	while (!stop) {
		uint64_t start = now_ns();
		int r = epoll_wait(poller, &event, 1, 1000);
		if (r < 0 && errno == EINTR)
			interrupted++;
		else if (r != 0)
			fail("epoll_wait");
		else if (now_ns() - start < 1000 * 1000 * 1000)
			fail("a wait ended before its time was over");
	}
	measured(20);
	close(poller);
	return arg;
}

static sigset_t all_signals(void)
{
	sigset_t all;
	sigfillset(&all);
	return all;
}

/* It blocks our signal, and later does not. */
APART static void *blocks(void *arg)
{
	sigset_t all = all_signals(), seen, none;
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (!attached)
		usleep(1000);
	unmeasured(20);
	pthread_sigmask(SIG_BLOCK, NULL, &seen);
	for (int sig = 1; sig < 32; sig++)
		if (sig != SIGKILL && sig != SIGSTOP && !sigismember(&seen, sig))
			fail("the mask is another one");
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	measured(40);
	pthread_sigmask(SIG_BLOCK, &all, &seen);
	if (sigismember(&seen, SIGURG) || sigismember(&seen, SIGSTKFLT))
		fail("a signal is blocked");
	measured(20);
	pthread_sigmask(SIG_BLOCK, NULL, &seen);
	if (!sigismember(&seen, SIGURG) || !sigismember(&seen, SIGSTKFLT))
		fail("a signal is not blocked");
	return arg;
}

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

static pthread_t waiting;

static void check_actions(void)
{
	struct sigaction now;
	sigaction(SIGALRM, NULL, &now);
	if (now.sa_handler != on_alarm || (now.sa_flags & SA_RESTART) ||
	    !sigismember(&now.sa_mask, SIGURG))
		fail("the action is another one");
	sigaction(SIGURG, NULL, &now);
	if (now.sa_handler != SIG_DFL)
		fail("our signal has an action");
}

/* ---- what is done from then on ----------------------------------------------------------------
 */

APART static void *begins_later(void *arg)
{
	measured(50);
	return arg;
}

static void attach(char **argv)
{
	static char block[8192];
	size_t n = 0;
	for (char **v = argv + 2; *v; v++) {
		memcpy(block + n, *v, strlen(*v) + 1);
		n += strlen(*v) + 1;
	}
	void *library = dlopen(argv[1], RTLD_NOW);
	void (*begin)(char *, int *) = NULL;
	int result = -1;
	if (library)
		*(void **)&begin = dlsym(library, "csprof_attach");
	if (!begin)
		fail(dlerror());
	begin(block, &result);
	if (result != 0)
		fail("csprof_attach");
}

static bool is_loaded(void)
{
	char line[4096];
	bool found = false;
	FILE *f = fopen("/proc/self/maps", "r");
	while (f && fgets(line, sizeof line, f))
		found |= strstr(line, "/libhpcrun") != NULL;
	if (f)
		fclose(f);
	return found;
}

/* A thread that has called vfork cannot be stopped before its child has ended. */
static void wait_for_child(void)
{
	/* NOLINTBEGIN: it is vfork that is tested */
	if (vfork() == 0) {
		usleep(1000 * 1000);
		_exit(0);
	}
	/* NOLINTEND */
	wait(NULL);
}

static void wait_for_tracer(void)
{
	while (!is_loaded())
		unmeasured(1);
	usleep(200 * 1000); /* all threads have begun */
}

/* As small as those of many languages. */
static void use_small_stack(void)
{
	long least = sysconf(_SC_MINSIGSTKSZ) + 4096;
	size_t size = least > 8192 ? (size_t)least : 8192;
	stack_t small = {.ss_sp = malloc(size), .ss_size = size};
	if (!small.ss_sp || sigaltstack(&small, NULL) != 0)
		fail("sigaltstack");
}

static void fork_one(void)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		measured(30);
		exit(3);
	}
	if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3)
		fail("the child");
	measured_ms = measured_ms + 30;
}

/* ---- what cannot be measured: print the number of a process or thread, and wait ---------------
 */

static void *prints_thread(void *arg)
{
	printf("%d\n", (int)gettid());
	fflush(stdout);
	return pause(), arg;
}

static void filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &allow};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		fail("seccomp");
}

/* It cannot load anything there, however long it is. */
static void stay_in_handler(int sig)
{
	(void)sig;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	pause();
}

static int wait_as(const char *what)
{
	pthread_t thread;
	if (strcmp(what, "handler") == 0) {
		signal(SIGUSR1, stay_in_handler);
		raise(SIGUSR1);
	}
	pid_t pid = getpid();
	siginfo_t ended;
	if (strcmp(what, "thread") == 0) {
		pthread_create(&thread, NULL, prints_thread, NULL);
		pause();
	}
	if (strcmp(what, "filtered") == 0)
		filter();
	else if ((pid = fork()) == 0)
		return strcmp(what, "ended") == 0 ? 0 : pause();
	if (strcmp(what, "ended") == 0)
		waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT);
	if (strcmp(what, "traced") == 0 && ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_EXITKILL) != 0)
		fail("ptrace");
	printf("%d\n", (int)pid);
	fflush(stdout);
	return pause();
}

int main(int argc, char **argv)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS], later;
	struct sigaction act = {.sa_handler = on_alarm, .sa_mask = all_signals()};
	if (argc > 2 && strcmp(argv[1], "as") == 0)
		return wait_as(argv[2]);
	sigaction(SIGALRM, &act, NULL);
	use_small_stack();
	if (argc > 1 && strcmp(argv[1], "vfork") == 0)
		wait_for_child();
	pthread_create(&threads[0], NULL, computes, NULL);
	pthread_create(&threads[1], NULL, computes, NULL);
	pthread_create(&threads[2], NULL, waits, NULL);
	pthread_create(&threads[3], NULL, blocks, NULL);
	waiting = threads[2];
	unmeasured(20);
	if (argc > 1 && (strcmp(argv[1], "wait") == 0 || strcmp(argv[1], "vfork") == 0))
		wait_for_tracer();
	else if (argc > 1)
		attach(argv);
	attached = true;
	check_actions();
	measured(100);
	pthread_create(&later, NULL, begins_later, NULL);
	pthread_join(later, NULL);
	fork_one();
	for (int i = 0; i < 20; i++) {
		usleep(2000);
		pthread_kill(waiting, SIGALRM);
	}
	while (interrupted == 0)
		usleep(1000);
	stop = true;
	pthread_kill(waiting, SIGALRM);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	check_actions();
	printf("%.0f\n", measured_ms);
	return alarms > 0 ? 0 : 1;
}
