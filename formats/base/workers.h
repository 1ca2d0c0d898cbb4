/* Threads that share work. */
#ifndef FORMATS_BASE_WORKERS_H
#define FORMATS_BASE_WORKERS_H

#include <stddef.h>

/* Call work for each of n items of size bytes, in parallel: the first in this thread, the others
 * in a thread each, or in this one if none can be started. Returns when all are done. The result
 * of work is in its item; items that share data must lock it. */
void workers_run(void (*work)(void *item), void *items, size_t size, size_t n);

#endif
