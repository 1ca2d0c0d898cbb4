#include "runtime/trees/mem.h"

#include "runtime/os/os.h"
#include "runtime/process/state.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

CSPROF_FIRST uint8_t *csprof_store_blocks[STORE_MAX_BLOCKS];
static CSPROF_TOGETHER uint32_t blocks_taken;

/* The file that contains the blocks. fd -1: they are in private memory. */
static struct os_file file = {.fd = -1};
static CSPROF_TOGETHER bool in_file;
static CSPROF_TOGETHER bool beside_file; /* some blocks are not in the file */
static CSPROF_TOGETHER const char *file_path;

/* Block i of the store is block i of the file. If the file cannot grow (the file system is full,
 * or the program has a limit), private memory is used: it is lost if the process is killed, but
 * not if it ends. */
static void *map_blocks(uint32_t first, uint32_t count)
{
	size_t bytes = (size_t)count * STORE_BLOCK;
	void *p = NULL;
	if (in_file)
		p = os_file_map(&file, file_path, (uint64_t)first * STORE_BLOCK, bytes);
	if (p)
		return p;
	__atomic_store_n(&beside_file, true, __ATOMIC_RELAXED);
	return os_map(bytes);
}

uint32_t csprof_store_take(uint32_t count)
{
	uint32_t first = __atomic_fetch_add(&blocks_taken, count, __ATOMIC_RELAXED);
	if (first + count > STORE_MAX_BLOCKS || first + count < first) {
		__atomic_fetch_sub(&blocks_taken, count, __ATOMIC_RELAXED);
		return STORE_MAX_BLOCKS;
	}
	uint8_t *p = map_blocks(first, count);
	if (!p) { /* give the numbers back, unless others have taken the next ones */
		uint32_t end = first + count;
		__atomic_compare_exchange_n(&blocks_taken, &end, first, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
		return STORE_MAX_BLOCKS;
	}
	for (uint32_t i = 0; i < count; i++)
		__atomic_store_n(&csprof_store_blocks[first + i], p + (size_t)i * STORE_BLOCK,
				 __ATOMIC_RELEASE);
	return first;
}

static uint32_t node_bytes(uint32_t columns)
{
	size_t bytes = sizeof(struct store_node) + columns * sizeof(uint64_t);
	return (uint32_t)((bytes + STORE_GRAIN - 1) & ~(size_t)(STORE_GRAIN - 1));
}

/* The magic is written last: without it the file is not yet a store. */
static void write_header(uint32_t num_metrics, uint32_t num_events)
{
	struct store_header *h = csprof_store_header();
	h->version = STORE_VERSION;
	h->order_mark = STORE_ORDER_MARK;
	h->block_bytes = STORE_BLOCK;
	h->num_metrics = num_metrics;
	h->num_events = num_events;
	h->node_bytes = node_bytes(num_metrics);
	h->recorded_bytes = node_bytes(STORE_MAX_METRICS);
	h->rank = h->ranks = CSP_NONE;
	h->state = STORE_RUNNING;
	memcpy(h->magic, STORE_MAGIC, sizeof h->magic);
}

int csprof_store_create(const char *path, uint32_t num_metrics, uint32_t num_events)
{
	in_file = beside_file = false;
	if (path) {
		int r = os_file_create(path, &file);
		if (r == -EEXIST || r == -EACCES || r == -ENOENT)
			return r;
		in_file = r == 0;
		file_path = path;
	}
	if (csprof_store_take(1) != 0)
		return -ENOMEM;
	write_header(num_metrics, num_events);
	return 0;
}

/* Adjacent blocks are unmapped together. */
void csprof_store_destroy(void)
{
	uint8_t **blocks = csprof_store_blocks;
	for (uint32_t i = 0, n; i < blocks_taken && i < STORE_MAX_BLOCKS; i += n) {
		for (n = 1; blocks[i] && i + n < blocks_taken &&
			    blocks[i + n] == blocks[i] + (size_t)n * STORE_BLOCK;)
			n++;
		if (blocks[i])
			os_unmap(blocks[i], (size_t)n * STORE_BLOCK);
	}
	memset(blocks, 0, blocks_taken * sizeof *blocks);
	blocks_taken = 0;
	if (in_file)
		os_file_close(&file);
	in_file = false;
}

const char *csprof_store_path(void)
{
	return in_file ? file_path : NULL;
}

int csprof_store_descriptor(void)
{
	return in_file && os_file_is_open(&file) ? file.fd : -1;
}

bool csprof_store_survives(void)
{
	return in_file && !beside_file;
}

struct store_header *csprof_store_header(void)
{
	return (struct store_header *)csprof_store_blocks[0];
}

struct store_view csprof_store_view(void)
{
	return (struct store_view){csprof_store_blocks, blocks_taken};
}
