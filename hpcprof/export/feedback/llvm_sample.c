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
	VEC(uint32_t) callers;  /* locations */
};

static void put_place(const struct sample_writer *w, const struct location *at)
{
	uint64_t place = w->l->places.keys[at->place];

	fprintf(w->out, "%" PRIu64, place >> 32);
	if ((uint32_t)place)
		fprintf(w->out, ".%" PRIu32, (uint32_t)place);
}

static void begin_line(const struct sample_writer *w, uint32_t depth, const struct location *at)
{
	for (uint32_t i = 0; i < depth; i++)
		putc(' ', w->out);
	put_place(w, at);
	fputs(": ", w->out);
}

static const char *name_of(const struct sample_writer *w, uint32_t name)
{
	return strings_get(w->l->strings, name);
}

/* The count and the targets of a location that has code. */
static void put_counts(const struct sample_writer *w, uint32_t depth, uint32_t location)
{
	const struct locations *l = w->l;
	const struct location *at = &l->at.at[location];
	const struct sorted_range *targets = &w->sorted.targets_of[location];

	if (!at->has_code)
		return;
	begin_line(w, depth, at);
	fprintf(w->out, "%" PRIu64, locations_count(l, at->count));
	for (uint32_t i = targets->first; i < targets->end; i++) {
		const struct location_target *to = &l->targets.at[w->sorted.targets[i]];
		uint64_t count = locations_count(l, to->count);
		if (count)
			fprintf(w->out, " %s:%" PRIu64, name_of(w, to->name), count);
	}
	putc('\n', w->out);
}

/* ---- what was inlined, below its caller -------------------------------------------- */

static bool put_location(struct sample_writer *w, const struct task *t)
{
	const struct sorted_range *inlined = &w->sorted.inlined_at[t->id];

	put_counts(w, t->depth, t->id);
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
		begin_line(w, t->depth, &l->at.at[f->parent]);
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

/* ---- each function by itself, with its context -------------------------------------- */

/* The names of the functions that it was called in and the places of the calls, outermost first. */
static bool put_context(struct sample_writer *w, uint32_t function)
{
	const struct locations *l = w->l;

	w->callers.len = 0;
	for (uint32_t at = l->functions.at[function].parent; at != LOCATION_NONE;
	     at = l->functions.at[l->at.at[at].function].parent)
		if (!vec_push(&w->callers, at))
			return false;
	putc('[', w->out);
	while (w->callers.len) {
		const struct location *at = &l->at.at[w->callers.at[--w->callers.len]];
		fprintf(w->out, "%s:", name_of(w, l->functions.at[at->function].name));
		put_place(w, at);
		fputs(" @ ", w->out);
	}
	fprintf(w->out, "%s]", name_of(w, l->functions.at[function].name));
	return true;
}

static bool has_counts(const struct sample_writer *w, uint32_t function)
{
	const struct location_function *f = &w->l->functions.at[function];
	const struct sorted_range *r = &w->sorted.locations_of[function];

	for (uint32_t i = r->first; i < r->end; i++)
		if (w->l->at.at[w->sorted.locations[i]].has_code)
			return true;
	return f->own || f->first;
}

static bool put_record(struct sample_writer *w, uint32_t function)
{
	const struct location_function *f = &w->l->functions.at[function];
	const struct sorted_range *r = &w->sorted.locations_of[function];

	if (!has_counts(w, function))
		return true;
	if (!put_context(w, function))
		return false;
	fprintf(w->out, ":%" PRIu64 ":%" PRIu64 "\n", f->own, locations_count(w->l, f->head));
	for (uint32_t i = r->first; i < r->end; i++)
		put_counts(w, 1, w->sorted.locations[i]);
	return true;
}

/* Then those that it called. */
static bool put_records(struct sample_writer *w, const struct task *t)
{
	const struct sorted_range *r = &w->sorted.locations_of[t->id];

	if (!put_record(w, t->id))
		return false;
	for (uint32_t i = r->end; i-- > r->first;) {
		const struct sorted_range *in = &w->sorted.inlined_at[w->sorted.locations[i]];
		for (uint32_t k = in->end; k-- > in->first;)
			if (!vec_push(&w->tasks, (struct task){.id = w->sorted.functions[k]}))
				return false;
	}
	return true;
}

/* ---- all ---------------------------------------------------------------------------- */

static bool put(struct sample_writer *w, const struct task *t)
{
	if (w->l->by_context)
		return put_records(w, t);
	return t->is_location ? put_location(w, t) : put_function(w, t);
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
			ok = put(&w, &t);
		}
	}
	if (!ok)
		rc = error_memory(e, sizeof(struct task));
	vec_free(&w.tasks);
	vec_free(&w.callers);
	sorted_locations_deinit(&w.sorted);
	return rc;
}
