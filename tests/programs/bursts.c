/* Alternately computes and waits, and reports what its measurement has done to it.
 *
 *     bursts COMPUTE_US WAIT_US TIMES
 *
 * Prints "events N switches N": the number of performance events that it has at the end, and the
 * number of times that it gave up its CPU in addition to once for each wait. */
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static long cpu_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

static int events(void)
{
	char to[64];
	int n = 0, dir;
	DIR *d = opendir("/proc/self/fd");
	if (!d)
		return -1;
	dir = dirfd(d);
	for (struct dirent *e; (e = readdir(d));) {
		ssize_t len = readlinkat(dir, e->d_name, to, sizeof to - 1);
		to[len > 0 ? len : 0] = '\0';
		n += strstr(to, "perf_event") != NULL;
	}
	closedir(d);
	return n;
}

static long switches(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return u.ru_nvcsw;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	long compute = atol(argv[1]), times = atol(argv[3]);
	struct timespec wait = {0, atol(argv[2]) * 1000};
	volatile unsigned spun = 0;
	long before = switches();
	for (long i = 0; i < times; i++) {
		for (long until = cpu_us() + compute; cpu_us() < until;)
			for (int k = 0; k < 1000; k++)
				spun++;
		if (wait.tv_nsec && ppoll(NULL, 0, &wait, NULL) < 0)
			perror("ppoll");
	}
	long more = switches() - before - (wait.tv_nsec ? times : 0);
	printf("events %d switches %ld\n", events(), more);
	return 0;
}
