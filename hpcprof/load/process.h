/* Reads the process and the metrics from a datafile's trailer, and checks its account against its
 * trees. Part of adding a datafile to the model. */
#ifndef HPCPROF_LOAD_PROCESS_H
#define HPCPROF_LOAD_PROCESS_H

#include "hpcprof/load/row_sums.h"
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

/* The rows of ACCOUNT by metric. */
struct account_rows {
	uint32_t *rows;  /* those of a metric, in the file's order, before those of the next */
	uint32_t *first; /* [metrics + 1]: where those of each begin */
};

/* To be freed in any case. 0, or -1 and *e if memory ran out. */
int process_find_account(const struct reader *r, struct account_rows *out, struct error *e);
void account_rows_free(struct account_rows *a);

/* Add what METRICS and ACCOUNT contain for metric v of the file (a V column). sum is the sum of its
 * values, as they are in the model. */
int process_describe_metric(struct model *m, const struct reader *r, const bool *left_out,
			    uint32_t v, const struct account_rows *account,
			    const struct model_sum *sum, struct model_metric *metric,
			    struct error *e);

/* Check the equations of ACCOUNT against the trees. sums has the sum over the nodes of each metric
 * of the file. If many do not agree, the rest are counted. */
int process_check_account(const struct reader *r, const struct row_sums *sums,
			  model_complaint_fn *complain, void *context, struct error *e);

#endif
