#include "runtime/mem.h"

#include "runtime/os/os.h"

#include <errno.h>
#include <string.h>

uint8_t *csprof_store_blocks[STORE_MAX_BLOCKS];
static uint32_t blocks_taken;

uint32_t csprof_store_take(uint32_t count)
{
	uint8_t *p = os_map((size_t)count * STORE_BLOCK);
	if (!p)
		return STORE_MAX_BLOCKS;
	uint32_t first = __atomic_fetch_add(&blocks_taken, count, __ATOMIC_RELAXED);
	if (first + count > STORE_MAX_BLOCKS || first + count < first) {
		__atomic_fetch_sub(&blocks_taken, count, __ATOMIC_RELAXED);
		os_unmap(p, (size_t)count * STORE_BLOCK);
		return STORE_MAX_BLOCKS;
	}
	for (uint32_t i = 0; i < count; i++)
		__atomic_store_n(&csprof_store_blocks[first + i], p + (size_t)i * STORE_BLOCK,
				 __ATOMIC_RELEASE);
	return first;
}

int csprof_store_create(uint32_t num_metrics, uint32_t num_events)
{
	if (csprof_store_take(1) != 0)
		return -ENOMEM;
	struct store_header *h = csprof_store_header();
	memcpy(h->magic, STORE_MAGIC, sizeof h->magic);
	h->version = STORE_VERSION;
	h->order_mark = STORE_ORDER_MARK;
	h->block_bytes = STORE_BLOCK;
	h->num_metrics = num_metrics;
	h->num_events = num_events;
	size_t node = sizeof(struct store_node) + num_metrics * sizeof(uint64_t);
	h->node_bytes = (uint32_t)((node + STORE_GRAIN - 1) & ~(size_t)(STORE_GRAIN - 1));
	h->rank = h->ranks = CSP_NONE;
	h->state = STORE_RUNNING;
	return 0;
}

void csprof_store_destroy(void)
{
	for (uint32_t i = 0; i < blocks_taken && i < STORE_MAX_BLOCKS; i++) {
		if (csprof_store_blocks[i])
			os_unmap(csprof_store_blocks[i], STORE_BLOCK);
		csprof_store_blocks[i] = NULL;
	}
	blocks_taken = 0;
}

struct store_header *csprof_store_header(void)
{
	return (struct store_header *)csprof_store_blocks[0];
}

struct store_view csprof_store_view(void)
{
	return (struct store_view){csprof_store_blocks, blocks_taken};
}
