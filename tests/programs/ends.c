/* What a process takes to end that has much memory: prints microseconds of CPU time that its parent
 * sees, and that were not on its clock at its last instruction.
 *
 *     ends KILOBYTES */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void child(size_t bytes, long long *last)
{
	volatile char *memory = malloc(bytes);

	for (size_t i = 0; memory && i < bytes; i += 4096)
		memory[i] = 1;
	*last = now();
	_exit(!memory);
}

int main(int argc, char **argv)
{
	long long *last =
	    mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc != 2 || last == MAP_FAILED)
		return 2;
	pid = fork();
	if (pid == 0)
		child((size_t)atol(argv[1]) * 1024, last);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
		return 2;
	printf("%lld\n", (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL +
			     usage.ru_utime.tv_usec + usage.ru_stime.tv_usec - *last);
	return 0;
}
