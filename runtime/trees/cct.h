/* The calling context trees of a thread, in the store. Async-signal-safe; each tree has one
 * writer, its thread. */
#ifndef RUNTIME_TREES_CCT_H
#define RUNTIME_TREES_CCT_H

#include "runtime/process/state.h"

/* What the innermost frame of a path is. */
enum csprof_leaf { CSPROF_LEAF_SAMPLED, CSPROF_LEAF_RECORDED };

/* Find or make the node of the path in state->frames, in the thread's tree of that kind
 * (CSP_TREE_COMPLETE or CSP_TREE_PARTIAL) for the current epoch. Add amounts[i] to its column
 * columns[i]; for a new node this is done before readers can see it. Returns the node, or 0 if
 * the store is full; then nothing was added. */
store_ref csprof_cct_insert(csprof_state_t *state, uint32_t kind, enum csprof_leaf leaf,
			    const uint32_t *columns, const uint64_t *amounts, uint32_t n);

/* Find or make the nodes with these keys, each below the one before it and the first below the
 * root, in the tree of complete paths. Returns false, and none was made, if the store is full. */
bool csprof_cct_path(csprof_state_t *state, const uint64_t *keys, uint32_t n, store_ref *nodes);

/* Set up; forget the path and the tree, after the tree was moved; free the memory of a thread's
 * trees outside the store. A zeroed state may insert without csprof_cct_init. */
void csprof_cct_init(csprof_state_t *state);
void csprof_cct_forget(struct csprof_cct *cct);
void csprof_cct_deinit(struct csprof_cct *cct);

/* ---- for code that moves trees ---- */

/* Returns the tree of kind and epoch of a thread's record. If there is none, it is made in the
 * arena; 0 if there is no memory. */
store_ref csprof_cct_tree(store_ref thread, uint32_t kind, store_ref epoch, struct csprof_arena *a);
/* Search the children below *link, the link to their top node, for the one with that key.
 * Returns the link to it, or the link where it would be inserted. */
store_ref *csprof_cct_find_child(store_ref *link, uint64_t key);

#endif
