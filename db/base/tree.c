#include "db/base/tree.h"

#include "formats/base/interner.h"
#include "formats/base/path.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/terminal/layout.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------- */

const char *const db_sources[DB_SOURCES] = {[SYMBOL_DWARF] = "debug information",
					    [SYMBOL_SYMTAB] = "symbol table",
					    [SYMBOL_DYNSYM] = "dynamic symbols",
					    [SYMBOL_NONE] = "none"};

const char *const db_thread_kinds[DB_THREAD_KINDS] = {[THREAD_MAIN] = "main",
						      [THREAD_CREATED] = "created",
						      [THREAD_ENDED] = "ended",
						      [THREAD_NOT_SAID] = "not known"};

/* The offset and prime of FNV-1a. */
#define HASH_OFFSET UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

uint64_t db_hash_text(uint64_t seed, const char *s)
{
	uint64_t h = seed ? seed : HASH_OFFSET;

	for (; s && *s; s++)
		h = (h ^ (unsigned char)*s) * HASH_PRIME;
	return (h ^ 0xff) * HASH_PRIME; /* marks the end of a text: 0xff is not in UTF-8 */
}

uint64_t db_hash_function(const struct profile *p, uint32_t function)
{
	const struct code_function *f = &p->code.functions.at[function];
	const char *module = path_basename(p->model->modules.at[f->module].name);

	return db_hash_text(db_hash_text(0, f->name), module);
}

struct db_ordering {
	const struct profile *p;
	int (*compare)(const struct model *m, const struct symbolized *c, uint32_t a, uint32_t b);
};

static int order(const void *pa, const void *pb, void *context)
{
	const struct db_ordering *o = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	int c = o->compare(o->p->model, &o->p->code, a, b);

	return c ? c : (a > b) - (a < b);
}

static bool rank(uint32_t **ranks, uint32_t **ids, size_t n, struct db_ordering o)
{
	*ids = malloc((n + 1) * sizeof **ids);
	*ranks = malloc((n + 1) * sizeof **ranks);
	if (!*ids || !*ranks)
		return false;
	for (size_t i = 0; i < n; i++)
		(*ids)[i] = (uint32_t)i;
	qsort_r(*ids, n, sizeof **ids, order, &o);
	for (size_t i = 0; i < n; i++)
		(*ranks)[(*ids)[i]] = (uint32_t)i;
	return true;
}

int db_ranks_make(struct db_ranks *r, const struct profile *p, struct error *e)
{
	size_t functions = p->code.functions.len, lines = p->code.lines.len;

	*r = (struct db_ranks){0};
	if (rank(&r->functions, &r->function_at, functions,
		 (struct db_ordering){p, label_compare_functions}) &&
	    rank(&r->lines, &r->line_at, lines, (struct db_ordering){p, label_compare_lines}))
		return 0;
	return error_memory(e, (functions + lines) * sizeof *r->lines);
}

void db_ranks_deinit(struct db_ranks *r)
{
	free(r->functions);
	free(r->lines);
	free(r->function_at);
	free(r->line_at);
}

/* ---- the tree ---------------------------------------------------------------------- */

/* The tree before it is numbered. A node's id is greater than its parent's. A label is the id of a
 * piece. */
struct nodes {
	struct interner pairs;  /* key: function << 32 | line */
	struct interner labels; /* key: pair << 1 | inlined */
	struct interner keys;   /* key: parent << 32 | label */
	uint32_t *label_of;     /* [code frames] */
	uint32_t *label_order;  /* [labels] sorted */
	uint32_t *child, *sibling, *size, *number;
};

/* Find the labels of all code frames once, since each is used for many contexts. */
static bool label_frames(struct nodes *s, struct db_tree *t, const struct symbolized *c)
{
	s->label_of = malloc((c->frames.len + 1) * sizeof *s->label_of);
	if (!s->label_of)
		return false;
	for (size_t i = 0; i < c->frames.len; i++) {
		const struct code_frame *f = &c->frames.at[i];
		uint32_t pair = interner_add(&s->pairs, (uint64_t)f->function << 32 | f->line);
		uint32_t label = INTERNER_NONE;
		if (pair != INTERNER_NONE)
			label = interner_add(&s->labels, (uint64_t)pair << 1 | f->inlined);
		if (label == INTERNER_NONE ||
		    (label == t->pieces.len &&
		     !vec_push(&t->pieces, (struct db_piece){f->function, f->line, f->inlined})))
			return false;
		s->label_of[i] = label;
	}
	return true;
}

static bool add_contexts(struct nodes *s, struct db_tree *t, const struct profile *p)
{
	const struct symbolized *c = &p->code;
	uint32_t n = model_num_contexts(p->model);

	for (uint32_t i = 0; i < MODEL_ROOTS; i++) {
		if (interner_add(&s->keys, (uint64_t)i << 32 | DB_TREE_ROOT) != i)
			return false;
		t->numbers[i] = i;
	}
	for (uint32_t i = MODEL_ROOTS; i < n; i++) {
		uint32_t frame = model_frame_of(p->model, i);
		uint32_t node = t->numbers[model_parent(p->model, i)];
		for (uint32_t k = c->first[frame + 1]; k > c->first[frame]; k--) {
			node = interner_add(&s->keys, (uint64_t)node << 32 | s->label_of[k - 1]);
			if (node == INTERNER_NONE)
				return false;
		}
		t->numbers[i] = node;
	}
	return true;
}

struct piece_order {
	const struct db_tree *t;
	const struct db_ranks *r;
};

static int by_piece(const void *pa, const void *pb, void *context)
{
	const struct piece_order *o = context;
	const struct db_piece *a = &o->t->pieces.at[*(const uint32_t *)pa];
	const struct db_piece *b = &o->t->pieces.at[*(const uint32_t *)pb];
	uint32_t x = o->r->functions[a->function], y = o->r->functions[b->function];

	if (x == y) {
		x = o->r->lines[a->line];
		y = o->r->lines[b->line];
	}
	return x != y ? (x > y) - (x < y) : (int)a->inlined - (int)b->inlined;
}

/* Sort the nodes by label, and put each before the siblings in its list, the last label first. So
 * children are in the order of labels. The table of counts has one more element than there are
 * labels. */
static bool link_children(struct nodes *s, const struct db_tree *t, const struct db_ranks *r)
{
	size_t labels = t->pieces.len;
	uint32_t n = s->keys.len;
	uint32_t *first = calloc(labels + 2, sizeof *first),
		 *sorted = calloc(n + (size_t)1, sizeof *sorted);
	struct piece_order o = {t, r};
	bool ok = first && sorted;

	s->label_order = calloc(labels + 1, sizeof *s->label_order);
	ok = ok && s->label_order;
	for (size_t i = 0; ok && i < labels; i++)
		s->label_order[i] = (uint32_t)i;
	if (ok) {
		qsort_r(s->label_order, labels, sizeof *s->label_order, by_piece, &o);
		for (uint32_t i = MODEL_ROOTS; i < n; i++)
			first[(uint32_t)s->keys.keys[i] + 1]++;
		for (size_t i = 1; i <= labels; i++)
			first[i] += first[i - 1];
		for (uint32_t i = MODEL_ROOTS; i < n; i++)
			sorted[first[(uint32_t)s->keys.keys[i]]++] = i;
		/* first[l] is now the end of label l */
		for (size_t i = labels; i-- > 0;) {
			uint32_t l = s->label_order[i], from = l ? first[l - 1] : 0;
			for (uint32_t k = from; k < first[l]; k++) {
				uint32_t up = (uint32_t)(s->keys.keys[sorted[k]] >> 32);
				s->sibling[sorted[k]] = s->child[up];
				s->child[up] = sorted[k];
			}
		}
	}
	free(first);
	free(sorted);
	return ok;
}

static void number_nodes(struct nodes *s, struct db_tree *t)
{
	uint32_t n = s->keys.len;

	for (uint32_t i = n; i-- > 0;) {
		s->size[i]++;
		if (i >= MODEL_ROOTS)
			s->size[s->keys.keys[i] >> 32] += s->size[i];
	}
	s->number[MODEL_ROOT] = 0;
	t->partial = s->number[MODEL_PARTIAL_ROOT] = s->size[MODEL_ROOT];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = s->number[i] + 1;
		for (uint32_t c = s->child[i]; c; c = s->sibling[c]) {
			s->number[c] = next;
			next += s->size[c];
		}
	}
}

static uint64_t hash_piece(const struct profile *p, const struct db_piece *piece)
{
	const struct code_function *f = &p->code.functions.at[piece->function];
	const struct code_line *l = &p->code.lines.at[piece->line];
	uint64_t h = db_hash_text(db_hash_function(p, piece->function), f->linkage_name);

	h = db_hash_text(h, p->code.files.at[l->file].name);
	return h + ((uint64_t)l->line << 1 | piece->inlined) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Fill the tree in the order of numbers, parents before children. */
static bool lay_out(struct nodes *s, struct db_tree *t, const struct profile *p)
{
	uint64_t *pieces = malloc((t->pieces.len + 1) * sizeof *pieces);

	if (!pieces)
		return false;
	for (size_t i = 0; i < t->pieces.len; i++)
		pieces[i] = hash_piece(p, &t->pieces.at[i]);
	for (uint32_t i = 0; i < t->len; i++) {
		uint32_t at = s->number[i];
		t->parent[at] = s->number[s->keys.keys[i] >> 32];
		t->last[at] = at + s->size[i] - 1;
		t->piece[at] = (uint32_t)s->keys.keys[i];
	}
	for (uint32_t i = 0; i < t->len; i++) {
		if (t->piece[i] == DB_TREE_ROOT) {
			t->hash[i] = i ? 2 : 1;
			continue;
		}
		t->depth[i] = t->depth[t->parent[i]] + 1;
		t->hash[i] = contexts_path(t->hash[t->parent[i]], pieces[t->piece[i]]);
	}
	free(pieces);
	return true;
}

static bool allocate(struct nodes *s, struct db_tree *t)
{
	size_t n = s->keys.len;

	t->len = s->keys.len;
	s->child = calloc(n, sizeof *s->child);
	s->sibling = calloc(n, sizeof *s->sibling);
	s->size = calloc(n, sizeof *s->size);
	s->number = calloc(n, sizeof *s->number);
	return s->child && s->sibling && s->size && s->number;
}

int db_tree_make(struct db_tree *t, const struct profile *p, const struct db_ranks *r,
		 struct error *e)
{
	uint32_t contexts = model_num_contexts(p->model);
	struct nodes s = {0};
	bool ok;

	*t = (struct db_tree){0};
	t->numbers = malloc(contexts * sizeof *t->numbers);
	ok = t->numbers && label_frames(&s, t, &p->code) && add_contexts(&s, t, p) &&
	     allocate(&s, t) && link_children(&s, t, r);
	interner_deinit(&s.pairs);
	interner_deinit(&s.labels);
	if (ok) {
		number_nodes(&s, t);
		t->parent = s.child; /* no longer needed, and of the right size */
		t->last = s.sibling;
		s.child = s.sibling = NULL;
		t->depth = calloc(t->len, sizeof *t->depth);
		t->piece = malloc(t->len * sizeof *t->piece);
		t->hash = malloc(t->len * sizeof *t->hash);
		ok = t->depth && t->piece && t->hash && lay_out(&s, t, p);
	}
	for (uint32_t i = 0; ok && i < contexts; i++)
		t->numbers[i] = s.number[t->numbers[i]];
	interner_deinit(&s.keys);
	free(s.label_of);
	free(s.label_order);
	free(s.child);
	free(s.sibling);
	free(s.size);
	free(s.number);
	return ok ? 0 : error_memory(e, contexts * sizeof(uint64_t));
}

void db_tree_deinit(struct db_tree *t)
{
	vec_free(&t->pieces);
	free(t->parent);
	free(t->last);
	free(t->depth);
	free(t->piece);
	free(t->hash);
	free(t->numbers);
	*t = (struct db_tree){0};
}
