/* Collapsed stacks, as stackcollapse-perf.pl of FlameGraph writes them: a line for each call path,
 * "outermost;...;innermost VALUE". A frame that was inlined ends in "_[i]", and the kernel's in
 * "_[k]", which flamegraph.pl colours. */
#include "formats/identity/kernel.h"
#include "hpcprof/export/formats/formats.h"
#include "hpcprof/terminal/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(char) line_text;

struct folded_file {
	struct export_data *x;
	line_text begin;  /* the name of the part */
	line_text text;   /* the line so far */
	VEC(size_t) ends; /* of each level: how much of text is of its frame and those above */
	line_text inner;  /* the inner end of a line with frames that are left out */
};

/* A semicolon ends a frame's name. */
static bool add_name(line_text *text, const char *name, const char *mark)
{
	size_t n = strlen(name);

	if (!vec_reserve(text, text->len + n + 8))
		return false;
	if (text->len)
		text->at[text->len++] = ';';
	memcpy(text->at + text->len, name, n);
	for (char *at = text->at + text->len, *end = at + n;
	     (at = memchr(at, ';', (size_t)(end - at)));)
		*at = ':';
	text->len += n;
	while (*mark)
		text->at[text->len++] = *mark++;
	return true;
}

static const char *mark_of(const struct export_frame *f)
{
	if (f->module && strcmp(f->module, CSP_MODULE_KERNEL) == 0)
		return "_[k]";
	return f->inlined ? "_[i]" : "";
}

static bool add_frame(const struct folded_file *s, line_text *text, uint32_t node)
{
	struct export_frame f;

	if (node == EXPORT_MIDDLE)
		return add_name(text, EXPORT_LEFT_OUT, "");
	f = export_frame_of(s->x, node);
	return add_name(text, f.function, mark_of(&f));
}

static void put_value(const struct folded_file *s, uint64_t value)
{
	fprintf(s->x->out, " %" PRIu64 "\n", value);
}

/* Write a line of a path that is longer than what is written. Its outer end is in s->text. */
static bool put_deep(struct folded_file *s, uint32_t node, uint64_t value)
{
	uint32_t n, outer = s->x->end_frames;
	const uint32_t *path = export_path(s->x, node, &n);
	bool ok = true;

	fwrite(s->text.at, 1, s->ends.at[outer - 1], s->x->out);
	fputc(';', s->x->out);
	s->inner.len = 0;
	for (n -= outer; ok && n; n--)
		ok = add_frame(s, &s->inner, path[n - 1]);
	fwrite(s->inner.at, 1, s->inner.len, s->x->out);
	put_value(s, value);
	return ok;
}

/* Write a line of a path, whose caller's is in s->text. */
static bool put_path(struct folded_file *s, uint32_t node, uint64_t value)
{
	uint32_t depth = s->x->tree.depth[node];

	if (export_is_shortened(s->x, node))
		return !value || put_deep(s, node, value);
	s->text.len = depth ? s->ends.at[depth - 1] : s->begin.len;
	s->ends.len = depth;
	if (!add_frame(s, &s->text, node) || !vec_push(&s->ends, s->text.len))
		return false;
	if (value) {
		fwrite(s->text.at, 1, s->text.len, s->x->out);
		put_value(s, value);
	}
	return true;
}

static bool put_part(struct folded_file *s, const struct export_part *part)
{
	const struct path_tree *t = &s->x->tree;
	bool ok = vec_reserve(&s->ends, 1);

	s->begin.len = s->text.len = s->ends.len = 0;
	if (ok && part->name)
		ok = add_name(&s->begin, part->name, "") && add_name(&s->text, part->name, "");
	for (uint32_t i = 0; ok && i < t->num_order; i++)
		ok = put_path(s, t->order[i], part->exclusive[t->order[i] * t->num_columns]);
	return ok;
}

static int emit(struct export_data *x, struct error *e)
{
	struct folded_file *s = calloc(1, sizeof *s);
	int rc = s ? 0 : error_memory(e, sizeof *s);

	if (!s)
		return rc;
	s->x = x;
	for (size_t i = 0; rc == 0 && x->num_metrics && i < x->num_parts; i++) {
		struct export_part part;
		rc = export_part_init(&part, x, i, e);
		if (rc == 0 && !put_part(s, &part))
			rc = error_memory(e, s->text.len);
		export_part_deinit(&part);
	}
	vec_free(&s->begin);
	vec_free(&s->text);
	vec_free(&s->ends);
	vec_free(&s->inner);
	free(s);
	return rc;
}

const struct export_format export_folded = {
    .name = "folded",
    .shape = PATH_TREE_FUNCTIONS,
    .one_metric = true,
    .parts = true,
    .paths = true,
    .most = UINT64_MAX,
    .lost = "files, lines and load modules",
    .write = emit,
};
