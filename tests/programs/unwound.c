/* A handler that unwinds the stack with libc's backtrace, through the frame of its signal.
 *
 * Prints for each frame in this program its offset from the beginning of main: always the same,
 * with and without measurement. */
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

int main(void);
extern const char __executable_start[], etext[];

static void handler(int sig)
{
	void *frames[50];
	int n = backtrace(frames, 50);

	(void)sig;
	for (int i = 0; i < n; i++)
		if ((char *)frames[i] >= __executable_start && (char *)frames[i] < etext)
			printf("%ld\n", (long)((intptr_t)frames[i] - (intptr_t)main));
}

__attribute__((noinline)) static void interrupted(void)
{
	raise(SIGUSR1);
	__asm__ volatile("" ::: "memory"); /* prevents a tail call */
}

__attribute__((noinline)) static void caller(void)
{
	interrupted();
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	signal(SIGUSR1, handler);
	caller();
	return 0;
}
