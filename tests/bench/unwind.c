/*
 * Measures the cost of walking a frame, in ns, with several unwinders and at several depths: a
 * signal is raised below a recursion, and the handler walks the stack. Prints a table. Run by
 * unwind.sh.
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/cpu/cpu.h"
#include "runtime/cpu/slots.h"
#include "runtime/process/state.h"
#include "runtime/sample/marks.h"

#define MAX_FRAMES 40000
#define STACK_SIZE ((size_t)64 << 20)

static void *addresses[MAX_FRAMES];
static uintptr_t stack_high;
static volatile int *raised; /* prevents tail calls in the recursion */

static int walk_own(const void *context, bool cached)
{
	static unsigned generation;
	struct csprof_cursor cur;
	uintptr_t low;
	int n = 0;

	csprof_cpu.from_context(&cur, context);
	low = cur.sp - 128;
	do {
		addresses[n++] = (void *)cur.ip;
		if (!cached) /* a cheap way to invalidate the cache */
			csprof_cpu.set_generation(++generation & 0xffff ? generation
									: ++generation);
	} while (n < MAX_FRAMES && csprof_cpu.step(&cur, low, stack_high) == CSPROF_STEP_OK);
	return n;
}

/* As sample/unwind.c does; nothing has changed since the last walk but the innermost frame. */
static int walk_memo(struct csprof_memo *memo, const void *context)
{
	static const store_ref nodes[MAX_FRAMES];
	struct csprof_cursor cur;
	uintptr_t low;
	uint32_t known = 0;
	int n = 0, r;

	csprof_cpu.from_context(&cur, context);
	low = cur.sp - 128;
	csprof_memo_begin(memo, true, 0, true);
	do {
		known = memo->met;
		if (known || (n > 0 && memo->usable && csprof_memo_meets(memo, &cur, &known)))
			break;
		addresses[n++] = (void *)cur.ip;
		csprof_memo_leaves(memo, &cur, false);
		r = csprof_cpu.step(&cur, low, stack_high);
		if (r == CSPROF_STEP_OK && csprof_is_slot(cur.ip))
			csprof_marks_resolve(memo, &cur);
		if (r == CSPROF_STEP_OK)
			csprof_memo_left(memo, &cur);
	} while (n < MAX_FRAMES && r == CSPROF_STEP_OK);
	csprof_memo_end(memo, &cur, known, low, stack_high);
	csprof_marks_put(memo, nodes, MAX_FRAMES);
	return n + (int)known;
}

static int walk_remembered(const void *context)
{
	static struct csprof_memo memo;

	return walk_memo(&memo, context);
}

/* The last method: the marks stay. */
static int walk_marked(const void *context)
{
	static struct csprof_memo memo;

	if (!memo.marks) {
		csprof_slots_want();
		csprof_cpu.set_generation(1);
		csprof_marks_begin(&memo);
	}
	return walk_memo(&memo, context);
}

static int walk_cached(const void *context)
{
	return walk_own(context, true);
}

static int walk_uncached(const void *context)
{
	return walk_own(context, false);
}

static int walk_unw_step(const void *context)
{
	unw_cursor_t cursor;
	unw_word_t ip;
	int n = 0;

	unw_init_local2(&cursor, (unw_context_t *)(uintptr_t)context, UNW_INIT_SIGNAL_FRAME);
	do {
		unw_get_reg(&cursor, UNW_REG_IP, &ip);
		addresses[n++] = (void *)ip;
	} while (n < MAX_FRAMES && unw_step(&cursor) > 0);
	return n;
}

static int walk_unw_step_uncached(const void *context)
{
	int n;

	unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_NONE);
	n = walk_unw_step(context);
	unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_GLOBAL);
	return n;
}

static int walk_unw_backtrace(const void *context)
{
	(void)context;
	return unw_backtrace(addresses, MAX_FRAMES);
}

/* libunwind also exports backtrace, so this is the C library's. */
static int (*glibc_backtrace)(void **, int);

static int walk_glibc(const void *context)
{
	(void)context;
	return glibc_backtrace(addresses, MAX_FRAMES);
}

static int walk_frame_pointers(const void *context)
{
	const ucontext_t *uc = context;
	uintptr_t bp = (uintptr_t)uc->uc_mcontext.gregs[REG_RBP];
	int n = 0;

	while (bp && bp < stack_high && n < MAX_FRAMES) {
		const uintptr_t *frame = (const uintptr_t *)bp;

		addresses[n++] = (void *)frame[1];
		if (frame[0] <= bp)
			break;
		bp = frame[0];
	}
	return n;
}

static const struct method {
	const char *name;
	int (*walk)(const void *context);
} methods[] = {
    {"libunwind unw_step, no cache", walk_unw_step_uncached},
    {"libunwind unw_step, cache", walk_unw_step},
    {"libunwind unw_backtrace", walk_unw_backtrace},
    {"glibc backtrace", walk_glibc},
    {"frame pointers", walk_frame_pointers},
    {"own recipes, cached", walk_cached},
    {"own recipes, not cached", walk_uncached},
    {"own recipes, remembered", walk_remembered},
    {"own recipes, marked", walk_marked},
};

static const struct method *current;
static double best;
static int frames;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The best of several rounds of about 20000 frames each. */
static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	frames = current->walk(context);
	best = 1e18;
	for (int round = 0; round < 5; round++) {
		int repeats = frames < 20000 ? 20000 / frames : 1;
		double start = now(), spent;

		for (int i = 0; i < repeats; i++)
			current->walk(context);
		spent = (now() - start) / repeats / frames;
		if (spent < best)
			best = spent;
	}
}

__attribute__((noinline)) static int even(int depth);

__attribute__((noinline)) static int odd(int depth)
{
	volatile char buffer[40];

	buffer[0] = (char)depth;
	if (depth == 0)
		return raise(SIGUSR1) + *raised;
	return even(depth - 1) * 3 + buffer[0];
}

__attribute__((noinline)) static int even(int depth)
{
	volatile int kept = depth;

	if (depth == 0)
		return raise(SIGUSR1) + *raised;
	return (depth & 1) ? odd(depth - 1) + kept : even(depth - 1) * 2 + kept;
}

static void *measure(void *unused)
{
	static const int depths[] = {10, 100, 1000, 5000, 20000};
	pthread_attr_t attr;
	void *low;
	size_t size;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	stack_high = (uintptr_t)low + size;
	printf("%-30s%8d%8d%8d%8d%8d\n", "ns a frame, at depth", 10, 100, 1000, 5000, 20000);
	for (size_t m = 0; m < sizeof(methods) / sizeof(methods[0]); m++) {
		current = &methods[m];
		printf("%-30s", current->name);
		for (size_t d = 0; d < sizeof(depths) / sizeof(depths[0]); d++) {
			even(depths[d]);
			printf("%8.1f", best);
			fflush(stdout);
		}
		printf("   (%d frames)\n", frames);
	}
	return unused;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	static volatile int zero;
	pthread_attr_t attr;
	pthread_t thread;

	/* nothing is counted in the tree, which does not exist */
	csprof_process.counts = (struct csprof_counts){CSP_NONE, CSP_NONE, CSP_NONE};
	raised = &zero;
	*(void **)&glibc_backtrace = dlsym(dlopen("libc.so.6", RTLD_NOW), "backtrace");
	if (!glibc_backtrace)
		return 1;
	glibc_backtrace(addresses, 1); /* loads libgcc_s */
	sigaction(SIGUSR1, &action, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	if (pthread_create(&thread, &attr, measure, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	return 0;
}
