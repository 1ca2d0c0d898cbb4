#include "hpcprof/export/feedback/llvm_sample.h"

#include "hpcprof/export/feedback/sorted_locations.h"

#include <inttypes.h>

/* What is still to be written: a function or a location. */
struct task {
	uint32_t id;
	uint32_t depth;
	bool is_location;
};

struct sample_writer {
	FILE *out;
	const struct locations *l;
	struct sorted_locations sorted;
	VEC(struct task) tasks; /* the last one is the next */
};

static void put_place(const struct sample_writer *w, uint32_t depth, const struct location *at)
{
	uint64_t place = w->l->places.keys[at->place];

	for (uint32_t i = 0; i < depth; i++)
		putc(' ', w->out);
	fprintf(w->out, "%" PRIu64, place >> 32);
	if ((uint32_t)place)
		fprintf(w->out, ".%" PRIu32, (uint32_t)place);
	fputs(": ", w->out);
}

static const char *name_of(const struct sample_writer *w, uint32_t name)
{
	return strings_get(w->l->strings, name);
}

static bool put_location(struct sample_writer *w, const struct task *t)
{
	const struct locations *l = w->l;
	const struct location *at = &l->at.at[t->id];
	const struct sorted_range *targets = &w->sorted.targets_of[t->id];
	const struct sorted_range *inlined = &w->sorted.inlined_at[t->id];

	if (at->has_code) {
		put_place(w, t->depth, at);
		fprintf(w->out, "%" PRIu64, locations_count(l, at->count));
		for (uint32_t i = targets->first; i < targets->end; i++) {
			const struct location_target *to = &l->targets.at[w->sorted.targets[i]];
			uint64_t count = locations_count(l, to->count);
			if (count)
				fprintf(w->out, " %s:%" PRIu64, name_of(w, to->name), count);
		}
		putc('\n', w->out);
	}
	for (uint32_t i = inlined->end; i-- > inlined->first;)
		if (!vec_push(&w->tasks,
			      (struct task){.id = w->sorted.functions[i], .depth = t->depth}))
			return false;
	return true;
}

static bool put_function(struct sample_writer *w, const struct task *t)
{
	const struct locations *l = w->l;
	const struct location_function *f = &l->functions.at[t->id];
	const struct sorted_range *r = &w->sorted.locations_of[t->id];

	if (f->parent == LOCATION_NONE) {
		fprintf(w->out, "%s:%" PRIu64 ":%" PRIu64 "\n", name_of(w, f->name), f->samples,
			locations_count(l, f->head));
	} else {
		put_place(w, t->depth, &l->at.at[f->parent]);
		fprintf(w->out, "%s:%" PRIu64 "\n", name_of(w, f->name),
			locations_count(l, f->total));
	}
	for (uint32_t i = r->end; i-- > r->first;)
		if (!vec_push(&w->tasks, (struct task){.id = w->sorted.locations[i],
						       .depth = t->depth + 1,
						       .is_location = true}))
			return false;
	return true;
}

int llvm_sample_write(FILE *out, const struct locations *l, struct error *e)
{
	struct sample_writer w = {.out = out, .l = l};
	int rc = sorted_locations_init(&w.sorted, l, e);
	bool ok = true;

	for (uint32_t i = 0; rc == 0 && ok && i < w.sorted.num_top; i++) {
		ok = vec_push(&w.tasks, (struct task){.id = w.sorted.top[i]});
		while (ok && w.tasks.len) {
			struct task t = w.tasks.at[--w.tasks.len];
			ok = t.is_location ? put_location(&w, &t) : put_function(&w, &t);
		}
	}
	if (!ok)
		rc = error_memory(e, sizeof(struct task));
	vec_free(&w.tasks);
	sorted_locations_deinit(&w.sorted);
	return rc;
}
