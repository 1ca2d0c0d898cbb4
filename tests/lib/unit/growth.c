#include "tests/lib/unit/growth.h"

#include "tests/lib/unit/cmocka_all.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* With a sanitizer the times are not those of the reader, and its errors show in an input that is
 * not as large, too: there is one. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_SANITIZER
#endif
#ifdef WITH_SANITIZER
enum { SMALLEST = 32 << 10, POINTS = 1, ROUNDS = 1, SANITIZED = 1 };
#else
enum { SMALLEST = 1 << 10, POINTS = 11, ROUNDS = 3, SANITIZED = 0 };
#endif
#define SLOPE_MOST 1.1
#define MEMORY_MOST 256.0 /* bytes for a byte of input */

/* cmocka goes on with the tests after these, in a child, too. */
static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGABRT};

/* What a process took. The memory is what it needed beyond that of its input, and at least a
 * page's. */
struct taken {
	double bytes, seconds, memory;
	int done;
};

static double memory_now(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return 1024.0 * (double)u.ru_maxrss;
}

static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct taken measure(size_t bytes, growth_prepare *prepare, growth_run *run, void *context)
{
	struct taken t = {0};
	int to[2];

	fflush(NULL);
	assert_int_equal(pipe(to), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
			signal(caught[i], SIG_DFL);
		t.bytes = (double)prepare(context, bytes);
		t.memory = memory_now();
		t.seconds = cpu_now();
		run(context);
		t.seconds = cpu_now() - t.seconds;
		t.memory = memory_now() - t.memory;
		if (t.memory < 4096)
			t.memory = 4096;
		t.done = 1;
		_exit(write(to[1], &t, sizeof t) == sizeof t ? 0 : 1);
	}
	close(to[1]);
	ssize_t n = read(to[0], &t, sizeof t);
	close(to[0]);
	waitpid(child, NULL, 0);
	assert_true(n == sizeof t && t.done);
	return t;
}

/* The slope of the line that fits the points from first on best. */
static double slope(const struct taken *t, int first, int memory)
{
	double n = POINTS - first, sx = 0, sy = 0, sxx = 0, sxy = 0;

	for (int i = first; i < POINTS; i++) {
		double x = log(t[i].bytes), y = log(memory ? t[i].memory : t[i].seconds);
		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
	}
	return POINTS > 1 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : 0;
}

/* Keep the less of what two runs with the same input took: the rest is not of the reader. */
static void keep_less(struct taken *t, const struct taken *other)
{
	if (!t->done || other->seconds < t->seconds)
		t->seconds = other->seconds;
	if (!t->done || other->memory < t->memory)
		t->memory = other->memory;
	t->bytes = other->bytes;
	t->done = 1;
}

void growth_is_linear(const char *name, growth_prepare *prepare, growth_run *run, void *context)
{
	growth_is_linear_within(MEMORY_MOST, name, prepare, run, context);
}

void growth_is_linear_within(double memory, const char *name, growth_prepare *prepare,
			     growth_run *run, void *context)
{
	struct taken t[POINTS] = {0};
	bool linear = false;

	for (int round = 0; round < ROUNDS && !linear; round++) {
		for (int i = 0; i < POINTS; i++) {
			struct taken one = measure((size_t)SMALLEST << i, prepare, run, context);
			keep_less(&t[i], &one);
		}
		linear = slope(t, 0, 0) <= SLOPE_MOST && slope(t, 0, 1) <= SLOPE_MOST &&
			 t[POINTS - 1].memory <= memory * t[POINTS - 1].bytes;
	}
	printf("# %s: %.0f bytes in %.1f ms and %.1f MB; slopes %.2f and %.2f, of the upper half "
	       "%.2f and %.2f\n",
	       name, t[POINTS - 1].bytes, 1e3 * t[POINTS - 1].seconds, t[POINTS - 1].memory / 1e6,
	       slope(t, 0, 0), slope(t, 0, 1), slope(t, POINTS / 2, 0), slope(t, POINTS / 2, 1));
	assert_true(linear || SANITIZED);
}
