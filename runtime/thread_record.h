/* The records of threads in the store: the list of them, what becomes of the record and
 * the trees of a thread that has ended, and who leads into them. Nothing here runs in a
 * handler. With the process's lock held, but for csprof_promise_*. */
#ifndef RUNTIME_THREAD_RECORD_H
#define RUNTIME_THREAD_RECORD_H

#include "runtime/state.h"

/* So many ended threads keep a row of their own. */
enum { CSPROF_MAX_ENDED = 4096 };

/* A thread that is about to be made, and the recorded call that makes it. It stands in the
 * memory of whoever makes the thread until the thread has begun; meanwhile its creator may
 * end, and its trees may be moved, which the promise learns. */
struct csprof_promise {
	store_ref creator_tree, creator_node; /* 0, 0: not known */
	struct csprof_promise *next, *previous;
	uint32_t pid; /* of the process that it was made in; 0: it was not */
};

/* The calling thread is about to make a thread. Takes the lock. */
void csprof_promise_make(struct csprof_promise *p);
/* It is not made after all, or will not be measured: the promise's memory is its owner's
 * again. Takes the lock. */
void csprof_promise_drop(struct csprof_promise *p);

/* Put a record for this thread into the list, and drop the promise (NULL for a thread that
 * nobody made). False where there is no memory. */
bool csprof_record_begin(csprof_state_t *state, struct csprof_promise *promise);

/* The thread has ended and its account is closed. Moves and merges what is due, and takes
 * the thread's arena. */
void csprof_record_end(csprof_state_t *state);

/* -t all, at the end of the process: move the trees of all threads that stand still into
 * the shared ones. They may go on afterwards, with new trees. */
void csprof_records_join(void);

/* In a forked child, whose store is about to go. */
void csprof_records_forget(void);

#endif
