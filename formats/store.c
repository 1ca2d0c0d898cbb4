/* From a store to a datafile. Linked into the preloaded library: no malloc, no
 * stdio. References are checked, since the next process to read a store may find
 * one that a dying machine left behind. */
#include "formats/store.h"

#include <errno.h>
#include <string.h>

const void *store_at(const struct store_view *v, store_ref ref, size_t bytes)
{
	uint32_t block = ref / STORE_BLOCK_GRAINS;
	size_t offset = (size_t)(ref % STORE_BLOCK_GRAINS) * STORE_GRAIN;
	if (block >= v->num_blocks || !v->blocks[block])
		return NULL;
	const uint8_t *p = v->blocks[block] + offset;
	size_t covered = STORE_BLOCK - offset;
	while (covered < bytes) {
		if (++block >= v->num_blocks ||
		    v->blocks[block] != v->blocks[block - 1] + STORE_BLOCK)
			return NULL;
		covered += STORE_BLOCK;
	}
	return p;
}

/* One conversion. number[] maps a ref to the id that its node has in its tree, to
 * the index of a tree, or to 1 + the index of an epoch; order[] holds one tree's
 * nodes. */
struct conversion {
	const struct store_view *v;
	const struct store_memory *memory;
	struct csp_sink *sink;
	const struct store_header *header;
	uint32_t *number;
	store_ref *order;
	size_t slots; /* of number and order */
	uint32_t num_trees, num_epochs, num_threads;
	bool broken; /* a reference led nowhere */
};

/* What a clock advanced, of a thread that still runs to its last sample. */
static uint64_t elapsed(const struct store_clock *clock)
{
	return (clock->end ? clock->end : clock->last) - clock->start;
}

#define AT(c, ref, type) ((const type *)store_at((c)->v, (ref), sizeof(type)))

static const struct store_thread *thread_at(struct conversion *c, store_ref ref)
{
	return store_at(c->v, ref,
			sizeof(struct store_thread) +
			    c->header->num_events * sizeof(struct store_clock));
}

static const struct store_string *string_at(struct conversion *c, store_ref ref)
{
	static const struct store_string none;
	const struct store_string *s = ref ? AT(c, ref, struct store_string) : NULL;
	if (!s || !store_at(c->v, ref, sizeof *s + s->n))
		return &none;
	return s;
}

static void put_store_string(struct conversion *c, store_ref ref)
{
	const struct store_string *s = string_at(c, ref);
	csp_put_text(c->sink, s->bytes, s->n);
}

/* Iteration over the lists that start in the header. */
#define FOR_EACH_THREAD(c, ref, t)                                                                 \
	for (store_ref ref = (c)->header->first_thread;                                            \
	     ref && ((t) = thread_at((c), ref)) != NULL; ref = (t)->next)
#define FOR_EACH_TREE(c, t, ref, tree)                                                             \
	for (store_ref ref = (t)->first_tree;                                                      \
	     ref && ((tree) = AT((c), ref, struct store_tree)) != NULL; ref = (tree)->next)
#define FOR_EACH_EPOCH(c, ref, epoch)                                                              \
	for (store_ref ref = (c)->header->first_epoch;                                             \
	     ref && ((epoch) = AT((c), ref, struct store_epoch)) != NULL; ref = (epoch)->next)
#define FOR_EACH_MODULE(c, epoch, m)                                                               \
	for (store_ref ref_ = (epoch)->first_module;                                               \
	     ref_ && ((m) = AT((c), ref_, struct store_module)) != NULL; ref_ = (m)->next)

/* Give threads, trees and the epochs that trees refer to their indexes. */
static void number_things(struct conversion *c)
{
	const struct store_thread *t;
	const struct store_tree *tree;
	FOR_EACH_THREAD(c, tref, t)
	{
		c->number[tref] = c->num_threads++;
		FOR_EACH_TREE(c, t, ref, tree)
		{
			c->number[ref] = c->num_trees++;
			if (tree->epoch < c->slots)
				c->number[tree->epoch] = 1;
		}
	}
	const struct store_epoch *epoch;
	FOR_EACH_EPOCH(c, ref, epoch)
	if (c->number[ref])
		c->number[ref] = ++c->num_epochs;
}

static uint32_t count_modules(struct conversion *c, const struct store_epoch *epoch)
{
	const struct store_module *m;
	uint32_t n = 0;
	FOR_EACH_MODULE(c, epoch, m)
	n++;
	return n;
}

static void put_head(struct conversion *c)
{
	const struct store_header *h = c->header;
	const struct store_string *target = string_at(c, h->executable);
	csp_put_file_header(c->sink, CSP_VERSION_FILE);
	csp_put_string(c->sink, CSP_TAG_TARGET, target->bytes, target->n);
	csp_put_u32(c->sink, h->num_metrics);
	for (uint32_t i = 0; i < h->num_metrics; i++) {
		const struct store_metric *m = &h->metrics[i];
		csp_put_metric(c->sink, m->name, (uint32_t)strnlen(m->name, sizeof m->name), true,
			       m->flags, m->period);
	}
	csp_put_u32(c->sink, c->num_epochs);
	const struct store_epoch *epoch;
	FOR_EACH_EPOCH(c, ref, epoch)
	{
		if (!c->number[ref])
			continue;
		csp_put_u32(c->sink, count_modules(c, epoch));
		const struct store_module *m;
		FOR_EACH_MODULE(c, epoch, m)
		{
			const struct store_string *name = string_at(c, m->name);
			csp_put_module(c->sink, name->bytes, name->n, m->virtual_address,
				       m->mapped_address);
		}
	}
	csp_put_u32(c->sink, c->num_trees);
	csp_put_u64(c->sink, h->tramp_samples);
}

/* Put the nodes below root into order[], parents first, and number them: order[]
 * is its own queue. Returns their count, 0 where the tree is broken. */
static size_t order_nodes(struct conversion *c, store_ref root)
{
	size_t n = 0, bytes = c->header->node_bytes;
	c->order[n++] = root;
	for (size_t i = 0; i < n; i++) {
		const struct store_node *node = store_at(c->v, c->order[i], bytes);
		if (!node || node->parent >= c->slots)
			return 0;
		c->number[c->order[i]] = (uint32_t)i;
		store_ref next[3] = {node->left, node->right, node->child};
		for (int k = 0; k < 3; k++)
			if (next[k]) {
				if (n == c->slots)
					return 0;
				c->order[n++] = next[k];
			}
	}
	return n;
}

static bool has_returns(const struct store_header *h)
{
	for (uint32_t i = 0; i < h->num_metrics; i++)
		if (h->metrics[i].flags & CSP_METRIC_RETURNS)
			return true;
	return false;
}

static void put_tree(struct conversion *c, const struct store_tree *tree)
{
	const struct store_header *h = c->header;
	size_t n = tree->epoch < c->slots ? order_nodes(c, tree->root) : 0;
	if (!n) {
		c->broken = true;
		return;
	}
	csp_put_tree_header(c->sink, has_returns(h) ? CSP_VERSION_TREE_T : CSP_VERSION_TREE, 8, n,
			    c->number[tree->epoch] - 1);
	for (size_t i = 0; i < n; i++) {
		const struct store_node *node = store_at(c->v, c->order[i], h->node_bytes);
		csp_put_node(c->sink, 8, i, c->number[node->parent], node->key & STORE_IP_MASK,
			     node->sp, node->metrics, h->num_metrics);
	}
}

static void put_trees(struct conversion *c)
{
	const struct store_thread *t;
	const struct store_tree *tree;
	FOR_EACH_THREAD(c, tref, t)
	FOR_EACH_TREE(c, t, ref, tree)
	if (!c->broken)
		put_tree(c, tree);
}

/* ---- the trailer --------------------------------------------------------------- */

static void put_pair_ref(struct conversion *c, const char *key, store_ref ref)
{
	const struct store_string *s = string_at(c, ref);
	csp_put_pair(c->sink, key, s->bytes, s->n);
}

static void put_pair_chars(struct conversion *c, const char *key, const char *value, size_t max)
{
	csp_put_pair(c->sink, key, value, (uint32_t)strnlen(value, max));
}

static void put_process(struct conversion *c)
{
	const struct store_header *h = c->header;
	bool ranked = h->rank != CSP_NONE;
	uint64_t cpu = 0;
	const struct store_thread *t;
	FOR_EACH_THREAD(c, tref, t)
	cpu += elapsed(&t->clocks[0]);
	csp_put_u32(c->sink, ranked ? 12 : 10);
	put_pair_ref(c, "command", h->command);
	put_pair_ref(c, "executable", h->executable);
	put_pair_ref(c, "host", h->host);
	csp_put_pair_u64(c->sink, "pid", h->pid);
	csp_put_pair_u64(c->sink, "ppid", h->ppid);
	csp_put_pair_u64(c->sink, "start_ns", h->start_ns);
	csp_put_pair_u64(c->sink, "wall_ns",
			 h->end_mono_ns ? h->end_mono_ns - h->start_mono_ns : 0);
	csp_put_pair_u64(c->sink, "cpu_ns", cpu);
	if (h->end[0])
		put_pair_chars(c, "end", h->end, sizeof h->end);
	else
		csp_put_pair(c->sink, "end", "unknown", 7);
	put_pair_ref(c, "tool", h->tool);
	if (ranked) {
		csp_put_pair_u64(c->sink, "rank", h->rank);
		csp_put_pair_u64(c->sink, "ranks", h->ranks);
	}
}

static void put_modules(struct conversion *c)
{
	const struct store_epoch *epoch;
	const struct store_module *m;
	csp_put_u32(c->sink, c->num_epochs);
	FOR_EACH_EPOCH(c, ref, epoch)
	{
		if (!c->number[ref])
			continue;
		csp_put_u32(c->sink, count_modules(c, epoch));
		FOR_EACH_MODULE(c, epoch, m)
		{
			csp_put_u64(c->sink, m->extent);
			put_store_string(c, m->build_id);
		}
	}
}

static void put_tree_rows(struct conversion *c)
{
	const struct store_thread *t;
	const struct store_tree *tree;
	csp_put_u32(c->sink, c->num_trees);
	FOR_EACH_THREAD(c, tref, t)
	FOR_EACH_TREE(c, t, ref, tree)
	{
		bool created =
		    t->creator_tree && t->creator_tree < c->slots && t->creator_node < c->slots;
		csp_put_u32(c->sink, c->number[tref]);
		csp_put_u32(c->sink, tree->kind);
		csp_put_u32(c->sink, created ? c->number[t->creator_tree] : CSP_NONE);
		csp_put_u64(c->sink, created ? c->number[t->creator_node] : 0);
	}
}

/* The column that holds event e's V. */
static uint32_t metric_of_event(const struct store_header *h, uint32_t e)
{
	for (uint32_t i = 0; i < h->num_metrics; i++)
		if (h->metrics[i].event == e && (h->metrics[i].flags & CSP_METRIC_ASYNC) &&
		    !(h->metrics[i].flags & CSP_METRIC_SAMPLES))
			return i;
	return 0;
}

static void put_account(struct conversion *c)
{
	static const char *const names[CSP_DISPOSITIONS] = CSP_DISPOSITION_NAMES;
	const struct store_thread *t;
	csp_put_u32(c->sink, c->num_threads * c->header->num_events * CSP_DISPOSITIONS);
	FOR_EACH_THREAD(c, tref, t)
	for (uint32_t e = 0; e < c->header->num_events; e++)
		for (int d = 0; d < CSP_DISPOSITIONS; d++) {
			const struct store_count *row = &t->clocks[e].account[d];
			csp_put_u32(c->sink, c->number[tref]);
			csp_put_u32(c->sink, metric_of_event(c->header, e));
			csp_put_text(c->sink, names[d], (uint32_t)strlen(names[d]));
			csp_put_u64(c->sink, row->samples);
			csp_put_u64(c->sink, row->weight);
		}
}

/* Handled samples of event e per second of its clock, rounded. */
static uint64_t achieved_rate(struct conversion *c, uint32_t e)
{
	const struct store_thread *t;
	unsigned __int128 samples = 0, clock = 0;
	FOR_EACH_THREAD(c, tref, t)
	for (int d = 0; d < CSP_DISPOSITIONS; d++) {
		samples += t->clocks[e].account[d].samples;
		clock += t->clocks[e].account[d].weight;
	}
	return clock ? (uint64_t)((samples * 1000000000u + clock / 2) / clock) : 0;
}

static void put_metrics(struct conversion *c)
{
	const struct store_header *h = c->header;
	csp_put_u32(c->sink, h->num_metrics);
	for (uint32_t i = 0; i < h->num_metrics; i++) {
		const struct store_metric *m = &h->metrics[i];
		bool event = (m->flags & CSP_METRIC_ASYNC) && !(m->flags & CSP_METRIC_SAMPLES);
		csp_put_u32(c->sink, event ? 6 : 1);
		put_pair_chars(c, "unit", m->unit, sizeof m->unit);
		if (!event)
			continue;
		put_pair_chars(c, "source", m->source, sizeof m->source);
		csp_put_pair_u64(c->sink, "requested", m->requested);
		csp_put_pair_u64(c->sink, "achieved", achieved_rate(c, m->event));
		put_pair_chars(c, "kernel", m->kernel ? "yes" : "no", 3);
		put_pair_chars(c, "jitter", m->jitter, sizeof m->jitter);
	}
}

static void put_threads(struct conversion *c)
{
	const struct store_thread *t;
	csp_put_u32(c->sink, c->num_threads);
	FOR_EACH_THREAD(c, tref, t)
	{
		csp_put_u64(c->sink, t->tid);
		csp_put_text(c->sink, t->name, (uint32_t)strnlen(t->name, sizeof t->name));
		csp_put_u64(c->sink, t->start_ns);
		csp_put_u64(c->sink, t->end_ns);
		csp_put_u64(c->sink, elapsed(&t->clocks[0]));
	}
}

struct chunk {
	uint32_t tag;
	void (*put)(struct conversion *);
};

static int swallow(void *ctx, const uint8_t *bytes, size_t n)
{
	(void)ctx, (void)bytes, (void)n;
	return 0;
}

/* A chunk's length stands before it: put it once into nothing to learn it. */
static void put_chunk(struct conversion *c, const struct chunk *chunk)
{
	uint8_t buf[256];
	struct csp_sink counter = {.buf = buf, .cap = sizeof buf, .flush = swallow};
	struct csp_sink *out = c->sink;
	c->sink = &counter;
	chunk->put(c);
	c->sink = out;
	csp_put_chunk_header(out, chunk->tag, csp_sink_offset(&counter));
	chunk->put(c);
}

static void put_trailer(struct conversion *c)
{
	static const struct chunk chunks[] = {
	    {CSP_CHUNK_PROCESS, put_process}, {CSP_CHUNK_MODULES, put_modules},
	    {CSP_CHUNK_TREES, put_tree_rows}, {CSP_CHUNK_ACCOUNT, put_account},
	    {CSP_CHUNK_METRICS, put_metrics}, {CSP_CHUNK_THREADS, put_threads},
	};
	uint32_t n = sizeof chunks / sizeof *chunks;
	csp_put_trailer_header(c->sink, n);
	for (uint32_t i = 0; i < n; i++)
		put_chunk(c, &chunks[i]);
}

static const struct store_header *check_header(const struct store_view *v)
{
	const struct store_header *h = store_at(v, 0, sizeof *h);
	if (!h || memcmp(h->magic, STORE_MAGIC, sizeof h->magic) != 0 ||
	    h->version != STORE_VERSION || h->order_mark != STORE_ORDER_MARK ||
	    h->block_bytes != STORE_BLOCK || h->num_metrics > STORE_MAX_METRICS ||
	    h->num_events == 0 || h->num_events > STORE_MAX_METRICS ||
	    h->node_bytes < sizeof(struct store_node) + h->num_metrics * sizeof(uint64_t))
		return NULL;
	return h;
}

int store_write_datafile(const struct store_view *v, const struct store_memory *memory,
			 struct csp_sink *sink)
{
	struct conversion c = {.v = v, .memory = memory, .sink = sink, .header = check_header(v)};
	if (!c.header)
		return -EINVAL;
	c.slots = (size_t)v->num_blocks * STORE_BLOCK_GRAINS;
	size_t bytes = c.slots * sizeof *c.number;
	c.number = memory->map(bytes);
	c.order = memory->map(bytes);
	int result = -ENOMEM;
	if (c.number && c.order) {
		number_things(&c);
		put_head(&c);
		put_trees(&c);
		if (!c.broken)
			put_trailer(&c);
		csp_sink_flush(sink);
		result = c.broken ? -EINVAL : sink->error;
	}
	if (c.number)
		memory->unmap(c.number, bytes);
	if (c.order)
		memory->unmap(c.order, bytes);
	return result;
}
