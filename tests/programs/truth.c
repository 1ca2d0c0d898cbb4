/* Use CPU time in known shares and print what the shares really were.
 *
 *     truth MILLISECONDS      of CPU time
 *
 * The time is divided into cycles of exactly 1 ms of the thread's CPU clock, the
 * sampling period, so that a profiler with a fixed period always sees the same part of
 * the cycle:
 *
 *     even cycles   in_phase 0.4 ms, alternating 0.6 ms
 *     odd cycles    in_phase 0.4 ms, in_kernel   0.4 ms, steady 0.2 ms
 *
 * in total 40, 30, 20 and 10%. Each function adds up the clock at its end less the clock
 * at its start. Prints the name of each function and its nanoseconds. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t spent[4];
static volatile unsigned sink;
static int zero;

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#define STEP()                                                                                     \
	do {                                                                                       \
		for (unsigned i = 0; i < 2000; i++)                                                \
			sink += i;                                                                 \
	} while (0)

/* A function that works until the clock reaches end, and counts the time that it took. */
#define BURNER(name, index, work)                                                                  \
	__attribute__((noinline, noipa)) static uint64_t name(uint64_t start, uint64_t end)        \
	{                                                                                          \
		uint64_t now;                                                                      \
                                                                                                   \
		do {                                                                               \
			work;                                                                      \
			now = cpu_now();                                                           \
		} while (now < end);                                                               \
		spent[index] += now - start;                                                       \
		return now;                                                                        \
	}

static char buffer[65536];

BURNER(in_phase, 0, STEP())
BURNER(alternating, 1, STEP())
BURNER(in_kernel, 2, if (read(zero, buffer, sizeof buffer) < 0) exit(1))
BURNER(steady, 3, STEP())

int main(int argc, char **argv)
{
	uint64_t cycles = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	static const char *const names[] = {"in_phase", "alternating", "in_kernel", "steady"};

	zero = open("/dev/zero", O_RDONLY);
	if (zero < 0)
		return 1;

	uint64_t now = cpu_now(), base = now;
	for (uint64_t cycle = 0; cycle < cycles; cycle++, base += 1000000) {
		now = in_phase(now, base + 400000);
		if (cycle % 2 == 0) {
			now = alternating(now, base + 1000000);
		} else {
			now = in_kernel(now, base + 800000);
			now = steady(now, base + 1000000);
		}
	}
	for (int i = 0; i < 4; i++)
		printf("%s %llu\n", names[i], (unsigned long long)spent[i]);
	return 0;
}
