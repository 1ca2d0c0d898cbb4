/* Programs that wait for signals:
 *
 *     waiting CASE
 *
 * Like living.c: each case prints what it saw, measured or not, and uses CPU time. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

/* Our signal, blocked, sent and waited for in each way. A second one is sent only after the first
 * was taken, because two would be merged. */
static volatile sig_atomic_t seen_first;

static void *wait_for_it(void *unused)
{
	sigset_t set = set_of(SIGURG);
	siginfo_t info;
	int sig = 0;

	sigwait(&set, &sig);
	say("sigwait in a thread", sig);
	seen_first = 1;
	sig = sigwaitinfo(&set, &info);
	say("sigwaitinfo", sig);
	say("value", info.si_value.sival_int);
	burn(0.1);
	return unused;
}

static void say_waiting(void)
{
	struct timespec moment = {0, 20000000};
	sigset_t set = set_of(SIGURG);
	siginfo_t info;

	for (int i = 0; i < 5; i++) {
		burn(0.01);
		int sig = sigtimedwait(&set, &info, &moment);
		say("nobody sent one", sig < 0 && errno == EAGAIN);
	}
	sigpending(&set);
	say("none pending", sigismember(&set, SIGURG));
	raise(SIGURG);
	burn(0.02);
	sigpending(&set);
	say("pending", sigismember(&set, SIGURG));
	set = set_of(SIGURG);
	say("taken", sigtimedwait(&set, &info, &moment));
	say("from me", info.si_pid == getpid());
	burn(0.05);
}

/* Whether a process sleeps. */
static int sleeps(pid_t pid)
{
	char path[32], text[128] = "", *name_end;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
		_exit(1);
	close(fd);
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' && name_end[2] == 'S';
}

/* From a child, while its parent lives: after that another process may have its number and must not
 * be sent a signal. */
static void send(pid_t parent, int sig)
{
	if (getppid() != parent || kill(parent, sig) != 0)
		_exit(1);
}

/* From a child: send a signal during each of three waits. */
static void send_into_waits(const _Atomic int *begun, pid_t parent)
{
	for (int i = 0; i < 3; i++) {
		while (*begun <= i || !sleeps(parent))
			usleep(1000);
		send(parent, i < 2 ? SIGURG : SIGUSR1);
	}
	_exit(0);
}

static int waits(void)
{
	sigset_t set = set_of(SIGURG), others = set_of(SIGUSR1);
	union sigval value = {.sival_int = 42};
	_Atomic int *begun =
	    mmap(NULL, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	siginfo_t info;

	handle(SIGURG, count, 0);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &others, NULL);
	say_waiting();
	pthread_create(&thread, NULL, wait_for_it, NULL);
	usleep(50000);
	kill(getpid(), SIGURG);
	while (!seen_first)
		usleep(1000);
	usleep(20000);
	sigqueue(getpid(), SIGURG, value);
	pthread_join(thread, NULL);
	say("no handler ran", seen);
	kill(getpid(), SIGURG);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	say("open, it ran", seen);
	/* unblocked: the handler interrupts a wait for another signal */
	pid_t self = getpid();
	if (fork() == 0)
		send_into_waits(begun, self);
	for (int i = 0; i < 3; i++) {
		*begun = i + 1;
		int sig = sigwaitinfo(&others, &info);
		say("waited", sig);
		say("cut short", sig < 0 && errno == EINTR);
	}
	wait(NULL);
	burn(0.1);
	say("handlers in all", seen);
	return 0;
}

/* A handler that runs during a wait ends it, each time, and the signal that is waited for is still
 * taken; a waiting thread can be cancelled. */
static volatile sig_atomic_t cancelled;

static void note_mask(void *unused)
{
	sigset_t set;

	(void)unused;
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	cancelled = 1 + sigismember(&set, SIGUSR2);
}

enum { IN_SIGWAIT, IN_PAUSE, BEFORE_PAUSE, CANCELS };

static void *wait_for_ever(void *how)
{
	sigset_t set = set_of(SIGUSR1);
	int sig;

	pthread_cleanup_push(note_mask, NULL);
	if (*(int *)how == BEFORE_PAUSE) {
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		burn(0.06);
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	}
	if (*(int *)how == IN_SIGWAIT)
		sigwait(&set, &sig);
	else
		pause();
	pthread_cleanup_pop(0);
	return NULL;
}

static void send_into_many(const _Atomic int *begun, pid_t parent, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		while (*begun <= i || !sleeps(parent))
			sched_yield();
		send(parent, i % 3 ? SIGUSR2 : SIGUSR1);
	}
	_exit(0);
}

static int cut_short(void)
{
	enum { ROUNDS = 300 };
	sigset_t set = set_of(SIGUSR1);
	_Atomic int *begun =
	    mmap(NULL, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int taken = 0, ended = 0, status;
	pthread_t thread;
	siginfo_t info;
	pid_t self = getpid(), child;

	handle(SIGUSR2, count, SA_RESTART);
	sigprocmask(SIG_BLOCK, &set, NULL);
	alarm(60); /* if a signal is lost, the wait does not end */
	child = fork();
	if (child == 0)
		send_into_many(begun, self, ROUNDS);
	for (int i = 0; i < ROUNDS; i++) {
		*begun = i + 1;
		int sig = sigwaitinfo(&set, &info);
		taken += sig == SIGUSR1 && info.si_pid == child;
		ended += sig < 0 && errno == EINTR;
	}
	waitpid(child, &status, 0);
	say("taken", taken);
	say("cut short", ended);
	say("handlers", seen);
	for (int how = 0; how < CANCELS; how++) {
		cancelled = 0;
		pthread_create(&thread, NULL, wait_for_ever, &how);
		usleep(20000);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
		say("cancelled, its mask as before", cancelled == 1);
	}
	burn(0.1);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct a_case cases[] = {{"waits", waits}, {"cut_short", cut_short}};

	return run_case(cases, sizeof cases / sizeof *cases, argc > 1 ? argv[1] : NULL);
}
