/* Contexts and their values. */
#include "db/import/import_internal.h"

#include "hpcprof/model/sum.h"

uint32_t import_frame(struct import *in, const struct import_place *p, bool call)
{
	struct model_function f = in->functions.at[p->function];
	const struct import_line *l = &in->lines.at[p->line];
	enum frame_role role = p->inlined ? FRAME_NAMED_INLINED_POINT : FRAME_NAMED_POINT;
	uint32_t id;

	f.file = l->file;
	id = model_function(in->m, &f);
	return id == UINT32_MAX ? id : model_named_frame(in->m, id, l->number, role + call);
}

/* Add the context of a place to the model, as a call site or as a point. */
static int enter(struct import *in, const struct import_place *p, bool call, uint32_t *out)
{
	uint32_t frame;

	if (*out != UINT32_MAX)
		return 0;
	frame = import_frame(in, p, call);
	*out = frame == UINT32_MAX ? frame : model_context(in->m, p->parent, frame);
	return *out == UINT32_MAX ? import_out_of_memory(in) : 0;
}

/* Contexts are read depth first, so a context's parent is the last one that was a level higher. */
int import_context(struct import *in, sqlite3_stmt *s)
{
	struct import_place p = {
	    .up = IMPORT_NO_PLACE, .parent = UINT32_MAX, .call = UINT32_MAX, .point = UINT32_MAX};
	int64_t row = sqlite3_column_int64(s, 0), depth = sqlite3_column_int64(s, 1);
	bool root = depth == 0, leaf = sqlite3_column_int64(s, 2) == row;

	if (depth < 0 || (uint64_t)depth > in->stack.len)
		return import_damaged(in, "context", row);
	in->stack.len = (size_t)depth;
	if (root) {
		p.call = import_number(s, 6) ? MODEL_PARTIAL_ROOT : MODEL_ROOT;
	} else {
		p.function = interner_find(&in->function_rows, import_number(s, 3));
		p.line = interner_find(&in->line_rows, import_number(s, 4));
		p.inlined = import_number(s, 5) != 0;
		p.up = in->stack.at[depth - 1];
		p.parent = in->places.at[p.up].call;
		if (p.function == INTERNER_NONE || p.line == INTERNER_NONE ||
		    p.parent == UINT32_MAX)
			return import_damaged(in, "context", row);
		if (!leaf && enter(in, &p, true, &p.call) != 0)
			return -1;
	}
	if (interner_add(&in->place_rows, (uint64_t)row) != in->places.len)
		return import_not_added(in, &in->place_rows, "context", s);
	return vec_push(&in->places, p) && vec_push(&in->stack, (uint32_t)in->places.len - 1)
		   ? 0
		   : import_out_of_memory(in);
}

int import_refuse_contexts(struct import *in)
{
	return error_set(in->e, ERROR_LIMIT,
			 "has more than %llu contexts for each of %zu metrics, which is more than "
			 "its bytes account for (choose a measurement of it, or fewer labels)",
			 (unsigned long long)in->contexts, in->m->metrics.len);
}

/* In the model each metric has room for values of all contexts. */
int import_check_contexts(struct import *in)
{
	uint64_t values = IMPORT_VALUES_LEAST + IMPORT_VALUES_EACH * (uint64_t)in->file.size;

	in->contexts = values / (in->m->metrics.len + 8); /* it takes about 8 itself */
	return in->places.len > in->contexts ? import_refuse_contexts(in) : 0;
}

/* Sampled values belong to the instruction, recorded ones to the call; returns and activations to
 * the function's entry, which is a place like an instruction. */
bool import_is_of_calls(const struct model_metric *k)
{
	return !(k->flags & (CSP_METRIC_ASYNC | MODEL_ACTIVATION_FLAGS));
}

int import_place_context(struct import *in, struct import_place *p, const struct model_metric *k,
			 uint32_t *out)
{
	bool call = import_is_of_calls(k);
	uint32_t *context = call ? &p->call : &p->point;
	int rc = enter(in, p, call, context);

	*out = *context;
	return rc;
}

int import_add(struct import *in, struct model_metric *k, uint32_t context, uint64_t events,
	       uint64_t samples)
{
	if (!model_reach(in->m, k, context))
		return import_out_of_memory(in);
	k->events[context] = sum_add(k->events[context], events, &in->m->saturated);
	k->samples[context] = sum_add(k->samples[context], samples, &in->m->saturated);
	return 0;
}

int import_exclusive(struct import *in, sqlite3_stmt *s)
{
	uint32_t metric = ids_get(&in->metrics, import_number(s, 0));
	uint32_t at = interner_find(&in->place_rows, import_number(s, 1)), context;
	struct model_metric *k;

	if (metric == UINT32_MAX || at == INTERNER_NONE || sqlite3_column_int64(s, 2) < 0 ||
	    sqlite3_column_int64(s, 3) < 0 || in->places.at[at].up == IMPORT_NO_PLACE)
		return import_damaged(in, "exclusive", sqlite3_column_int64(s, 1));
	k = &in->m->metrics.at[metric];
	if (import_place_context(in, &in->places.at[at], k, &context) != 0)
		return -1;
	return import_add(in, k, context, import_number(s, 2), import_number(s, 3));
}
