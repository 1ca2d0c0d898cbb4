/* Code of one line that is executed unlike: a branch and what it leads to are on one line; and a
 * load is moved to before the branch that its line is behind. Comments in the assembly mark the
 * sides of the branches: the rare one is never executed, or one time in a million. */
#include <stdio.h>
#include <time.h>

enum { CALLS = 100000 };

static long numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};

#define RARE __asm__ volatile("# the rare side")

/* clang-format off */
__attribute__((noinline)) static long on_one_line(long n, const long *p)
{
	long sum = n * 7;
	sum ^= p[n & 7];
	if (p[n & 3] & 64) { RARE; return sum / 3 + p[5]; }
	__asm__ volatile("# the usual side");
	return sum + p[n & 5];
}
/* clang-format on */

/* Both sides load p[6]: gcc does it once, before. */
__attribute__((noinline)) static long moved(long n, const long *p)
{
	n = (n & 0xfffff) * 5 % 1000003;
	if (n < p[0]) {
		n = p[6];
		__asm__("# the rare side" : "+r"(n));
	} else {
		n += 2 * p[6];
		__asm__("# the usual side" : "+r"(n));
	}
	return n;
}

int main(int argc, char **argv)
{
	const long *p = numbers + (argv[0] ? argc - 1 : 0); /* gcc does not know it */
	long sum = 0;
	while (clock() < CLOCKS_PER_SEC)
		for (int i = 0; i < CALLS; i++)
			sum += on_one_line(sum, p) + moved(sum, p);
	return printf("%ld\n", sum) < 0;
}
