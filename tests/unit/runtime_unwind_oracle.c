/*
 * Samples of various kinds of work, each walked by our unwinder and by libunwind: the frames must
 * be the same.
 *
 * Some stacks cannot be walked: while libgcc installs the context of a C++ handler, it overwrites
 * the saved registers of its own frame with those of the handler, and rbp of the frames between is
 * lost. Both must stop after the same frames. Other stacks only our unwinder can walk, by guessing:
 * code without rules, such as the _init of a library while it is loaded. Then our walk must begin
 * with all frames that libunwind found.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/cpu/cpu.h"
#include "runtime/sample/unwind_libunwind.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/walk.h"

#define MAX_FRAMES 1024
#define SECONDS_OF_WORK 5.0
#define SECONDS_AT_MOST 60.0 /* on a busy machine */
#define PERIOD_NS 300000
#define MIN_SAMPLES 4000
#define ALT_STACK_SIZE (256 * 1024)
#define KEPT 8

static struct {
	unsigned long samples, identical, complete, neither, own_alone, different, frames;
	unsigned long per_work[16], alone_in_work[16];
} seen;

/* The first walks that differ, kept for the report. */
static struct difference {
	int rc, n, m;
	struct csprof_frame own[MAX_FRAMES], theirs[MAX_FRAMES];
} differences[KEPT];

static volatile int current_work;
static volatile double sink;
static unsigned generation;
static char plugin_path[4096];
static uintptr_t outermost; /* ip of the outermost frame */
static timer_t timer;

static bool same(const struct csprof_frame *a, const struct csprof_frame *b, int n)
{
	for (int i = 0; i < n; i++) {
		if (a[i].ip != b[i].ip || a[i].sp != b[i].sp || a[i].exact != b[i].exact)
			return false;
	}
	return true;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Set the time of the next sample, from the end of this one. The work gets as much time as the
 * walks took, so that it advances even if walks are expensive on this machine. */
static void next_sample(double walks)
{
	long rest = walks < 0.5 ? (long)(walks * 1e9) : 500000000;
	struct itimerspec times = {.it_value.tv_nsec = rest > PERIOD_NS ? rest : PERIOD_NS};

	timer_settime(timer, 0, &times, NULL);
}

static void sample(int sig, siginfo_t *info, void *context)
{
	static struct difference d;
	double start = seconds();

	(void)sig;
	(void)info;
	d.rc = walk_context(context, d.own, MAX_FRAMES, &d.n);
	d.m = csprof_libunwind_walk(context, d.theirs, MAX_FRAMES);
	seen.samples++;
	seen.per_work[current_work]++;
	seen.frames += (unsigned long)d.n;
	seen.complete += d.rc == CSPROF_STEP_END;
	if (d.n == d.m && same(d.own, d.theirs, d.n)) {
		seen.identical++;
	} else if (d.rc < 0 && d.m >= d.n && d.theirs[d.m - 1].ip != outermost &&
		   same(d.own, d.theirs, d.n)) {
		seen.neither++;
	} else if (d.rc == CSPROF_STEP_END && d.m > 0 && d.m < d.n &&
		   d.own[d.n - 1].ip == outermost && same(d.own, d.theirs, d.m)) {
		seen.own_alone++;
		seen.alone_in_work[current_work]++;
	} else {
		if (seen.different < KEPT)
			differences[seen.different] = d;
		seen.different++;
	}
	next_sample(seconds() - start);
}

__attribute__((noinline)) static int recurse(int depth)
{
	volatile int kept = depth;

	for (volatile int i = 0; i < 20; i++)
		;
	return depth == 0 ? kept : recurse(depth - 1) + kept;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b + recurse(2) * 0;
}

static void work_sort(void)
{
	int numbers[200];

	for (int i = 0; i < 200; i++)
		numbers[i] = i * 7919 % 211;
	qsort(numbers, 200, sizeof(numbers[0]), compare);
}

static void work_recursion(void)
{
	sink = recurse(200);
}

/* A variable stack size, and locals aligned to more than 16 bytes: gcc addresses the caller's frame
 * with a separate register (DRAP). */
__attribute__((noinline)) static double aligned(int n, double x)
{
	double local[8] __attribute__((aligned(64)));
	char *bytes = alloca((size_t)n);

	memset(bytes, n, (size_t)n);
	for (int i = 0; i < 8; i++)
		local[i] = x * i + bytes[i % n];
	sink = local[n % 8];
	return n <= 1 ? local[3] : aligned(n - 1, local[5]) + local[n % 8];
}

static void work_aligned(void)
{
	sink = aligned(60, 1.5);
}

static void work_math(void)
{
	double sum = 0;

	for (int i = 1; i < 200; i++)
		sum += sin(i) * pow(1.01, i) + exp(-i) + log(i) + fmod(i, 0.37);
	sink = sum;
}

static void work_memory(void)
{
	void *blocks[64];

	for (int i = 0; i < 64; i++) {
		blocks[i] = malloc((size_t)(i * i * 37 % 5000 + 1));
		if (blocks[i])
			memset(blocks[i], i, (size_t)(i * i * 37 % 5000 + 1));
	}
	for (int i = 0; i < 64; i++)
		free(blocks[i * 29 % 64]);
}

static void work_print(void)
{
	char text[256];

	for (int i = 0; i < 20; i++)
		snprintf(text, sizeof(text), "%d %s %f %a %ls", i, "text", i * 0.1, i * 0.3, L"w");
	sink = text[3];
}

static jmp_buf back;

__attribute__((noinline)) static int jump(int depth)
{
	if (depth > 0)
		return jump(depth - 1) + 1;
	if (sink > -HUGE_VAL) /* always, but the compiler does not know */
		longjmp(back, 1);
	return 0;
}

static void work_jump(void)
{
	for (volatile int i = 0; i < 10; i = i + 1) {
		if (setjmp(back) == 0)
			jump(20);
	}
}

static void on_signal(int sig)
{
	(void)sig;
	sink = recurse(30);
}

static void work_signal(void)
{
	raise(SIGUSR1); /* on the alternate stack */
	raise(SIGUSR2);
}

/* Loaded again, so that its calls are bound again. */
static void work_plugin(void)
{
	void *handle = dlopen(plugin_path, RTLD_LAZY | RTLD_LOCAL);
	double (*calls)(int);
	int (*throw)(int);

	if (!handle)
		abort();
	*(void **)&calls = dlsym(handle, "plugin_calls");
	*(void **)&throw = dlsym(handle, "plugin_throw");
	for (int i = 0; i < 3; i++)
		sink = calls(i);
	if (throw(30) != 1)
		abort();
	dlclose(handle);
	csprof_cpu.set_generation(++generation);
}

static void work_calls(void)
{
	for (int i = 0; i < 50; i++) {
		sink = (double)time(NULL) + (double)syscall(SYS_getppid);
		sink = atof("3.25e3") + (getenv("PATH") != NULL);
	}
}

enum { PLUGIN = 8 };
static const struct {
	const char *name;
	void (*run)(void);
} works[] = {
    {"recursion", work_recursion}, {"qsort", work_sort},     {"aligned frames", work_aligned},
    {"libm", work_math},           {"malloc", work_memory},  {"printf", work_print},
    {"longjmp", work_jump},        {"signals", work_signal}, [PLUGIN] = {"plugin", work_plugin},
    {"calls", work_calls},
};
#define WORKS (sizeof(works) / sizeof(works[0]))

static void handle(int sig, void (*handler)(int, siginfo_t *, void *), void (*simple)(int),
		   int flags)
{
	struct sigaction action = {.sa_flags = flags};

	if (handler)
		action.sa_sigaction = handler;
	else
		action.sa_handler = simple;
	assert_int_equal(sigaction(sig, &action, NULL), 0);
}

static void make_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
}

static void learn_stack(void)
{
	static struct csprof_frame frames[MAX_FRAMES];
	struct csprof_cursor cur;
	int n;

	assert_int_equal(walk_learn_stack(), 0);
	csprof_cpu_here(&cur);
	assert_int_equal(walk_from(&cur, frames, MAX_FRAMES, &n), CSPROF_STEP_END);
	outermost = frames[n - 1].ip;
}

static void print_frame(const char *which, const struct csprof_frame *f)
{
	Dl_info info = {0};

	if (f->ip == 0 || !dladdr((void *)f->ip, &info) || !info.dli_fname)
		info.dli_fname = "?";
	print_message("#   %s %#lx sp %#lx%s %s+%#lx (%s)\n", which, f->ip, f->sp,
		      f->exact ? " exact" : "", info.dli_fname, f->ip - (uintptr_t)info.dli_fbase,
		      info.dli_sname ? info.dli_sname : "");
}

static void report(void)
{
	print_message(
	    "# %lu samples: %lu identical, %lu given up by both after the same frames, "
	    "%lu given up by libunwind alone, %lu different; %lu complete, %.1f frames each\n",
	    seen.samples, seen.identical, seen.neither, seen.own_alone, seen.different,
	    seen.complete, (double)seen.frames / (double)seen.samples);
	for (size_t w = 0; w < WORKS; w++)
		print_message("#   %s: %lu samples, %lu given up by libunwind alone\n",
			      works[w].name, seen.per_work[w], seen.alone_in_work[w]);
	for (unsigned long k = 0; k < seen.different && k < KEPT; k++) {
		const struct difference *d = &differences[k];

		print_message("# difference %lu: own %d frames (step %d), libunwind %d\n", k + 1,
			      d->n, d->rc, d->m);
		for (int i = 0, shown = 0; (i < d->n || i < d->m) && shown < 6; i++) {
			if (i < d->n && i < d->m && i > 0 && same(&d->own[i], &d->theirs[i], 1))
				continue;
			shown++;
			if (i < d->n)
				print_frame("own      ", &d->own[i]);
			if (i < d->m)
				print_frame("libunwind", &d->theirs[i]);
		}
	}
}

/* Whether there are samples, in all works: some are short beside the plugin's where loading it is
 * slow. */
static bool enough(void)
{
	for (size_t w = 0; w < WORKS; w++)
		if (seen.per_work[w] == 0)
			return false;
	return seen.samples >= MIN_SAMPLES;
}

static void test_same_frames(void **state)
{
	stack_t alternate = {.ss_sp = malloc(ALT_STACK_SIZE), .ss_size = ALT_STACK_SIZE};
	const char *build = getenv("BUILD");
	double start;

	(void)state;
	snprintf(plugin_path, sizeof(plugin_path), "%s/programs/unwind_plugin",
		 build ? build : "build");
	assert_int_equal(csprof_libunwind_load(), 0);
	learn_stack();
	assert_non_null(alternate.ss_sp);
	walk_stacks[1].low = (uintptr_t)alternate.ss_sp;
	walk_stacks[1].high = walk_stacks[1].low + ALT_STACK_SIZE;
	assert_int_equal(sigaltstack(&alternate, NULL), 0);
	handle(SIGUSR1, NULL, on_signal, SA_ONSTACK);
	handle(SIGUSR2, NULL, on_signal, 0);
	handle(SIGPROF, sample, NULL, SA_SIGINFO | SA_RESTART);
	make_timer();
	next_sample(0);
	for (start = seconds(); seconds() < start + SECONDS_OF_WORK ||
				(!enough() && seconds() < start + SECONDS_AT_MOST);) {
		for (size_t w = 0; w < WORKS; w++) {
			current_work = (int)w;
			works[w].run();
		}
	}
	timer_delete(timer);
	report();
	assert_true(seen.samples >= MIN_SAMPLES);
	assert_true(seen.different * 1000 <= seen.samples);
	/* How many samples are in the plugin's work, where libunwind gives up most often, depends
	 * on how fast the machine loads it. */
	assert_true((seen.own_alone - seen.alone_in_work[PLUGIN]) * 50 <= seen.samples);
	assert_true(seen.identical * 4 >= seen.samples * 3);
	assert_true(seen.complete * 100 >= seen.samples * 99);
	for (size_t w = 0; w < WORKS; w++)
		assert_true(seen.per_work[w] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same_frames),
	};

	return cmocka_run_group_tests_name("runtime_unwind_oracle", tests, NULL, NULL);
}
