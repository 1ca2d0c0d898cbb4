/* A read that only a signal of the program interrupts: after the handler it must return EINTR.
 *
 *     interrupted ROUNDS
 *
 * If rounds wait long for a CPU, fewer are made: it ends after 20 seconds. Exits with 0, or with 9
 * if a read continued although its signal had come. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { SECONDS = 20 };

static volatile unsigned sink;

static void soon(void)
{
	struct itimerval in = {.it_value = {.tv_usec = 2000}};

	setitimer(ITIMER_REAL, &in, NULL);
}

/* The signal came in the read if the read ends now, or is about to be restarted at its
 * instruction. Otherwise this thread had no CPU and has not reached the read yet: then another
 * signal is needed. */
static void end_read(int sig, siginfo_t *info, void *context)
{
	const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *pc = (const uint8_t *)registers[REG_RIP];
	long result = registers[REG_RAX];

	(void)sig;
	(void)info;
	if (result != -EINTR && !(result == SYS_read && pc[0] == 0x0f && pc[1] == 0x05))
		soon();
}

static void give_up(int sig)
{
	(void)sig;
	_exit(9);
}

int main(int argc, char **argv)
{
	struct sigaction ends = {.sa_sigaction = end_read, .sa_flags = SA_SIGINFO};
	struct sigaction late = {.sa_handler = give_up};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	int rounds = argc > 1 ? atoi(argv[1]) : 100, silent[2];
	time_t begun = time(NULL);
	timer_t limit;
	char byte;

	if (pipe(silent) != 0 || sigaction(SIGALRM, &ends, NULL) != 0 ||
	    sigaction(SIGUSR1, &late, NULL) != 0 ||
	    timer_create(CLOCK_MONOTONIC, &event, &limit) != 0)
		return 3;
	for (unsigned i = 0; i < (unsigned)rounds && time(NULL) < begun + SECONDS; i++) {
		struct itimerspec much_later = {.it_value = {.tv_sec = SECONDS}};

		for (unsigned k = 0; k < i * 7919 % 200000; k++)
			sink += k;
		timer_settime(limit, 0, &much_later, NULL);
		soon();
		if (read(silent[0], &byte, 1) != -1 || errno != EINTR)
			return 1;
	}
	return 0;
}
