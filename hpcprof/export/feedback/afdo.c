#include "hpcprof/export/feedback/afdo.h"

#include "hpcprof/export/feedback/sorted_locations.h"

#include <string.h>

enum {
	AFDO_MAGIC = 0x67636461, /* "gcda" */
	AFDO_VERSION = 2,
	AFDO_NAMES = (int)0xaa000000,
	AFDO_FUNCTIONS = (int)0xac000000,
	AFDO_MODULES = (int)0xae000000,
	AFDO_INDIRECT_CALL = 7 /* the kind of a count of targets; gcc does not look at it */
};

struct afdo_writer {
	FILE *out;
	const struct locations *l;
	struct sorted_locations sorted;
	VEC(uint32_t) tasks; /* functions that are still to be written; the last one is the next */
};

static void put_word(const struct afdo_writer *w, uint32_t value)
{
	fwrite(&value, sizeof value, 1, w->out);
}

/* The lower half comes first, in any order of bytes. */
static void put_counter(const struct afdo_writer *w, uint64_t value)
{
	put_word(w, (uint32_t)value);
	put_word(w, (uint32_t)(value >> 32));
}

/* gcc skips the lengths of sections. */
static void put_section(const struct afdo_writer *w, int tag, uint32_t elements)
{
	put_word(w, (uint32_t)tag);
	put_word(w, 0);
	put_word(w, elements);
}

static void put_text(const struct afdo_writer *w, const char *text)
{
	size_t n = strlen(text) + 1;

	put_word(w, (uint32_t)n);
	fwrite(text, 1, n, w->out);
}

/* The first name is not used: gcc takes the number 0 for a mistake. */
static void put_names(const struct afdo_writer *w)
{
	put_section(w, AFDO_NAMES, w->l->num_names + 1);
	put_text(w, "");
	for (uint32_t i = 0; i < w->l->num_names; i++)
		put_text(w, strings_get(w->l->strings, i));
}

static uint32_t name_number(uint32_t name)
{
	return name + 1;
}

/* The line from that of the function << 16 | discriminator. */
static uint32_t offset_of(const struct afdo_writer *w, const struct location *at)
{
	uint64_t place = w->l->places.keys[at->place];

	return (uint32_t)(place >> 32) << 16 | ((uint32_t)place & 0xffff);
}

static void put_counts(const struct afdo_writer *w, const struct sorted_range *r)
{
	for (uint32_t i = r->first; i < r->end; i++) {
		uint32_t id = w->sorted.locations[i];
		const struct location *at = &w->l->at.at[id];
		const struct sorted_range *t = &w->sorted.targets_of[id];
		if (!at->has_code)
			continue;
		put_word(w, offset_of(w, at));
		put_word(w, t->end - t->first);
		put_counter(w, locations_count(w->l, at->count));
		for (uint32_t k = t->first; k < t->end; k++) {
			const struct location_target *to = &w->l->targets.at[w->sorted.targets[k]];
			put_word(w, AFDO_INDIRECT_CALL);
			put_counter(w, name_number(to->name));
			put_counter(w, locations_count(w->l, to->count));
		}
	}
}

static bool put_function(struct afdo_writer *w, uint32_t id)
{
	const struct location_function *f = &w->l->functions.at[id];
	const struct sorted_range *r = &w->sorted.locations_of[id];
	uint32_t counts = 0, calls = 0;

	for (uint32_t i = r->first; i < r->end; i++) {
		const struct sorted_range *inlined = &w->sorted.inlined_at[w->sorted.locations[i]];
		counts += w->l->at.at[w->sorted.locations[i]].has_code;
		calls += inlined->end - inlined->first;
	}
	if (f->parent == LOCATION_NONE)
		put_counter(w, locations_count(w->l, f->head));
	else
		put_word(w, offset_of(w, &w->l->at.at[f->parent]));
	put_word(w, name_number(f->name));
	put_word(w, counts);
	put_word(w, calls);
	put_counts(w, r);
	for (uint32_t i = r->end; i-- > r->first;) {
		const struct sorted_range *inlined = &w->sorted.inlined_at[w->sorted.locations[i]];
		for (uint32_t k = inlined->end; k-- > inlined->first;)
			if (!vec_push(&w->tasks, w->sorted.functions[k]))
				return false;
	}
	return true;
}

int afdo_write(FILE *out, const struct locations *l, struct error *e)
{
	struct afdo_writer w = {.out = out, .l = l};
	int rc = sorted_locations_init(&w.sorted, l, e);
	bool ok = true;

	if (rc == 0) {
		put_word(&w, AFDO_MAGIC);
		put_word(&w, AFDO_VERSION);
		put_word(&w, 0);
		put_names(&w);
		put_section(&w, AFDO_FUNCTIONS, w.sorted.num_top);
	}
	for (uint32_t i = 0; rc == 0 && ok && i < w.sorted.num_top; i++) {
		ok = vec_push(&w.tasks, w.sorted.top[i]);
		while (ok && w.tasks.len)
			ok = put_function(&w, w.tasks.at[--w.tasks.len]);
	}
	if (rc == 0)
		put_section(&w, AFDO_MODULES, 0);
	if (!ok)
		rc = error_memory(e, sizeof *w.tasks.at);
	vec_free(&w.tasks);
	sorted_locations_deinit(&w.sorted);
	return rc;
}
