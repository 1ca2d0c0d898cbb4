/* A read that only a signal of our own ends: as soon as the handler has run, EINTR.
 *
 *     interrupted ROUNDS
 *
 * Exits with 0, or with 9 if a read went on for two seconds. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

static void nothing(int sig)
{
	(void)sig;
}

static void give_up(int sig)
{
	(void)sig;
	_exit(9);
}

int main(int argc, char **argv)
{
	struct sigaction end_read = {.sa_handler = nothing}, late = {.sa_handler = give_up};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	int rounds = argc > 1 ? atoi(argv[1]) : 100, silent[2];
	timer_t limit;
	char byte;

	if (pipe(silent) != 0 || sigaction(SIGALRM, &end_read, NULL) != 0 ||
	    sigaction(SIGUSR1, &late, NULL) != 0 ||
	    timer_create(CLOCK_MONOTONIC, &event, &limit) != 0)
		return 3;
	for (unsigned i = 0; i < (unsigned)rounds; i++) {
		struct itimerval soon = {.it_value = {.tv_usec = 2000}};
		struct itimerspec much_later = {.it_value = {.tv_sec = 2}};

		for (unsigned k = 0; k < i * 7919 % 200000; k++)
			sink += k;
		timer_settime(limit, 0, &much_later, NULL);
		setitimer(ITIMER_REAL, &soon, NULL);
		if (read(silent[0], &byte, 1) != -1 || errno != EINTR)
			return 1;
	}
	return 0;
}
