#include "hpcprof/correlate/select.h"

#include "formats/base/nearest.h"
#include "hpcprof/command/expression.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/terminal/layout.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { CANDIDATES = 5, CANDIDATE_WIDTH = 60 }; /* in a message */

static bool matches(const struct code_function *f, const void *regex)
{
	return regexec(regex, f->name, 0, NULL, 0) == 0 ||
	       (f->linkage_name != f->name && regexec(regex, f->linkage_name, 0, NULL, 0) == 0);
}

static bool is_called(const struct code_function *f, const void *name)
{
	return strcmp(f->name, name) == 0 || strcmp(f->linkage_name, name) == 0;
}

/* "f" is "f(int)" and "f[abi:cxx11](int)", and also "void f<int>(int)" and "a::f(int)". */
static bool is_called_shortly(const struct code_function *f, const void *name)
{
	size_t n = strlen(name);
	const char *hit = f->name;

	while (n && (hit = strstr(hit, name))) {
		bool begins = hit == f->name || hit[-1] == ' ' || hit[-1] == ':';
		if (begins && hit[n] && strchr("(<[", hit[n]))
			return true;
		hit++;
	}
	return false;
}

static bool has_part(const struct code_function *f, const void *part)
{
	return strstr(f->name, part) || strstr(f->linkage_name, part);
}

/* What a user names: a name, and possibly where it is declared. */
struct wanted {
	const char *name;
	const char *file; /* NULL: anywhere */
	size_t file_length;
	unsigned long line;
};

/* The file is the last parts of the path. */
static bool is_at(const struct code_function *f, const struct wanted *w)
{
	size_t n = f->file ? strlen(f->file) : 0, m = w->file_length;

	if (!w->file)
		return true;
	return f->line == w->line && n >= m && memcmp(f->file + n - m, w->file, m) == 0 &&
	       (n == m || f->file[n - m - 1] == '/');
}

/* Mark the functions that pass the test and are where they should be. Returns their number. */
static size_t mark(const struct symbolized *c, bool *marks, const struct wanted *w,
		   bool (*test)(const struct code_function *f, const void *with), const void *with)
{
	size_t n = 0;

	for (size_t i = 0; i < c->functions.len; i++)
		n += marks[i] = is_at(&c->functions.at[i], w) && test(&c->functions.at[i], with);
	return n;
}

/* The part of a demangled name that a user types: without enclosing classes, parameters and a
 * result's type. Returns its length in bytes. */
static size_t short_name(const char *name, const char **begin)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *at = name;

	for (*begin = name; *at; at++) {
		if (strncmp(at, anonymous, sizeof anonymous - 1) == 0)
			at += sizeof anonymous - 2;
		else if (strchr("(<[", *at))
			break;
		else if (*at == ':' || *at == ' ')
			*begin = at + 1;
	}
	return (size_t)(at - *begin);
}

int select_none(const struct symbolized *c, const char *name, struct error *e)
{
	struct nearest near = {.typed = name};
	char hint[NEAREST_TEXT], *best = NULL;
	const char *begin, *clean;
	struct arena arena;

	for (size_t i = 0; i < c->functions.len; i++) {
		size_t n = short_name(c->functions.at[i].name, &begin);
		nearest_offer(&near, c->functions.at[i].name, strlen(c->functions.at[i].name));
		nearest_offer(&near, begin, n);
	}
	arena_init(&arena);
	if (near.best)
		best = arena_strndup(&arena, near.best, near.best_length);
	clean = best ? layout_clean(&arena, best) : NULL;
	near = (struct nearest){.best = clean, .best_length = clean ? strlen(clean) : 0};
	error_set(e, ERROR_USAGE,
		  "no function of this profile matches '%.200s'%s (hpcprof --functions -n 0 lists "
		  "them all)",
		  name, nearest_text(hint, &near, ""));
	arena_deinit(&arena);
	return -1;
}

/* The first marked function by name after the given name (NULL: the first of all). */
static const char *next_name(const struct symbolized *c, const bool *marks, const char *after)
{
	const char *best = NULL;

	for (size_t i = 0; i < c->functions.len; i++) {
		const char *name = c->functions.at[i].name;
		if (marks[i] && (!after || strcmp(name, after) > 0) &&
		    (!best || strcmp(name, best) < 0))
			best = name;
	}
	return best;
}

static int several(const struct symbolized *c, const bool *marks, const char *name, struct error *e)
{
	char list[CANDIDATES * (CANDIDATE_WIDTH * 4 + 4) + 16] = "";
	const char *at = NULL;
	struct arena arena;
	size_t n = 0, used = 0;

	arena_init(&arena);
	while ((at = next_name(c, marks, at))) {
		const char *clean = n < CANDIDATES ? layout_clean(&arena, at) : NULL;
		clean = clean ? layout_cut_name(&arena, clean, CANDIDATE_WIDTH) : NULL;
		if (clean && used < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
						 used ? "; " : "", clean);
		n++;
	}
	arena_deinit(&arena);
	return error_set(
	    e, ERROR_USAGE,
	    "'%.60s' matches %zu functions: %.380s%s (give a full name, or NAME@FILE:LINE)", name,
	    n, list, n > CANDIDATES ? "; ..." : "");
}

/* Mark functions with name as a part of their name. If there are none, use name as an
 * expression. */
static size_t mark_loosely(const struct symbolized *c, bool *marks, const struct wanted *w)
{
	size_t n = mark(c, marks, w, has_part, w->name);
	regex_t r;

	if (n || expression_refused(w->name) || regcomp(&r, w->name, REG_EXTENDED | REG_NOSUB) != 0)
		return n;
	n = mark(c, marks, w, matches, &r);
	regfree(&r);
	return n;
}

static size_t mark_all(const struct symbolized *c, bool *marks, const struct wanted *w)
{
	size_t n = mark(c, marks, w, is_called, w->name);

	if (!n)
		n = mark(c, marks, w, is_called_shortly, w->name);
	return n ? n : mark_loosely(c, marks, w);
}

/* Read NAME@FILE:LINE. *name is malloc'd. False if text is not of this form; NULL in *name if
 * memory ran out. */
static bool split_place(const char *text, char **name, struct wanted *w)
{
	const char *at = strrchr(text, '@'), *colon = at ? strrchr(at, ':') : NULL;
	char *end;

	*name = NULL;
	if (!colon || colon == at + 1 || !(colon[1] >= '0' && colon[1] <= '9'))
		return false;
	w->line = strtoul(colon + 1, &end, 10);
	if (*end)
		return false;
	w->file = at + 1;
	w->file_length = (size_t)(colon - w->file);
	*name = strndup(text, (size_t)(at - text));
	w->name = *name;
	return true;
}

/* Mark what text names, first as a name as it is. Returns the number, or -1 if memory ran out. */
static ssize_t mark_named(const struct symbolized *c, bool *marks, const char *text)
{
	struct wanted w = {.name = text};
	ssize_t n = (ssize_t)mark_all(c, marks, &w);
	char *name;

	if (n || !split_place(text, &name, &w))
		return n;
	n = name ? (ssize_t)mark_all(c, marks, &w) : -1;
	free(name);
	return n;
}

int select_named(const struct model *m, const struct symbolized *c, const char *name, bool **out,
		 uint32_t *which, struct error *e)
{
	bool *marks = calloc(c->functions.len + 1, sizeof *marks);
	ssize_t n = marks ? mark_named(c, marks, name) : -1;
	const char *first;

	if (n <= 0) {
		free(marks);
		return n < 0 ? error_memory(e, c->functions.len) : select_none(c, name, e);
	}
	first = next_name(c, marks, NULL);
	if (next_name(c, marks, first)) {
		several(c, marks, name, e);
		free(marks);
		return -1;
	}
	*which = UINT32_MAX;
	for (uint32_t i = 0; i < c->functions.len; i++)
		if (marks[i] &&
		    (*which == UINT32_MAX || label_compare_functions(m, c, i, *which) < 0))
			*which = i;
	*out = marks;
	return 0;
}
