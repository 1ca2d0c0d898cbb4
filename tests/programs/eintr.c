/* Count the system calls that a signal interrupts while the program also uses CPU.
 *
 *     eintr SECONDS [urg]
 *
 * One thread for each call: it uses a little CPU time, then makes the call, which blocks for about
 * half a millisecond, repeatedly. Prints the name of each call, how often it was made and how often
 * it ended with EINTR.
 *
 * Another thread blocks all the time, in a call that any signal interrupts: "blocked" is printed
 * with how often it slept and how often it was woken too early.
 *
 * With "urg" the program has a handler for SIGURG, which nobody sends: then a sample with that
 * number could be the program's signal.
 *
 * Exits with 1 if a call was interrupted, with 2 if the sleeper was. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

enum { BLOCK_NS = 500000, BURN_STEPS = 60000 };

struct call {
	const char *name;
	int (*make)(void); /* 0, or an errno */
	unsigned long made, cut;
};

static volatile int stop;
static int ticking[2], silent[2], silent_socket[2], epoll, semaphores;

static int read_call(void)
{
	char all[512]; /* large, so that the next call waits for the next tick */

	return read(ticking[0], all, sizeof all) < 0 ? errno : 0;
}

static int poll_call(void)
{
	struct pollfd p = {silent[0], POLLIN, 0};

	return poll(&p, 1, 1) < 0 ? errno : 0;
}

static int nanosleep_call(void)
{
	struct timespec t = {0, BLOCK_NS};

	return nanosleep(&t, NULL) < 0 ? errno : 0;
}

static int futex_call(void)
{
	static uint32_t word;
	struct timespec t = {0, BLOCK_NS};

	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0) < 0 &&
		       errno != ETIMEDOUT
		   ? errno
		   : 0;
}

static int epoll_call(void)
{
	struct epoll_event e;

	return epoll_wait(epoll, &e, 1, 1) < 0 ? errno : 0;
}

static int semop_call(void)
{
	struct sembuf op = {0, -1, 0};
	struct timespec t = {0, BLOCK_NS};

	return semtimedop(semaphores, &op, 1, &t) < 0 && errno != EAGAIN ? errno : 0;
}

static int sigtimedwait_call(void)
{
	struct timespec t = {0, BLOCK_NS};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &t) < 0 && errno != EAGAIN ? errno : 0;
}

static int recv_call(void)
{
	char c;

	return recv(silent_socket[0], &c, 1, 0) < 0 && errno != EAGAIN ? errno : 0;
}

static int select_call(void)
{
	struct timeval t = {0, BLOCK_NS / 1000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(silent[0], &set);
	return select(silent[0] + 1, &set, NULL, NULL, &t) < 0 ? errno : 0;
}

static int ppoll_call(void)
{
	struct pollfd p = {silent[0], POLLIN, 0};
	struct timespec t = {0, BLOCK_NS};

	return ppoll(&p, 1, &t, NULL) < 0 ? errno : 0;
}

static int until_call(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += BLOCK_NS;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* An io_uring, if the kernel lets us have one (else ring is -1). */
static int ring = -1;
static struct io_uring_params parameters;
static char *submissions, *completions;
static struct io_uring_sqe *entries;

static void open_ring(void)
{
	enum { ENTRIES = 4 };
	size_t most = 4096;

	ring = (int)syscall(SYS_io_uring_setup, ENTRIES, &parameters);
	if (ring < 0)
		return;
	submissions =
	    mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	completions =
	    mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	entries = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	if (submissions == MAP_FAILED || completions == MAP_FAILED || entries == MAP_FAILED)
		ring = -1;
}

/* Submit a timeout and wait for it in one call: when that returns, the event must be there. */
static int ring_call(void)
{
	static struct __kernel_timespec t = {0, BLOCK_NS};
	struct io_uring_sqe s = {
	    .opcode = IORING_OP_TIMEOUT, .fd = -1, .addr = (uintptr_t)&t, .len = 1};
	uint32_t *tail = (void *)(submissions + parameters.sq_off.tail);
	uint32_t *mask = (void *)(submissions + parameters.sq_off.ring_mask);
	uint32_t *list = (void *)(submissions + parameters.sq_off.array);
	uint32_t *head = (void *)(completions + parameters.cq_off.head);
	uint32_t *end = (void *)(completions + parameters.cq_off.tail);
	uint32_t at = *tail & *mask;

	if (ring < 0)
		return nanosleep_call();
	entries[at] = s;
	list[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return errno;
	int early = __atomic_load_n(end, __ATOMIC_ACQUIRE) == *head;
	while (__atomic_load_n(end, __ATOMIC_ACQUIRE) == *head)
		if (syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0 &&
		    errno != EINTR)
			return errno;
	__atomic_store_n(head, __atomic_load_n(end, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
	return early ? EINTR : 0;
}

static struct call calls[] = {
    {"read", read_call, 0, 0},
    {"futex", futex_call, 0, 0},
    {"poll", poll_call, 0, 0},
    {"nanosleep", nanosleep_call, 0, 0},
    {"epoll_wait", epoll_call, 0, 0},
    {"semtimedop", semop_call, 0, 0},
    {"sigtimedwait", sigtimedwait_call, 0, 0},
    {"recv", recv_call, 0, 0},
    {"select", select_call, 0, 0},
    {"ppoll", ppoll_call, 0, 0},
    {"clock_nanosleep", until_call, 0, 0},
    {"io_uring_enter", ring_call, 0, 0},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static void *caller(void *arg)
{
	struct call *call = arg;

	while (!stop) {
		for (unsigned i = 0; i < BURN_STEPS; i++)
			sink += i;
		int failed = call->make();
		call->made++;
		if (failed == EINTR) {
			call->cut++;
		} else if (failed) {
			fprintf(stderr, "eintr: %s: %s\n", call->name, strerror(failed));
			exit(3);
		}
	}
	return NULL;
}

/* Write something to read from time to time, and close the pipe at the end. */
static void *ticker(void *arg)
{
	struct timespec t = {0, BLOCK_NS};

	(void)arg;
	while (!stop) {
		nanosleep(&t, NULL);
		if (write(ticking[1], "x", 1) < 0)
			exit(3);
	}
	close(ticking[1]);
	return NULL;
}

static unsigned long slept, woken;

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Nanoseconds, from any origin, that this thread was asleep: it neither ran nor waited for a CPU,
 * as far as the scheduler counts that. */
static int64_t asleep(int schedstat)
{
	char text[64] = "";
	long long waited = 0;

	if (pread(schedstat, text, sizeof text - 1, 0) > 0)
		sscanf(text, "%*d %lld", &waited);
	return read_clock(CLOCK_MONOTONIC) - read_clock(CLOCK_THREAD_CPUTIME_ID) - waited;
}

/* Blocks before each sampling period begins, so a sample must never wake it. A signal that its own
 * CPU time has caused may interrupt the call before it sleeps, or after the sleep is over. Only
 * signals that interrupt its sleep are counted. */
static void *sleeper(void *arg)
{
	enum { SLEEP_NS = 250000000, ANY_NS = 20000000 };
	int schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	sigset_t none;

	(void)arg;
	sigemptyset(&none);
	while (!stop) {
		struct timespec t = {0, SLEEP_NS};
		int64_t before = asleep(schedstat), began = read_clock(CLOCK_MONOTONIC);

		slept++;
		int ended = ppoll(NULL, 0, &t, &none) < 0 && errno == EINTR;
		int64_t passed = read_clock(CLOCK_MONOTONIC) - began;
		if (ended && passed < SLEEP_NS && asleep(schedstat) - before > ANY_NS)
			woken++;
	}
	close(schedstat);
	return NULL;
}

static void prepare(void)
{
	struct timeval t = {0, BLOCK_NS / 1000};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	open_ring();
	epoll = epoll_create1(0);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	if (sigprocmask(SIG_BLOCK, &set, NULL) || pipe(ticking) || pipe(silent) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, silent_socket) ||
	    setsockopt(silent_socket[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) || epoll < 0 ||
	    semaphores < 0) {
		perror("eintr");
		exit(3);
	}
}

static void handle(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 3;
	struct timespec left = {seconds, 0};
	pthread_t thread[CALLS + 2];
	int result = 0, failed = 0;

	if (argc > 2)
		sigaction(SIGURG, &(struct sigaction){.sa_handler = handle, .sa_flags = SA_RESTART},
			  NULL);
	prepare();
	for (int i = 0; i < CALLS; i++)
		failed |= pthread_create(&thread[i], NULL, caller, &calls[i]);
	failed |= pthread_create(&thread[CALLS], NULL, ticker, NULL);
	failed |= pthread_create(&thread[CALLS + 1], NULL, sleeper, NULL);
	if (failed)
		return 3;
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		continue;
	stop = 1;
	for (int i = 0; i < CALLS + 2; i++)
		pthread_join(thread[i], NULL);
	semctl(semaphores, 0, IPC_RMID);
	for (int i = 0; i < CALLS; i++) {
		printf("%s %lu %lu\n", calls[i].name, calls[i].made, calls[i].cut);
		if (calls[i].cut)
			result = 1;
	}
	printf("blocked %lu %lu\n", slept, woken);
	return woken ? 2 : result;
}
