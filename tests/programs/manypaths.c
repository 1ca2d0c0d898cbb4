/* Use MILLISECONDS of CPU time in as many calling contexts as possible, so that the trees are
 * large; then end by SIGKILL if requested, else with status 6.
 *
 *     manypaths MILLISECONDS [kill] */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEPTH = 24 };

static volatile unsigned sink;
static uint64_t random_state = 88172645463325252ull;

static unsigned choose(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state & 3;
}

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Four call sites: there are 4^DEPTH paths of DEPTH calls. */
__attribute__((noinline)) static unsigned descend(int left)
{
	unsigned r;

	if (left == 0) {
		for (int i = 0; i < 20000; i++)
			sink += i;
		return 1;
	}
	switch (choose()) {
	case 0:
		r = descend(left - 1) + 1;
		break;
	case 1:
		r = descend(left - 1) ^ 2;
		break;
	case 2:
		r = descend(left - 1) | 3;
		break;
	default:
		r = descend(left - 1) * 5;
	}
	sink += r;
	return r;
}

int main(int argc, char **argv)
{
	uint64_t until = cpu_now() + strtoull(argc > 1 ? argv[1] : "100", NULL, 10) * 1000000;

	while (cpu_now() < until)
		descend(DEPTH);
	if (argc > 2 && strcmp(argv[2], "kill") == 0)
		raise(SIGKILL);
	return 6;
}
