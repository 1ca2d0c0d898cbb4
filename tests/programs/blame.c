/* Threads that make others wait:
 *
 *     blame KIND ROUNDS MS
 *
 * ROUNDS times, another thread waits for one that computes for three parts of MS in
 * computes_with_it, sleeps for two parts in sleeps_with_it and computes for one part in
 * computes_more_with_it, before it lets the other one go on; then it computes for half of MS in
 * computes_without_it. KIND: mutex, timed, recursive, inherit, robust, rwlock, condition,
 * semaphore, barrier, join, or late: a join of a thread that first sleeps for two parts in the
 * handler of a signal, sleeps_first.
 *
 *     blame free N
 *
 * Takes a mutex that nobody else wants N times and prints the ns of CPU time, and how many
 * instructions it takes to lock and unlock it once, or 0 where they cannot be counted.
 *
 *     blame limit MS
 *
 * Holds a mutex in a call of epoll_wait with a time limit of MS that is made again after signals,
 * because the thread has an alternate stack, while another one tries again and again to lock the
 * mutex for 5 ms; prints for how many ms the call lasted.
 *
 * Otherwise prints `waited NS`, the time for which the other thread has waited, and `in FUNCTION
 * NS`, how long the first one was in each. */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static unsigned released; /* under the mutex */

static long ms;
static int rounds;
static uint64_t waited, computed, slept, computed_more, slept_first;
/* The two threads begin a round together. */
static _Atomic unsigned begun, held;

static uint64_t now_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t now(void)
{
	return now_of(CLOCK_MONOTONIC);
}

/* Elapsed time, so that the parts are what they are said to be beside other programs, too. */
static void compute_for(double part)
{
	uint64_t until = now() + (uint64_t)((double)ms * part * 1e6);

	while (now() < until)
		;
}

static __attribute__((noinline)) void computes_with_it(void)
{
	uint64_t began = now();

	compute_for(3);
	computed += now() - began;
}

static __attribute__((noinline)) void sleeps_with_it(void)
{
	uint64_t began = now();
	struct timespec t = {.tv_nsec = 2 * ms * 1000000};

	nanosleep(&t, NULL);
	slept += now() - began;
}

static __attribute__((noinline)) void computes_more_with_it(void)
{
	uint64_t began = now();

	compute_for(1);
	computed_more += now() - began;
}

static __attribute__((noinline)) void computes_without_it(void)
{
	compute_for(0.5);
}

static void all_with_it(void)
{
	computes_with_it();
	sleeps_with_it();
	computes_more_with_it();
}

/* ---- kinds: what the holder and the waiting thread do in a round ---------------------------- */

static void hold_mutex(void)
{
	pthread_mutex_lock(&mutex);
	held++;
	all_with_it();
	pthread_mutex_unlock(&mutex);
}

static void wait_mutex(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void wait_timed(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 60;
	pthread_mutex_timedlock(&mutex, &t);
	pthread_mutex_unlock(&mutex);
}

static void hold_rwlock(void)
{
	pthread_rwlock_wrlock(&rwlock);
	held++;
	all_with_it();
	pthread_rwlock_unlock(&rwlock);
}

static void wait_rwlock(void)
{
	if (begun % 2)
		pthread_rwlock_rdlock(&rwlock);
	else
		pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void hold_condition(void)
{
	held++;
	all_with_it();
	pthread_mutex_lock(&mutex);
	released = begun;
	pthread_mutex_unlock(&mutex);
	pthread_cond_signal(&condition);
}

static void wait_condition(void)
{
	pthread_mutex_lock(&mutex);
	while (released != begun)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void hold_semaphore(void)
{
	held++;
	all_with_it();
	sem_post(&semaphore);
}

static void wait_semaphore(void)
{
	sem_wait(&semaphore);
}

static void hold_barrier(void)
{
	held++;
	all_with_it();
	pthread_barrier_wait(&barrier);
}

static void wait_barrier(void)
{
	pthread_barrier_wait(&barrier);
}

static void *joined(void *arg)
{
	(void)arg;
	all_with_it();
	return NULL;
}

static pthread_t to_join;

static void hold_join(void)
{
	pthread_create(&to_join, NULL, joined, NULL);
	held++;
}

static void wait_join(void)
{
	pthread_join(to_join, NULL);
}

static void sleeps_first(int sig)
{
	uint64_t began = now();

	(void)sig;
	usleep((useconds_t)(2 * ms * 1000));
	slept_first += now() - began;
}

/* The thread handles a signal before it runs what it was created for. */
static void hold_late(void)
{
	pthread_attr_t attr;
	sigset_t set;

	signal(SIGUSR1, sleeps_first);
	sigemptyset(&set);
	pthread_attr_init(&attr);
	pthread_attr_setsigmask_np(&attr, &set);
	sigaddset(&set, SIGUSR1);
	kill(getpid(), SIGUSR1);
	pthread_create(&to_join, &attr, joined, NULL);
	held++;
}

static void block_usr1(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static const struct kind {
	const char *name;
	void (*hold)(void), (*wait)(void);
	int type, protocol, robust;
} kinds[] = {
    {"mutex", hold_mutex, wait_mutex, 0, 0, 0},
    {"timed", hold_mutex, wait_timed, 0, 0, 0},
    {"recursive", hold_mutex, wait_mutex, PTHREAD_MUTEX_RECURSIVE, 0, 0},
    {"inherit", hold_mutex, wait_mutex, 0, PTHREAD_PRIO_INHERIT, 0},
    {"robust", hold_mutex, wait_mutex, 0, 0, PTHREAD_MUTEX_ROBUST},
    {"rwlock", hold_rwlock, wait_rwlock, 0, 0, 0},
    {"condition", hold_condition, wait_condition, 0, 0, 0},
    {"semaphore", hold_semaphore, wait_semaphore, 0, 0, 0},
    {"barrier", hold_barrier, wait_barrier, 0, 0, 0},
    {"join", hold_join, wait_join, 0, 0, 0},
    {"late", hold_late, wait_join, 0, 0, 0},
};

static const struct kind *kind;

static void *waits(void *arg)
{
	(void)arg;
	for (unsigned i = 1; i <= (unsigned)rounds; i++) {
		while (held != i)
			sched_yield();
		uint64_t began = now();
		kind->wait();
		waited += now() - began;
		begun = i + 1;
	}
	return NULL;
}

static void *tries(void *arg)
{
	(void)arg;
	while (held) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 5000000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		if (pthread_mutex_timedlock(&mutex, &t) == 0)
			pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void handler(int sig)
{
	(void)sig;
}

static void hold_in_limited_call(int limit)
{
	static char stack[1 << 16];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	struct epoll_event event;
	pthread_t other;

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	pthread_mutex_lock(&mutex);
	held = 1;
	pthread_create(&other, NULL, tries, NULL);
	uint64_t began = now();
	epoll_wait(epoll_create1(0), &event, 1, limit);
	printf("%" PRIu64 "\n", (now() - began) / 1000000);
	held = 0;
	pthread_mutex_unlock(&mutex);
	pthread_join(other, NULL);
}

static void *sleeps(void *arg)
{
	while (pause() < 0)
		;
	return arg;
}

static volatile sig_atomic_t steps;

static void count_step(int sig)
{
	(void)sig;
	steps++;
}

/* The CPU stops after each instruction while its trap flag is set. */
static int instructions_of_a_lock(void)
{
#ifdef __x86_64__
	struct sigaction each = {.sa_handler = count_step};
	sigaction(SIGTRAP, &each, NULL);
	__asm__ volatile("pushfq\n orl $0x100, (%%rsp)\n popfq" ::: "memory", "cc");
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	__asm__ volatile("pushfq\n andl $~0x100, (%%rsp)\n popfq" ::: "memory", "cc");
#endif
	return steps;
}

/* In a process with more than one thread: locks do less in others. */
static void take_free_locks(long n)
{
	pthread_t other;
	pthread_create(&other, NULL, sleeps, NULL);
	uint64_t began = now_of(CLOCK_THREAD_CPUTIME_ID);

	for (long i = 0; i < n; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	printf("%" PRIu64, now_of(CLOCK_THREAD_CPUTIME_ID) - began);
	printf(" %d\n", instructions_of_a_lock());
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;
	pthread_t thread;

	if (argc == 3 && strcmp(argv[1], "free") == 0) {
		take_free_locks(atol(argv[2]));
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "limit") == 0) {
		hold_in_limited_call(atoi(argv[2]));
		return 0;
	}
	for (size_t i = 0; argc == 4 && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			kind = &kinds[i];
	if (!kind) {
		fprintf(stderr, "usage: blame KIND ROUNDS MS\n");
		return 2;
	}
	rounds = atoi(argv[2]);
	ms = atol(argv[3]);
	if (kind->hold == hold_late)
		block_usr1();
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, kind->type);
	pthread_mutexattr_setprotocol(&attr, kind->protocol);
	pthread_mutexattr_setrobust(&attr, kind->robust);
	pthread_mutex_init(&mutex, &attr);
	pthread_rwlock_init(&rwlock, NULL);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&semaphore, 0, 0);
	begun = 1;
	pthread_create(&thread, NULL, waits, NULL);
	for (unsigned i = 1; i <= (unsigned)rounds; i++) {
		while (begun != i)
			sched_yield();
		kind->hold();
		computes_without_it();
	}
	pthread_join(thread, NULL);
	printf("waited %" PRIu64 "\nin computes_with_it %" PRIu64 "\nin sleeps_with_it %" PRIu64
	       "\nin computes_more_with_it %" PRIu64 "\nin sleeps_first %" PRIu64 "\n",
	       waited, computed, slept, computed_more, slept_first);
	return 0;
}
