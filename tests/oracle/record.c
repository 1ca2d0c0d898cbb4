/* Exported from the test build of libhpcrun.so for tests/programs/record.c: a wrapper, as
 * a synchronous driver has them, that records at its caller's path. */
#include "runtime/csprof.h"

__attribute__((visibility("default"))) int oracle_record(uint64_t amount, uint32_t unwinds);

int oracle_record(uint64_t amount, uint32_t unwinds)
{
	/* volatile: a tail call would leave no frame of the wrapper's */
	volatile int r = csprof_record_metric_with_unwind(CSPROF_CPUTIME, amount, unwinds);
	return r;
}
