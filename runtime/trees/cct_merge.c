#include "runtime/trees/cct_merge.h"

#include "runtime/trees/cct.h"

/* Merged nodes have no sp, so the sp of a node whose tree is being moved is not needed any more.
 * It holds two refs instead: in the low half the next node on the stack, and in the high half,
 * once the node is moved, the node that took its counts. So a tree of any depth is walked
 * without recursion and without other memory. */
enum { TAKER_SHIFT = 32 };

static struct store_node *node_at(store_ref ref)
{
	return csprof_store_at(ref);
}

static store_ref taker(const struct store_node *n)
{
	return (store_ref)(n->sp >> TAKER_SHIFT);
}

static void push(struct csprof_merge *m, store_ref ref)
{
	if (!ref)
		return;
	node_at(ref)->sp = m->stack;
	m->stack = ref;
}

static store_ref pop(struct csprof_merge *m)
{
	store_ref ref = m->stack;
	m->stack = (store_ref)node_at(ref)->sp;
	return ref;
}

/* ---- counts ---------------------------------------------------------------------- */

static void put(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELEASE);
}

static void take_out(struct store_count *row, uint64_t samples, uint64_t weight)
{
	put(&row->samples, row->samples - samples);
	put(&row->weight, row->weight - weight);
}

static void put_in(struct store_count *row, uint64_t samples, uint64_t weight)
{
	put(&row->samples, row->samples + samples);
	put(&row->weight, row->weight + weight);
}

/* There is no node for these counts: count the lost samples in the account. */
static void lose(struct csprof_merge *m, const struct store_node *n)
{
	const struct store_header *h = csprof_store_header();
	const struct store_tree *tree = csprof_store_at(m->tree);
	struct store_thread *t = csprof_store_at(m->from);
	enum csp_disposition was = tree->kind == CSP_TREE_COMPLETE ? CSP_RECORDED : CSP_PARTIAL;
	for (uint32_t i = 0; i + 1 < store_node_columns(h, n->key); i++) {
		const struct store_metric *v = &h->metrics[i];
		if (!(v->flags & CSP_METRIC_ASYNC) || v->flags & CSP_METRIC_SAMPLES)
			continue;
		struct store_count *account = t->clocks[v->event].account;
		put_in(&account[CSP_OUT_OF_MEMORY], n->metrics[i + 1], n->metrics[i]);
		take_out(&account[was], n->metrics[i + 1], n->metrics[i]);
	}
}

static void move_counts(struct csprof_merge *m, struct store_node *n, store_ref to)
{
	const struct store_header *h = csprof_store_header();
	uint32_t columns = store_node_columns(h, n->key);
	if (columns > h->num_metrics)
		columns = h->num_metrics;
	if (to) {
		uint64_t *sum = node_at(to)->metrics;
		for (uint32_t i = 0; i < columns; i++)
			if (n->metrics[i])
				put(&sum[i], sum[i] + n->metrics[i]);
	} else {
		lose(m, n);
	}
	for (uint32_t i = 0; i < columns; i++)
		if (n->metrics[i])
			put(&n->metrics[i], 0);
}

/* ---- nodes ----------------------------------------------------------------------- */

/* The child of parent with that key, made if necessary; 0 if there is no memory. */
static store_ref child_of(struct csprof_merge *m, store_ref parent, uint64_t key)
{
	store_ref *link = csprof_cct_find_child(&node_at(parent)->child, key);
	store_ref ref = *link;
	if (ref)
		return ref;
	ref = csprof_malloc(m->arena, store_node_bytes(csprof_store_header(), key));
	if (!ref)
		return 0;
	node_at(ref)->key = key;
	node_at(ref)->parent = parent;
	__atomic_store_n(link, ref, __ATOMIC_RELEASE);
	return ref;
}

static store_ref find_taker(struct csprof_merge *m, store_ref ref, const struct store_node *n)
{
	if (n->parent == ref)
		return m->target ? ((struct store_tree *)csprof_store_at(m->target))->root : 0;
	store_ref parent = taker(node_at(n->parent));
	return parent ? child_of(m, parent, n->key) : 0;
}

/* Start with the next tree of the thread. */
static bool next_tree(struct csprof_merge *m)
{
	struct store_thread *t = csprof_store_at(m->from);
	if (m->tree) {
		struct store_tree *done = csprof_store_at(m->tree);
		__atomic_store_n(&t->first_tree, done->next, __ATOMIC_RELEASE);
	}
	m->tree = t->first_tree;
	if (!m->tree)
		return false;
	struct store_tree *tree = csprof_store_at(m->tree);
	m->target = csprof_cct_tree(m->to, tree->kind, tree->epoch, m->arena);
	tree->reserved[0] = m->target; /* for csprof_merge_follow */
	push(m, tree->root);
	return true;
}

void csprof_merge_begin(struct csprof_merge *m, store_ref from, store_ref to,
			struct csprof_arena *arena)
{
	*m = (struct csprof_merge){.from = from, .to = to, .arena = arena};
}

bool csprof_merge_step(struct csprof_merge *m)
{
	if (!m->stack && !next_tree(m))
		return false;
	store_ref ref = pop(m);
	struct store_node *n = node_at(ref);
	store_ref to = find_taker(m, ref, n);
	move_counts(m, n, to);
	n->sp = (uint64_t)to << TAKER_SHIFT;
	push(m, n->left);
	push(m, n->right);
	push(m, n->child);
	return true;
}

void csprof_merge_follow(store_ref *tree, store_ref *node)
{
	store_ref to = taker(node_at(*node));
	*tree = to ? ((struct store_tree *)csprof_store_at(*tree))->reserved[0] : 0;
	*node = to;
}

/* ---- the account ------------------------------------------------------------------- */

void csprof_merge_account(store_ref from, store_ref to)
{
	struct store_thread *f = csprof_store_at(from), *t = csprof_store_at(to);
	for (uint32_t e = 0; e < csprof_store_header()->num_events; e++) {
		struct store_clock *a = &f->clocks[e], *b = &t->clocks[e];
		for (int d = 0; d < CSP_DISPOSITIONS; d++) {
			struct store_count row = a->account[d];
			put_in(&b->account[d], row.samples, row.weight);
			take_out(&a->account[d], row.samples, row.weight);
		}
		b->enabled += a->enabled;
		b->running += a->running;
		a->enabled = a->running = 0;
		b->end += a->end - a->start;
		b->last = b->end;
		a->end = a->last = a->start;
	}
	if (!t->end_ns || f->start_ns < t->start_ns)
		t->start_ns = f->start_ns;
	if (f->end_ns > t->end_ns)
		t->end_ns = f->end_ns;
}
