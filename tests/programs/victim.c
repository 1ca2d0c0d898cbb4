/* A program to be killed, which reports what it is doing.
 *
 *     victim FILE WAY MILLISECONDS [PLUGIN]...
 *
 * FILE becomes a struct page, which the killing process maps as well. WAY:
 *
 * run: threads that compute, load and unload the PLUGINs, make threads, and fork, until
 * it is killed (after MILLISECONDS, 0 for never, it exits with 3).
 * end: many call paths, MILLISECONDS of CPU time, then exit(0) with no thread except main.
 * segv, abort, exit_group: like run, but ends in this way after MILLISECONDS; the page then
 * contains the threads' clocks just before. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 8 };
enum doing { COMPUTING, LOADING, MAKING_A_THREAD, FORKING, ENDING };

/* tests/lib/check/kill.py reads this layout. */
struct page {
	_Atomic uint32_t ready; /* all threads run */
	uint32_t threads;       /* slots in use */
	uint64_t main_cpu_ns;   /* main's CPU clock when main() began */
	_Atomic uint32_t dying; /* cpu_ns below is the value just before the end */
	uint32_t reserved;
	struct slot {
		_Atomic uint32_t tid, doing;
		uint64_t since_ns; /* its CPU clock when `doing` was set */
		uint64_t cpu_ns;
		/* its CPU clock at its last look, and the longest time between two looks while it
		 * computed: more than a fraction of a period is caused by the host */
		uint64_t looked_ns, gap_ns;
	} slots[SLOTS];
};

static struct page *page;
static char **plugins;
static int num_plugins;
static clockid_t clocks[SLOTS];
static volatile unsigned sink;
static volatile int *volatile nowhere;

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void look(struct slot *s)
{
	uint64_t now = nanoseconds(CLOCK_THREAD_CPUTIME_ID);

	if (s->looked_ns && s->doing == COMPUTING && now - s->looked_ns > s->gap_ns)
		s->gap_ns = now - s->looked_ns;
	s->looked_ns = now;
}

static void say(unsigned slot, enum doing what)
{
	struct slot *s = &page->slots[slot];

	look(s);
	s->since_ns = s->looked_ns;
	atomic_store(&s->doing, what);
}

__attribute__((noinline)) static void spin(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

/* Each bit of `path` chooses between two call sites. */
__attribute__((noinline)) static void walk(unsigned path, unsigned depth)
{
	if (depth == 0)
		spin(300);
	else if (path & 1)
		walk(path >> 1, depth - 1);
	else {
		walk(path >> 1, depth - 1);
		sink++;
	}
	sink++;
}

/* Always new paths. */
static void compute(unsigned slot)
{
	static _Thread_local unsigned number;

	for (unsigned i = 0; i < 256; i++) {
		walk(number++ * 0x9E3779B9u, 24);
		if (i % 16 == 0)
			look(&page->slots[slot]);
	}
}

static void load(unsigned slot)
{
	for (int i = 0; i < num_plugins; i++) {
		say(slot, LOADING);
		void *plugin = dlopen(plugins[i], RTLD_NOW);
		say(slot, COMPUTING);
		if (!plugin)
			_exit(4);
		unsigned (*work)(unsigned) = (unsigned (*)(unsigned))dlsym(plugin, "plugin_work");
		sink += work(20000);
		say(slot, LOADING);
		dlclose(plugin);
		say(slot, COMPUTING);
	}
}

static void *short_thread(void *arg)
{
	spin(100000);
	return arg;
}

static void make_threads(unsigned slot)
{
	pthread_t thread;

	say(slot, MAKING_A_THREAD);
	int failed = pthread_create(&thread, NULL, short_thread, NULL);
	say(slot, COMPUTING);
	if (failed)
		_exit(4);
	spin(50000);
	pthread_join(thread, NULL);
}

static void make_children(unsigned slot)
{
	say(slot, FORKING);
	pid_t pid = fork();
	if (pid == 0) {
		spin(100000);
		_exit(0);
	}
	say(slot, COMPUTING);
	if (pid < 0)
		_exit(4);
	spin(100000);
	waitpid(pid, NULL, 0);
}

static void (*const work[])(unsigned) = {NULL, compute, compute, load, make_threads, make_children};

static void *do_work(void *arg)
{
	unsigned slot = (unsigned)(uintptr_t)arg;

	pthread_getcpuclockid(pthread_self(), &clocks[slot]);
	atomic_store(&page->slots[slot].tid, (uint32_t)syscall(SYS_gettid));
	for (;;)
		work[slot](slot);
	return NULL;
}

static void start_work(void)
{
	unsigned n = sizeof work / sizeof *work;
	pthread_t thread;

	for (unsigned i = 1; i < n; i++) {
		if (pthread_create(&thread, NULL, do_work, (void *)(uintptr_t)i) != 0)
			_exit(4);
		while (atomic_load(&page->slots[i].tid) == 0)
			sched_yield();
	}
	page->threads = n;
}

static void tell_clocks(void)
{
	for (unsigned i = 0; i < page->threads; i++)
		page->slots[i].cpu_ns = nanoseconds(clocks[i]);
	atomic_store(&page->dying, 1);
}

static void compute_for(unsigned ms)
{
	uint64_t until = nanoseconds(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * 1000000;

	while (nanoseconds(CLOCK_THREAD_CPUTIME_ID) < until)
		compute(0);
}

static void die_by(const char *way)
{
	tell_clocks();
	if (strcmp(way, "segv") == 0)
		*nowhere = 1;
	else if (strcmp(way, "abort") == 0)
		abort();
	else if (strcmp(way, "exit_group") == 0)
		syscall(SYS_exit_group, 3);
	else
		_exit(3);
}

static void make_page(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, sizeof *page) != 0)
		exit(4);
	page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		exit(4);
	close(fd);
}

int main(int argc, char **argv)
{
	uint64_t began = nanoseconds(CLOCK_THREAD_CPUTIME_ID);

	if (argc < 4) {
		fprintf(stderr, "usage: victim FILE WAY MILLISECONDS [PLUGIN]...\n");
		return 2;
	}
	alarm(100); /* in case nothing kills it */
	const char *way = argv[2];
	unsigned ms = (unsigned)atoi(argv[3]);
	plugins = argv + 4;
	num_plugins = argc - 4;
	make_page(argv[1]);
	page->main_cpu_ns = began;
	pthread_getcpuclockid(pthread_self(), &clocks[0]);
	page->slots[0].tid = (uint32_t)getpid();
	page->threads = 1;
	if (strcmp(way, "end") == 0) {
		atomic_store(&page->ready, 1);
		compute_for(ms);
		say(0, ENDING);
		tell_clocks();
		exit(0);
	}
	start_work();
	atomic_store(&page->ready, 1);
	if (ms == 0)
		for (;;)
			compute(0);
	compute_for(ms);
	die_by(way);
}
