#include "hpcprof/metrics/kernel.h"

#include "formats/identity/kernel.h"
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

bool kernel_part_module(const struct model *m, uint32_t module)
{
	return strcmp(m->modules.at[module].name, CSP_MODULE_KERNEL) == 0;
}

static uint32_t function_row(void *context, const struct occurrence *o)
{
	(void)context;
	return o->code->function;
}

uint64_t kernel_total(const struct model *m, const uint64_t *values, uint64_t *in_kernel)
{
	uint32_t contexts = model_num_contexts(m);
	uint64_t total = 0;
	bool saturated = false;

	for (uint32_t c = MODEL_ROOTS; c < contexts; c++) {
		if (!values[c] || !kernel_part_module(m, m->frames.at[model_frame_of(m, c)].module))
			continue;
		if (in_kernel)
			in_kernel[c] = values[c];
		total = sum_add(total, values[c], &saturated);
	}
	return total;
}

int kernel_part(const struct model *m, const struct symbolized *c, const uint64_t *values,
		struct kernel_part *out, struct error *e)
{
	struct attributed_rows rows = {0};
	uint64_t *kept = calloc((size_t)model_num_contexts(m) + 1, sizeof *kept);
	int rc = 0;

	*out = (struct kernel_part){0};
	if (!kept)
		return error_memory(e, model_num_contexts(m) * sizeof *kept);
	out->total = kernel_total(m, values, kept);
	if (out->total) {
		const uint64_t *columns[] = {kept};
		rc = attribute_rows(m, c, columns, 1, c->functions.len, function_row, NULL, &rows,
				    e);
		free(rows.exclusive);
		out->under = rows.inclusive;
	}
	free(kept);
	return rc;
}

void kernel_part_deinit(struct kernel_part *k)
{
	free(k->under);
	*k = (struct kernel_part){0};
}
