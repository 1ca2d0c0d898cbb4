/* Use CPU time, for programs that are measured. */
#include <stdint.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

/* CPU time of the thread, in ns. */
static inline uint64_t cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

APART static void spin(double ms)
{
	static volatile unsigned spun;
	uint64_t end = cpu() + (uint64_t)(ms * 1e6);
	while (cpu() < end)
		for (int i = 0; i < 2000; i++)
			spun = spun + 1;
	spun = 0;
}
