/* Four threads with CPU times in the ratio 1:2:3:4.
 *
 *     shares MILLISECONDS     of CPU time of the first
 *
 * Prints for each thread its name, the nanoseconds of its CPU clock at its end, and those of them
 * in which it stood still: steps of its clock by more than MOST_STEP_NS. There the host had the
 * CPU, and no sample could be taken. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned sink;

enum { THREADS = 4, MOST_STEP_NS = 1000000 };

static uint64_t unit_ns, spent[THREADS], stood[THREADS];

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *burn(void *arg)
{
	uintptr_t part = (uintptr_t)arg;
	char name[16];

	snprintf(name, sizeof name, "part-%u", (unsigned)part);
	pthread_setname_np(pthread_self(), name);
	for (uint64_t now = cpu_now(), last = now; now < part * unit_ns; last = now) {
		for (unsigned i = 0; i < 5000; i++)
			sink += i;
		now = cpu_now();
		stood[part - 1] += now - last > MOST_STEP_NS ? now - last : 0;
	}
	spent[part - 1] = cpu_now();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	unit_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000;
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, burn, (void *)(i + 1)) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < THREADS; i++)
		printf("part-%d %llu %llu\n", i + 1, (unsigned long long)spent[i],
		       (unsigned long long)stood[i]);
	return 0;
}
