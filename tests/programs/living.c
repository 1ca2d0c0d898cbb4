/* Programs that use signals, limits and jails:
 *
 *     living CASE [SIGNAL]
 *
 * Each case prints what it saw, the same with and without measurement, and uses about 0.2 s of CPU
 * time. The status is 0 unless the case says otherwise. SIGNAL is the signal for which the masks
 * are tested, SIGURG by default. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "cases.h"

/* Masks must be as set, in this thread and in a new one, after siglongjmp and after exec. */
static sigjmp_buf back;

static void say_and_jump(int sig)
{
	say_mask("in a handler");
	siglongjmp(back, sig);
}

static int ours = SIGURG; /* the sampling signal */

static int masks(void)
{
	const int each[] = {ours, SIGUSR1};
	sigset_t all = set_of(0), set;
	struct sigaction act, old;

	say_mask("at the start");
	for (unsigned i = 0; i < sizeof each / sizeof *each; i++) {
		set = set_of(each[i]);
		sigprocmask(SIG_BLOCK, &set, NULL);
		say_mask("one more");
		in_thread(say_mask_in_thread, "in a thread");
	}
	for (unsigned i = 0; i < sizeof each / sizeof *each; i++) {
		set = set_of(each[i]);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		say_mask("one less");
	}
	for (unsigned i = 0; i < sizeof each / sizeof *each; i++) {
		memset(&act, 0, sizeof act);
		act.sa_handler = say_and_jump;
		sigfillset(&act.sa_mask);
		sigdelset(&act.sa_mask, each[i]);
		if (each[i] == ours)
			sigdelset(&act.sa_mask, SIGSTKFLT);
		sigaction(SIGUSR2, &act, NULL);
		sigaction(SIGUSR2, NULL, &old);
		for (int k = 1; k <= 64; k++)
			if (sigismember(&act.sa_mask, k) != sigismember(&old.sa_mask, k))
				say("another mask", k);
		if (sigsetjmp(back, 1) == 0)
			raise(SIGUSR2);
		say_mask("after the jump");
	}
	set = set_of(SIGSTKFLT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	say_mask("the stand-in");
	set = set_of(ours);
	sigprocmask(SIG_BLOCK, &set, NULL);
	say_mask("both");
	set = set_of(SIGSTKFLT);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	say_mask("ours");
	sigprocmask(SIG_SETMASK, &set, NULL);
	say_mask("the stand-in");
	sigprocmask(SIG_BLOCK, &all, &set);
	say_mask("all");
	burn(0.2);
	sigprocmask(SIG_SETMASK, &set, NULL);
	say_mask("as before");
	sigprocmask(SIG_BLOCK, &all, NULL);
	say("of no how", pthread_sigmask(12345, &set, NULL));
	execl("/proc/self/exe", "living", "mask", NULL);
	return 1;
}

static int mask(void)
{
	say_mask("after exec");
	return 0;
}

/* All signals are blocked from start to end. */
static int blocked(void)
{
	sigset_t all = set_of(0);

	sigprocmask(SIG_BLOCK, &all, NULL);
	burn(0.3);
	sigpending(&all);
	for (int i = 1; i <= 64; i++)
		if (sigismember(&all, i) == 1)
			say("pending", i);
	return 0;
}

/* Around the C library: our signal is really blocked. */
static int raw_blocked(void)
{
	uint64_t all = UINT64_MAX, before = 0;

	burn(0.1);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof before);
	burn(0.3);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
	burn(0.1);
	return 0;
}

static int descriptor(void)
{
	struct signalfd_siginfo info;
	sigset_t all = set_of(0);
	int fd;

	sigprocmask(SIG_BLOCK, &all, NULL);
	fd = signalfd(-1, &all, SFD_NONBLOCK);
	for (int i = 0; i < 1000; i++) {
		burn(0.0001);
		if (read(fd, &info, sizeof info) >= 0)
			say("not mine", (long)info.ssi_signo);
	}
	kill(getpid(), SIGURG);
	kill(getpid(), SIGUSR1);
	burn(0.02);
	for (int i = 0; i < 2; i++) {
		memset(&info, 0, sizeof info);
		say("read", (long)read(fd, &info, sizeof info));
		say("signal", (long)info.ssi_signo);
		say("from me", info.ssi_pid == (unsigned)getpid());
	}
	say("no more", (long)read(fd, &info, sizeof info));
	burn(0.1);
	return 0;
}

/* Our signal is blocked and read from a descriptor, by two threads' process and by its child, as
 * PostgreSQL's processes do it. */
static int read_ours(int fd, double seconds)
{
	struct signalfd_siginfo info;
	int got = 0;

	for (int i = 0; i < 20; i++) {
		kill(getpid(), ours);
		burn(seconds / 20);
		while (read(fd, &info, sizeof info) > 0)
			got += (int)info.ssi_signo == ours;
	}
	return got;
}

static void *burn_in_thread(void *arg)
{
	double *seconds = arg;
	struct timespec t;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < *seconds);
	return NULL;
}

static int latch(void)
{
	double whole = 0.2;
	sigset_t set = set_of(ours);
	pthread_t thread;
	int fd, status = 1;

	handle(SIGWINCH, count, SA_RESTART);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	pthread_create(&thread, NULL, burn_in_thread, &whole);
	say("read", read_ours(fd, 0.2));
	pthread_join(thread, NULL);
	for (int i = 0; i < 100000; i++)
		raise(SIGWINCH);
	say("other signals", seen);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		fd = signalfd(-1, &set, SFD_NONBLOCK);
		say("read by the child", read_ours(fd, 0.2));
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

/* A handler for our signal receives every signal that is sent to the process. */
static int handler(void)
{
	handle(SIGURG, count, SA_RESTART);
	for (int i = 0; i < 100; i++) {
		kill(getpid(), SIGURG);
		burn(0.002);
	}
	say("came", seen);
	handle(SIGURG, count, (int)SA_RESETHAND);
	seen = 0;
	raise(SIGURG);
	raise(SIGURG);
	say("once", seen);
	say("by default now", signal(SIGURG, SIG_IGN) == SIG_DFL);
	raise(SIGURG);
	say("and no more", seen);
	return 0;
}

/* Milliseconds on the clock of ITIMER_PROF, which the kernel advances at its ticks and which may
 * differ much from the CPU time that the process has really used. */
static double profiled(void)
{
	const clockid_t clock = -8; /* of this process, the kernel's CPUCLOCK_PROF */
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Each signal that a thread sends to itself comes, at once or when it is unblocked. */
static int raises(void)
{
	sigset_t set = set_of(SIGURG), pending;
	int missing = 0;

	handle(SIGURG, count, SA_RESTART);
	for (int i = 0; i < 100000; i++)
		raise(SIGURG);
	say("came", seen);
	for (int i = 0; i < 10000; i++) {
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGURG);
		sigpending(&pending);
		missing += sigismember(&pending, SIGURG) != 1;
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	say("not pending", missing);
	say("came", seen);
	return 0;
}

/* The program samples itself every 10 ms of that clock. The kernel sends no signal early, and at
 * most one per tick, but sends a missing one at the next tick. */
static int profiler(void)
{
	struct itimerval each = {{0, 10000}, {0, 10000}}, off = {{0, 0}, {0, 0}};
	double before = profiled(), due;

	handle(SIGPROF, count, SA_RESTART);
	setitimer(ITIMER_PROF, &each, NULL);
	burn(0.6);
	setitimer(ITIMER_PROF, &off, NULL);
	due = (profiled() - before) / 10;
	say("as many came as were due", seen >= due - 3 && seen <= due + 1);
	return 0;
}

static int closing(void)
{
	burn(0.1);
	closefrom(3);
	burn(0.2);
	int fd = dup(0);
	say("the next descriptor", fd);
	return 0;
}

static int limits(void)
{
	struct rlimit few = {4, 4};

	burn(0.1);
	setrlimit(RLIMIT_NOFILE, &few);
	burn(0.1);
	say("one", dup(0));
	say("no more", dup(0));
	return 0;
}

static int moved(void)
{
	burn(0.1);
	say("chdir", chdir("/"));
	burn(0.1);
	return 0;
}

static int jailed(void)
{
	char dir[] = "jail.XXXXXX";

	burn(0.1);
	if (!mkdtemp(dir) || chroot(dir) != 0 || chdir("/") != 0)
		return 1;
	burn(0.1);
	say("nothing here", access("/etc", F_OK));
	return 0;
}

static int demoted(void)
{
	burn(0.1);
	say("setuid", setgid(65534) || setuid(65534));
	burn(0.2);
	say("I am", (long)getuid());
	return 0;
}

/* Handlers run repeatedly on an alternate stack of minimum size. */
static int small_stack(void)
{
	static char guarded[65536];
	stack_t stack = {.ss_sp = guarded + 32768, .ss_size = 4096};
	int dirty = 0;

	handle(SIGUSR1, count, SA_ONSTACK);
	while (sigaltstack(&stack, NULL) != 0)
		stack.ss_size += 512;
	handle(SIGUSR2, count, SA_ONSTACK);
	for (int i = 0; i < 2000; i++) {
		raise(i % 2 ? SIGUSR1 : SIGUSR2);
		burn(0.0002);
	}
	for (int i = 0; i < 32768; i++)
		dirty += guarded[i] != 0;
	say("below the stack", dirty);
	say("handlers", seen);
	return 0;
}

static ucontext_t main_context, contexts[2];

static void coroutine(int mine)
{
	for (int i = 0; i < 1000; i++) {
		burn(0.0001);
		swapcontext(&contexts[mine], &contexts[!mine]);
	}
}

static int coroutines(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_size = 16384;
		contexts[i].uc_stack.ss_sp = malloc(16384);
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
	}
	swapcontext(&main_context, &contexts[0]);
	say("back", 1);
	return 0;
}

static void *briefly(void *unused)
{
	return unused;
}

static volatile sig_atomic_t enough;

static void *make_others(void *unused)
{
	pthread_t t;

	while (!enough)
		if (pthread_create(&t, NULL, briefly, NULL) == 0)
			pthread_join(t, NULL);
	return unused;
}

/* Two threads repeatedly make other threads, on one CPU; one of the two has real-time priority and
 * never yields to the other unless it sleeps. */
static int urgent(void)
{
	enum { ROUNDS = 200 };
	struct sched_param first = {.sched_priority = 10}, normal = {0};
	struct timespec pause = {0, 1300000};
	pthread_t other, t;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
	pthread_create(&other, NULL, make_others, NULL);
	say("real time", pthread_setschedparam(pthread_self(), SCHED_FIFO, &first) == 0);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_create(&t, NULL, briefly, NULL);
		pthread_join(t, NULL);
		nanosleep(&pause, NULL);
	}
	pthread_setschedparam(pthread_self(), SCHED_OTHER, &normal);
	enough = 1;
	pthread_join(other, NULL);
	return 0;
}

/* The handler of our signal is replaced without libc. */
static int taken(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} act;

	burn(0.1);
	syscall(SYS_rt_sigaction, SIGURG, NULL, &act, 8);
	act.handler = SIG_IGN;
	syscall(SYS_rt_sigaction, SIGURG, &act, NULL, 8);
	burn(0.3);
	handle(SIGUSR1, count, SA_RESTART); /* with what libc adds for its return */
	syscall(SYS_rt_sigaction, SIGUSR1, NULL, &act, 8);
	syscall(SYS_rt_sigaction, SIGURG, &act, NULL, 8);
	for (int i = 0; i < 5; i++)
		raise(SIGURG);
	say("each came once", seen >= 5 && seen < 10); /* a sample may come, too */
	return 0;
}

/* Signals that are ignored must be ignored after exec, too. */
static int ignores(void)
{
	signal(SIGURG, SIG_IGN);
	signal(SIGSEGV, SIG_IGN);
	execl("/proc/self/exe", "living", "ignored", NULL);
	return 1;
}

static int ignored(void)
{
	burn(0.1);
	say("URG", signal(SIGURG, SIG_DFL) == SIG_IGN);
	say("SEGV", signal(SIGSEGV, SIG_DFL) == SIG_IGN);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct a_case cases[] = {
	    {"masks", masks},           {"mask", mask},
	    {"blocked", blocked},       {"raw_blocked", raw_blocked},
	    {"descriptor", descriptor},

	    {"latch", latch},           {"handler", handler},
	    {"raises", raises},         {"profiler", profiler},
	    {"closing", closing},       {"limits", limits},
	    {"moved", moved},           {"jailed", jailed},
	    {"demoted", demoted},       {"small_stack", small_stack},
	    {"coroutines", coroutines}, {"urgent", urgent},
	    {"taken", taken},           {"ignores", ignores},
	    {"ignored", ignored},
	};

	if (argc > 2)
		ours = atoi(argv[2]);
	return run_case(cases, sizeof cases / sizeof *cases, argc > 1 ? argv[1] : NULL);
}
