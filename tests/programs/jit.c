/* Code that a program makes at run time, and removes again:
 *
 *     jit MILLISECONDS
 *
 * Writes two functions that keep frame pointers, as run-time compilers do, into anonymous memory,
 * runs them repeatedly, and unmaps them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	static const unsigned char loop[] = {
	    0x55, 0x48, 0x89, 0xe5,    /* outer: push %rbp; mov %rsp,%rbp */
	    0xe8, 0x02, 0,    0,    0, /* call inner */
	    0x5d, 0xc3,                /* pop %rbp; ret */
	    0x55, 0x48, 0x89, 0xe5,    /* inner: push %rbp; mov %rsp,%rbp */
	    0x89, 0xf9, 0xff, 0xc9,    /* mov %edi,%ecx; 1: dec %ecx */
	    0x75, 0xfc, 0x5d, 0xc3,    /* jnz 1b; pop %rbp; ret */
	};
	uint64_t until = cpu_now() + (uint64_t)(argc > 1 ? atoi(argv[1]) : 100) * 1000000;
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 1;
	memcpy(code, loop, sizeof loop);
	while (cpu_now() < until)
		((void (*)(int))code)(100000);
	munmap(code, 4096);
	puts("done");
	return 0;
}
