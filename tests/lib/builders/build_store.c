#include "tests/lib/builders/build_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what)
{
	fprintf(stderr, "build_store: %s\n", what);
	abort();
}

void *made_at(const struct made_store *s, store_ref ref)
{
	return s->bytes + (size_t)ref * STORE_GRAIN;
}

struct store_header *made_header(const struct made_store *s)
{
	return made_at(s, 0);
}

struct store_thread *made_thread_at(const struct made_store *s, store_ref ref)
{
	return made_at(s, ref);
}

struct store_tree *made_tree_at(const struct made_store *s, store_ref ref)
{
	return made_at(s, ref);
}

struct store_node *made_node_at(const struct made_store *s, store_ref ref)
{
	return made_at(s, ref);
}

store_ref made_take(struct made_store *s, size_t bytes)
{
	store_ref ref = s->next;
	s->next += (store_ref)((bytes + STORE_GRAIN - 1) / STORE_GRAIN);
	if ((size_t)s->next * STORE_GRAIN > s->n)
		die("the store is full");
	return ref;
}

store_ref made_string(struct made_store *s, const char *text)
{
	size_t n = strlen(text);
	store_ref ref = made_take(s, sizeof(struct store_string) + n);
	struct store_string *out = made_at(s, ref);
	out->n = (uint32_t)n;
	memcpy(out->bytes, text, n);
	return ref;
}

store_ref made_name(struct made_store *s, const char *text)
{
	size_t n = strlen(text);
	store_ref ref = made_take(s, sizeof(struct store_name) + n);
	struct store_header *h = made_header(s);
	struct store_name *name = made_at(s, ref);
	store_ref *link = &h->names;
	name->number = ++h->num_names;
	name->n = (uint32_t)n;
	memcpy(name->text, text, n);
	for (uint32_t way = name->number; *link; way /= 2) {
		struct store_name *at = made_at(s, *link);
		link = way & 1 ? &at->left : &at->right;
	}
	*link = ref;
	return ref;
}

store_ref made_source(struct made_store *s, const char *path)
{
	size_t n = strlen(path);
	store_ref ref = made_take(s, sizeof(struct store_source) + n);
	struct store_source *source = made_at(s, ref);
	store_ref *link = &made_header(s)->sources;
	source->n = (uint32_t)n;
	memcpy(source->text, path, n);
	for (; *link; source->number++)
		link = &((struct store_source *)made_at(s, *link))->right;
	*link = ref;
	return ref;
}

store_ref made_code(struct made_store *s, store_ref source, const char *name, uint32_t extent,
		    const char *lines)
{
	size_t n = strlen(name), m = strlen(lines);
	store_ref ref = made_take(s, sizeof(struct store_code) + n + m);
	struct store_code *code = made_at(s, ref);
	struct store_source *of = made_at(s, source);
	store_ref *link = &made_header(s)->codes;
	*code = (struct store_code){.source = source,
				    .start = of->extent,
				    .extent = extent,
				    .line = 1,
				    .name_bytes = (uint32_t)n,
				    .lines_bytes = (uint32_t)m};
	memcpy(code->bytes, name, n);
	memcpy(code->bytes + n, lines, m);
	of->extent += extent;
	while (*link)
		link = &((struct store_code *)made_at(s, *link))->left;
	*link = ref;
	return ref;
}

store_ref made_value(struct made_store *s, store_ref epoch, uint64_t ip, uint32_t what, uint64_t v,
		     uint64_t count)
{
	store_ref ref = made_take(s, sizeof(struct store_value));
	struct store_value *value = made_at(s, ref);
	store_ref *link = &((struct store_epoch *)made_at(s, epoch))->values;
	value->key = ip | (uint64_t)what << STORE_VALUE_SHIFT;
	value->bytes = 8;
	value->count = count;
	value->zeros = v == 0 ? count : 0;
	value->same = count - 1;
	value->top[0] = (struct store_often){v, count, 0};
	if (!made_header(s)->windows)
		made_header(s)->windows = made_take(s, sizeof(struct store_windows));
	((struct store_windows *)made_at(s, made_header(s)->windows))->windows += count;
	while (*link) {
		struct store_value *at = made_at(s, *link);
		link = store_hash(value->key) < store_hash(at->key) ? &at->left : &at->right;
	}
	*link = ref;
	return ref;
}

static void describe(struct store_header *h)
{
	static const struct store_metric metrics[MADE_METRICS] = {
	    {.name = "CPUTIME",
	     .unit = "ns",
	     .source = "a builder",
	     .jitter = "none",
	     .flags = CSP_METRIC_ASYNC,
	     .period = 1,
	     .requested = 1000,
	     .kernel = 1},
	    {.name = "CPUTIME" CSP_SAMPLES_SUFFIX,
	     .unit = "count",
	     .flags = CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES,
	     .period = 1000000},
	    {.name = "BYTES", .unit = "bytes", .period = 1},
	};
	memcpy(h->magic, STORE_MAGIC, sizeof h->magic);
	h->version = STORE_VERSION;
	h->order_mark = STORE_ORDER_MARK;
	h->block_bytes = STORE_BLOCK;
	h->node_bytes = sizeof(struct store_node) + 4 * sizeof(uint64_t);
	h->recorded_bytes = h->node_bytes;
	h->num_metrics = MADE_METRICS;
	h->num_events = 1;
	h->state = STORE_RUNNING;
	h->pid = 4242;
	h->ppid = 1;
	h->rank = h->ranks = CSP_NONE;
	h->start_ns = UINT64_C(1700000000000000000);
	h->start_mono_ns = 1000;
	memcpy(h->metrics, metrics, sizeof metrics);
}

void made_begin(struct made_store *s, uint32_t blocks)
{
	*s = (struct made_store){.n = (size_t)blocks * STORE_BLOCK};
	s->bytes = calloc(blocks, STORE_BLOCK);
	if (!s->bytes)
		die("no memory");
	made_take(s, sizeof(struct store_header));
	struct store_header *h = made_header(s);
	describe(h);
	h->executable = made_string(s, "/usr/bin/made");
	h->command = made_string(s, "made");
	h->host = made_string(s, "host");
	h->tool = made_string(s, "tests");
}

void made_end(struct made_store *s)
{
	free(s->bytes);
	s->bytes = NULL;
}

void made_write(const struct made_store *s, const char *path)
{
	FILE *out = fopen(path, "wb");
	if (!out || fwrite(s->bytes, 1, s->n, out) != s->n || fclose(out) != 0)
		die(path);
}

store_ref made_epoch(struct made_store *s)
{
	store_ref ref = made_take(s, sizeof(struct store_epoch));
	store_ref *link = &made_header(s)->first_epoch;
	while (*link)
		link = &((struct store_epoch *)made_at(s, *link))->next;
	*link = ref;
	return ref;
}

store_ref made_module(struct made_store *s, store_ref epoch, const char *name, uint64_t mapped)
{
	store_ref ref = made_take(s, sizeof(struct store_module));
	store_ref *link = &((struct store_epoch *)made_at(s, epoch))->first_module;
	struct store_module *m = made_at(s, ref);
	while (*link)
		link = &((struct store_module *)made_at(s, *link))->next;
	*link = ref;
	m->name = made_string(s, name);
	m->build_id = made_string(s, "0123456789abcdef");
	m->mapped_address = mapped;
	m->extent = 0x10000;
	return ref;
}

store_ref made_loose_thread(struct made_store *s)
{
	return made_take(s, sizeof(struct store_thread) + sizeof(struct store_clock));
}

store_ref made_thread(struct made_store *s, uint32_t tid)
{
	store_ref ref = made_loose_thread(s);
	store_ref *link = &made_header(s)->first_thread;
	struct store_thread *t = made_thread_at(s, ref);
	while (*link)
		link = &made_thread_at(s, *link)->next;
	*link = ref;
	t->tid = tid;
	t->start_ns = tid * 10;
	snprintf(t->name, sizeof t->name, "thread %u", tid);
	t->clocks[0].start = t->clocks[0].last = 500;
	return ref;
}

store_ref made_tree(struct made_store *s, struct store_thread *t, store_ref epoch, uint32_t kind)
{
	store_ref root = made_take(s, made_header(s)->node_bytes);
	store_ref ref = made_take(s, sizeof(struct store_tree));
	struct store_tree *tree = made_tree_at(s, ref);
	made_node_at(s, root)->parent = root;
	tree->thread = (store_ref)(((uint8_t *)t - s->bytes) / STORE_GRAIN);
	tree->epoch = epoch;
	tree->root = root;
	tree->kind = kind;
	tree->next = t->first_tree;
	t->first_tree = ref;
	return ref;
}

static store_ref child(struct made_store *s, store_ref parent, uint64_t key)
{
	store_ref *link = &made_node_at(s, parent)->child;
	while (*link) {
		struct store_node *n = made_node_at(s, *link);
		if (n->key == key)
			return *link;
		link = store_hash(key) < store_hash(n->key) ? &n->left : &n->right;
	}
	store_ref ref = made_take(s, made_header(s)->node_bytes);
	struct store_node *n = made_node_at(s, ref);
	n->key = key;
	n->parent = parent;
	*link = ref;
	return ref;
}

store_ref made_path(struct made_store *s, store_ref tree, const uint64_t *ips, unsigned n)
{
	store_ref at = made_tree_at(s, tree)->root;
	for (unsigned i = 0; i < n; i++) {
		uint64_t role = i + 1 < n ? STORE_ROLE_CALL : STORE_ROLE_LEAF;
		at = child(s, at, ips[i] | role << STORE_ROLE_SHIFT);
	}
	return at;
}

void made_count(struct made_store *s, store_ref tree, const uint64_t *ips, unsigned n,
		uint64_t weight)
{
	struct store_node *node = made_node_at(s, made_path(s, tree, ips, n));
	node->metrics[MADE_V] += weight;
	node->metrics[MADE_N]++;
}

void made_dropped(struct made_store *s, store_ref thread, enum csp_disposition d, uint64_t samples,
		  uint64_t weight)
{
	struct store_clock *clock = made_thread_at(s, thread)->clocks;
	clock->account[d].samples += samples;
	clock->account[d].weight += weight;
	clock->last += weight;
}

void made_sample(struct made_store *s, store_ref thread, store_ref tree, const uint64_t *ips,
		 unsigned n, uint64_t weight)
{
	bool partial = made_tree_at(s, tree)->kind == CSP_TREE_PARTIAL;
	made_count(s, tree, ips, n, weight);
	made_dropped(s, thread, partial ? CSP_PARTIAL : CSP_RECORDED, 1, weight);
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 11) % below;
}

enum { THREADS = 3, EPOCHS = 2, DEEPEST = 6, SAMPLES = 24 };

void made_random(struct made_store *s, uint32_t seed)
{
	uint64_t state = 88172645463325252u + seed;
	store_ref epochs[EPOCHS], threads[THREADS], trees[THREADS + 1][2], shared;
	made_begin(s, 2);
	for (int i = 0; i < EPOCHS; i++) {
		epochs[i] = made_epoch(s);
		made_module(s, epochs[i], "/usr/bin/made", 0x10000);
		made_module(s, epochs[i], i ? "/lib/a.so" : "[anonymous]", 0x20000);
	}
	shared = made_loose_thread(s);
	for (int i = 0; i < THREADS; i++)
		threads[i] = made_thread(s, (uint32_t)i + 1);
	for (int i = 0; i <= THREADS; i++)
		for (uint32_t kind = 0; kind < 2; kind++)
			trees[i][kind] =
			    made_tree(s, made_thread_at(s, i < THREADS ? threads[i] : shared),
				      epochs[draw(&state, EPOCHS)], kind);
	if (seed % 2) {
		made_header(s)->shared = shared;
		made_thread_at(s, threads[THREADS - 1])->first_tree = 0;
	}
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t ips[DEEPEST];
		unsigned depth = 1 + draw(&state, DEEPEST);
		uint32_t t = draw(&state, THREADS), kind = draw(&state, 5) == 0;
		bool common = seed % 2 && t == THREADS - 1;
		for (unsigned k = 0; k < depth; k++)
			ips[k] = 0x10000 * (1 + draw(&state, 3)) + 16 * draw(&state, 4);
		made_sample(s, threads[t], trees[common ? THREADS : t][kind], ips, depth,
			    1 + draw(&state, 2000000));
		if (draw(&state, 6) == 0)
			made_dropped(s, threads[t], CSP_UNSAFE_CODE, 1, draw(&state, 1000));
	}
	made_thread_at(s, threads[1])->creator_tree = trees[0][0];
	made_thread_at(s, threads[1])->creator_node = made_tree_at(s, trees[0][0])->root;
}
