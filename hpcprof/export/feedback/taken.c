#include "hpcprof/export/feedback/taken.h"

#include "formats/identity/sources.h"

#include <stdlib.h>
#include <string.h>

static const struct model_module *module_of(const struct feedback *f, uint32_t context)
{
	return &f->m->modules.at[f->m->frames.at[model_frame_of(f->m, context)].module];
}

bool taken_in_script(const struct feedback *f, uint32_t context)
{
	return context >= MODEL_ROOTS && module_of(f, context)->is_source;
}

uint32_t taken_caller(const struct feedback *f, uint32_t context)
{
	do
		context = model_parent(f->m, context);
	while (taken_in_script(f, context));
	return context;
}

/* What the interpreter does in place of a function is not the code of a frame. */
static bool is_code(const struct feedback *f, uint32_t context)
{
	return strcmp(module_of(f, context)->name, CSP_SOURCE_INTERPRETER) != 0;
}

bool taken_find(struct feedback *f, const uint64_t *samples)
{
	uint32_t n = model_num_contexts(f->m);

	f->taken = calloc(n + 1, sizeof *f->taken);
	f->exact = calloc(n + 1, sizeof *f->exact);
	for (uint32_t i = MODEL_ROOTS; f->taken && f->exact && i < n; i++) {
		uint32_t native = taken_in_script(f, i) ? taken_caller(f, i) : i;
		if (!samples[i])
			continue;
		if (native != i && native >= MODEL_ROOTS && is_code(f, i))
			f->exact[native] += samples[i];
		else
			f->taken[i] += samples[i];
	}
	return f->taken && f->exact;
}
