/* Threads that wait in each way, and say how long:
 *
 *     elapsed kinds ROUNDS MS
 *
 * Each kind of wait in a thread of its own: ROUNDS times three parts of MS in longer_KIND, one part
 * in shorter_KIND, and some work.
 *
 *     elapsed once SECONDS
 *
 * Each kind of wait once, all at the same time: how often a thread gave up its CPU after two
 * seconds.
 *
 *     elapsed stopped ROUNDS MS
 *
 * A child that is stopped for MS while it computes, and for three times as long while it sleeps.
 *
 *     elapsed crowd N SECONDS [DIRECTORY]
 *
 * N threads that compute. DIRECTORY becomes the root after half of the time: /proc is then hidden.
 *
 * Prints `thread NAME NS`, the life of a thread; `in NAME FUNCTION NS`, the time in a call;
 * `runnable NAME NS`, the time that a thread waited for a CPU by the scheduler's count; and
 * `switches NAME N`. Exits with 1 if a call was interrupted. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "schedstat.h"

enum { MOST_THREADS = 64, NAME = 16 };

static atomic_int interrupted; /* calls that a signal has interrupted */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct timespec time_of(long ms)
{
	return (struct timespec){ms / 1000, ms % 1000 * 1000000};
}

static void must(long result)
{
	if (result < 0 && errno == EINTR) {
		perror("elapsed");
		interrupted++;
	}
}

/* ---- help from another thread ---------------------------------------------------------------
 *
 * What waits for somebody gets that from a thread of its kind, which sleeps. */

struct place {
	int fds[2];
	struct sockaddr_un address;
	char path[64];
	pthread_mutex_t lock;
	pthread_cond_t cond;
	int ready;
	atomic_int word;
	atomic_int go; /* how long the helper is to sleep; -1: it is to end */
	pthread_t helper;
	uint64_t in[2]; /* ns in the longer and the shorter function */
};

static void wait_for_go(struct place *p)
{
	while (!p->go)
		syscall(SYS_futex, &p->go, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static void go(struct place *p, int ms)
{
	p->go = ms;
	syscall(SYS_futex, &p->go, FUTEX_WAKE_PRIVATE, 1);
}

/* ---- the kinds -------------------------------------------------------------------------------
 *
 * wait: what is measured. help: by the other thread, after its sleep. */

static void wait_read(struct place *p, int ms)
{
	char c;

	(void)ms;
	must(read(p->fds[0], &c, 1));
}

static void help_write(struct place *p)
{
	must(write(p->fds[1], "x", 1));
}

static void wait_poll(struct place *p, int ms)
{
	struct pollfd f = {.fd = p->fds[0], .events = POLLIN};

	must(poll(&f, 1, ms));
}

static void wait_nanosleep(struct place *p, int ms)
{
	struct timespec t = time_of(ms);

	(void)p;
	must(nanosleep(&t, NULL));
}

static void wait_futex(struct place *p, int ms)
{
	struct timespec t = time_of(ms);

	must(syscall(SYS_futex, &p->word, FUTEX_WAIT_PRIVATE, 0, &t));
}

static void wait_epoll(struct place *p, int ms)
{
	struct epoll_event e;

	must(epoll_wait(p->fds[0], &e, 1, ms));
}

static void open_epoll(struct place *p)
{
	p->fds[0] = epoll_create1(0);
}

static void wait_cond(struct place *p, int ms)
{
	(void)ms;
	pthread_mutex_lock(&p->lock);
	while (!p->ready)
		pthread_cond_wait(&p->cond, &p->lock);
	p->ready = 0;
	pthread_mutex_unlock(&p->lock);
}

static void help_cond(struct place *p)
{
	pthread_mutex_lock(&p->lock);
	p->ready = 1;
	pthread_cond_signal(&p->cond);
	pthread_mutex_unlock(&p->lock);
}

static void *sleeper(void *ms)
{
	struct timespec t = time_of((intptr_t)ms);

	pthread_setname_np(pthread_self(), "joined");
	must(nanosleep(&t, NULL));
	return NULL;
}

static void wait_join(struct place *p, int ms)
{
	pthread_t thread;

	(void)p;
	pthread_create(&thread, NULL, sleeper, (void *)(intptr_t)ms);
	pthread_join(thread, NULL);
}

static void open_flock(struct place *p)
{
	snprintf(p->path, sizeof p->path, "elapsed.%d", (int)getpid());
	p->fds[0] = open(p->path, O_RDWR | O_CREAT, 0600);
	p->fds[1] = open(p->path, O_RDWR);
	flock(p->fds[1], LOCK_EX);
	unlink(p->path);
}

static void wait_flock(struct place *p, int ms)
{
	must(flock(p->fds[0], LOCK_EX));
	flock(p->fds[0], LOCK_UN);
	p->word = 1;
	wait_cond(p, ms); /* the helper takes it again first */
}

static void help_flock(struct place *p)
{
	struct timespec t = time_of(1);

	flock(p->fds[1], LOCK_UN);
	while (!p->word) /* a waiting thread is woken, but gets it only if it is still free */
		nanosleep(&t, NULL);
	p->word = 0;
	flock(p->fds[1], LOCK_EX);
	help_cond(p);
}

static void open_fsync(struct place *p)
{
	snprintf(p->path, sizeof p->path, "elapsed.sync.%d", (int)getpid());
	p->fds[0] = open(p->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	unlink(p->path);
}

/* The time depends on the disk: a second wait makes that no more than a part. */
static void wait_fsync(struct place *p, int ms)
{
	static const char bytes[65536] = "x";
	struct timespec t = time_of(ms / 2);

	must(pwrite(p->fds[0], bytes, sizeof bytes, 0));
	must(fsync(p->fds[0]));
	must(nanosleep(&t, NULL));
}

static void open_accept(struct place *p)
{
	p->address.sun_family = AF_UNIX;
	snprintf(p->address.sun_path + 1, sizeof p->address.sun_path - 1, "elapsed.%d",
		 (int)getpid());
	p->fds[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(p->fds[0], (struct sockaddr *)&p->address, sizeof p->address) < 0 ||
	    listen(p->fds[0], 8) < 0)
		exit(2);
}

static void wait_accept(struct place *p, int ms)
{
	int fd;

	(void)ms;
	must(fd = accept(p->fds[0], NULL, NULL));
	close(fd);
}

static void help_connect(struct place *p)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	must(connect(fd, (struct sockaddr *)&p->address, sizeof p->address));
	close(fd);
}

static void wait_child(struct place *p, int ms)
{
	struct timespec t = time_of(ms);
	pid_t pid = fork();

	(void)p;
	if (pid == 0) {
		nanosleep(&t, NULL);
		_exit(0);
	}
	must(waitpid(pid, NULL, 0));
}

static void open_pipe(struct place *p)
{
	if (pipe(p->fds) < 0)
		exit(2);
}

static void open_nothing(struct place *p)
{
	(void)p;
}

/* The two functions of a kind, and a row of kinds. */
#define KIND(kind, what, open, help)                                                               \
	static __attribute__((noinline)) void longer_##kind(struct place *p, int ms)               \
	{                                                                                          \
		what(p, ms);                                                                       \
		sink++;                                                                            \
	}                                                                                          \
	static __attribute__((noinline)) void shorter_##kind(struct place *p, int ms)              \
	{                                                                                          \
		what(p, ms);                                                                       \
		sink += 2;                                                                         \
	}
#define KINDS(K)                                                                                   \
	K(read, wait_read, open_pipe, help_write)                                                  \
	K(poll, wait_poll, open_pipe, NULL)                                                        \
	K(nanosleep, wait_nanosleep, open_nothing, NULL)                                           \
	K(futex, wait_futex, open_nothing, NULL)                                                   \
	K(epoll, wait_epoll, open_epoll, NULL)                                                     \
	K(cond, wait_cond, open_nothing, help_cond)                                                \
	K(join, wait_join, open_nothing, NULL)                                                     \
	K(flock, wait_flock, open_flock, help_flock)                                               \
	K(fsync, wait_fsync, open_fsync, NULL)                                                     \
	K(accept, wait_accept, open_accept, help_connect)                                          \
	K(waitpid, wait_child, open_nothing, NULL)
KINDS(KIND)

struct kind {
	const char *name;
	void (*longer)(struct place *, int);
	void (*shorter)(struct place *, int);
	void (*open)(struct place *);
	void (*help)(struct place *);
};
#define ROW(kind, what, open, help) {#kind, longer_##kind, shorter_##kind, open, help},
static const struct kind kinds[] = {KINDS(ROW)};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

static int rounds, part; /* of the command line */
static struct place places[NUM_KINDS];

static void *help(void *kind)
{
	const struct kind *k = kind;
	struct place *p = &places[k - kinds];

	pthread_setname_np(pthread_self(), "helper");
	for (wait_for_go(p); p->go > 0; wait_for_go(p)) {
		struct timespec t = time_of(p->go);
		p->go = 0;
		must(nanosleep(&t, NULL));
		k->help(p);
	}
	return NULL;
}

static void begin(const struct kind *k)
{
	struct place *p = &places[k - kinds];

	pthread_setname_np(pthread_self(), k->name);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->cond, NULL);
	k->open(p);
	if (k->help)
		pthread_create(&p->helper, NULL, help, (void *)k);
}

static void end(const struct kind *k)
{
	struct place *p = &places[k - kinds];

	if (!k->help)
		return;
	go(p, -1);
	pthread_join(p->helper, NULL);
}

/* The scheduler of Linux 6.18 counts a whole wait as one for a CPU now and then. */
static void one_wait(const struct kind *k, int which, int ms)
{
	struct place *p = &places[k - kinds];
	uint64_t before = now() - scheduler_count();

	if (k->help)
		go(p, ms);
	(which ? k->shorter : k->longer)(p, ms);
	p->in[which] += now() - scheduler_count() - before;
}

static void work(void)
{
	for (int i = 0; i < 1000000; i++)
		sink += (unsigned)i;
}

static void *wait_often(void *kind)
{
	const struct kind *k = kind;
	struct place *p = &places[k - kinds];
	uint64_t since = now();

	begin(k);
	for (int i = 0; i < rounds; i++) {
		one_wait(k, 0, 3 * part);
		one_wait(k, 1, part);
		work();
	}
	end(k);
	printf("in %s longer_%s %" PRIu64 "\nin %s shorter_%s %" PRIu64 "\nthread %s %" PRIu64 "\n",
	       k->name, k->name, p->in[0], k->name, k->name, p->in[1], k->name, now() - since);
	return NULL;
}

static int all_kinds(void)
{
	pthread_t threads[NUM_KINDS];

	for (int i = 0; i < NUM_KINDS; i++)
		pthread_create(&threads[i], NULL, wait_often, (void *)&kinds[i]);
	for (int i = 0; i < NUM_KINDS; i++)
		pthread_join(threads[i], NULL);
	return interrupted > 0;
}

/* ---- once --------------------------------------------------------------------------------- */

static atomic_int tids[NUM_KINDS];

static void *wait_once(void *kind)
{
	const struct kind *k = kind;

	tids[k - kinds] = (int)syscall(SYS_gettid);
	begin(k);
	one_wait(k, 0, 1000 * rounds);
	end(k);
	return NULL;
}

static long switches_of(int tid)
{
	char path[64], line[128];
	long n = -1, one;

	snprintf(path, sizeof path, "/proc/self/task/%d/status", tid);
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &one) == 1)
			n = one;
	if (f)
		fclose(f);
	return n;
}

static int all_once(void)
{
	pthread_t threads[NUM_KINDS];
	long before[NUM_KINDS];
	struct timespec two = {2, 0}, rest = time_of(1000 * (rounds - 3));

	for (int i = 0; i < NUM_KINDS; i++)
		pthread_create(&threads[i], NULL, wait_once, (void *)&kinds[i]);
	nanosleep(&two, NULL);
	for (int i = 0; i < NUM_KINDS; i++)
		before[i] = switches_of(tids[i]);
	nanosleep(&rest, NULL);
	for (int i = 0; i < NUM_KINDS; i++) {
		long after = switches_of(tids[i]);
		if (after >= 0) /* else it has ended: how long fsync takes is not known */
			printf("switches %s %ld\n", kinds[i].name, after - before[i]);
	}
	fflush(stdout);
	for (int i = 0; i < NUM_KINDS; i++)
		pthread_join(threads[i], NULL);
	return interrupted > 0;
}

/* ---- stopped -------------------------------------------------------------------------------
 *
 * The parent stops the child while it computes, and then for three times as long while it sleeps.
 */

static void stop(pid_t pid, int ms)
{
	struct timespec t = time_of(ms), moment = time_of(20);

	nanosleep(&moment, NULL);
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	nanosleep(&t, NULL);
	kill(pid, SIGCONT);
}

static int64_t blocked(void)
{
	return (int64_t)(now() - scheduler_count()) - clock() * (1000000000 / CLOCKS_PER_SEC);
}

/* Until it was stopped: then the clock jumps, as it does if others run on its CPU or a virtual
 * machine does not run. Before, no system call is made, at whose end it could be stopped. */
static __attribute__((noinline)) uint64_t computes(void)
{
	uint64_t before = now(), after;
	int64_t began = blocked();

	for (;; before = after) {
		for (int i = 0; i < 100000; i++)
			sink += (unsigned)i;
		after = now();
		if (after - before > 1000000 && blocked() - began > (int64_t)part * 500000)
			return (uint64_t)(blocked() - began);
	}
}

static __attribute__((noinline)) uint64_t sleeps(void)
{
	struct timespec t = time_of(2 * part);
	uint64_t before = now() - scheduler_count();

	must(nanosleep(&t, NULL));
	return now() - scheduler_count() - before;
}

static int stopped_child(int go_on)
{
	uint64_t since = now(), computing = 0, sleeping = 0;

	prctl(PR_SET_NAME, "stopped");
	for (int i = 0; i < rounds; i++) {
		must(write(go_on, "c", 1));
		computing += computes();
		must(write(go_on, "s", 1));
		sleeping += sleeps();
	}
	printf("in stopped computes %" PRIu64 "\nin stopped sleeps %" PRIu64
	       "\nthread stopped %" PRIu64 "\n",
	       computing, sleeping, now() - since);
	fflush(stdout);
	return interrupted > 0;
}

static int stopped(void)
{
	int fds[2], status;
	char what;
	pid_t pid;

	if (pipe(fds) < 0 || (pid = fork()) < 0)
		return 2;
	if (pid == 0) {
		close(fds[0]);
		exit(stopped_child(fds[1]));
	}
	close(fds[1]);
	while (read(fds[0], &what, 1) == 1)
		stop(pid, what == 'c' ? part : 3 * part);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

/* ---- a crowd ------------------------------------------------------------------------------- */

static void *compute(void *name)
{
	uint64_t since = now();

	pthread_setname_np(pthread_self(), name);
	while (now() < since + (uint64_t)part * 1000000000u)
		work();
	uint64_t waited = scheduler_count();
	if (waited)
		printf("runnable %s %" PRIu64 "\n", (char *)name, waited);
	printf("thread %s %" PRIu64 "\n", (char *)name, now() - since);
	return NULL;
}

static int crowd(const char *root)
{
	struct timespec half = time_of(500L * part);
	pthread_t threads[MOST_THREADS];
	static char names[MOST_THREADS][NAME];
	int n = rounds < MOST_THREADS ? rounds : MOST_THREADS;
	for (int i = 0; i < n; i++) {
		snprintf(names[i], NAME, "crowd%d", i);
		pthread_create(&threads[i], NULL, compute, names[i]);
	}
	nanosleep(&half, NULL);
	if (root && chroot(root) < 0)
		return 2;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	rounds = argc > 2 ? atoi(argv[2]) : 0;
	part = argc > 3 ? atoi(argv[3]) : 0;
	if (rounds > 0 && strcmp(argv[1], "once") == 0)
		return all_once();
	if (part > 0 && strcmp(argv[1], "kinds") == 0)
		return all_kinds();
	if (part > 0 && strcmp(argv[1], "stopped") == 0)
		return stopped();
	if (part > 0 && strcmp(argv[1], "crowd") == 0)
		return crowd(argc > 4 ? argv[4] : NULL);
	fputs("usage: elapsed kinds ROUNDS MS | once SECONDS | stopped ROUNDS MS | crowd N SECONDS "
	      "[DIRECTORY]\n",
	      stderr);
	return 2;
}
