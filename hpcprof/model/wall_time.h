/* When the processes of a model ran. */
#ifndef HPCPROF_MODEL_WALL_TIME_H
#define HPCPROF_MODEL_WALL_TIME_H

#include "hpcprof/model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs are apart if no process ran for longer than this between them. Between the processes of one
 * run that are measured may be some that are not. */
#define WALL_TIME_APART_NS UINT64_C(1000000000)

struct wall_time {
	uint64_t start_ns,
	    end_ns;      /* real time of the first start and the last end; 0, 0: not known */
	uint64_t ran_ns; /* of this, how long at least one process ran */
	size_t runs;     /* that are apart; 0: not known */
};

typedef bool wall_time_of_fn(void *context, const struct model_process *p);

/* Of the processes for which of returns true; NULL: of all. False if memory ran out. */
bool wall_time_measure(const struct model *m, wall_time_of_fn *of, void *context,
		       struct wall_time *out);

#endif
