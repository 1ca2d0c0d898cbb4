/* Programs with faults of their own, or of the sampling handler:
 *
 *     faulting CASE
 *
 * Each case prints what it saw, the same with and without measurement, and uses about 0.1 s of CPU
 * time in each thread. */
#include <setjmp.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include "cases.h"

static volatile sig_atomic_t seen;
static sigjmp_buf back;

/* Work in two threads at once, then in main, then in another thread. */
static void *burn_in_thread(void *unused)
{
	burn(0.1);
	return unused;
}

static int crew(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, burn_in_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	burn(0.1);
	in_thread(say_mask_in_thread, "in a thread");
	burn(0.1);
	return 0;
}

static void *volatile nowhere;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	seen += context != NULL;
	if (seen == 1 && info->si_code > 0) {
		say("fault", sig);
		say("at", (long)info->si_addr);
		say("itself blocked", sigismember(&mask, sig));
		say("as asked", sigismember(&mask, SIGUSR1));
	}
	siglongjmp(back, 1);
}

static int faults(void)
{
	struct sigaction act, old;
	const int signals[] = {SIGSEGV, SIGBUS};

	for (int i = 0; i < 2; i++) {
		sigaction(signals[i], NULL, &old);
		say("default", old.sa_handler == SIG_DFL);
		memset(&act, 0, sizeof act);
		act.sa_sigaction = on_fault;
		act.sa_flags = SA_SIGINFO | (i ? (int)SA_RESETHAND : SA_ONSTACK);
		sigaddset(&act.sa_mask, SIGUSR1);
		sigaction(signals[i], &act, NULL);
		sigaction(signals[i], NULL, &old);
		say("kept", old.sa_sigaction == on_fault && old.sa_flags == act.sa_flags &&
				sigismember(&old.sa_mask, SIGUSR1) == 1);
	}
	for (int i = 0; i < 1000; i++) {
		if (sigsetjmp(back, 1) == 0)
			*(volatile int *)nowhere = 1;
		burn(0.0001);
	}
	say("faults", seen);
	seen = 0;
	if (sigsetjmp(back, 1) == 0)
		kill(getpid(), SIGBUS);
	say("bus", seen);
	sigaction(SIGBUS, NULL, &old);
	say("default again", old.sa_handler == SIG_DFL);
	signal(SIGBUS, SIG_IGN);
	kill(getpid(), SIGBUS);
	say("ignored", 1);
	return 0;
}

static int dies(void)
{
	burn(0.1);
	*(volatile int *)nowhere = 1;
	return 0;
}

static int killed(void)
{
	burn(0.1);
	kill(getpid(), SIGSEGV);
	say("still here", 1);
	return 0;
}

static int dies_ignoring(void)
{
	burn(0.1);
	signal(SIGSEGV, SIG_IGN);
	kill(getpid(), SIGSEGV);
	say("ignored", 1);
	*(volatile int *)nowhere = 1;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct a_case cases[] = {
	    {"crew", crew},
	    {"faults", faults},
	    {"dies", dies},
	    {"killed", killed},
	    {"dies_ignoring", dies_ignoring},
	};

	return run_case(cases, sizeof cases / sizeof *cases, argc > 1 ? argv[1] : NULL);
}
