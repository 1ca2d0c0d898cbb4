/* Prints the instructions of a procedure. */
#include "formats/base/path.h"
#include "hpcprof/terminal/layout.h"
#include "hpcprof/views/annotate/annotate_object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	HOTTEST = 5,
	NEIGHBOURS = 4, /* instructions shown before and after one with values */
	TAB = 4,
};

/* A procedure that is printed: its instructions, their first row and their marks. */
struct listing {
	const struct instructions *code;
	size_t first;
	uint8_t *marks; /* [instructions] */
};

static bool print_step(struct object *o, const struct listing *l, size_t i)
{
	struct annotation *t = o->t;
	const struct listed_instruction *s = &l->code->list.at[i];
	bool hot = l->marks[i] & STEP_HOT;
	size_t row = l->first + i;
	unsigned used = value_gutter_print(&t->margin, t->out, hot ? '*' : ' ',
					   object_values(o, o->of.rows.exclusive, row),
					   object_values(o, o->of.rows.inclusive, row));
	const char *text;

	used += (unsigned)fprintf(t->out, "%8" PRIx64 "  ", s->address);
	text = layout_cut_right(&t->arena, s->text, used < t->o->width ? t->o->width - used : 0);
	if (!text)
		return false;
	fprintf(t->out, hot && t->o->color ? "\x1b[1m%s\x1b[0m\n" : "%s\n", text);
	return true;
}

/* The text of a source line; "" if there is no source. Files are read when they are first needed.
 * NULL if memory ran out. */
static const char *source_of(struct object *o, const char *file, uint32_t line)
{
	struct tried *at = NULL;

	for (size_t i = 0; i < o->tried.len; i++)
		if (strcmp(o->tried.at[i].name, file) == 0)
			at = &o->tried.at[i];
	if (!at) {
		struct tried fresh = {.name = file};
		fresh.found = source_text_read(&fresh.text, file, &o->t->own->sources, NULL) == 0;
		if (!vec_push(&o->tried, fresh)) {
			source_text_free(&fresh.text);
			return NULL;
		}
		at = &o->tried.at[o->tried.len - 1];
	}
	return at->found ? source_text_line(&at->text, line, TAB, &o->t->arena) : "";
}

/* Print "; FILE:LINE [inlined NAME] source", if the line differs from that of the step before. */
static bool print_line(struct object *o, const struct listed_instruction *s,
		       const struct listed_instruction *before)
{
	struct annotation *t = o->t;
	const struct symbol_frame *f = s->frames;
	const char *file, *text, *name = "", *source;
	unsigned used;

	if (!f->file || !f->line)
		return true;
	if (before && before->frames->file == f->file && before->frames->line == f->line &&
	    before->frames->function == f->function)
		return true;
	file = layout_clean(&t->arena, path_basename(f->file));
	source = source_of(o, f->file, f->line);
	if (s->num_frames > 1) {
		name = layout_clean(&t->arena, f->function->name);
		name = name ? layout_cut_name(&t->arena, name, t->o->width / 4) : NULL;
		name = name ? layout_format(&t->arena, " [inlined %s]", name) : NULL;
	}
	if (!file || !source || !name)
		return false;
	used = value_gutter_print(&t->margin, t->out, ' ', NULL, NULL);
	text = layout_format(&t->arena, "; %s:%" PRIu32 "%s%s%s", file, f->line, name,
			     source[0] ? "  " : "", source + strspn(source, " "));
	text = text ? layout_cut_right(&t->arena, text, used < t->o->width ? t->o->width - used : 0)
		    : NULL;
	if (!text)
		return false;
	fprintf(t->out, t->o->color ? "\x1b[2m%s\x1b[0m\n" : "%s\n", text);
	return true;
}

struct heat {
	const struct object *o;
	const struct listing *l;
};

static int by_heat(const void *pa, const void *pb, void *context)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct heat *h = context;
	size_t n = h->o->t->columns.len;

	for (size_t i = 0; i < n; i++) {
		uint64_t x = object_values(h->o, h->o->of.rows.exclusive, h->l->first + a)[i];
		uint64_t y = object_values(h->o, h->o->of.rows.exclusive, h->l->first + b)[i];
		if (x != y)
			return x > y ? -1 : 1;
	}
	return a < b ? -1 : a > b;
}

static bool print_hottest(struct object *o, const struct listing *l)
{
	size_t len = l->code->list.len;
	uint32_t *ids = calloc(len + 1, sizeof *ids);
	struct heat heat = {o, l};
	bool ok = ids != NULL;
	size_t n = 0;

	for (uint32_t i = 0; ok && i < len; i++) {
		if (object_any(o, object_values(o, o->of.rows.exclusive, l->first + i)))
			ids[n++] = i;
		if (object_any(o, object_values(o, o->of.rows.inclusive, l->first + i)))
			l->marks[i] |= STEP_VALUED;
	}
	if (ok)
		qsort_r(ids, n, sizeof *ids, by_heat, &heat);
	if (n)
		value_gutter_titles(&o->t->margin, o->t->out, " address  hottest instructions");
	for (size_t i = 0; ok && i < n && i < HOTTEST; i++) {
		l->marks[ids[i]] |= STEP_HOT;
		ok = print_step(o, l, ids[i]);
	}
	if (n)
		fputc('\n', o->t->out);
	free(ids);
	return ok;
}

/* Whether an instruction is near one with values. */
static bool is_near(const struct listing *l, size_t i)
{
	size_t from = i > NEIGHBOURS ? i - NEIGHBOURS : 0;

	for (size_t k = from; k <= i + NEIGHBOURS && k < l->code->list.len; k++)
		if (l->marks[k] & STEP_VALUED)
			return true;
	return false;
}

bool annotate_listing(struct object *o, uint32_t procedure)
{
	struct annotation *t = o->t;
	const struct instructions *code = &o->of.procedures.at.at[procedure];
	const struct listing l = {code, o->of.first[procedure], o->marks + o->of.first[procedure]};
	const struct listed_instruction *first = &code->list.at[0], *before = NULL;
	const char *name =
	    layout_clean(&t->arena, first->frames[first->num_frames - 1].function->name);
	const char *module =
		       layout_clean(&t->arena, path_basename(t->m->modules.at[code->module].name)),
		   *title;
	bool ok, gap = false;

	if (!name || !module)
		return false;
	title = layout_format(&t->arena, "%s, %s 0x%" PRIx64 "-0x%" PRIx64, name, module,
			      code->code.low, code->code.high);
	ok = annotate_heading(t, title, object_values(o, o->of.sums.exclusive, procedure),
			      object_values(o, o->of.sums.inclusive, procedure)) &&
	     print_hottest(o, &l);
	value_gutter_titles(&t->margin, t->out, " address  instruction (*: hottest)");
	for (size_t i = 0; ok && i < code->list.len; i++) {
		if (!t->own->all && !is_near(&l, i)) {
			gap = true;
			before = NULL;
			continue;
		}
		if (gap)
			fputs("  ...\n", t->out);
		gap = false;
		ok = print_line(o, &code->list.at[i], before) && print_step(o, &l, i);
		before = &code->list.at[i];
	}
	if (gap)
		fputs("  ...\n", t->out);
	return ok;
}
