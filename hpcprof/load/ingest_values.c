/* Adds the values of instructions of a datafile to the model. */
#include "hpcprof/load/ingest_internal.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/model/values.h"

/* Where the ip is in the file of its module. Adds the frame, so that views that give addresses to
 * frames have one. */
static int find_place(struct ingest *in, struct epoch_index *p, uint64_t ip, uint32_t *module,
		      uint64_t *address)
{
	uint64_t step = epoch_index_step(p, in->m, in->path, ip, FRAME_POINT);
	struct model_frame f;

	if (step == UINT64_MAX)
		return ingest_out_of_memory(in, sizeof f);
	f = step & MODEL_STEP_FRAME ? in->m->frames.at[(uint32_t)step] : model_plain_frame(step);
	*module = f.module;
	*address = f.address;
	if (!(step & MODEL_STEP_FRAME) &&
	    model_frame(in->m, f.module, f.address, FRAME_POINT) == UINT32_MAX)
		return ingest_out_of_memory(in, sizeof f);
	return 0;
}

/* Of a kind that is code, 0 is no place. */
static int place_frequent(struct ingest *in, struct epoch_index *p, const struct reader_value *v,
			  uint32_t i, struct model_frequent *out)
{
	const struct reader_often *o = &v->top[i];

	*out = (struct model_frequent){o->value, o->count, o->error, MODEL_NO_MODULE};
	return model_value_is_code(v->what) && o->value
		   ? find_place(in, p, o->value, &out->module, &out->value)
		   : 0;
}

static int add_value(struct ingest *in, const struct reader_value *v)
{
	struct value_row row = {.place = {.what = v->what},
				.bytes = v->bytes,
				.count = v->count,
				.zeros = v->zeros,
				.same = v->same,
				.rest = v->rest};
	struct model_frequent frequent[CSP_VALUE_TOP];
	struct epoch_index *p;
	int rc = ingest_open_place(in, v->epoch, &p);

	if (rc == 0)
		rc = find_place(in, p, v->ip, &row.place.module, &row.place.address);
	for (uint32_t i = 0; rc == 0 && i < v->num_top; i++)
		rc = place_frequent(in, p, v, i, &frequent[i]);
	if (rc == 0 && !model_add_value(in->m, &row, frequent, v->num_top, reader_is_merged(in->r)))
		rc = ingest_out_of_memory(in, sizeof row);
	return rc;
}

int ingest_values(struct ingest *in)
{
	const struct reader_windows *w = reader_windows(in->r);
	int rc = 0;

	if (!w)
		return 0;
	model_add_windows(in->m, w);
	for (uint32_t i = 0; rc == 0 && in->options.values && i < reader_num_values(in->r); i++)
		rc = add_value(in, reader_value(in->r, i));
	return rc;
}
