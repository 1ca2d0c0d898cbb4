/* The descriptors of performance events that sources hold. */
#include "runtime/drivers/driver.h"

#include "runtime/base/sections.h"
#include "runtime/os/os.h"

#include <stdatomic.h>

/* If there are more, functions that close ranges of descriptors close the others. */
enum { PLACES = 1024, BEING_SET = -1 };
static struct {
	_Atomic(int) taken; /* the descriptor + 1, BEING_SET, or 0 */
	uint64_t id;
} places[PLACES] CSPROF_LARGE;
static CSPROF_TOGETHER _Atomic(int) places_used; /* number of places ever used */

void csprof_descriptor_keep(const struct os_perf *c)
{
	for (int i = 0; i < PLACES; i++) {
		int is_free = 0;
		if (!atomic_compare_exchange_strong(&places[i].taken, &is_free, BEING_SET))
			continue;
		places[i].id = c->id;
		atomic_store(&places[i].taken, c->fd + 1);
		int used = atomic_load(&places_used);
		while (used <= i && !atomic_compare_exchange_weak(&places_used, &used, i + 1))
			;
		return;
	}
}

void csprof_descriptor_forget(const struct os_perf *c)
{
	int n = atomic_load(&places_used);
	for (int i = 0; i < n; i++)
		if (atomic_load(&places[i].taken) == c->fd + 1 && places[i].id == c->id) {
			atomic_store(&places[i].taken, 0);
			return;
		}
}

int csprof_source_descriptor(unsigned from)
{
	int lowest = -1, n = atomic_load(&places_used);
	for (int i = 0; i < n; i++) {
		struct os_perf c = {.fd = atomic_load(&places[i].taken) - 1};
		if (c.fd < 0 || (unsigned)c.fd < from || (lowest >= 0 && c.fd > lowest))
			continue;
		c.id = places[i].id;
		if (os_perf_is_open(&c)) /* else the number is the program's by now */
			lowest = c.fd;
	}
	return lowest;
}
