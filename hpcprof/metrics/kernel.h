/* The part of a metric that was counted while the kernel ran: that of contexts whose code is in the
 * pseudo-module [kernel] (formats/identity/kernel.h). */
#ifndef HPCPROF_METRICS_KERNEL_H
#define HPCPROF_METRICS_KERNEL_H

#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

#include <stdbool.h>
#include <stdint.h>

/* All zeros is empty. */
struct kernel_part {
	uint64_t total;  /* of the values of all contexts in the kernel */
	uint64_t *under; /* [functions]: the same of those below a function, itself included; NULL
			    if the total is 0, as for measurements that do not tell user and kernel
			    apart */
};

bool kernel_part_module(const struct model *m, uint32_t module);

/* The sum of values ([contexts], exclusive) in the kernel. in_kernel ([contexts], or NULL) gets
 * them.
 */
uint64_t kernel_total(const struct model *m, const uint64_t *values, uint64_t *in_kernel);

/* Add up values ([contexts], exclusive). 0, or -1 and *e if memory ran out. */
int kernel_part(const struct model *m, const struct symbolized *c, const uint64_t *values,
		struct kernel_part *out, struct error *e);
void kernel_part_deinit(struct kernel_part *k);

#endif
