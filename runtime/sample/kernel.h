/* Whether a sample interrupted the kernel, and what the kernel was doing then. */
#ifndef RUNTIME_SAMPLE_KERNEL_H
#define RUNTIME_SAMPLE_KERNEL_H

#include "runtime/os/os.h"

#include <stdbool.h>
#include <stdint.h>

struct csprof_state;
struct csprof_sampler;

/* The kernel's count of the thread's CPU time in the kernel, and ours. */
struct csprof_kernel_time {
	bool began;
	uint64_t kernel, faults; /* its counts at the last sample */
	int64_t ahead;           /* ns that it has counted and no sample has shown */
};

/* The ip of the node that stands for what the kernel did (formats/identity/kernel.h), or 0: the
 * program was running. weight is that of the sample, by p's event. Call it once for each
 * sample. Async-signal-safe. */
uint64_t csprof_kernel_sample(struct csprof_state *state, struct csprof_sampler *p,
			      const void *ucontext, uint64_t weight);

#endif
