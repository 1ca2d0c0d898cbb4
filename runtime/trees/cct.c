#include "runtime/trees/cct.h"

#include "runtime/os/os.h"
#include "runtime/sample/epoch.h"
#include "runtime/sample/unwind.h"

#include <string.h>

enum { FIRST_PATH = 256 }; /* if those of the state are too few */
_Static_assert((int)FIRST_PATH > CSPROF_FEW_FRAMES, "tells mapped pages from the state");

static struct store_node *node_at(store_ref ref)
{
	return csprof_store_at(ref);
}

static void publish(store_ref *link, store_ref ref)
{
	__atomic_store_n(link, ref, __ATOMIC_RELEASE);
}

/* ---- trees ---------------------------------------------------------------------- */

static store_ref find_tree(const struct store_thread *t, uint32_t kind, store_ref epoch)
{
	for (store_ref ref = t->first_tree; ref;) {
		const struct store_tree *tree = csprof_store_at(ref);
		if (tree->kind == kind && tree->epoch == epoch)
			return ref;
		ref = tree->next;
	}
	return 0;
}

static store_ref make_tree(store_ref thread, uint32_t kind, store_ref epoch, struct csprof_arena *a)
{
	store_ref root = csprof_malloc(a, csprof_store_header()->node_bytes);
	store_ref ref = root ? csprof_malloc(a, sizeof(struct store_tree)) : 0;
	if (!ref)
		return 0;
	node_at(root)->parent = root;
	struct store_thread *t = csprof_store_at(thread);
	struct store_tree *tree = csprof_store_at(ref);
	tree->thread = thread;
	tree->epoch = epoch;
	tree->root = root;
	tree->kind = kind;
	tree->next = t->first_tree;
	publish(&t->first_tree, ref);
	return ref;
}

store_ref csprof_cct_tree(store_ref thread, uint32_t kind, store_ref epoch, struct csprof_arena *a)
{
	store_ref ref = find_tree(csprof_store_at(thread), kind, epoch);
	return ref ? ref : make_tree(thread, kind, epoch, a);
}

/* Make cct refer to the tree of kind for the current epoch. */
static bool use_tree(csprof_state_t *state, struct csprof_cct *cct, uint32_t kind)
{
	store_ref epoch = atomic_load_explicit(&csprof_process.epoch, memory_order_acquire);
	if (cct->tree && cct->epoch == epoch)
		return true;
	cct->len = 0;
	cct->tree = csprof_cct_tree(state->thread, kind, epoch, &state->arena);
	if (!cct->tree)
		return false;
	cct->root = ((struct store_tree *)csprof_store_at(cct->tree))->root;
	cct->epoch = epoch;
	return true;
}

/* ---- the path that was added last ------------------------------------------------ */

static void remember_more(struct csprof_cct *cct)
{
	uint32_t cap = cct->cap < FIRST_PATH ? FIRST_PATH : cct->cap * 2;
	uint64_t *keys = os_map(cap * (sizeof *cct->keys + sizeof *cct->nodes));
	if (!keys)
		return;
	store_ref *nodes = (store_ref *)(keys + cap);
	uint32_t len = cct->len;
	if (cct->keys) {
		memcpy(keys, cct->keys, len * sizeof *keys);
		memcpy(nodes, cct->nodes, len * sizeof *nodes);
	}
	csprof_cct_deinit(cct);
	cct->keys = keys;
	cct->nodes = nodes;
	cct->cap = cap;
	cct->len = len;
}

/* depth is the number of frames outside this one. If there is no memory for the whole path, its
 * outer part is remembered. */
static void remember(struct csprof_cct *cct, uint32_t depth, uint64_t key, store_ref node)
{
	if (depth == cct->cap)
		remember_more(cct);
	if (depth >= cct->cap || depth > cct->len)
		return;
	cct->keys[depth] = key;
	cct->nodes[depth] = node;
	cct->len = depth + 1;
}

void csprof_cct_init(csprof_state_t *state)
{
	memset(state->cct, 0, sizeof state->cct);
	struct csprof_cct *cct = &state->cct[CSP_TREE_COMPLETE];
	cct->keys = state->few_keys;
	cct->nodes = state->few_nodes;
	cct->cap = CSPROF_FEW_FRAMES;
}

void csprof_cct_forget(struct csprof_cct *cct)
{
	cct->tree = 0;
	cct->len = 0;
}

void csprof_cct_deinit(struct csprof_cct *cct)
{
	if (cct->cap >= FIRST_PATH)
		os_unmap(cct->keys, cct->cap * (sizeof *cct->keys + sizeof *cct->nodes));
	cct->keys = NULL;
	cct->nodes = NULL;
	cct->len = cct->cap = 0;
}

/* ---- nodes ----------------------------------------------------------------------- */

/* The key of a frame in the tree: the interrupted instruction or the recorded call at the end of
 * the path, and a call site everywhere else. Code that a signal interrupted did not call: 1 is
 * added to its ip, so that ip - 1 is in the instruction. */
static uint64_t key_of(const csprof_state_t *state, uint32_t i, enum csprof_leaf leaf)
{
	const struct csprof_frame *f = &state->frames[i];
	if (i > 0)
		return (f->ip + f->exact) & STORE_IP_MASK;
	uint64_t role = leaf == CSPROF_LEAF_SAMPLED ? STORE_ROLE_LEAF : STORE_ROLE_RECORDED;
	return (f->ip & STORE_IP_MASK) | role << STORE_ROLE_SHIFT;
}

store_ref *csprof_cct_find_child(store_ref *link, uint64_t key)
{
	uint64_t hash = store_hash(key);
	while (*link) {
		struct store_node *n = node_at(*link);
		if (n->key == key)
			break;
		link = hash < store_hash(n->key) ? &n->left : &n->right;
	}
	return link;
}

static void add_amounts(struct store_node *n, const uint32_t *columns, const uint64_t *amounts,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		__atomic_store_n(&n->metrics[columns[i]], n->metrics[columns[i]] + amounts[i],
				 __ATOMIC_RELAXED);
}

/* Make nodes for frames i .. 0 as a chain below parent. *last is the innermost of them. Returns
 * the outermost, which is not yet linked, so that a reader sees the whole path or nothing. */
static store_ref make_chain(csprof_state_t *state, struct csprof_cct *cct, store_ref parent,
			    uint32_t i, enum csprof_leaf leaf, store_ref *last)
{
	store_ref first = 0;
	for (;;) {
		uint64_t key = key_of(state, i, leaf);
		size_t bytes = store_node_bytes(csprof_store_header(), key);
		store_ref ref = csprof_malloc(&state->arena, bytes);
		if (!ref)
			return 0;
		struct store_node *n = node_at(ref);
		n->key = key;
		n->sp = state->frames[i].sp;
		n->parent = parent;
		if (first)
			node_at(parent)->child = ref;
		else
			first = ref;
		remember(cct, state->outer + state->num_frames - 1 - i, n->key, ref);
		if (!state->frames[i].script)
			csprof_epoch_notice_code(state->frames[i].ip);
		parent = ref;
		if (i-- == 0)
			break;
	}
	*last = parent;
	return first;
}

/* Follow the remembered path as far as it equals the new one, of which the outer frames are known
 * to be equal. *i is the number of frames left. */
static store_ref follow(const csprof_state_t *state, struct csprof_cct *cct, enum csprof_leaf leaf,
			uint32_t *i)
{
	uint32_t depth = state->outer, n = state->outer + state->num_frames;
	store_ref at = depth ? cct->nodes[depth - 1] : cct->root;
	while (depth < n && depth < cct->len &&
	       cct->keys[depth] == key_of(state, n - 1 - depth, leaf))
		at = cct->nodes[depth++];
	cct->len = depth;
	*i = n - depth;
	return at;
}

bool csprof_cct_path(csprof_state_t *state, const uint64_t *keys, uint32_t n, store_ref *nodes)
{
	struct csprof_cct *cct = &state->cct[CSP_TREE_COMPLETE];
	if (!use_tree(state, cct, CSP_TREE_COMPLETE))
		return false;
	store_ref at = cct->root, first = 0, *into = NULL;
	for (uint32_t i = 0; i < n; i++) {
		store_ref *link = csprof_cct_find_child(&node_at(at)->child, keys[i]);
		if (*link) {
			at = nodes[i] = *link;
			continue;
		}
		store_ref made =
		    csprof_malloc(&state->arena, store_node_bytes(csprof_store_header(), keys[i]));
		if (!made)
			return false;
		node_at(made)->key = keys[i];
		node_at(made)->parent = at;
		if (first) {
			*link = made;
		} else {
			first = made;
			into = link;
		}
		at = nodes[i] = made;
	}
	if (first)
		publish(into, first);
	return true;
}

store_ref csprof_cct_insert(csprof_state_t *state, uint32_t kind, enum csprof_leaf leaf,
			    const uint32_t *columns, const uint64_t *amounts, uint32_t n)
{
	struct csprof_cct *cct = &state->cct[kind];
	if (state->num_frames == 0 || !use_tree(state, cct, kind))
		return 0;
	if ((state->outer > cct->len || state->outer > state->memo.inserted) &&
	    !csprof_unwind_expand(state))
		return 0;
	uint32_t left, total = state->outer + state->num_frames;
	store_ref at = follow(state, cct, leaf, &left);
	if (state->num_scripts) /* the nodes are not those of the walk's frames alone */
		state->memo.inserted = 0;
	else if (kind == CSP_TREE_COMPLETE)
		csprof_memo_inserted(&state->memo, total - state->num_notes, total - left);
	while (left > 0) {
		uint64_t key = key_of(state, left - 1, leaf);
		store_ref *link = csprof_cct_find_child(&node_at(at)->child, key);
		if (!*link) {
			store_ref last = 0;
			store_ref first = make_chain(state, cct, at, left - 1, leaf, &last);
			if (!first) {
				cct->len = 0; /* it may refer to nodes that are not linked */
				return 0;
			}
			add_amounts(node_at(last), columns, amounts, n);
			publish(link, first);
			return last;
		}
		at = *link;
		remember(cct, total - left, key, at);
		left--;
	}
	add_amounts(node_at(at), columns, amounts, n);
	return at;
}
