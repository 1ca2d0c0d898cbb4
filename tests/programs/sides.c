/* A branch that goes to one side 99 of 100 times: to the left with the argument "left", else to the
 * right. Comments in the assembly mark its sides, and so show how a compiler laid it out. */
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

__attribute__((noinline)) unsigned long sides(unsigned taken, unsigned limit, unsigned long sum)
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

int main(int argc, char **argv)
{
	unsigned limit = argc > 1 && strcmp(argv[1], "left") == 0 ? OFTEN : PERCENT - OFTEN;
	unsigned long sum = 0;
	while (clock() < CLOCKS_PER_SEC)
		for (int i = 0; i < CALLS; i++)
			sum = sides(take() % PERCENT, limit, sum);
	printf("%lu\n", sum);
	return 0;
}
