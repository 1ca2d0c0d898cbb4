/*
 * Walks at every instruction of some scenarios: the processor's single-step flag raises SIGTRAP
 * after each. Random samples rarely hit a prologue or the middle of longjmp; this always does.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "runtime/cpu/cpu.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/walk.h"

#define TRAP_FLAG 0x100
#define MAX_FRAMES 256
#define MAX_STEPS 20000000UL
#define KEPT 12

static volatile int stepping;
static volatile double sink;
static char plugin_path[4096];

/* The frames from `outer` outwards, as they must be at every instruction. */
static struct csprof_frame expected[MAX_FRAMES];
static int expected_count;

static unsigned long steps, wrong; /* instructions; walks that failed or differ */
static unsigned long false_walks;  /* wrong walks that were reported as complete */
static struct wrong_walk {
	int rc, n;
	struct csprof_frame frames[4];
} kept[KEPT];

/* Whether the walk ends as expected: all frames from outer's caller on, and outer itself except for
 * its ip, which changes. */
static bool as_expected(const struct csprof_frame *frames, int n)
{
	const struct csprof_frame *tail = frames + n - expected_count;

	if (n < expected_count || tail[0].sp != expected[0].sp)
		return false;
	for (int i = 1; i < expected_count; i++) {
		if (tail[i].ip != expected[i].ip || tail[i].sp != expected[i].sp)
			return false;
	}
	return true;
}

static void trapped(int sig, siginfo_t *info, void *context)
{
	static struct csprof_frame frames[MAX_FRAMES];
	ucontext_t *uc = context;
	int rc, n;

	(void)sig;
	(void)info;
	if (!stepping || ++steps >= MAX_STEPS) {
		uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
		return;
	}
	uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	rc = walk_context(context, frames, MAX_FRAMES, &n);
	if (rc == CSPROF_STEP_END && as_expected(frames, n))
		return;
	false_walks += rc == CSPROF_STEP_END;
	if (wrong < KEPT) {
		kept[wrong].rc = rc;
		kept[wrong].n = n;
		memcpy(kept[wrong].frames, frames, sizeof(kept[wrong].frames));
	}
	wrong++;
}

/*
 * Step through `scenario`. Called through a pointer that the compiler does not know, so that it has
 * its own frame with a constant stack pointer.
 */
__attribute__((noinline)) static void outer(void (*scenario)(void))
{
	struct csprof_cursor cur;

	csprof_cpu_here(&cur);
	if (walk_from(&cur, expected, MAX_FRAMES, &expected_count) != CSPROF_STEP_END)
		abort();
	stepping = 1;
	raise(SIGTRAP);
	scenario();
	stepping = 0;
}

static void report(unsigned long allowed)
{
	print_message("# %lu instructions, %lu wrong walks, %lu of them false\n", steps, wrong,
		      false_walks);
	for (unsigned long k = 0; allowed < wrong && k < wrong && k < KEPT; k++) {
		print_message("# %d frames, last step %d\n", kept[k].n, kept[k].rc);
		for (int i = 0; i < 4 && i < kept[k].n; i++) {
			const struct csprof_frame *f = &kept[k].frames[i];
			Dl_info at = {0};

			if (f->ip == 0 || !dladdr((void *)f->ip, &at) || !at.dli_fname)
				at.dli_fname = "?";
			print_message("#   %#lx sp %#lx %s+%#lx (%s)\n", f->ip, f->sp, at.dli_fname,
				      f->ip - (uintptr_t)at.dli_fbase,
				      at.dli_sname ? at.dli_sname : "");
		}
	}
}

/* At most `allowed` walks per thousand may be wrong. */
static void step_through(void (*scenario)(void), unsigned long allowed)
{
	void (*volatile run)(void (*)(void)) = outer;

	steps = 0;
	wrong = false_walks = 0;
	run(scenario);
	report(steps * allowed / 1000);
	assert_true(steps > 100);
	assert_true(steps < MAX_STEPS);
	assert_true(wrong * 1000 <= steps * allowed);
}

static jmp_buf static_back;

__attribute__((noinline)) static int jump(int depth, jmp_buf *back)
{
	if (depth > 0)
		return jump(depth - 1, back) + 1;
	if (stepping)
		longjmp(*back, 1);
	return 0;
}

static void scenario_longjmp(void)
{
	jmp_buf back;

	if (setjmp(back) == 0)
		jump(5, &back);
	if (setjmp(static_back) == 0)
		jump(5, &static_back);
}

static void scenario_sigsetjmp(void)
{
	static sigjmp_buf back;

	if (sigsetjmp(back, 1) == 0 && stepping)
		siglongjmp(back, 1);
}

static void scenario_memory(void)
{
	static char from[9000], to[9000];
	static const size_t sizes[] = {0, 1, 3, 8, 17, 33, 64, 100, 200, 300, 1000, 4097, 8999};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t volatile n = sizes[i];

		memcpy(to, from, n);
		memmove(to, to + 1, n);
		memset(from, (int)i, n);
		sink = (memcmp(from, to, n) < 0) + (double)strlen(to) + (strchr(to, 3) != NULL);
	}
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void scenario_sort(void)
{
	int numbers[40];

	for (int i = 0; i < 40; i++)
		numbers[i] = i * 7919 % 41;
	qsort(numbers, 40, sizeof(numbers[0]), compare);
}

static void scenario_print(void)
{
	char text[200];

	snprintf(text, sizeof(text), "%d %s %f %a", 42, "text", 0.1, 0.3);
	sink = text[1];
}

static void scenario_malloc(void)
{
	void *blocks[20];

	for (size_t i = 0; i < 20; i++)
		blocks[i] = malloc(i * i * i * 100 + 1);
	for (size_t i = 0; i < 20; i++)
		free(blocks[i]);
}

static void on_signal(int sig)
{
	(void)sig;
	raise(SIGTRAP); /* a handler begins with the flag cleared */
	sink = (double)strlen(plugin_path);
}

static void scenario_signal(void)
{
	raise(SIGUSR1);
}

/* Binding through the loader's resolver, the loader itself, and back out. */
static void scenario_plugin(void)
{
	void *handle = dlopen(plugin_path, RTLD_LAZY | RTLD_LOCAL);
	double (*calls)(int);

	if (!handle)
		return;
	*(void **)&calls = dlsym(handle, "plugin_calls");
	if (calls)
		sink = calls(3);
	dlclose(handle);
	csprof_cpu.set_generation(1);
}

static int (*plugin_throw)(int);

static void scenario_throw(void)
{
	sink = plugin_throw(7);
}

static void test_longjmp(void **state)
{
	(void)state;
	step_through(scenario_longjmp, 0);
}

static void test_sigsetjmp(void **state)
{
	(void)state;
	step_through(scenario_sigsetjmp, 0);
}

static void test_memory(void **state)
{
	(void)state;
	step_through(scenario_memory, 0);
}

static void test_sort(void **state)
{
	(void)state;
	step_through(scenario_sort, 0);
}

static void test_print(void **state)
{
	(void)state;
	step_through(scenario_print, 0);
}

static void test_allocation(void **state)
{
	(void)state;
	step_through(scenario_malloc, 0);
}

static void test_signal(void **state)
{
	struct sigaction action = {.sa_handler = on_signal};

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	step_through(scenario_signal, 0);
}

static void test_plugin(void **state)
{
	void *handle = dlopen(plugin_path, RTLD_LAZY | RTLD_LOCAL);

	(void)state;
	assert_non_null(handle);
	dlclose(handle);
	csprof_cpu.set_generation(0);
	step_through(scenario_plugin, 0);
}

/*
 * Before libgcc jumps to a handler it replaces the saved registers in its own frame by the
 * handler's, and ends with a return to a landing pad, which no call precedes. The frames between
 * cannot be walked during this time.
 */
static void test_throw(void **state)
{
	void *handle = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);

	(void)state;
	assert_non_null(handle);
	*(void **)&plugin_throw = dlsym(handle, "plugin_throw");
	assert_non_null(plugin_throw);
	step_through(scenario_throw, 5);
	dlclose(handle);
}

static int setup(void **state)
{
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
	const char *build = getenv("BUILD");

	(void)state;
	snprintf(plugin_path, sizeof(plugin_path), "%s/programs/unwind_plugin",
		 build ? build : "build");
	return walk_learn_stack() || sigaction(SIGTRAP, &action, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_longjmp), cmocka_unit_test(test_sigsetjmp),
	    cmocka_unit_test(test_memory),  cmocka_unit_test(test_sort),
	    cmocka_unit_test(test_print),   cmocka_unit_test(test_allocation),
	    cmocka_unit_test(test_signal),  cmocka_unit_test(test_plugin),
	    cmocka_unit_test(test_throw),
	};

	return cmocka_run_group_tests_name("runtime_unwind_step", tests, setup, NULL);
}
