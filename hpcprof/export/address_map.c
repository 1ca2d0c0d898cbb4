#include "hpcprof/export/address_map.h"

#include <stdlib.h>

/* There are fewer than 2^32 frames, so that all stretches together are below 2^63. */
#define FAR (UINT64_C(1) << 30)
#define FIRST (UINT64_C(1) << 32)
#define PAGE UINT64_C(4096)

/* They are at the same address in all files. */
static bool add_region(struct address_map *a, size_t frame)
{
	struct stretch s = {a->m->frames.at[frame].module, CSP_REGION_BASE, CSP_NOTE_EXTENT,
			    CSP_REGION_BASE};

	if (!a->regions) {
		if (!vec_push(&a->stretches, s))
			return false;
		a->regions = (uint32_t)a->stretches.len;
	}
	a->of[frame] = a->regions - 1;
	return true;
}

int address_map_make(struct address_map *a, const struct model *m, struct error *e)
{
	uint64_t next = FIRST, last = 0;
	struct stretch *at = NULL; /* the last one with addresses */

	*a = (struct address_map){.m = m};
	a->of = malloc((m->frames.len + 1) * sizeof *a->of);
	if (!a->of)
		return error_memory(e, m->frames.len * sizeof *a->of);
	for (size_t i = 0; i < m->frames.len; i++) {
		const struct model_frame *f = &m->frames.at[i];
		if (f->role >= FRAME_ADDRESSED) {
			size_t last_one = at ? (size_t)(at - a->stretches.at) : 0;
			if (!add_region(a, i))
				return error_memory(e, sizeof(struct stretch));
			at = at ? &a->stretches.at[last_one] : NULL;
			continue;
		}
		if (!at || at->module != f->module || f->address - last > FAR) {
			struct stretch s = {f->module, f->address & ~(PAGE - 1), 0, 0};
			if (at)
				next = at->mapped + (at->bytes + 2 * PAGE) / PAGE * PAGE;
			s.mapped = next;
			if (!vec_push(&a->stretches, s))
				return error_memory(e, sizeof s);
			at = &a->stretches.at[a->stretches.len - 1];
		}
		last = f->address;
		at->bytes = last - at->low + 1;
		a->of[i] = (uint32_t)a->stretches.len - 1;
	}
	return 0;
}

void address_map_deinit(struct address_map *a)
{
	vec_free(&a->stretches);
	free(a->of);
	a->of = NULL;
}

uint64_t address_map_at(const struct address_map *a, uint32_t frame)
{
	const struct stretch *s = &a->stretches.at[a->of[frame]];
	const struct model_frame *f = &a->m->frames.at[frame];

	if (f->role < FRAME_ADDRESSED)
		return f->address - s->low + s->mapped;
	return CSP_REGION_BASE | address_map_name(f) << CSP_NOTE_SHIFT |
	       (f->address & CSP_NOTE_DEPTH);
}
