/* The names that the program uses: in memory of the library's own, where they remain as long as the
 * process and in its forked children, and as numbers in the store (formats/store/store.h). */
#ifndef RUNTIME_TREES_NAMES_H
#define RUNTIME_TREES_NAMES_H

#include <stdatomic.h>
#include <stdint.h>

struct csprof_name {
	struct csprof_name *next;
	_Atomic uint64_t numbered; /* the store in which it has a number << 32 | the number */
	uint32_t n;                /* bytes, at most CSP_NAME_BYTES */
	char text[];               /* ends with a zero */
};

/* The name, which is cut if it is too long. NULL: there is no memory. By any thread, but not in
 * handlers. */
struct csprof_name *csprof_name_of(const char *text);

/* Its number in the present store; 0: there is no room. Async-signal-safe, by any thread. */
uint32_t csprof_name_number(struct csprof_name *name);

/* The store is new: names have no numbers in it yet. */
void csprof_names_begin(void);

#endif
