/* The table of the values that instructions produce (formats/store/store.h: store_value), of the
 * current load map. Any thread may add to it in handlers; nothing waits. */
#ifndef RUNTIME_TREES_VALUES_H
#define RUNTIME_TREES_VALUES_H

#include "formats/store/store.h"

#include <stdint.h>

/* The store is new: it gets the counts of windows. Where they are; if there is no memory, those
 * that nobody reads. Async-signal-safe. */
void csprof_windows_begin(void);
struct store_windows *csprof_windows(void);

/* What an instruction has produced: what is an enum csp_value, bytes the size of the value. window:
 * a number that no other window of single steps has; if the same instruction was in it before, the
 * difference is recorded, too. Async-signal-safe. */
struct csprof_value {
	uint64_t pc, value;
	uint32_t what, bytes, window;
};
void csprof_value_add(const struct csprof_value *v);

#endif
