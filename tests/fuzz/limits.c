#include "tests/fuzz/limits.h"

#include <math.h>
#include <sanitizer/allocator_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int limits_target(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* CPU time in ns, and bytes. The most that is known is 0.2 s, 1 us per byte, and 150 bytes of
 * memory per byte; the bases are for machines that are slow or busy. */
static const uint64_t time_base = 2000000000, time_per_byte = 10000;
static const uint64_t memory_base = 128 << 20, memory_per_byte = 500;

/* What the fuzzer looks at beside the code that ran: an input that takes more per byte than any
 * before it is kept and changed further, so that the search goes to where work is not linear. */
enum { STEPS = 4, LEVELS = 64 * STEPS }; /* of a doubling */
static uint8_t time_levels[LEVELS] __attribute__((section("__libfuzzer_extra_counters")));
static uint8_t memory_levels[LEVELS] __attribute__((section("__libfuzzer_extra_counters")));

static size_t bytes_read;
static int64_t in_use, most; /* of memory; some was there before it was counted */

static void count(const volatile void *p, size_t n)
{
	int64_t now = __atomic_add_fetch(&in_use, (int64_t)n, __ATOMIC_RELAXED);

	(void)p;
	if (now > most)
		most = now;
}

static void uncount(const volatile void *p)
{
	if (p)
		__atomic_sub_fetch(&in_use, (int64_t)__sanitizer_get_allocated_size(p),
				   __ATOMIC_RELAXED);
}

static uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void limits_read(size_t bytes)
{
	bytes_read = bytes;
}

static void hold(const char *what, uint64_t used, uint64_t base, uint64_t per_byte, uint8_t *levels)
{
	uint64_t limit = base + bytes_read * per_byte;

	levels[(int)(STEPS * log2(1 + (double)used / (double)(bytes_read + 256)))] = 1;
	if (used <= limit)
		return;
	fprintf(stderr, "limits: %llu %s for %zu bytes; the limit is %llu\n",
		(unsigned long long)used, what, bytes_read, (unsigned long long)limit);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static int counts;
	uint64_t begin;
	int64_t before;

	if (!counts)
		counts = __sanitizer_install_malloc_and_free_hooks(count, uncount);
	bytes_read = n;
	begin = cpu_time();
	before = most = in_use;
	limits_target(bytes, n);
	hold("ns", cpu_time() - begin, time_base, time_per_byte, time_levels);
	hold("bytes of memory", (uint64_t)(most - before), memory_base, memory_per_byte,
	     memory_levels);
	return 0;
}
