/* The ways of follow.c that start and end threads, and what all ways use. */
#ifndef TESTS_PROGRAMS_FOLLOW_THREADS_H
#define TESTS_PROGRAMS_FOLLOW_THREADS_H

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { WENT_WRONG = 90, THREADS = 4, NOTIFICATIONS = 3 };

static int ms;
static volatile unsigned sink;

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((noinline)) static void burn(void)
{
	uint64_t until = cpu_now() + (uint64_t)ms * 1000000;

	while (cpu_now() < until)
		for (int i = 0; i < 1000; i++)
			sink += i;
}

static void check(int good, int status)
{
	if (!good)
		_exit(status);
}

static void *in_thread(void *arg)
{
	burn();
	return arg;
}

static void *until_cancelled(void *arg)
{
	burn();
	for (;;)
		pause();
	return arg;
}

static void *without_end(void *arg)
{
	for (;;)
		sink++;
	return arg;
}

static void *by_exit(void *arg)
{
	burn();
	pthread_exit(arg);
}

static void start(void *(*function)(void *), pthread_t *threads)
{
	for (int i = 0; i < THREADS; i++)
		check(pthread_create(&threads[i], NULL, function, NULL) == 0, WENT_WRONG + 12);
}

static void join(const pthread_t *threads)
{
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void do_threads(void)
{
	pthread_t t[THREADS];

	start(in_thread, t);
	join(t);
}

/* An exec that takes long to fail, because its arguments are larger than the kernel accepts: it
 * finds that only when it copies them. */
static void exec_badly(void)
{
	enum { ARGUMENTS = 64, BYTES = 120000 };
	static char text[BYTES], *large[ARGUMENTS + 1];

	if (!large[0]) {
		memset(text, 'x', sizeof text - 1);
		for (int i = 0; i < ARGUMENTS; i++)
			large[i] = text;
	}
	check(execv("/proc/self/exe", large) < 0 && errno == E2BIG, WENT_WRONG + 5);
}

static _Atomic int begun, running;

static void *counted(void *arg)
{
	begun++;
	burn();
	running--;
	return arg;
}

/* Most of them end during an exec that will fail. */
static void do_bad_exec_threads(void)
{
	enum { ROUNDS = 4 };
	pthread_t t[THREADS];

	for (int i = 0; i < ROUNDS; i++) {
		begun = 0;
		running = THREADS;
		start(counted, t);
		while (begun < THREADS)
			sink++;
		do
			exec_badly();
		while (running > 0);
		join(t);
	}
}

static _Atomic int enough;

static void *exec_badly_for_long(void *arg)
{
	while (!enough)
		exec_badly();
	return arg;
}

/* Do what while the execs of another thread fail, one after the other. */
static void within_bad_execs(void (*what)(void))
{
	pthread_t t;

	check(pthread_create(&t, NULL, exec_badly_for_long, NULL) == 0, WENT_WRONG + 12);
	for (int i = 0; i < THREADS; i++)
		what();
	enough = 1;
	pthread_join(t, NULL);
}

static void do_threads_in_bad_exec(void)
{
	within_bad_execs(do_threads);
}

static void do_thread_exit(void)
{
	pthread_t t[THREADS];

	start(by_exit, t);
	join(t);
}

static void do_cancel(void)
{
	pthread_t t[THREADS];

	start(until_cancelled, t);
	usleep((useconds_t)ms * 1000 * THREADS * 2);
	for (int i = 0; i < THREADS; i++)
		pthread_cancel(t[i]);
	join(t);
}

/* The process ends with its last thread; main exits while the others work. */
static void do_main_thread_exit(void)
{
	pthread_t t[THREADS];

	start(in_thread, t);
	for (int i = 0; i < THREADS; i++)
		pthread_detach(t[i]);
	pthread_exit(NULL);
}

static void do_detached(void)
{
	pthread_t t[THREADS];

	start(without_end, t);
	for (int i = 0; i < THREADS; i++)
		pthread_detach(t[i]);
	usleep((useconds_t)ms * 1000);
	exit(0);
}

static int in_c11(void *arg)
{
	(void)arg;
	burn();
	return 7;
}

static void do_c11(void)
{
	thrd_t t[THREADS];
	int result;

	for (int i = 0; i < THREADS; i++)
		check(thrd_create(&t[i], in_c11, NULL) == thrd_success, WENT_WRONG + 12);
	for (int i = 0; i < THREADS; i++)
		check(thrd_join(t[i], &result) == thrd_success && result == 7, WENT_WRONG + 13);
}

static _Atomic int notifying, notified;

static void notify(union sigval v)
{
	notifying++;
	check(v.sival_int == 42, WENT_WRONG + 14);
	burn();
	notified++;
}

static struct sigevent by_thread = {
    .sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify, .sigev_value.sival_int = 42};

static void wait_for_notifications(int n)
{
	while (notified < n)
		usleep(1000);
}

static void wait_for_begun_ones(void)
{
	do
		usleep(20000); /* one may be starting now, and the last thread may be ending */
	while (notified < notifying);
	usleep(20000);
}

static void do_timer_threads(void)
{
	struct itimerspec each = {{0, 100000000}, {0, 1000000}}, off = {{0, 0}, {0, 0}};
	timer_t t;

	check(timer_create(CLOCK_MONOTONIC, &by_thread, &t) == 0, WENT_WRONG + 15);
	timer_settime(t, 0, &each, NULL);
	wait_for_notifications(NOTIFICATIONS);
	timer_settime(t, 0, &off, NULL);
	wait_for_begun_ones();
	timer_delete(t);
}

static void do_queue_threads(void)
{
	struct mq_attr small = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char name[40], message[8];

	snprintf(name, sizeof name, "/follow-%d", (int)getpid());
	mqd_t q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &small);
	check(q != (mqd_t)-1, WENT_WRONG + 16);
	mq_unlink(name);
	for (int i = 0; i < NOTIFICATIONS; i++) {
		check(mq_notify(q, &by_thread) == 0, WENT_WRONG + 17);
		mq_send(q, "x", 1, 0);
		wait_for_notifications(i + 1);
		mq_receive(q, message, sizeof message, NULL);
	}
	wait_for_begun_ones();
}

#endif
