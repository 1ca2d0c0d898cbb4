#include "hpcprof/metrics/attribute.h"

#include "hpcprof/metrics/kernel.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

int attribute_walk_begin(struct attribute_walk *w, const struct model *m, struct error *e)
{
	uint32_t n = model_num_contexts(m);

	w->m = m;
	w->context = MODEL_ROOT;
	w->enter = true;
	w->child = calloc(n, sizeof *w->child);
	w->sibling = calloc(n, sizeof *w->sibling);
	if (!w->child || !w->sibling)
		return error_memory(e, n * sizeof *w->child);
	/* the walk treats the root of partial paths as a child of the other root */
	for (uint32_t i = n - 1; i >= 1; i--) {
		uint32_t up = i == MODEL_PARTIAL_ROOT ? MODEL_ROOT : model_parent(m, i);
		w->sibling[i] = w->child[up];
		w->child[up] = i;
	}
	return 0;
}

static void walk_step(struct attribute_walk *w)
{
	if (w->enter && w->child[w->context]) {
		w->context = w->child[w->context];
	} else if (w->enter) {
		w->enter = false;
	} else if (w->sibling[w->context]) {
		w->context = w->sibling[w->context];
		w->enter = true;
	} else {
		w->context =
		    w->context == MODEL_PARTIAL_ROOT ? MODEL_ROOT : model_parent(w->m, w->context);
	}
}

bool attribute_walk_next(struct attribute_walk *w)
{
	do {
		walk_step(w);
		if (w->context == MODEL_ROOT)
			return false;
	} while (w->context == MODEL_PARTIAL_ROOT);
	return true;
}

void attribute_walk_end(struct attribute_walk *w)
{
	free(w->child);
	free(w->sibling);
	w->child = w->sibling = NULL;
}

uint64_t *attribute_contexts(const struct model *m, const uint64_t *const *columns, size_t n)
{
	uint32_t contexts = model_num_contexts(m);
	uint64_t *sums = calloc((size_t)contexts * n + 1, sizeof *sums);
	bool saturated = false;

	if (!sums)
		return NULL;
	for (size_t i = 0; i < n; i++)
		for (uint32_t c = 0; c < contexts; c++)
			sums[c * n + i] = columns[i][c];
	/* a parent's id is smaller than its children's */
	for (uint32_t c = contexts - 1; c >= MODEL_ROOTS; c--)
		for (size_t i = 0; i < n; i++) {
			uint64_t *up = &sums[model_parent(m, c) * n + i];
			*up = sum_add(*up, sums[c * n + i], &saturated);
		}
	return sums;
}

static uint32_t row_of(const struct symbolized *code, const struct code_frame *f, enum grouping g)
{
	switch (g) {
	case BY_MODULE:
		return code->functions.at[f->function].module;
	case BY_FOLDER:
		return code->folder_of[code->lines.at[f->line].file];
	case BY_FILE:
		return code->lines.at[f->line].file;
	case BY_NAMESPACE:
		return code->namespace_of[f->function];
	case BY_FUNCTION:
		return f->function;
	default:
		return f->line;
	}
}

size_t attribute_num_rows(const struct model *m, const struct symbolized *c, enum grouping g)
{
	const size_t rows[GROUPINGS] = {
	    [BY_MODULE] = m->modules.len,     [BY_FOLDER] = c->folders.len,
	    [BY_FILE] = c->files.len,         [BY_NAMESPACE] = c->namespaces.len,
	    [BY_FUNCTION] = c->functions.len, [BY_LINE] = c->lines.len};
	return rows[g];
}

struct using
{
	const struct model *m;
	const struct symbolized *code;
	attribute_use_fn *use;
	void *context;
	enum grouping groupings[GROUPINGS]; /* [n] that are wanted */
	int n;
	uint32_t *on_path[GROUPINGS]; /* per row: how often it is on the current path */
};

static bool enter(struct using *u, uint32_t context)
{
	uint32_t frame = model_frame_of(u->m, context), leaf = u->code->first[frame];
	bool ok = true;

	for (uint32_t k = leaf; k < u->code->first[frame + 1]; k++)
		for (int i = 0; ok && i < u->n; i++) {
			enum grouping g = u->groupings[i];
			uint32_t row = row_of(u->code, &u->code->frames.at[k], g);
			if (u->on_path[g][row]++ == 0)
				ok = u->use(u->context, context, g, row, true);
			if (ok && k == leaf)
				ok = u->use(u->context, context, g, row, false);
		}
	return ok;
}

static void leave(struct using *u, uint32_t context)
{
	uint32_t frame = model_frame_of(u->m, context);

	for (uint32_t k = u->code->first[frame]; k < u->code->first[frame + 1]; k++)
		for (int i = 0; i < u->n; i++) {
			enum grouping g = u->groupings[i];
			u->on_path[g][row_of(u->code, &u->code->frames.at[k], g)]--;
		}
}

int attribute_uses(const struct model *m, const struct symbolized *c, unsigned wanted,
		   attribute_use_fn *use, void *context, struct error *e)
{
	struct using u = {.m = m, .code = c, .use = use, .context = context};
	struct attribute_walk w = {0};
	bool ok = true;
	int rc = 0;

	for (int g = 0; g < GROUPINGS; g++) {
		size_t rows = attribute_num_rows(m, c, (enum grouping)g);
		if (!(wanted & ATTRIBUTE(g)))
			continue;
		u.groupings[u.n++] = (enum grouping)g;
		u.on_path[g] = calloc(rows + 1, sizeof(uint32_t));
		if (!u.on_path[g])
			rc = error_memory(e, rows * sizeof(uint32_t));
	}
	if (rc == 0)
		rc = attribute_walk_begin(&w, m, e);
	while (rc == 0 && ok && attribute_walk_next(&w)) {
		if (w.enter)
			ok = enter(&u, w.context);
		else
			leave(&u, w.context);
	}
	attribute_walk_end(&w);
	for (int g = 0; g < GROUPINGS; g++)
		free(u.on_path[g]);
	return ok ? rc : error_memory(e, sizeof(uint64_t));
}

struct attributing {
	const struct model *m;
	const struct symbolized *code;
	struct attribution *out;
	const uint64_t *const *columns;
	uint64_t *inclusive; /* of contexts */
};

static void add_to(uint64_t *to, uint64_t value)
{
	bool saturated = false;
	*to = sum_add(*to, value, &saturated);
}

static bool add_use(void *context, uint32_t node, enum grouping g, uint32_t row, bool inclusive)
{
	struct attributing *a = context;
	size_t n = a->out->num_columns;

	for (size_t i = 0; i < n; i++)
		if (inclusive)
			add_to(&a->out->by[g].inclusive[row * n + i], a->inclusive[node * n + i]);
		else
			add_to(&a->out->by[g].exclusive[row * n + i], a->columns[i][node]);
	return true;
}

/* What the kernel or an interpreter itself did has no line. */
static bool has_lines(const struct model *m, uint32_t module)
{
	return !kernel_part_module(m, module) &&
	       strcmp(m->modules.at[module].name, CSP_SOURCE_INTERPRETER) != 0;
}

/* Sum up the values of code without a known symbol or line. */
static void add_unknown(struct attributing *a)
{
	uint32_t contexts = model_num_contexts(a->m);
	size_t n = a->out->num_columns;

	for (uint32_t c = MODEL_ROOTS; c < contexts; c++) {
		uint32_t frame = model_frame_of(a->m, c);
		const struct code_frame *leaf = &a->code->frames.at[a->code->first[frame]];
		const struct code_function *function = &a->code->functions.at[leaf->function];
		bool lines = has_lines(a->m, function->module);
		for (size_t i = 0; i < n; i++) {
			size_t at = function->module * n + i;
			if (function->source == SYMBOL_NONE)
				add_to(&a->out->nameless[at], a->columns[i][c]);
			if (a->code->lines.at[leaf->line].line == 0 && lines)
				add_to(&a->out->lineless[at], a->columns[i][c]);
		}
	}
}

static int allocate(struct attributing *a, unsigned wanted, struct error *e)
{
	size_t n = a->out->num_columns;
	bool ok = true;

	for (int g = 0; g < GROUPINGS; g++) {
		size_t rows = 0;
		if (wanted & ATTRIBUTE(g))
			rows = attribute_num_rows(a->m, a->code, (enum grouping)g);
		a->out->by[g].num_rows = rows;
		a->out->by[g].exclusive = calloc(rows * n + 1, sizeof(uint64_t));
		a->out->by[g].inclusive = calloc(rows * n + 1, sizeof(uint64_t));
		ok &= a->out->by[g].exclusive && a->out->by[g].inclusive;
	}
	a->out->nameless = calloc(a->m->modules.len * n + 1, sizeof(uint64_t));
	a->out->lineless = calloc(a->m->modules.len * n + 1, sizeof(uint64_t));
	a->inclusive = attribute_contexts(a->m, a->columns, n);
	ok &= a->out->nameless && a->out->lineless && a->inclusive;
	return ok ? 0 : error_memory(e, model_num_contexts(a->m) * n * sizeof(uint64_t));
}

int attribute(const struct model *m, const struct symbolized *c, unsigned wanted,
	      const uint64_t *const *columns, size_t num_columns, struct attribution *out,
	      struct error *e)
{
	struct attributing a = {.m = m, .code = c, .out = out, .columns = columns};
	int rc;

	memset(out, 0, sizeof *out);
	out->num_columns = num_columns;
	rc = allocate(&a, wanted, e);
	if (rc == 0 && wanted)
		rc = attribute_uses(m, c, wanted, add_use, &a, e);
	if (rc == 0)
		add_unknown(&a);
	free(a.inclusive);
	if (rc != 0)
		attribute_deinit(out);
	return rc;
}

void attribute_deinit(struct attribution *a)
{
	if (!a)
		return;
	for (int g = 0; g < GROUPINGS; g++) {
		free(a->by[g].exclusive);
		free(a->by[g].inclusive);
	}
	free(a->nameless);
	free(a->lineless);
	memset(a, 0, sizeof *a);
}

/* ---- rows defined by a view ---------------------------------------------------------------- */

struct rows {
	const struct model *m;
	const struct symbolized *code;
	attribute_row_fn *row;
	void *row_context;
	attribute_row_use_fn *use;
	void *use_context;
	uint32_t *on_path; /* per row */
};

static uint32_t row_at(const struct rows *r, uint32_t context, uint32_t k)
{
	uint32_t frame = model_frame_of(r->m, context), up = model_parent(r->m, context);
	struct occurrence o = {.frame = frame, .code = &r->code->frames.at[k]};

	if (k + 1 < r->code->first[frame + 1])
		o.caller = o.code + 1;
	else if (up >= MODEL_ROOTS)
		o.caller = &r->code->frames.at[r->code->first[model_frame_of(r->m, up)]];
	else
		o.partial = up == MODEL_PARTIAL_ROOT;
	return r->row(r->row_context, &o);
}

static bool visit(struct rows *r, uint32_t context, bool enter)
{
	uint32_t frame = model_frame_of(r->m, context), leaf = r->code->first[frame];
	bool ok = true;

	for (uint32_t k = leaf; ok && k < r->code->first[frame + 1]; k++) {
		uint32_t row = row_at(r, context, k);
		if (row == ATTRIBUTE_NO_ROW)
			continue;
		if (!enter) {
			r->on_path[row]--;
			continue;
		}
		if (k == leaf)
			ok = r->use(r->use_context, context, row, false);
		if (r->on_path[row]++ == 0)
			ok = ok && r->use(r->use_context, context, row, true);
	}
	return ok;
}

int attribute_row_uses(const struct model *m, const struct symbolized *c, size_t num_rows,
		       attribute_row_fn *row, void *row_context, attribute_row_use_fn *use,
		       void *use_context, struct error *e)
{
	struct rows r = {.m = m,
			 .code = c,
			 .row = row,
			 .row_context = row_context,
			 .use = use,
			 .use_context = use_context,
			 .on_path = calloc(num_rows + 1, sizeof *r.on_path)};
	struct attribute_walk w = {0};
	bool ok = true;
	int rc = r.on_path ? attribute_walk_begin(&w, m, e)
			   : error_memory(e, num_rows * sizeof *r.on_path);

	while (rc == 0 && ok && attribute_walk_next(&w))
		ok = visit(&r, w.context, w.enter);
	attribute_walk_end(&w);
	free(r.on_path);
	return ok ? rc : error_memory(e, sizeof(uint64_t));
}

struct adding {
	const uint64_t *const *columns;
	size_t n;
	const uint64_t *contexts; /* inclusive */
	struct attributed_rows *out;
};

static bool add_row_use(void *context, uint32_t node, uint32_t row, bool inclusive)
{
	const struct adding *a = context;

	for (size_t i = 0; i < a->n; i++)
		if (inclusive)
			add_to(&a->out->inclusive[row * a->n + i], a->contexts[node * a->n + i]);
		else
			add_to(&a->out->exclusive[row * a->n + i], a->columns[i][node]);
	return true;
}

int attribute_rows(const struct model *m, const struct symbolized *c,
		   const uint64_t *const *columns, size_t num_columns, size_t num_rows,
		   attribute_row_fn *row, void *context, struct attributed_rows *out,
		   struct error *e)
{
	uint64_t *contexts = attribute_contexts(m, columns, num_columns);
	struct adding a = {columns, num_columns, contexts, out};
	int rc = 0;

	out->exclusive = calloc(num_rows * num_columns + 1, sizeof *out->exclusive);
	out->inclusive = calloc(num_rows * num_columns + 1, sizeof *out->inclusive);
	if (!contexts || !out->exclusive || !out->inclusive)
		rc = error_memory(e, num_rows * num_columns * sizeof *out->exclusive);
	if (rc == 0)
		rc = attribute_row_uses(m, c, num_rows, row, context, add_row_use, &a, e);
	free(contexts);
	if (rc != 0) {
		free(out->exclusive);
		free(out->inclusive);
		*out = (struct attributed_rows){0};
	}
	return rc;
}
