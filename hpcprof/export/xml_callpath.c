/* The tree of a CSPROFILE: values by call path. Contexts that print alike are one node, so a new
 * tree is built, with places instead of addresses. Nothing here recurses over the depth of a
 * path. */
#include "hpcprof/export/xml.h"

#include "formats/base/interner.h"
#include "hpcprof/model/sum.h"
#include "reader/xml_name.h"

#include <stdlib.h>
#include <string.h>

/* The kind is in the two bits below the place's id in a node's key. Nodes are printed in this
 * order. */
enum node_kind { NODE_S, NODE_CALLSITE, NODE_PARTIAL };

struct xml_place {
	uint32_t function, file; /* any of those that print like this */
	uint32_t line;
};

struct xml_calls {
	const struct xml *x;
	uint32_t *file_ranks, *name_ranks;
	struct interner names;  /* key: file's rank << 32 | function's rank */
	struct interner places; /* key: id in names << 32 | line */
	VEC(struct xml_place) place_of;
	uint32_t *place_ranks;
	struct interner nodes; /* key: parent << 32 | place << 2 | kind */
	uint32_t *leaves;      /* [contexts]: the node of each */
	uint64_t *sums;        /* [nodes * metrics] */
	bool *live;            /* [nodes]: it, or something below, has a value */
	uint32_t *order;       /* [live nodes]: by parent, then in the order of printing */
	uint32_t *child;       /* [nodes]: where the children begin in order; */
	uint32_t num_live;     /* they end where the parent changes */
};

enum { ROOT = 0, PARTIAL_ROOT = 1, KIND_BITS = 2 };
#define NO_PLACE (UINT32_MAX >> KIND_BITS)

static uint32_t parent_of(const struct xml_calls *s, uint32_t node)
{
	return (uint32_t)(s->nodes.keys[node] >> 32);
}

static enum node_kind kind_of(const struct xml_calls *s, uint32_t node)
{
	return (enum node_kind)(s->nodes.keys[node] & ((1 << KIND_BITS) - 1));
}

static uint32_t place_in(const struct xml_calls *s, uint32_t node)
{
	return (uint32_t)s->nodes.keys[node] >> KIND_BITS;
}

static int compare_names(const struct xml *x, uint32_t a, uint32_t b)
{
	return strcmp(x->c->functions.at[a].name, x->c->functions.at[b].name);
}

/* ---- the tree --------------------------------------------------------------------- */

static uint32_t node_add(struct xml_calls *s, uint32_t parent, uint32_t place, enum node_kind kind)
{
	if (place == INTERNER_NONE)
		return INTERNER_NONE;
	return interner_add(&s->nodes,
			    (uint64_t)parent << 32 | (uint64_t)place << KIND_BITS | kind);
}

static uint32_t place_add(struct xml_calls *s, const struct code_frame *f)
{
	const struct code_line *line = &s->x->c->lines.at[f->line];
	uint64_t key = (uint64_t)s->file_ranks[line->file] << 32 | s->name_ranks[f->function];
	uint32_t names = interner_add(&s->names, key), id;

	if (names == INTERNER_NONE)
		return names;
	id = interner_add(&s->places, (uint64_t)names << 32 | line->line);
	if (id >= NO_PLACE || (id == s->place_of.len &&
			       !vec_push(&s->place_of, (struct xml_place){.function = f->function,
									  .file = line->file,
									  .line = line->line})))
		return INTERNER_NONE;
	return id;
}

/* The node of a context below its parent's. There is one node for each frame of the chain,
 * outermost first. */
static uint32_t descend(struct xml_calls *s, uint32_t parent, uint32_t context)
{
	const struct symbolized *c = s->x->c;
	uint32_t frame = model_frame_of(s->x->m, context), node = parent;
	uint32_t role = s->x->m->frames.at[frame].role;
	bool call =
	    role == FRAME_CALL || role == FRAME_NAMED_CALL || role == FRAME_NAMED_INLINED_CALL;

	for (uint32_t k = c->first[frame + 1]; node != INTERNER_NONE && k-- > c->first[frame];)
		node = node_add(s, node, place_add(s, &c->frames.at[k]),
				call || k > c->first[frame] ? NODE_CALLSITE : NODE_S);
	return node;
}

static int build_nodes(struct xml_calls *s, struct error *e)
{
	const struct xml *x = s->x;
	uint32_t contexts = model_num_contexts(x->m);

	s->file_ranks = xml_ranks(x, x->c->files.len, xml_compare_files);
	s->name_ranks = xml_ranks(x, x->c->functions.len, compare_names);
	s->leaves = malloc(contexts * sizeof *s->leaves);
	if (!s->file_ranks || !s->name_ranks || !s->leaves ||
	    node_add(s, ROOT, NO_PLACE, NODE_S) != ROOT ||
	    node_add(s, ROOT, NO_PLACE, NODE_PARTIAL) != PARTIAL_ROOT)
		return error_memory(e, contexts * sizeof *s->leaves);
	s->leaves[MODEL_ROOT] = ROOT;
	s->leaves[MODEL_PARTIAL_ROOT] = PARTIAL_ROOT;
	/* a parent's id is smaller than its children's */
	for (uint32_t i = MODEL_ROOTS; i < contexts; i++) {
		s->leaves[i] = descend(s, s->leaves[model_parent(x->m, i)], i);
		if (s->leaves[i] == INTERNER_NONE)
			return error_memory(e, s->nodes.len * sizeof(uint64_t));
	}
	return 0;
}

static int sum_nodes(struct xml_calls *s, struct error *e)
{
	const struct xml *x = s->x;
	uint32_t contexts = model_num_contexts(x->m);
	size_t n = x->num_metrics;
	bool saturated = false;

	s->sums = calloc((size_t)s->nodes.len * n + 1, sizeof *s->sums);
	s->live = calloc(s->nodes.len, sizeof *s->live);
	if (!s->sums || !s->live)
		return error_memory(e, s->nodes.len * n * sizeof *s->sums);
	for (uint32_t i = MODEL_ROOTS; i < contexts; i++)
		for (size_t k = 0; k < n; k++) {
			uint64_t *to = &s->sums[s->leaves[i] * n + k];
			*to = sum_add(*to, x->metrics[k]->events[i], &saturated);
		}
	for (uint32_t node = s->nodes.len - 1; node > ROOT; node--) {
		s->live[node] |= xml_any(x, &s->sums[node * n]);
		s->live[parent_of(s, node)] |= s->live[node];
	}
	return 0;
}

/* ---- order ------------------------------------------------------------------------- */

static int by_names(const void *pa, const void *pb, void *context)
{
	const struct xml_calls *s = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint64_t x = s->names.keys[s->places.keys[a] >> 32];
	uint64_t y = s->names.keys[s->places.keys[b] >> 32];

	if (x != y)
		return x < y ? -1 : 1;
	return s->place_of.at[a].line < s->place_of.at[b].line
		   ? -1
		   : s->place_of.at[a].line > s->place_of.at[b].line;
}

static int rank_places(struct xml_calls *s, struct error *e)
{
	size_t n = s->place_of.len;
	uint32_t *ids = malloc((n + 1) * sizeof *ids);

	s->place_ranks = malloc((n + 1) * sizeof *s->place_ranks);
	if (!ids || !s->place_ranks) {
		free(ids);
		return error_memory(e, n * sizeof *ids);
	}
	for (size_t i = 0; i < n; i++)
		ids[i] = (uint32_t)i;
	qsort_r(ids, n, sizeof *ids, by_names, s);
	for (size_t i = 0; i < n; i++)
		s->place_ranks[ids[i]] = (uint32_t)i;
	free(ids);
	return 0;
}

static int by_parent(const void *pa, const void *pb, void *context)
{
	const struct xml_calls *s = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint32_t p = parent_of(s, a), q = parent_of(s, b);
	enum node_kind k = kind_of(s, a), l = kind_of(s, b);

	if (p != q)
		return p < q ? -1 : 1;
	if (k != l)
		return k < l ? -1 : 1;
	if (k == NODE_PARTIAL)
		return 0;
	p = s->place_ranks[place_in(s, a)];
	q = s->place_ranks[place_in(s, b)];
	return p < q ? -1 : p > q;
}

static int order_nodes(struct xml_calls *s, struct error *e)
{
	s->order = malloc(s->nodes.len * sizeof *s->order);
	s->child = calloc(s->nodes.len, sizeof *s->child);
	if (!s->order || !s->child)
		return error_memory(e, s->nodes.len * sizeof *s->order);
	if (rank_places(s, e) != 0)
		return -1;
	for (uint32_t node = ROOT + 1; node < s->nodes.len; node++)
		if (s->live[node])
			s->order[s->num_live++] = node;
	qsort_r(s->order, s->num_live, sizeof *s->order, by_parent, s);
	for (uint32_t node = 0; node < s->nodes.len; node++)
		s->child[node] = s->num_live;
	for (uint32_t i = s->num_live; i-- > 0;)
		s->child[parent_of(s, s->order[i])] = i;
	return 0;
}

/* ---- printing --------------------------------------------------------------------- */

static bool has_children(const struct xml_calls *s, uint32_t node)
{
	return s->child[node] < s->num_live && parent_of(s, s->order[s->child[node]]) == node;
}

static void print_place(const struct xml_calls *s, uint32_t node)
{
	const struct xml *x = s->x;
	const struct xml_place *p;

	if (kind_of(s, node) == NODE_PARTIAL) {
		fputs(" f=\"" READER_XML_UNKNOWN_FILE "\" p=\"" READER_XML_PARTIAL_PATHS
		      "\" l=\"0\"",
		      x->out);
		return;
	}
	p = &s->place_of.at[place_in(s, node)];
	if (x->c->files.at[p->file].name)
		xml_attribute(x, "f", x->c->files.at[p->file].name);
	else
		fputs(" f=\"" READER_XML_UNKNOWN_FILE "\"", x->out);
	xml_attribute(x, "p", x->c->functions.at[p->function].name);
	xml_number(x, "l", p->line);
}

static const char *element_of(const struct xml_calls *s, uint32_t node)
{
	return kind_of(s, node) == NODE_S ? "S" : "CALLSITE";
}

/* Print the start of a node, or the whole node if it has no children. */
static void open_node(const struct xml_calls *s, uint32_t node)
{
	const struct xml *x = s->x;
	const uint64_t *values = &s->sums[node * x->num_metrics];
	bool as_count = x->num_metrics == 1;

	fprintf(x->out, "<%s", element_of(s, node));
	print_place(s, node);
	if (as_count && values[0])
		xml_number(x, "c", values[0]);
	if (!has_children(s, node) && (as_count || !xml_any(x, values))) {
		fputs("/>\n", x->out);
		return;
	}
	fputc('>', x->out);
	if (!as_count)
		xml_values(x, values);
	if (has_children(s, node))
		fputc('\n', x->out);
	else
		fprintf(x->out, "</%s>\n", element_of(s, node));
}

/* Print all nodes in the order of the file. i is the index in order of the next child of parent. */
static void print_nodes(const struct xml_calls *s, uint32_t *stack)
{
	size_t depth = 0;
	uint32_t parent = ROOT, i = s->child[ROOT];

	for (;;) {
		if (i < s->num_live && parent_of(s, s->order[i]) == parent) {
			uint32_t node = s->order[i];
			open_node(s, node);
			if (!has_children(s, node)) {
				i++;
				continue;
			}
			stack[depth++] = i;
			parent = node;
			i = s->child[node];
		} else if (depth) {
			fprintf(s->x->out, "</%s>\n", element_of(s, parent));
			i = stack[--depth] + 1;
			parent = parent_of(s, parent);
		} else {
			return;
		}
	}
}

static int print_tree(const struct xml_calls *s, const char *program, struct error *e)
{
	const struct xml *x = s->x;
	/* no path is longer than the number of nodes */
	uint32_t *stack = malloc(((size_t)s->num_live + 1) * sizeof *stack);

	if (!stack)
		return error_memory(e, s->num_live * sizeof *stack);
	fputs("<PGM", x->out);
	xml_attribute(x, "n", program);
	fputs(">\n", x->out);
	if (s->num_live)
		print_nodes(s, stack);
	else
		fputs("<S f=\"" READER_XML_UNKNOWN_FILE "\" p=\"" MODEL_UNKNOWN_FUNCTION
		      "\" l=\"0\"/>\n",
		      x->out);
	fputs("</PGM>\n", x->out);
	free(stack);
	return 0;
}

int xml_call_tree(const struct xml *x, const char *program, struct error *e)
{
	struct xml_calls s = {.x = x};
	int rc = build_nodes(&s, e);

	if (rc == 0)
		rc = sum_nodes(&s, e);
	if (rc == 0)
		rc = order_nodes(&s, e);
	if (rc == 0)
		rc = print_tree(&s, program, e);
	interner_deinit(&s.names);
	interner_deinit(&s.places);
	interner_deinit(&s.nodes);
	vec_free(&s.place_of);
	free(s.file_ranks);
	free(s.name_ranks);
	free(s.leaves);
	free(s.sums);
	free(s.live);
	free(s.place_ranks);
	free(s.order);
	free(s.child);
	return rc;
}
