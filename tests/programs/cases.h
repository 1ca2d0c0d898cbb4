/* What the programs with cases share: using CPU time, and printing results. */
#ifndef TESTS_PROGRAMS_CASES_H
#define TESTS_PROGRAMS_CASES_H

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct a_case {
	const char *name;
	int (*run)(void);
};

static volatile unsigned sink;

static volatile sig_atomic_t seen;

/* A handler that counts. */
static inline void count(int sig)
{
	seen += sig > 0;
}

static inline void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction act;

	memset(&act, 0, sizeof act);
	act.sa_handler = handler;
	act.sa_flags = flags;
	sigaction(sig, &act, NULL);
}

/* 0: all signals. */
static inline sigset_t set_of(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	if (sig)
		sigaddset(&set, sig);
	else
		sigfillset(&set);
	return set;
}

/* Seconds of CPU time that the process has used. */
static inline double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Use that many more seconds of CPU time. */
static inline void burn(double seconds)
{
	double end = cpu() + seconds;

	while (cpu() < end)
		for (int i = 0; i < 10000; i++)
			sink += (unsigned)i;
}

/* Print a result, which is the same with and without measurement. */
static inline void say(const char *what, long value)
{
	printf("%s %ld\n", what, value);
	fflush(stdout);
}

/* Print which signals are blocked. */
static inline void say_mask(const char *where)
{
	sigset_t set;
	char text[65];

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	for (int i = 1; i <= 64; i++)
		text[i - 1] = sigismember(&set, i) == 1 ? 'x' : '.';
	text[64] = '\0';
	printf("%s %s\n", where, text);
	fflush(stdout);
}

static inline void *say_mask_in_thread(void *name)
{
	say_mask((const char *)name);
	return NULL;
}

static inline void in_thread(void *(*function)(void *), const char *name)
{
	pthread_t thread;

	pthread_create(&thread, NULL, function, (void *)name);
	pthread_join(thread, NULL);
}

/* Run the case with that name; returns its status, or 2 if there is none. */
static inline int run_case(const struct a_case *cases, unsigned n, const char *name)
{
	for (unsigned i = 0; name && i < n; i++)
		if (strcmp(name, cases[i].name) == 0)
			return cases[i].run();
	return 2;
}

#endif
