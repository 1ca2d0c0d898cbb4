/* Reads the process and the metrics from a datafile's trailer, and checks its account against its
 * trees. Part of adding a datafile to the model. */
#ifndef HPCPROF_LOAD_PROCESS_H
#define HPCPROF_LOAD_PROCESS_H

#include "hpcprof/model/model.h"

/* For those below, left_out (or NULL) has for each thread of the datafile whether it is not read.
 */

/* Fill *out, except for the sums, from PROCESS and THREADS of the trailer. For a merged file, which
 * has several processes, use process_describe_merged. */
int process_describe(struct model *m, const struct reader *r, const bool *left_out,
		     const char *path, struct model_process *out, struct error *e);

/* The same for row i of MERGED. */
int process_describe_merged(struct model *m, const struct reader *r, uint32_t i,
			    struct model_process *out, struct error *e);

/* Add what METRICS and ACCOUNT contain for metric v of the file (a V column). sum is the sum of its
 * values, as they are in the model. */
int process_describe_metric(struct model *m, const struct reader *r, const bool *left_out,
			    uint32_t v, const struct model_sum *sum, struct model_metric *metric,
			    struct error *e);

/* Check the equations of ACCOUNT against the trees. sums has the sum over the nodes of each metric
 * of the file, for each thread and then for trees without a thread. */
int process_check_account(const struct reader *r, const uint64_t *sums,
			  model_complaint_fn *complain, void *context, struct error *e);

#endif
