/* A branch that goes to one side 99 of 100 times: to the left with the argument "left", to the
 * right with "right"; with "both", to the left if one function called it and to the right if
 * another did. Comments in the assembly mark its sides, and so show how a compiler laid it out. */
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PERCENT = 100, OFTEN = 99, CALLS = 100000 };

static unsigned long state = 1;

static inline unsigned take(void)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned)(state >> 33);
}

/* Work that takes longer than what a wrong guess of the branch costs. It is not in a loop: clang 14
 * does not see from counts in a loop how often it is entered. */
#define LEFT(factor) sum = sum * (factor) + 7, mark(&sum)
#define RIGHT(factor) sum = (sum ^ sum >> 9) * (factor), mark(&sum)
#define LEFT_SIDE(factor) LEFT(factor), LEFT(factor), LEFT(factor), LEFT(factor)
#define RIGHT_SIDE(factor) RIGHT(factor), RIGHT(factor), RIGHT(factor), RIGHT(factor)

static inline __attribute__((always_inline)) void mark(unsigned long *sum)
{
	__asm__ volatile("" : "+r"(*sum));
}

#ifndef KEEP /* or nothing, so that it may be inlined */
#define KEEP __attribute__((noinline))
#endif
KEEP unsigned long sides(unsigned taken, unsigned limit, unsigned long sum)
{
	if (taken < limit) {
		__asm__ volatile("# the left side" : "+r"(sum));
		LEFT_SIDE(0x9e3779b1);
		LEFT_SIDE(0x9e3779b9);
		LEFT_SIDE(0x9e3779c1);
	} else {
		__asm__ volatile("# the right side" : "+r"(sum));
		RIGHT_SIDE(0x85ebca77);
		RIGHT_SIDE(0x85ebca7f);
		RIGHT_SIDE(0x85ebca87);
	}
	__asm__ volatile("# the end" : "+r"(sum));
	return sum;
}

__attribute__((noinline)) unsigned long mostly_left(unsigned taken, unsigned long sum)
{
	return sides(taken, OFTEN, sum) + 1;
}

__attribute__((noinline)) unsigned long mostly_right(unsigned taken, unsigned long sum)
{
	return sides(taken, PERCENT - OFTEN, sum) + 2;
}

int main(int argc, char **argv)
{
	const char *side = argc > 1 ? argv[1] : "right";
	unsigned limit = strcmp(side, "left") == 0 ? OFTEN : PERCENT - OFTEN;
	int both = strcmp(side, "both") == 0;
	unsigned long sum = 0;
	while (clock() < CLOCKS_PER_SEC)
		for (int i = 0; i < CALLS; i++)
			if (!both)
				sum = sides(take() % PERCENT, limit, sum);
			else if (i % 2)
				sum = mostly_left(take() % PERCENT, sum);
			else
				sum = mostly_right(take() % PERCENT, sum);
	printf("%lu\n", sum);
	return 0;
}
