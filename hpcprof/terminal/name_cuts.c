#include "hpcprof/terminal/name_cuts.h"

#include "hpcprof/terminal/layout.h"

#include <ctype.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	DOTS = 3,  /* columns of "..." */
	WORD = 16, /* bytes of a word that are added to a difference, at each end */
	ROUNDS = 8 /* differences that are tried */
};

/* ---- where names differ ----------------------------------------------------------------- */

/* Bytes that are the same at the beginnings, and at the ends. They do not overlap. */
struct alike {
	size_t begin, end;
};

static void narrow(struct alike *s, const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), least = n < m ? n : m;
	size_t begin = 0, end = 0;

	while (begin < least && begin < s->begin && a[begin] == b[begin])
		begin++;
	while (end < least - begin && end < s->end && a[n - 1 - end] == b[m - 1 - end])
		end++;
	*s = (struct alike){begin, end};
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The part of a name that differs, from whole words if they are not long. */
static void difference(const char *name, const struct alike *s, size_t *from, size_t *to)
{
	size_t n = strlen(name), first = s->begin, last = n - s->end;

	*from = first;
	*to = last;
	while (*from && first - *from < WORD && in_word(name[*from - 1]))
		--*from;
	while (*to < n && *to - last < WORD && in_word(name[*to]))
		++*to;
	while (*from && continues(name[*from]))
		--*from;
	while (*to < n && continues(name[*to]))
		++*to;
}

/* A name in width columns that shows where it differs, and of the rest its ends. */
static const char *window(struct arena *a, const char *name, const struct alike *s, unsigned width)
{
	const char *before, *middle, *rest;
	unsigned shown, left, right;
	size_t from, to;

	difference(name, s, &from, &to);
	before = arena_strndup(a, name, from);
	middle = arena_strndup(a, name + from, to - from);
	rest = name + from;
	if (!before || !middle)
		return NULL;
	shown = layout_width(middle);
	right = layout_width(rest) - shown;
	if (width <= 2 * DOTS + 1)
		return layout_cut_right(a, middle, width);
	if (shown > width - 2 * DOTS)
		shown = width - 2 * DOTS;
	if (right > (width - shown) / 2)
		right = (width - shown) / 2;
	left = layout_width(before);
	if (left > width - shown - right)
		left = width - shown - right;
	before = layout_cut_right(a, before, left);
	rest = layout_cut_after(a, rest, shown, width - left);
	return before && rest ? layout_format(a, "%s%s", before, rest) : NULL;
}

/* Ways to write a name, the shorter ones first. */
enum { NO_ARGUMENTS, NO_TEMPLATE_ARGUMENTS, COMPLETE, FORMS };

static const char *form_of(struct arena *a, const char *name, int form)
{
	if (form == COMPLETE)
		return name;
	return form == NO_ARGUMENTS ? layout_empty_brackets(a, name, '(', ')')
				    : layout_empty_brackets(a, name, '<', '>');
}

/* ---- one name after the other ----------------------------------------------------------- */

struct name_shown {
	const char *text, *name;
	unsigned long number; /* the last one that was added to text */
};

struct name_number {
	const char *text, *name, *numbered;
};

static int by_text(const void *pa, const void *pb)
{
	const struct name_shown *a = pa, *b = pb;

	return strcmp(a->text, b->text);
}

static int by_text_and_name(const void *pa, const void *pb)
{
	const struct name_number *a = pa, *b = pb;
	int order = strcmp(a->text, b->text);

	return order ? order : strcmp(a->name, b->name);
}

/* What is shown as text, which is name if there is nothing yet. NULL if memory ran out. */
static struct name_shown *find_shown(struct name_cuts *c, const char *text, const char *name)
{
	struct name_shown *s = arena_alloc(c->arena, sizeof *s), **found;

	if (!s)
		return NULL;
	*s = (struct name_shown){text, name, 1};
	found = tsearch(s, &c->shown, by_text);
	return found ? *found : NULL;
}

static const char *reads_as(struct name_cuts *c, const char *text, const char *name)
{
	struct name_shown *s = find_shown(c, text, name);

	return s ? s->name : NULL;
}

/* Add the first number with which text is not another name's. */
static const char *new_number(struct name_cuts *c, const char *text, const char *name,
			      unsigned width)
{
	struct name_shown *s = find_shown(c, text, name);

	while (s) {
		const char *mark = layout_format(c->arena, "#%lu", ++s->number), *numbered, *other;
		unsigned used = mark ? layout_width(mark) : 0;
		numbered =
		    mark ? layout_cut_right(c->arena, text, width > used ? width - used : 0) : NULL;
		numbered = numbered ? layout_format(c->arena, "%s%s", numbered, mark) : NULL;
		other = numbered ? reads_as(c, numbered, name) : NULL;
		if (!other || strcmp(other, name) == 0)
			return other ? numbered : NULL;
	}
	return NULL;
}

/* Add a number to text, for a name always the same. */
static const char *number(struct name_cuts *c, const char *text, const char *name, unsigned width)
{
	struct name_number *n = arena_alloc(c->arena, sizeof *n), **found;

	if (!n)
		return NULL;
	*n = (struct name_number){text, name, NULL};
	found = tsearch(n, &c->numbers, by_text_and_name);
	if (found && !(*found)->numbered)
		(*found)->numbered = new_number(c, text, name, width);
	return found ? (*found)->numbered : NULL;
}

/* A name that shows where it differs from another one. */
static const char *unlike(struct arena *a, const char *name, const char *other, unsigned width)
{
	for (int form = 0; form < FORMS; form++) {
		const char *x = form_of(a, name, form), *y = form_of(a, other, form);
		struct alike s = {SIZE_MAX, SIZE_MAX};
		if (!x || !y)
			return NULL;
		if (strcmp(x, y) == 0)
			continue;
		narrow(&s, x, y);
		return window(a, x, &s, width);
	}
	return name;
}

const char *name_cuts_next(struct name_cuts *c, const char *name, unsigned width)
{
	const char *text = layout_cut_name(c->arena, name, width), *other;

	if (!text || text == name)
		return text;
	for (int round = 0; text && round < ROUNDS; round++) {
		other = reads_as(c, text, name);
		if (!other || strcmp(other, name) == 0)
			return other ? text : NULL;
		text = unlike(c->arena, name, other, width);
	}
	if (!text)
		return NULL;
	return number(c, text, name, width);
}

static void keep(void *shown)
{
	(void)shown; /* it is the arena's */
}

void name_cuts_deinit(struct name_cuts *c)
{
	tdestroy(c->shown, keep);
	tdestroy(c->numbers, keep);
}

/* ---- all at the same time --------------------------------------------------------------- */

struct cut_row {
	const char *name, **shown;
	size_t row;
};

static int by_shown(const void *pa, const void *pb)
{
	const struct cut_row *a = pa, *b = pb;
	int order = strcmp(*a->shown, *b->shown);

	return order ? order : a->row < b->row ? -1 : a->row > b->row;
}

/* How many rows, from the first one, read as it. */
static size_t read_as_first(const struct cut_row *rows, size_t n)
{
	size_t i = 1;

	while (i < n && strcmp(*rows[i].shown, *rows[0].shown) == 0)
		i++;
	return i;
}

/* Show where n names differ. *differ: they do. */
static bool show_difference(struct arena *a, const struct cut_row *rows, size_t n, unsigned width,
			    bool *differ)
{
	const char **names = arena_alloc(a, n * sizeof *names);
	struct alike s = {SIZE_MAX, SIZE_MAX};
	bool ok = names != NULL;

	*differ = false;
	for (int form = 0; ok && !*differ && form < FORMS; form++)
		for (size_t i = 0; ok && i < n; i++) {
			names[i] = form_of(a, rows[i].name, form);
			ok = names[i] != NULL;
			if (!ok || strcmp(names[i], names[0]) == 0)
				continue;
			*differ = true;
			narrow(&s, names[i], names[0]);
		}
	for (size_t i = 0; ok && *differ && i < n; i++) {
		*rows[i].shown = window(a, names[i], &s, width);
		ok = *rows[i].shown != NULL;
	}
	return ok;
}

/* Show the differences of names that read the same. *again: there were some. */
static bool tell_apart(struct arena *a, struct cut_row *rows, size_t n, unsigned width, bool *again)
{
	bool ok = true, differ;
	size_t length;

	qsort(rows, n, sizeof *rows, by_shown);
	*again = false;
	for (size_t i = 0; ok && i < n; i += length) {
		length = read_as_first(rows + i, n - i);
		differ = false;
		if (length > 1)
			ok = show_difference(a, rows + i, length, width, &differ);
		*again |= differ;
	}
	return ok;
}

/* Number those that still read the same. */
static bool number_rest(struct arena *a, const char *const *names, const char **shown, size_t n,
			unsigned width)
{
	struct name_cuts c = {.arena = a};
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		const char *other = reads_as(&c, shown[i], names[i]);
		if (other && strcmp(other, names[i]) != 0)
			other = shown[i] = number(&c, shown[i], names[i], width);
		ok = other != NULL;
	}
	name_cuts_deinit(&c);
	return ok;
}

bool name_cuts_all(struct arena *a, const char *const *names, const char **shown, size_t n,
		   unsigned width)
{
	struct cut_row *rows = calloc(n + 1, sizeof *rows);
	bool ok = rows != NULL, again = true;

	for (size_t i = 0; ok && i < n; i++)
		rows[i] = (struct cut_row){names[i], &shown[i], i};
	for (int round = 0; ok && again && round < ROUNDS; round++)
		ok = tell_apart(a, rows, n, width, &again);
	free(rows);
	return ok && (!again || number_rest(a, names, shown, n, width));
}
