/* What a datafile's trailer says about its process and its metrics, and whether its
 * account agrees with its trees. Part of adding a datafile to the model. */
#ifndef HPCPROF_PROCESS_H
#define HPCPROF_PROCESS_H

#include "hpcprof/model.h"

/* Fill *out, all but the sums, from the trailer's PROCESS and THREADS. Not for a file that was
 * merged, which has several of them: process_describe_merged. */
int process_describe(struct model *m, const struct reader *r, const char *path,
		     struct model_process *out, struct error *e);

/* The same for row i of MERGED. */
int process_describe_merged(struct model *m, const struct reader *r, uint32_t i,
			    struct model_process *out, struct error *e);

/* Add what METRICS and ACCOUNT say about metric v of the file (a V column), whose values, as
 * they are in the model, sum up to sum. */
int process_describe_metric(struct model *m, const struct reader *r, uint32_t v,
			    const struct model_sum *sum, struct model_metric *metric,
			    struct error *e);

/* Hold the equations of ACCOUNT against the trees. sums holds, per thread and then
 * for trees without a thread, the sum of each metric of the file over the nodes. */
int process_check_account(const struct reader *r, const uint64_t *sums,
			  model_complaint_fn *complain, void *context, struct error *e);

#endif
