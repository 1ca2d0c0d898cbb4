/* Records in the store that any thread may add, and that stay: they are in no thread's arena. */
#ifndef RUNTIME_TREES_SHARED_H
#define RUNTIME_TREES_SHARED_H

#include "formats/store/store.h"

#include <stddef.h>

/* bytes zeroed bytes, at most a block; 0: there is no memory. Async-signal-safe. */
store_ref csprof_shared_take(size_t bytes);
/* The store is new. */
void csprof_shared_begin(void);

#endif
