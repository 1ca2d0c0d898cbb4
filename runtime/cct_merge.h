/* Moving the trees and the account of a thread that is done into those of another record
 * of the store: shared or ended, which gather many threads.
 *
 * The process may be killed at any instant. So each node's counts are first added to the
 * node that takes them and then zeroed where they were, and each row of the account
 * likewise: whoever adds up both records finds everything once, but for at most one node
 * (or one row) that is there twice. The other order would lose it, and a loss is what the
 * store is there to prevent. The caller has named the thread in header.merging.
 *
 * Under the process's lock; nobody else uses either record. Async-signal-safe. */
#ifndef RUNTIME_CCT_MERGE_H
#define RUNTIME_CCT_MERGE_H

#include "runtime/arena.h"

#include <stdbool.h>

/* One move of all of a thread's trees, node by node. Private. */
struct csprof_merge {
	store_ref from, to; /* store_thread */
	struct csprof_arena *arena;
	store_ref tree, target; /* being moved, and where to; target 0: no memory for it */
	store_ref stack;        /* nodes to be moved, linked through their sp */
};

/* Begin moving the trees of record from into those of record to, whose new nodes come from
 * the arena. */
void csprof_merge_begin(struct csprof_merge *m, store_ref from, store_ref to,
			struct csprof_arena *arena);
/* Move one node; false where all are moved and the thread has no tree any more. Counts that
 * find no memory are taken out of the trees and, in the account of from, out of `recorded`
 * or `partial` and put into `out of memory`. */
bool csprof_merge_step(struct csprof_merge *m);

/* Let *tree and *node, of a tree that has been moved and whose memory is not yet used
 * again, be the ones that have taken their place; 0 and 0 where there are none. */
void csprof_merge_follow(store_ref *tree, store_ref *node);

/* Move the account and add the clocks of a closed thread: as if to's clocks had run on for
 * as long as from's ran. */
void csprof_merge_account(store_ref from, store_ref to);

#endif
