/* Moving the trees and the account of a thread into another record of the store: shared or
 * ended, which collect the data of many threads.
 *
 * The process may be killed at any instant. So the counts of a node are first added to the node
 * that takes them over and then zeroed in the old node; a row of the account is moved in the
 * same way. A reader that adds up both records finds everything once, except for at most one
 * node (or one row) that is there twice. The opposite order could lose a node, and the store
 * exists to prevent losses. The caller has stored the thread in header.merging.
 *
 * The caller holds the process's lock, and nothing else uses either record. Async-signal-safe. */
#ifndef RUNTIME_TREES_CCT_MERGE_H
#define RUNTIME_TREES_CCT_MERGE_H

#include "runtime/trees/arena.h"

#include <stdbool.h>

/* The state of moving all trees of a thread, node by node. Private. */
struct csprof_merge {
	store_ref from, to; /* store_thread */
	struct csprof_arena *arena;
	store_ref tree, target; /* the tree that is moved, and its destination (0: no memory) */
	store_ref stack;        /* nodes to be moved, linked through their sp */
};

/* Begin to move the trees of record from into those of record to. New nodes come from the arena. */
void csprof_merge_begin(struct csprof_merge *m, store_ref from, store_ref to,
			struct csprof_arena *arena);
/* Move one node. Returns false when all nodes are moved and the thread has no tree any more. If
 * there is no memory for a node, its counts are removed from the trees, and in the account of
 * from they are moved from `recorded` or `partial` to `out of memory`. */
bool csprof_merge_step(struct csprof_merge *m);

/* Replace *tree and *node, of a tree that was moved and whose memory is not yet reused, by the
 * tree and node that took them over, or by 0 and 0 if there are none. */
void csprof_merge_follow(store_ref *tree, store_ref *node);

/* Move the account and add the clocks of a closed thread: the clocks of to are advanced by as
 * much as those of from ran. */
void csprof_merge_account(store_ref from, store_ref to);

#endif
