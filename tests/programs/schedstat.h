#ifndef TESTS_PROGRAMS_SCHEDSTAT_H
#define TESTS_PROGRAMS_SCHEDSTAT_H

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* ns that this thread has waited for a CPU, by the scheduler's count; 0: not known. */
static uint64_t scheduler_count(void)
{
	char text[128] = "", path[] = "/proc/thread-self/schedstat";
	uint64_t ran, waited = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof text - 1) < 0 ||
	    sscanf(text, "%" SCNu64 " %" SCNu64, &ran, &waited) != 2)
		waited = 0;
	close(fd);
	return waited;
}

#endif
