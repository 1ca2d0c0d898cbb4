/* Checks that the nodes of a tree are a single tree, and finds an order for walking them.
 *
 * Trees written by the runtime have ids that count up, and parents with lower ids than their
 * children; one pass over the bytes proves that they are trees. Any other order needs two tables of
 * a word per node (a node is at least 16 bytes of the file) and a second pass. */
#include "reader/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The nodes in the file. */
struct node_rows {
	const uint8_t *at;
	uint64_t n, bytes; /* number of nodes, and the size of one */
	uint64_t offset;   /* of the first in the file */
	uint32_t width;
	bool big;
};

static struct node_rows rows_of(const struct reader *r, const struct tree_index *t)
{
	return (struct node_rows){
	    .at = r->bytes + t->said.nodes_offset,
	    .n = t->said.num_nodes,
	    .bytes = csp_node_bytes(t->said.width, r->num_metrics),
	    .offset = t->said.nodes_offset,
	    .width = t->said.width,
	    .big = r->header.big,
	};
}

/* Word number field (0 id, 1 parent) of the node at position i. */
static inline uint64_t word(const struct node_rows *w, uint64_t i, unsigned field)
{
	const uint8_t *p = w->at + i * w->bytes + field * w->width;
	return w->width == 8 ? cursor_load_u64(p, w->big) : cursor_load_u32(p, w->big);
}

static inline uint64_t id_at(const struct node_rows *w, uint64_t i)
{
	return word(w, i, 0);
}

static inline uint64_t parent_at(const struct node_rows *w, uint64_t i)
{
	return word(w, i, 1);
}

static uint64_t field_offset(const struct node_rows *w, uint64_t i, unsigned field)
{
	return w->offset + i * w->bytes + field * w->width;
}

enum { AHEAD = 2048 }; /* bytes: beyond the page where hardware prefetching stops */

static inline __attribute__((always_inline)) bool counts_up(const struct node_rows *rows,
							    uint32_t width, bool big)
{
	struct node_rows w = *rows;
	uint64_t wrong;

	w.width = width;
	w.big = big;
	wrong = id_at(&w, 0) | parent_at(&w, 0);
	for (uint64_t i = 1; i < w.n; i++) {
		__builtin_prefetch(w.at + i * w.bytes + AHEAD);
		wrong |= (id_at(&w, i) ^ i) | (parent_at(&w, i) >= i);
	}
	return !wrong;
}

/* Whether ids count up and each parent is below its child: then it is a tree. */
static bool is_plain(const struct node_rows *w)
{
	/* constants for the compiler: the usual form */
	return w->width == 8 && !w->big ? counts_up(w, 8, false) : counts_up(w, w->width, w->big);
}

/* Values of place[id] that are not a position. */
static const uint64_t UNSEEN = UINT64_MAX;     /* no node with this id yet */
static const uint64_t ACTIVE = UINT64_MAX - 1; /* on the current path */
static const uint64_t DONE = UINT64_MAX - 2;   /* in the order, with its ancestors */

/* Set place to the position of each id, and *top_down to whether every node's parent is before
 * it. */
static int find_places(const struct node_rows *w, uint64_t *place, bool *top_down, struct error *e)
{
	char expected[96];
	for (uint64_t i = 0; i < w->n; i++)
		place[i] = UNSEEN;
	*top_down = true;
	for (uint64_t i = 0; i < w->n; i++) {
		uint64_t id = id_at(w, i), parent = parent_at(w, i);
		if (id >= w->n || parent >= w->n) {
			bool bad_id = id >= w->n;
			snprintf(expected, sizeof expected, "a node's %s below num_nodes %" PRIu64,
				 bad_id ? "id" : "parent", w->n);
			return error_format(e, field_offset(w, i, !bad_id), expected, "%" PRIu64,
					    bad_id ? id : parent);
		}
		if (place[id] != UNSEEN)
			return error_format(
			    e, field_offset(w, i, 0), "a node id that is unique in the tree",
			    "%" PRIu64 " as at offset %" PRIu64, id, field_offset(w, place[id], 0));
		place[id] = i;
		if (place[parent] == UNSEEN)
			*top_down = false;
	}
	uint64_t root_parent = parent_at(w, place[0]);
	if (root_parent != 0)
		return error_format(e, field_offset(w, place[0], 1), "parent 0 of the root (id 0)",
				    "%" PRIu64, root_parent);
	return 0;
}

static void reverse(uint64_t *at, uint64_t n)
{
	for (uint64_t i = 0; i < n / 2; i++) {
		uint64_t first = at[i];
		at[i] = at[n - 1 - i];
		at[n - 1 - i] = first;
	}
}

/* From each node walk up to a node that is already in the order, and append the path in reverse.
 * place is overwritten; order gets all positions. A path that meets itself is a cycle. */
static int put_in_order(const struct node_rows *w, uint64_t *place, uint64_t *order,
			struct error *e)
{
	uint64_t len = 0;
	order[len++] = place[0];
	place[0] = DONE;
	for (uint64_t i = 0; i < w->n; i++) {
		uint64_t first = len, id = id_at(w, i);
		while (place[id] != DONE) {
			if (place[id] == ACTIVE)
				return error_format(e, field_offset(w, order[len - 1], 1),
						    "a parent that leads to the root",
						    "%" PRIu64 ", which forms a cycle", id);
			order[len++] = place[id];
			place[id] = ACTIVE;
			id = parent_at(w, order[len - 1]);
		}
		for (uint64_t k = first; k < len; k++)
			place[id_at(w, order[k])] = DONE;
		reverse(order + first, len - first);
	}
	return 0;
}

static uint64_t *words(uint64_t n, struct error *e)
{
	uint64_t *p = malloc(n * sizeof *p);
	if (!p)
		error_memory(e, n * sizeof *p);
	return p;
}

int tree_check(const struct reader *r, struct tree_index *t, struct error *e)
{
	struct node_rows w = rows_of(r, t);
	t->top_down = true;
	t->plain = is_plain(&w);
	if (t->plain)
		return 0;
	uint64_t *place = words(w.n, e);
	uint64_t *order = place ? words(w.n, e) : NULL;
	int result = -1;
	if (order && find_places(&w, place, &t->top_down, e) == 0)
		result = put_in_order(&w, place, order, e);
	free(order);
	free(place);
	return result;
}

uint64_t *tree_top_down(const struct reader *r, const struct tree_index *t, struct error *e)
{
	struct node_rows w = rows_of(r, t);
	bool top_down;
	uint64_t *place = words(w.n, e);
	uint64_t *order = place ? words(w.n, e) : NULL;
	if (order && (find_places(&w, place, &top_down, e) || put_in_order(&w, place, order, e))) {
		free(order);
		order = NULL;
	}
	free(place);
	return order;
}
