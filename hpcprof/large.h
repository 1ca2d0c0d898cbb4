/* Memory for tables of many megabytes. With small pages filling one costs a fault for every
 * 4 KB, and a look-up anywhere in it misses the TLB; so the system is asked for large ones,
 * which it may give or not. All of it is free()'s. */
#ifndef HPCPROF_LARGE_H
#define HPCPROF_LARGE_H

#include <stddef.h>

/* bytes of zeros, or of anything; NULL if memory ran out. */
void *large_zeroed(size_t bytes);
void *large_room(size_t bytes);

/* Ask for large pages behind what malloc or realloc gave, and return it. */
void *large_advise(void *at, size_t bytes);

#endif
