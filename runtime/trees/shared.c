#include "runtime/trees/shared.h"

#include "runtime/base/sections.h"
#include "runtime/trees/mem.h"

#include <stdatomic.h>

/* The rest of the last block: first ref << 32 | grains. */
static CSPROF_TOGETHER _Atomic uint64_t room;

void csprof_shared_begin(void)
{
	atomic_store(&room, 0);
}

store_ref csprof_shared_take(size_t bytes)
{
	uint64_t need = (bytes + STORE_GRAIN - 1) / STORE_GRAIN;
	uint64_t now = atomic_load(&room);
	for (;;) {
		uint64_t from = now >> 32, left = (uint32_t)now;
		if (left < need) {
			uint32_t block = csprof_store_take(1);
			if (block == STORE_MAX_BLOCKS)
				return 0;
			from = (uint64_t)block * STORE_BLOCK_GRAINS;
			left = STORE_BLOCK_GRAINS;
		}
		if (atomic_compare_exchange_strong(&room, &now,
						   (from + need) << 32 | (left - need)))
			return (store_ref)from;
	}
}
