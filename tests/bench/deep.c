/*
 * Work at a depth: a recursion of 40 calls at a time from a frame that has DEPTH others above
 * it. Run by depth.sh.
 *
 *	deep DEPTH TURNS
 */
#include <stdlib.h>

enum { CHANGING = 40, WORK = 200000 };

static volatile unsigned sink;

__attribute__((noinline)) static void changing(unsigned n)
{
	/* in a register: how fast a CPU adds to memory depends on what interrupted it before */
	unsigned sum = n;
	if (n)
		changing(n - 1);
	else
		for (unsigned i = 0; i < WORK; i++)
			__asm__ volatile("" : "+r"(sum) : "r"(i));
	sink += sum;
}

__attribute__((noinline)) static void staying(unsigned depth, unsigned turns)
{
	if (depth)
		staying(depth - 1, turns);
	else
		for (unsigned i = 0; i < turns; i++)
			changing(CHANGING);
	sink++;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	staying((unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]));
	return 0;
}
