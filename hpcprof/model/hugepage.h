/* Memory for tables of many megabytes. With small pages, filling a table causes a fault for every 4
 * KB, and a random look-up misses the TLB. So the system is asked for large pages, which it may
 * refuse. Free the memory with free(). */
#ifndef HPCPROF_MODEL_HUGEPAGE_H
#define HPCPROF_MODEL_HUGEPAGE_H

#include <stddef.h>

/* Allocate bytes, zeroed or uninitialized. NULL if memory ran out. */
void *hugepage_zeroed(size_t bytes);
void *hugepage_alloc(size_t bytes);

/* Ask for large pages for memory from malloc or realloc. Returns at. */
void *hugepage_advise(void *at, size_t bytes);

#endif
