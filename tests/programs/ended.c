/* Waits that a handler of the program interrupts, while samples come with it or right after it.
 *
 *     ended ROUNDS STACK
 *
 * The handler of a timer runs every few milliseconds, for longer than a sampling period, on an
 * alternate stack of STACK bytes (0: on none). It checks whether it came in a system call that ends
 * with EINTR because of it: then the program must see EINTR. It must not see EINTR without a
 * handler. (One may come when our handler is about to continue the call.) Prints the name of each
 * call, how often a handler interrupted it, how often the call continued all the same, and how
 * often it ended without a handler. Exits with 1 if one of the last two numbers is not 0, with 2 if
 * the handler interrupted fewer than half of the waits: then little was tested. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

enum { WAIT_MS = 40, EVERY_US = 4000, BURN_US = 1500 };

static volatile sig_atomic_t ended, came;
static int epoll, semaphores;

static long cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void handler(int sig, siginfo_t *info, void *context)
{
	const greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const unsigned char *pc = (const unsigned char *)gregs[REG_RIP];
	long until = cpu_us() + BURN_US;
	int saved = errno;

	(void)sig;
	(void)info;
	came++;
	if (gregs[REG_RCX] == gregs[REG_RIP] && pc[-2] == 0x0f && pc[-1] == 0x05 &&
	    gregs[REG_RAX] == -EINTR)
		ended++;
	while (cpu_us() < until)
		continue;
	errno = saved;
}

static int by_poll(void)
{
	return poll(NULL, 0, WAIT_MS);
}

static int by_select(void)
{
	struct timeval t = {0, WAIT_MS * 1000};

	return select(0, NULL, NULL, NULL, &t);
}

static int by_epoll(void)
{
	struct epoll_event e;

	return epoll_wait(epoll, &e, 1, WAIT_MS);
}

static int by_nanosleep(void)
{
	struct timespec t = {0, WAIT_MS * 1000000};

	return nanosleep(&t, NULL);
}

static int by_semaphore(void)
{
	struct sembuf op = {0, -1, 0};
	struct timespec t = {0, WAIT_MS * 1000000};

	return semtimedop(semaphores, &op, 1, &t);
}

static const struct {
	const char *name;
	int (*wait)(void);
} calls[] = {{"poll", by_poll},
	     {"select", by_select},
	     {"epoll_wait", by_epoll},
	     {"nanosleep", by_nanosleep},
	     {"semtimedop", by_semaphore}};

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 50, result = 0;
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	static char room[1 << 16];
	stack_t stack = {.ss_sp = room, .ss_size = size};
	struct sigaction act = {.sa_sigaction = handler,
				.sa_flags = SA_SIGINFO | (size ? SA_ONSTACK : 0)};
	struct itimerval every = {{0, EVERY_US}, {0, EVERY_US}};

	epoll = epoll_create1(0);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	if (size > sizeof room || epoll < 0 || semaphores < 0 ||
	    (size && sigaltstack(&stack, NULL)) || sigaction(SIGALRM, &act, NULL) ||
	    setitimer(ITIMER_REAL, &every, NULL)) {
		perror("ended");
		return 3;
	}
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		int went_on = 0, cut = 0, begun = ended;

		for (int k = 0; k < rounds; k++) {
			int before = ended, none = came;
			int r = calls[i].wait();

			int interrupted = r < 0 && errno == EINTR;

			went_on += ended != before && !interrupted;
			cut += came == none && interrupted;
		}
		printf("%s %d %d %d\n", calls[i].name, (int)ended - begun, went_on, cut);
		if (went_on || cut)
			result = 1;
		else if (ended - begun < rounds / 2 && !result)
			result = 2;
	}
	semctl(semaphores, 0, IPC_RMID);
	return result;
}
