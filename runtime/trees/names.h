/* The names that the program uses: in memory of the library's own, where they remain as long as the
 * process and in its forked children, and as numbers in the store (formats/store/store.h). */
#ifndef RUNTIME_TREES_NAMES_H
#define RUNTIME_TREES_NAMES_H

#include <stdatomic.h>
#include <stddef.h>
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

/* The same, of the name that was last known for a text at that address, if it is still that one:
 * texts at one address may be different ones at different times. */
struct csprof_known_names {
	struct csprof_known_name {
		const char *text;
		struct csprof_name *name;
	} at[32];
};
struct csprof_name *csprof_name_known(struct csprof_known_names *known, const char *text);

/* Its number in the present store; 0: there is no room. Async-signal-safe, by any thread. */
uint32_t csprof_name_number(struct csprof_name *name);

/* The number of a value of labels, which is only in the store. *numbered is where the caller keeps
 * it with the store's number, as above. Async-signal-safe, by any thread. */
uint32_t csprof_name_value(_Atomic uint64_t *numbered, const char *text, uint32_t n);

/* Of n bytes, for search trees in the store. Async-signal-safe. */
uint64_t csprof_text_hash(const char *text, size_t n);

/* The store is new: names have no numbers in it yet. */
void csprof_names_begin(void);

#endif
