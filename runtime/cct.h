/* The calling context trees of a thread, in its store. Async-signal-safe; each
 * tree has one writer, its thread. */
#ifndef RUNTIME_CCT_H
#define RUNTIME_CCT_H

#include "runtime/state.h"

/* What the innermost frame of a path is. */
enum csprof_leaf { CSPROF_LEAF_SAMPLED, CSPROF_LEAF_RECORDED };

/* Find or make the node of the path in state->frames, in the thread's tree of that
 * kind (CSP_TREE_COMPLETE or CSP_TREE_PARTIAL) for the current epoch, and add
 * amounts[i] to column columns[i] of it, before a node that is new can be seen.
 * Returns the node, or 0 where the store is full (then nothing was added). */
store_ref csprof_cct_insert(csprof_state_t *state, uint32_t kind, enum csprof_leaf leaf,
			    const uint32_t *columns, const uint64_t *amounts, uint32_t n);

/* Set up, forget the path and the tree (which has been moved), and give back what a
 * thread's trees need beside the store. A zeroed state may insert without init. */
void csprof_cct_init(csprof_state_t *state);
void csprof_cct_forget(struct csprof_cct *cct);
void csprof_cct_deinit(struct csprof_cct *cct);

/* ---- for whoever moves trees ---- */

/* The tree of kind and epoch of a thread's record; made in the arena, or 0 where there
 * is no memory, if it has none yet. */
store_ref csprof_cct_tree(store_ref thread, uint32_t kind, store_ref epoch, struct csprof_arena *a);
/* The link, below *link (which leads to the top of some children), that leads to the one
 * with that key, or would. */
store_ref *csprof_cct_find_child(store_ref *link, uint64_t key);

#endif
