#include "hpcprof/model/labels.h"

#include "formats/identity/notes.h"

#include <string.h>

bool model_frame_is_label(const struct model *m, uint32_t frame)
{
	const struct model_frame *f = &m->frames.at[frame];

	return f->role >= FRAME_ADDRESSED &&
	       strcmp(m->modules.at[f->module].name, CSP_MODULE_LABEL) == 0;
}

/* Its name is "[label] KEY=VALUE": see load/epoch_index.c. */
bool model_label(const struct model *m, uint32_t function, struct model_label *out)
{
	const struct model_function *f = &m->functions.at[function];
	const char *key, *sign;

	if (!f->name || strncmp(f->name, CSP_MODULE_LABEL " ", sizeof CSP_MODULE_LABEL) != 0)
		return false;
	key = f->name + sizeof CSP_MODULE_LABEL;
	sign = strchr(key, '=');
	if (!sign)
		return false;
	*out = (struct model_label){key, (size_t)(sign - key), sign + 1, function, false};
	return true;
}

bool model_frame_label(const struct model *m, uint32_t frame, struct model_label *out)
{
	const struct model_frame *f = &m->frames.at[frame];

	if (!model_frame_is_label(m, frame) || !model_label(m, (uint32_t)(f->address >> 32), out))
		return false;
	out->number = (uint32_t)f->address != 0;
	return true;
}
