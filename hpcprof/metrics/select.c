#include "hpcprof/metrics/select.h"

#include "formats/base/nearest.h"
#include "hpcprof/command/expression.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/terminal/layout.h"

#include <stdlib.h>
#include <string.h>

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

/* Mark the functions that pass the test. Returns their number. */
static size_t mark(const struct symbolized *c, bool *marks,
		   bool (*test)(const struct code_function *f, const void *with), const void *with)
{
	size_t n = 0;

	for (size_t i = 0; i < c->functions.len; i++)
		n += marks[i] = test(&c->functions.at[i], with);
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
	return error_set(e, ERROR_USAGE,
			 "'%.60s' matches %zu functions: %.380s%s (give a full name)", name, n,
			 list, n > CANDIDATES ? "; ..." : "");
}

/* Mark functions with name as a part of their name. If there are none, use name as an
 * expression. */
static size_t mark_loosely(const struct symbolized *c, bool *marks, const char *name)
{
	size_t n = mark(c, marks, has_part, name);
	regex_t r;

	if (n || regcomp(&r, name, REG_EXTENDED | REG_NOSUB) != 0)
		return n;
	n = mark(c, marks, matches, &r);
	regfree(&r);
	return n;
}

int select_named(const struct model *m, const struct symbolized *c, const char *name, bool **out,
		 uint32_t *which, struct error *e)
{
	bool *marks = calloc(c->functions.len + 1, sizeof *marks);
	size_t n;
	const char *first;

	if (!marks)
		return error_memory(e, c->functions.len);
	n = mark(c, marks, is_called, name);
	if (!n)
		n = mark(c, marks, is_called_shortly, name);
	if (!n)
		n = mark_loosely(c, marks, name);
	if (!n) {
		free(marks);
		return select_none(c, name, e);
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
