/* Even and odd call each other, fib calls itself, step is a loop with inlined code in it. */
#include "work.h"

unsigned long sink;

static inline __attribute__((always_inline)) unsigned long twice(unsigned long x)
{
	return mix(mix(x));
}

__attribute__((noinline)) void step(long n)
{
	for (long i = 0; i < n; i++) {
		sink = twice(sink + 1);
		sink += n;
	}
}

__attribute__((noinline)) int odd(int n);

__attribute__((noinline)) int even(int n)
{
	step(n);
	return n ? odd(n - 1) + 1 : 0;
}

__attribute__((noinline)) int odd(int n)
{
	return n ? even(n - 1) + 1 : 0;
}

__attribute__((noinline)) int fib(int n)
{
	sink += n;
	return n < 2 ? n : fib(n - 1) + fib(n - 2) + 1;
}

int run(int argc)
{
	step(argc);
	return even(argc) + fib(argc);
}
