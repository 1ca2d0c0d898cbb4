/* Recursion of all kinds: a function that calls itself, two functions that call each other, and
 * recursion through inlined code; with an argument in two processes. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
volatile unsigned long sink;
#define NOINLINE __attribute__((noinline, noclone))
static inline __attribute__((always_inline)) void mix(long n)
{
	for (long i = 0; i < n; i++)
		sink = sink * 3 + 1;
}
NOINLINE long fib(long n)
{
	mix(200);
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
NOINLINE void odd(int n);
NOINLINE void even(int n)
{
	mix(2000000);
	if (n)
		odd(n - 1);
	sink++;
}
NOINLINE void odd(int n)
{
	mix(1000000);
	if (n)
		even(n - 1);
	sink++;
}
static inline __attribute__((always_inline)) void step(int n);
NOINLINE void inlined(int n)
{
	if (n)
		step(n - 1);
	sink++;
}
static inline __attribute__((always_inline)) void step(int n)
{
	mix(3000000);
	inlined(n);
}
int main(int argc, char **argv __attribute__((unused)))
{
	pid_t child = argc > 1 ? fork() : 1;
	if (!child)
		fib(24);
	else
		fib(26);
	even(9);
	even(4);
	inlined(12);
	if (child > 0 && argc > 1)
		waitpid(child, NULL, 0);
	return 0;
}
