/* Metrics that are the sum of others (MODEL_SUM). */
#ifndef HPCPROF_MODEL_SUMS_H
#define HPCPROF_MODEL_SUMS_H

#include "hpcprof/model/model.h"

/* REALTIME is the sum of these: the time of a thread (events/realtime.c of the runtime). */
#define MODEL_REALTIME "REALTIME"
enum { MODEL_REALTIME_PARTS = 3 };
extern const char *const model_realtime_parts[MODEL_REALTIME_PARTS];

/* Whether a metric is one of the parts: its place among them, or -1. */
int model_realtime_part(const struct model_metric *k);

/* Add REALTIME to a model that is finished otherwise, if it has all parts. 0, or -1 and *e. */
int model_add_sums(struct model *m, struct error *e);

#endif
