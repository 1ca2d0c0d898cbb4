/* What programs call by runtime/hpcrun.h. */
#include "runtime/csprof.h"
#include "runtime/process/regions.h"

#define HPCRUN_INTERFACE_ONLY
#include "runtime/hpcrun.h"

static int metric_new(const char *name, const char *unit)
{
	int id = csprof_metric_of_program(name, unit);
	return id < 0 ? -1 : id;
}

static int record(int metric, uint64_t amount, unsigned leave_out)
{
	enum { OURS = 2 }; /* csprof_record_metric_with_unwind, and this */
	if (metric < 0)
		return -1;
	return csprof_record_metric_with_unwind((uint32_t)metric, amount, leave_out + OURS) < 0 ? -1
												: 0;
}

static void region_begin(const char *name, void *cfa)
{
	csprof_region_begin(name, (uintptr_t)cfa);
}

__attribute__((visibility("default"), used))
const struct hpcrun_interface hpcrun_interface_1 = {.size = sizeof hpcrun_interface_1,
						    .metric_new = metric_new,
						    .record = record,
						    .region_begin = region_begin,
						    .region_end = csprof_region_end};
