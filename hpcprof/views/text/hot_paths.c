#include "hpcprof/views/text/hot_paths.h"

#include "hpcprof/metrics/attribute.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

struct folding {
	const struct model *m;
	const struct symbolized *code;
	struct hot_paths *out;
	uint32_t *folds;      /* per context: number of folds that its frames caused */
	VEC(uint32_t) log;    /* nodes folded into on the current path, in order */
	VEC(uint32_t) rounds; /* per node: rounds of its cycle on the current path */
};

static uint32_t label_of(const struct code_frame *f)
{
	return f->function << 1 | f->inlined;
}

static uint32_t label_at(const struct hot_paths *p, uint32_t node)
{
	return (uint32_t)p->nodes.keys[node];
}

/* If the path to node, extended by label, ends with the same functions twice: the node at the end
 * of the first time; else 0. The shortest cycle is used. */
static uint32_t fold_target(const struct hot_paths *p, uint32_t node, uint32_t label,
			    uint32_t *period)
{
	uint32_t back[2 * HOT_PATHS_LONGEST_CYCLE];
	uint32_t n = 0;

	for (uint32_t k = node; k > HOT_PATHS_PARTIAL_ROOT && n < 2 * HOT_PATHS_LONGEST_CYCLE - 1;
	     k = hot_paths_parent(p, k))
		back[n++] = k;
	/* back[0] is the end of the path. A cycle of length c repeats if the label is that of
	 * back[c - 1] and back[i] equals back[i + c] for i < c - 1 */
	for (uint32_t c = 1; c <= HOT_PATHS_LONGEST_CYCLE && 2 * c - 1 <= n; c++) {
		uint32_t i = 0;
		if (label_at(p, back[c - 1]) != label)
			continue;
		while (i < c - 1 && label_at(p, back[i]) == label_at(p, back[i + c]))
			i++;
		if (i == c - 1) {
			*period = c;
			return back[c - 1];
		}
	}
	return 0;
}

static bool add_node(struct folding *f, uint32_t parent, uint32_t label, uint32_t *out)
{
	*out = interner_add(&f->out->nodes, (uint64_t)parent << 32 | label);
	if (*out == INTERNER_NONE)
		return false;
	if (*out < f->out->info.len)
		return true;
	return vec_push(&f->out->info, (struct hot_path_node){0}) && vec_push(&f->rounds, 0);
}

static bool push(struct folding *f, uint32_t context, uint32_t label, uint32_t *at)
{
	uint32_t period = 0, target = fold_target(f->out, *at, label, &period);
	struct hot_path_node *info;

	if (!target)
		return add_node(f, *at, label, at);
	if (!vec_push(&f->log, target))
		return false;
	f->folds[context]++;
	info = &f->out->info.at[target];
	if (++f->rounds.at[target] + 1 > info->repeats)
		info->repeats = f->rounds.at[target] + 1;
	if (period > info->period)
		info->period = period;
	*at = target;
	return true;
}

static bool enter(struct folding *f, uint32_t context, const uint64_t *column)
{
	uint32_t frame = model_frame_of(f->m, context),
		 at = f->out->at[model_parent(f->m, context)];
	bool saturated = false;

	for (uint32_t k = f->code->first[frame + 1]; k > f->code->first[frame]; k--)
		if (!push(f, context, label_of(&f->code->frames.at[k - 1]), &at))
			return false;
	f->out->at[context] = at;
	f->out->info.at[at].exclusive =
	    sum_add(f->out->info.at[at].exclusive, column[context], &saturated);
	return true;
}

static void leave(struct folding *f, uint32_t context)
{
	for (; f->folds[context] && f->log.len; f->folds[context]--)
		f->rounds.at[f->log.at[--f->log.len]]--;
}

int hot_paths_fold(const struct model *m, const struct symbolized *c, const uint64_t *column,
		   struct hot_paths *out, struct error *e)
{
	struct folding f = {.m = m, .code = c, .out = out};
	uint32_t contexts = model_num_contexts(m), root = 0;
	struct attribute_walk w = {0};
	bool ok, saturated = false;

	memset(out, 0, sizeof *out);
	out->at = calloc(contexts, sizeof *out->at);
	f.folds = calloc(contexts, sizeof *f.folds);
	ok = out->at && f.folds && attribute_walk_begin(&w, m, e) == 0 &&
	     add_node(&f, HOT_PATHS_ROOT, HOT_PATHS_NO_FUNCTION << 1, &root) &&
	     add_node(&f, HOT_PATHS_PARTIAL_ROOT, HOT_PATHS_NO_FUNCTION << 1, &root);
	if (ok)
		out->at[MODEL_PARTIAL_ROOT] = HOT_PATHS_PARTIAL_ROOT;
	while (ok && attribute_walk_next(&w)) {
		if (w.enter)
			ok = enter(&f, w.context, column);
		else
			leave(&f, w.context);
	}
	for (uint32_t i = 0; ok && i < out->info.len; i++)
		out->info.at[i].inclusive = out->info.at[i].exclusive;
	for (uint32_t i = (uint32_t)out->info.len; ok && i-- > HOT_PATHS_PARTIAL_ROOT + 1;) {
		uint64_t *up = &out->info.at[hot_paths_parent(out, i)].inclusive;
		*up = sum_add(*up, out->info.at[i].inclusive, &saturated);
	}
	attribute_walk_end(&w);
	free(f.folds);
	vec_free(&f.log);
	vec_free(&f.rounds);
	if (ok)
		return 0;
	hot_paths_deinit(out);
	return error_memory(e, contexts * sizeof(uint32_t));
}

void hot_paths_deinit(struct hot_paths *p)
{
	if (!p)
		return;
	interner_deinit(&p->nodes);
	vec_free(&p->info);
	free(p->at);
	p->at = NULL;
}
