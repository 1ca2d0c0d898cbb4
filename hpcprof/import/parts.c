/* The parts of a file: its threads. What was read is copied to the caller's arena, with the values
 * of a thread next to each other, so that a part is added without reading the file again. */
#include "hpcprof/import/parsed.h"

#include "formats/datafile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *parsed_process_path(const struct parsed *p, uint32_t process, const char *path,
				struct arena *a)
{
	size_t n = strlen(path) + 40;
	char *out = arena_alloc(a, n);

	if (out && p->processes.len > 1)
		snprintf(out, n, "%s (process %" PRIu64 ")", path, p->processes.at[process].pid);
	else if (out)
		snprintf(out, n, "%s", path);
	return out;
}

/* ---- copying ----------------------------------------------------------------------- */

static void *copy_array(struct arena *a, const void *at, size_t n, size_t size)
{
	void *out = arena_alloc(a, n * size + 1);

	if (out && n)
		memcpy(out, at, n * size);
	return out;
}

/* Copy an array of *from to the arena. */
#define COPY(to, from, a)                                                                          \
	((to)->at = copy_array(a, (from)->at, (from)->len, VEC_SIZE(from)),                        \
	 (to)->len = (from)->len, (to)->cap = 0, (to)->at != NULL)

/* Copies of texts by their pointers: equal texts are one. */
struct copied_texts {
	struct interner seen;
	VEC(const char *) copies;
	struct arena *a;
};

static bool copy_text(struct copied_texts *t, const char **text)
{
	uint32_t id;

	if (!*text)
		return true;
	id = interner_add(&t->seen, (uint64_t)(uintptr_t)*text);
	if (id == INTERNER_NONE)
		return false;
	if (id == t->copies.len) {
		const char *copy = arena_strndup(t->a, *text, strlen(*text));
		if (!copy || !vec_push(&t->copies, copy))
			return false;
	}
	if (id >= t->copies.len)
		return false;
	*text = t->copies.at[id];
	return true;
}

static bool copy_texts(struct parsed *p, struct copied_texts *t)
{
	bool ok = copy_text(t, &p->tool);

	for (size_t i = 0; ok && i < p->metrics.len; i++)
		ok = copy_text(t, &p->metrics.at[i].name) && copy_text(t, &p->metrics.at[i].unit);
	for (size_t i = 0; ok && i < p->modules.len; i++)
		ok = copy_text(t, &p->modules.at[i].name) &&
		     copy_text(t, &p->modules.at[i].build_id);
	for (size_t i = 0; ok && i < p->functions.len; i++)
		ok = copy_text(t, &p->functions.at[i].name) &&
		     copy_text(t, &p->functions.at[i].linkage_name) &&
		     copy_text(t, &p->functions.at[i].file) &&
		     copy_text(t, &p->functions.at[i].declared);
	for (size_t i = 0; ok && i < p->processes.len; i++)
		ok = copy_text(t, &p->processes.at[i].command);
	for (size_t i = 0; ok && i < p->threads.len; i++)
		ok = copy_text(t, &p->threads.at[i].name);
	return ok;
}

static int by_thread(const void *pa, const void *pb)
{
	const struct parsed_value *a = pa, *b = pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->metric > b->metric) - (a->metric < b->metric);
}

static struct parsed *copy_all(const struct parsed *p, struct arena *a)
{
	struct parsed *out = arena_alloc(a, sizeof *out);
	struct copied_texts texts = {.a = a};
	bool ok = out != NULL;

	if (ok) {
		out->tool = p->tool;
		out->flat = p->flat;
		out->saturated = p->saturated;
		ok = COPY(&out->metrics, &p->metrics, a) && COPY(&out->modules, &p->modules, a) &&
		     COPY(&out->functions, &p->functions, a) && COPY(&out->nodes, &p->nodes, a) &&
		     COPY(&out->processes, &p->processes, a) &&
		     COPY(&out->threads, &p->threads, a) && COPY(&out->values, &p->values, a) &&
		     copy_texts(out, &texts);
	}
	if (ok)
		qsort(out->values.at, out->values.len, sizeof *out->values.at, by_thread);
	interner_deinit(&texts.seen);
	vec_free(&texts.copies);
	return ok ? out : NULL;
}

/* ---- parts ------------------------------------------------------------------------- */

/* The values of a thread as a profile of their own, which has everything else in common with p. */
static const struct parsed *slice(const struct parsed *p, size_t *from, uint32_t thread,
				  struct arena *a)
{
	struct parsed *out = arena_alloc(a, sizeof *out);
	size_t end = *from;

	while (end < p->values.len && p->values.at[end].thread == thread)
		end++;
	if (out) {
		*out = *p;
		out->values.at = p->values.at + *from;
		out->values.len = end - *from;
	}
	*from = end;
	return out;
}

static int by_path(const void *pa, const void *pb)
{
	const struct importer_part *a = pa, *b = pb;
	int c = strcmp(a->path, b->path);

	if (c)
		return c;
	return a->thread != b->thread ? (a->thread < b->thread ? -1 : 1) : 0;
}

int parsed_parts(const struct parsed *p, const char *path, struct importer_part **out, size_t *n,
		 struct arena *a, struct error *e)
{
	const struct parsed *kept;
	size_t from = 0, threads = p->threads.len;
	bool ok = true;

	*n = 0;
	if (!threads)
		return 0;
	kept = copy_all(p, a);
	*out = kept ? arena_alloc(a, (threads + 1) * sizeof **out) : NULL;
	if (!*out)
		return error_memory(e, threads * sizeof **out);
	for (uint32_t i = 0; ok && i < threads; i++) {
		const struct parsed_thread *t = &kept->threads.at[i];
		struct importer_part part = {.path = parsed_process_path(kept, t->process, path, a),
					     .has_process = true,
					     .thread = i,
					     .name = t->name,
					     .tid = t->tid,
					     .has_values = true,
					     .data = slice(kept, &from, i, a)};
		ok = part.path && part.data;
		(*out)[(*n)++] = part;
	}
	if (ok && from < kept->values.len) {
		struct importer_part rest = {.path = parsed_process_path(kept, 0, path, a),
					     .has_process = true,
					     .thread = CSP_NONE,
					     .has_values = true,
					     .data = slice(kept, &from, PARSED_NONE, a)};
		ok = rest.path && rest.data;
		(*out)[(*n)++] = rest;
	}
	if (!ok)
		return error_memory(e, threads * sizeof **out);
	qsort(*out, *n, sizeof **out, by_path);
	return 0;
}
