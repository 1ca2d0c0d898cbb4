/* Processes that wait for a signal of the program as soon as they begin.
 *
 *     waits KIND TIMES [urg]
 *
 * Each of TIMES children waits in one call of KIND for SIGUSR1 or SIGURG, which is sent to it when
 * it sleeps, but not before 3 ms after its start. Nothing else may end the call: prints how often
 * something else did, and how often the signal did not. Exits with 1 if one of these numbers is not
 * 0. A child that gets the signal before its call shows nothing: pause and nanosleep cannot be
 * called and the signal unblocked in one step. Exits with 1 if these are more than half, too. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t seen;
static int awaited = SIGUSR1;
static sigset_t without; /* the mask of the call: the signal is not blocked */

enum { BY_SIGNAL, BY_OTHERS, NOT_AT_ALL, TOO_EARLY };

/* Whether the interrupted instruction is a system call, or the one after it. */
static int is_call(const ucontext_t *c)
{
	const unsigned char *at = (const unsigned char *)c->uc_mcontext.gregs[REG_RIP];

	return (at[0] == 0x0f && at[1] == 0x05) || (at[-2] == 0x0f && at[-1] == 0x05);
}

static void see(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	if (!is_call(context))
		_exit(TOO_EARLY);
	seen = 1;
}

static int by_pause(void)
{
	sigprocmask(SIG_SETMASK, &without, NULL);
	return seen ? -1 : pause();
}

static int by_sigsuspend(void)
{
	return sigsuspend(&without);
}

static int by_ppoll(void)
{
	struct timespec limit = {20, 0};

	return ppoll(NULL, 0, &limit, &without);
}

static int by_pselect(void)
{
	struct timespec limit = {20, 0};

	return pselect(0, NULL, NULL, NULL, &limit, &without);
}

static int by_epoll(void)
{
	struct epoll_event event;

	return epoll_pwait(epoll_create1(0), &event, 1, 20000, &without);
}

static int by_nanosleep(void)
{
	struct timespec limit = {20, 0};

	sigprocmask(SIG_SETMASK, &without, NULL);
	return seen ? -1 : nanosleep(&limit, NULL);
}

static const struct kind {
	const char *name;
	int (*wait)(void);
} kinds[] = {{"pause", by_pause},     {"sigsuspend", by_sigsuspend}, {"ppoll", by_ppoll},
	     {"pselect", by_pselect}, {"epoll", by_epoll},           {"nanosleep", by_nanosleep}};

static int child(const struct kind *k)
{
	struct sigaction act = {.sa_sigaction = see, .sa_flags = SA_SIGINFO | SA_RESTART};
	int r;

	sigaction(awaited, &act, NULL);
	alarm(10);
	errno = EINTR;
	r = k->wait();
	return r < 0 && errno == EINTR && seen ? BY_SIGNAL : BY_OTHERS;
}

/* Wait until the process sleeps, for 5 seconds at most: it may have to wait for a CPU first. */
static void await_sleep(pid_t pid)
{
	struct timespec step = {0, 1000000};
	char path[40], line[512];

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	for (int i = 0; i < 5000; i++) {
		FILE *f = fopen(path, "r");
		const char *state = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
		if (f)
			fclose(f);
		if (!state || state[2] == 'S')
			return;
		nanosleep(&step, NULL);
	}
}

static int once(const struct kind *k)
{
	struct timespec until_sent = {0, 3000000};
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0)
		_exit(child(k));
	if (pid < 0)
		exit(2);
	nanosleep(&until_sent, NULL);
	await_sleep(pid);
	kill(pid, awaited);
	if (waitpid(pid, &status, 0) != pid)
		exit(2);
	return WIFEXITED(status) ? WEXITSTATUS(status) : NOT_AT_ALL;
}

int main(int argc, char **argv)
{
	const struct kind *k = kinds, *end = kinds + sizeof kinds / sizeof *kinds;
	int ended[TOO_EARLY + 1] = {0};

	while (k < end && (argc < 3 || strcmp(k->name, argv[1]) != 0))
		k++;
	if (k == end) {
		fprintf(stderr, "usage: waits KIND TIMES [urg]\n");
		return 2;
	}
	sigset_t held;
	if (argc > 3)
		awaited = SIGURG;
	sigemptyset(&held);
	sigaddset(&held, awaited);
	sigprocmask(SIG_BLOCK, &held, &without);
	for (int i = 0; i < atoi(argv[2]); i++)
		ended[once(k)]++;
	printf("ended by others %d, not at all %d, too early %d\n", ended[BY_OTHERS],
	       ended[NOT_AT_ALL], ended[TOO_EARLY]);
	return ended[BY_OTHERS] + ended[NOT_AT_ALL] > 0 || ended[TOO_EARLY] > atoi(argv[2]) / 2;
}
