#include "hpcprof/export/address_map.h"

#include "formats/identity/notes.h"

#include <stdlib.h>
#include <string.h>

/* There are fewer than 2^32 frames, so that all stretches together are below 2^63. */
#define FAR (UINT64_C(1) << 30)
#define FIRST (UINT64_C(1) << 32)
#define PAGE UINT64_C(4096)

/* ---- what programs say of themselves ---------------------------------------------------- */

static bool is_label(const struct address_map *a, const struct model_frame *f)
{
	return strcmp(a->m->modules.at[f->module].name, CSP_MODULE_LABEL) == 0;
}

/* The number of a name, at least 1; UINT64_MAX if memory ran out. */
static uint64_t name_number(struct address_map *a, const char *at, size_t n)
{
	uint32_t id = strings_intern(a->names, at, n);

	if (id == UINT32_MAX)
		return UINT64_MAX;
	a->num_names = id >= a->num_names ? id + 1 : a->num_names;
	return id + UINT64_C(1);
}

/* Its ip: see formats/identity/notes.h. The name is "[region] NAME" or "[label] KEY=VALUE". */
static int make_note(struct address_map *a, const struct model_frame *f, uint64_t *ip,
		     struct error *e)
{
	const char *name = a->m->functions.at[f->address >> 32].name;
	bool label = is_label(a, f);
	size_t prefix = label ? sizeof CSP_MODULE_LABEL : sizeof CSP_MODULE_REGION;
	const char *text = strlen(name) > prefix ? name + prefix : "";
	size_t n = label ? strcspn(text, "=") : strlen(text);
	uint64_t first = name_number(a, text, n), second = 0;

	if (label && text[n])
		second = name_number(a, text + n + 1, strlen(text + n + 1));
	if (first == UINT64_MAX || second == UINT64_MAX)
		return error_memory(e, strlen(name));
	if (a->num_names >= CSP_NAMES)
		return error_set(e, ERROR_LIMIT, "more than %d names of regions and labels",
				 CSP_NAMES - 1);
	if (label)
		*ip = CSP_LABEL_BASE | (f->address & CSP_LABEL_NUMBER) << 2 * CSP_NOTE_SHIFT |
		      first << CSP_NOTE_SHIFT | second;
	else
		*ip = CSP_REGION_BASE | first << CSP_NOTE_SHIFT | (f->address & CSP_NOTE_DEPTH);
	return 0;
}

/* They are at the same address in all files. */
static bool add_module(struct address_map *a, const struct model_frame *f)
{
	uint64_t base = is_label(a, f) ? CSP_LABEL_BASE : CSP_REGION_BASE;
	size_t i = a->stretches.len;
	struct stretch s = {f->module, base, CSP_NOTE_EXTENT, base};

	while (i > 0 && a->stretches.at[i - 1].module != f->module)
		i--;
	return i > 0 || vec_push(&a->stretches, s);
}

/* A source file is one stretch. Its frames are neighbours. */
static int add_source(struct address_map *a, size_t i, struct error *e)
{
	const struct model_frame *f = &a->m->frames.at[i];
	struct stretch *last = a->stretches.len ? &a->stretches.at[a->stretches.len - 1] : NULL;
	struct stretch s = {.module = f->module};

	if (code_map_add(&a->sources, a->m, f, &a->named[i], &s.mapped, e) != 0)
		return -1;
	if (!last || last->module != f->module || last->mapped != s.mapped) {
		if (!vec_push(&a->stretches, s))
			return error_memory(e, sizeof s);
		last = &a->stretches.at[a->stretches.len - 1];
	}
	last->bytes = a->named[i] - last->mapped + 1;
	return 0;
}

static int add_note(struct address_map *a, size_t i, struct error *e)
{
	const struct model_frame *f = &a->m->frames.at[i];

	return add_module(a, f) ? make_note(a, f, &a->named[i], e)
				: error_memory(e, sizeof(struct stretch));
}

/* After the modules of all other frames. */
static int add_named(struct address_map *a, struct error *e)
{
	const struct model *m = a->m;

	a->named = malloc((m->frames.len + 1) * sizeof *a->named);
	a->names = strings_create();
	if (!a->named || !a->names)
		return error_memory(e, m->frames.len * sizeof *a->named);
	for (size_t i = 0; i < m->frames.len; i++) {
		const struct model_frame *f = &m->frames.at[i];
		if (f->role < FRAME_ADDRESSED)
			continue;
		if ((code_map_has(m, f) ? add_source(a, i, e) : add_note(a, i, e)) != 0)
			return -1;
	}
	return 0;
}

/* ---- addresses -------------------------------------------------------------------------- */

int address_map_make(struct address_map *a, const struct model *m, struct error *e)
{
	uint64_t next = FIRST, last = 0;
	struct stretch *at = NULL;
	bool named = false;

	*a = (struct address_map){.m = m};
	a->of = malloc((m->frames.len + 1) * sizeof *a->of);
	if (!a->of)
		return error_memory(e, m->frames.len * sizeof *a->of);
	for (size_t i = 0; i < m->frames.len; i++) {
		const struct model_frame *f = &m->frames.at[i];
		if (f->role >= FRAME_ADDRESSED) {
			named = true;
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
	return named ? add_named(a, e) : 0;
}

void address_map_deinit(struct address_map *a)
{
	vec_free(&a->stretches);
	free(a->of);
	free(a->named);
	code_map_deinit(&a->sources);
	strings_destroy(a->names);
	a->of = NULL;
	a->named = NULL;
	a->names = NULL;
}

uint64_t address_map_at(const struct address_map *a, uint32_t frame)
{
	const struct model_frame *f = &a->m->frames.at[frame];
	const struct stretch *s;

	if (f->role >= FRAME_ADDRESSED)
		return a->named[frame];
	s = &a->stretches.at[a->of[frame]];
	return f->address - s->low + s->mapped;
}
