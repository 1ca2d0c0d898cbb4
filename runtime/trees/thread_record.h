/* The records of threads in the store: their list, the records and trees of threads that have
 * ended, and the references to those trees. Nothing here runs in a handler. The caller holds the
 * process's lock, except for csprof_promise_*. */
#ifndef RUNTIME_TREES_THREAD_RECORD_H
#define RUNTIME_TREES_THREAD_RECORD_H

#include "runtime/process/state.h"

/* The number of ended threads that keep a row of their own. */
enum { CSPROF_MAX_ENDED = 4096 };

/* A thread that is about to be made, and the recorded call that makes it. The promise is in
 * memory of the code that makes the thread until the thread has begun. If the creator ends
 * before that and its trees are moved, the promise is updated. */
struct csprof_promise {
	store_ref creator_tree, creator_node; /* 0, 0: not known */
	struct csprof_promise *next, *previous;
	uint32_t pid;                 /* the process that made the promise; 0: not made */
	struct csprof_labels *labels; /* of its creator; NULL: none, or taken */
};

/* The calling thread is about to make a thread. Takes the lock. */
void csprof_promise_make(struct csprof_promise *p);
/* The thread is not made after all, or will not be measured: the owner may reuse the memory of
 * the promise. Takes the lock. */
void csprof_promise_drop(struct csprof_promise *p);

/* Add a record for this thread to the list, and drop the promise (NULL: the thread has no
 * creator). Returns false if there is no memory. */
bool csprof_record_begin(csprof_state_t *state, struct csprof_promise *promise);

/* The thread has ended and its account is closed. Moves and merges its data if necessary, and
 * gives up its arena. */
void csprof_record_end(csprof_state_t *state);

/* For -t all, at the end of the process: move the trees of all threads that are not busy into
 * the shared ones. The threads may continue afterwards, with new trees. */
void csprof_records_join(void);

/* No thread is measured any more, and the store is about to be unmapped. in_child: of a forked
 * process, where the parent's threads are not. Async-signal-safe. */
void csprof_records_forget(bool in_child);

#endif
