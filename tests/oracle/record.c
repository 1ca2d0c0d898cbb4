/* Exported from the test build of libhpcrun.so for tests/programs/record.c: a wrapper like those
 * of a synchronous driver, which records at the path of its caller. */
#include "runtime/csprof.h"

__attribute__((visibility("default"))) int oracle_record(uint64_t amount, uint32_t unwinds);

int oracle_record(uint64_t amount, uint32_t unwinds)
{
	int metric = csprof_metric_of_program("RECORDED", "count");
	/* volatile: a tail call would remove the frame of the wrapper */
	volatile int r = csprof_record_metric_with_unwind((uint32_t)metric, amount, unwinds);
	return r;
}
