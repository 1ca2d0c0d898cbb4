/* Callgrind's format, version 1. A function with code in several files is a function of each, and
 * one that was inlined is a function of its own, which the one around it calls.
 *
 * Readers compute the inclusive value of a function from the calls of it. So a call has the value
 * of the paths on which it is the outermost call of the function, and recursion counts once. */
#include "hpcprof/export/formats/formats.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A line of the file: values of a line of a function, or of calls from there. A scope is a function
 * with code in a file, which is a "fn" of the format. */
struct callgrind_line {
	uint32_t scope;
	uint32_t line;   /* 0: not known */
	uint32_t callee; /* a scope; NOTHING: the line's own values */
	uint32_t row;    /* of the values */
};
#define NOTHING UINT32_MAX

struct callgrind {
	struct export_data *x;
	struct interner scopes;  /* function << 32 | file; 0 is above partial paths */
	struct interner places;  /* scope << 32 | line number */
	struct interner rows;    /* place << 32 | callee */
	uint64_t *sums;          /* [rows * num_metrics] */
	uint32_t *scope, *place; /* [nodes] */
	struct callgrind_line *lines;
	bool *named[3]; /* ob by module, fl by file, fn by scope: its number is known */
};

enum { NAME_OB, NAME_FL, NAME_FN };

/* The code of partial paths' outer end has no function: this is its key. */
#define PARTIAL_KEY UINT64_MAX

/* ---- summing ----------------------------------------------------------------------- */

/* Find the scope and the place of each node, and make the rows. */
static bool make_rows(struct callgrind *s)
{
	const struct export_data *x = s->x;
	const struct path_tree *t = &x->tree;

	for (uint32_t i = 0; i < t->num_order; i++) {
		uint32_t node = t->order[i], up = path_tree_parent(t, node), number = 0;
		uint64_t key = PARTIAL_KEY;
		if (node != PATH_TREE_PARTIAL_ROOT) {
			const struct code_line *l = &x->c->lines.at[path_tree_line(t, node)];
			key = (uint64_t)path_tree_function(t, node) << 32 | l->file;
			number = l->line;
		}
		s->scope[node] = interner_add(&s->scopes, key);
		if (s->scope[node] == INTERNER_NONE)
			return false;
		s->place[node] = interner_add(&s->places, (uint64_t)s->scope[node] << 32 | number);
		if (s->place[node] == INTERNER_NONE ||
		    interner_add(&s->rows, (uint64_t)s->place[node] << 32 | NOTHING) ==
			INTERNER_NONE)
			return false;
		if (up != PATH_TREE_ROOT &&
		    interner_add(&s->rows, (uint64_t)s->place[up] << 32 | s->scope[node]) ==
			INTERNER_NONE)
			return false;
	}
	return true;
}

static void add(struct callgrind *s, uint64_t key, const uint64_t *values)
{
	size_t n = s->x->num_metrics;
	uint64_t *to = &s->sums[interner_find(&s->rows, key) * n];
	bool saturated = false;

	for (size_t k = 0; k < n; k++)
		to[k] = sum_add(to[k], values[k], &saturated);
}

/* Add up the values. open has the nodes of the path, entered how often each scope is on it. */
static void sum_rows(struct callgrind *s, uint32_t *open, uint32_t *entered)
{
	const struct path_tree *t = &s->x->tree;
	uint32_t depth = 0;

	for (uint32_t i = 0; i < t->num_order; i++) {
		uint32_t node = t->order[i], up = path_tree_parent(t, node);
		while (depth > t->depth[node])
			entered[s->scope[open[--depth]]]--;
		add(s, (uint64_t)s->place[node] << 32 | NOTHING,
		    &t->exclusive[node * t->num_columns]);
		if (up != PATH_TREE_ROOT && !entered[s->scope[node]])
			add(s, (uint64_t)s->place[up] << 32 | s->scope[node],
			    &t->inclusive[node * t->num_columns]);
		open[depth++] = node;
		entered[s->scope[node]]++;
	}
}

static bool sum_all(struct callgrind *s)
{
	const struct path_tree *t = &s->x->tree;
	uint32_t *open, *entered;
	bool ok;

	s->scope = calloc(t->num_nodes, sizeof *s->scope);
	s->place = calloc(t->num_nodes, sizeof *s->place);
	if (!s->scope || !s->place || !make_rows(s))
		return false;
	open = calloc(t->num_nodes, sizeof *open);
	entered = calloc(s->scopes.len + (size_t)1, sizeof *entered);
	s->sums = calloc(s->rows.len * s->x->num_metrics + 1, sizeof *s->sums);
	ok = open && entered && s->sums;
	if (ok)
		sum_rows(s, open, entered);
	free(open);
	free(entered);
	return ok;
}

/* ---- order ------------------------------------------------------------------------- */

/* Scopes are in the order of the tree. A line's own values are before its calls. */
static int by_place(const void *pa, const void *pb)
{
	const struct callgrind_line *a = pa, *b = pb;

	if (a->scope != b->scope)
		return a->scope < b->scope ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	/* NOTHING + 1 is 0 */
	return a->callee + 1 < b->callee + 1 ? -1 : a->callee + 1 > b->callee + 1;
}

static bool sort_rows(struct callgrind *s)
{
	s->lines = calloc(s->rows.len + (size_t)1, sizeof *s->lines);
	for (uint32_t i = 0; s->lines && i < s->rows.len; i++) {
		uint64_t place = s->places.keys[s->rows.keys[i] >> 32];
		s->lines[i] = (struct callgrind_line){.scope = (uint32_t)(place >> 32),
						      .line = (uint32_t)place,
						      .callee = (uint32_t)s->rows.keys[i],
						      .row = i};
	}
	if (s->lines)
		qsort(s->lines, s->rows.len, sizeof *s->lines, by_place);
	return s->lines != NULL;
}

/* ---- printing ---------------------------------------------------------------------- */

/* Print "KEY=(ID) NAME", and without the name after the first time. */
static void put_name(struct callgrind *s, int kind, const char *key, uint32_t id, const char *name)
{
	fprintf(s->x->out, "%s=(%" PRIu32 ")", key, id + 1);
	if (!s->named[kind][id])
		fprintf(s->x->out, " %s", name ? name : "???");
	fputc('\n', s->x->out);
	s->named[kind][id] = true;
}

/* The number of "???" as a module and as a file is that after the last one. */
static void put_scope(struct callgrind *s, uint32_t scope, const char *const keys[3])
{
	const struct export_data *x = s->x;
	uint64_t key = s->scopes.keys[scope];
	uint32_t function = (uint32_t)(key >> 32), file = (uint32_t)key, module;

	if (key == PARTIAL_KEY) {
		put_name(s, NAME_OB, keys[NAME_OB], (uint32_t)x->m->modules.len, NULL);
		put_name(s, NAME_FL, keys[NAME_FL], (uint32_t)x->c->files.len, NULL);
		put_name(s, NAME_FN, keys[NAME_FN], scope, EXPORT_PARTIAL);
		return;
	}
	module = x->c->functions.at[function].module;
	if (!x->files[file])
		file = (uint32_t)x->c->files.len;
	put_name(s, NAME_OB, keys[NAME_OB], module, x->modules[module]);
	put_name(s, NAME_FL, keys[NAME_FL], file, file < x->c->files.len ? x->files[file] : NULL);
	put_name(s, NAME_FN, keys[NAME_FN], scope, x->functions[function]);
}

static void put_values(const struct callgrind *s, const uint64_t *values)
{
	for (size_t k = 0; k < s->x->num_metrics; k++)
		fprintf(s->x->out, " %" PRIu64, values[k]);
	fputc('\n', s->x->out);
}

/* Where the callee begins, if that is in its file. */
static uint32_t begin_of(const struct callgrind *s, uint32_t scope)
{
	uint64_t key = s->scopes.keys[scope];
	uint32_t function = (uint32_t)(key >> 32);
	const char *file, *declared;

	if (key == PARTIAL_KEY)
		return 0;
	file = s->x->files[(uint32_t)key];
	declared = s->x->declared[function];
	return file && declared && strcmp(file, declared) == 0
		   ? s->x->c->functions.at[function].line
		   : 0;
}

static bool is_empty(const struct callgrind *s, const uint64_t *values)
{
	for (size_t k = 0; k < s->x->num_metrics; k++)
		if (values[k])
			return false;
	return true;
}

/* A number of calls of 0 means something else to readers. */
static void put_lines(struct callgrind *s)
{
	static const char *const own[3] = {"ob", "fl", "fn"}, *const called[3] = {"cob", "cfi",
										  "cfn"};

	for (uint32_t i = 0; i < s->rows.len; i++) {
		const struct callgrind_line *l = &s->lines[i];
		const uint64_t *values = &s->sums[l->row * s->x->num_metrics];
		if (!i || l->scope != l[-1].scope) {
			fputc('\n', s->x->out);
			put_scope(s, l->scope, own);
		}
		if (l->callee == NOTHING && is_empty(s, values))
			continue;
		if (l->callee != NOTHING) {
			put_scope(s, l->callee, called);
			fprintf(s->x->out, "calls=1 %" PRIu32 "\n", begin_of(s, l->callee));
		}
		fprintf(s->x->out, "%" PRIu32, l->line);
		put_values(s, values);
	}
}

/* An event's name is one word. */
static void put_event_names(const struct callgrind *s)
{
	FILE *out = s->x->out;

	for (size_t k = 0; k < s->x->num_metrics; k++) {
		const struct shown_metric *c = &s->x->columns.at[k];
		fputs("event: ", out);
		for (const char *p = c->metric_name; *p; p++)
			fputc(isalnum((unsigned char)*p) ? *p : '_', out);
		fprintf(out, " : %s (%s)\n", c->metric_name, c->unit[0] ? c->unit : "count");
	}
	fputs("events:", out);
	for (size_t k = 0; k < s->x->num_metrics; k++) {
		fputc(' ', out);
		for (const char *p = s->x->columns.at[k].metric_name; *p; p++)
			fputc(isalnum((unsigned char)*p) ? *p : '_', out);
	}
	fputc('\n', out);
}

static void put_totals(const struct callgrind *s, const char *word)
{
	fputs(word, s->x->out);
	for (size_t k = 0; k < s->x->num_metrics; k++)
		fprintf(s->x->out, " %" PRIu64, s->x->columns.at[k].total);
	fputc('\n', s->x->out);
}

static bool put_all(struct callgrind *s)
{
	struct export_data *x = s->x;
	const char *program = layout_clean(&x->arena, export_program(x->m));

	if (!program)
		return false;
	fprintf(x->out, "# callgrind format\nversion: 1\ncreator: hpcprof %s\n", HPC_VERSION);
	fprintf(x->out, "cmd: %s\npart: 1\npositions: line\n", program);
	put_event_names(s);
	put_totals(s, "summary:");
	put_lines(s);
	fputc('\n', x->out);
	put_totals(s, "totals:");
	return true;
}

static int emit(struct export_data *x, struct error *e)
{
	struct callgrind s = {.x = x};
	bool ok = sum_all(&s) && sort_rows(&s);

	s.named[NAME_OB] = calloc(x->m->modules.len + 1, sizeof(bool));
	s.named[NAME_FL] = calloc(x->c->files.len + 1, sizeof(bool));
	s.named[NAME_FN] = calloc(s.scopes.len + (size_t)1, sizeof(bool));
	ok = ok && s.named[NAME_OB] && s.named[NAME_FL] && s.named[NAME_FN] && put_all(&s);
	for (int i = 0; i < 3; i++)
		free(s.named[i]);
	interner_deinit(&s.scopes);
	interner_deinit(&s.places);
	interner_deinit(&s.rows);
	free(s.scope);
	free(s.place);
	free(s.sums);
	free(s.lines);
	return ok ? 0 : error_memory(e, x->tree.num_nodes * sizeof(uint64_t));
}

const struct export_format export_callgrind = {
    .name = "callgrind",
    .shape = PATH_TREE_LINES,
    .most = UINT64_MAX,
    .lost = "call paths, samples or numbers of calls (it says 1)",
    .write = emit,
};
