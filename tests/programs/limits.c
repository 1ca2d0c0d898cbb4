/* Calls with a time limit, which must not last longer because a signal interrupts them:
 *
 *     limits [stack]    with a handler and an alternate stack
 *
 * Each call waits for nothing. Prints `CALL MILLISECONDS`, the longest of a few; exits with 1 if it
 * took less than its limit. */
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>

enum { TIMES = 4, LIMIT_MS = 150, STACK = 65536 };

static int semaphore, watched;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const struct timespec limit = {0, LIMIT_MS * 1000000};

static void by_epoll_wait(void)
{
	struct epoll_event e;

	epoll_wait(watched, &e, 1, LIMIT_MS);
}

static void by_epoll_pwait(void)
{
	struct epoll_event e;

	epoll_pwait(watched, &e, 1, LIMIT_MS, NULL);
}

static void by_epoll_pwait2(void)
{
	struct epoll_event e;

	epoll_pwait2(watched, &e, 1, &limit, NULL);
}

/* Waits with a mask: such a call cannot be continued in a handler. */
static void by_epoll_masked(void)
{
	struct epoll_event e;
	sigset_t none;

	sigemptyset(&none);
	epoll_pwait(watched, &e, 1, LIMIT_MS, &none);
}

static void by_semtimedop(void)
{
	struct sembuf down = {0, -1, 0};

	semtimedop(semaphore, &down, 1, &limit);
}

static void by_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigtimedwait(&set, NULL, &limit);
}

static void by_poll(void)
{
	poll(NULL, 0, LIMIT_MS);
}

static void by_nanosleep(void)
{
	nanosleep(&limit, NULL);
}

static const struct {
	const char *name;
	void (*wait)(void);
} calls[] = {{"epoll_wait", by_epoll_wait},
	     {"epoll_pwait", by_epoll_pwait},
	     {"epoll_masked", by_epoll_masked},
	     {"epoll_pwait2", by_epoll_pwait2},
	     {"semtimedop", by_semtimedop},
	     {"sigtimedwait", by_sigtimedwait},
	     {"poll", by_poll},
	     {"nanosleep", by_nanosleep}};

static void nothing(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = nothing, .sa_flags = SA_RESTART};
	stack_t stack = {.ss_size = STACK};
	int early = 0;

	if (argc > 1 && argv[1]) {
		stack.ss_sp = malloc(STACK);
		sigaltstack(&stack, NULL);
		sigaction(SIGUSR1, &act, NULL);
	}
	watched = epoll_create1(0);
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
		uint64_t longest = 0;
		for (int k = 0; k < TIMES; k++) {
			uint64_t before = now();
			calls[i].wait();
			uint64_t took = (now() - before) / 1000000;
			early |= took < LIMIT_MS - 1;
			longest = took > longest ? took : longest;
		}
		printf("%s %d\n", calls[i].name, (int)longest);
	}
	semctl(semaphore, 0, IPC_RMID);
	return early;
}
