#include "tests/lib/builders/build_datafile.h"

#include "formats/base/cursor.h"
#include "formats/base/vec.h"
#include "formats/encode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file that is being built: a sink, the bytes, and the fields so far. */
struct maker {
	struct csp_sink sink;
	uint8_t buf[4096];
	VEC(uint8_t) bytes;
	VEC(struct build_field) fields;
	bool in_trailer, no_fields;
};

static void die(const char *what)
{
	fprintf(stderr, "build_datafile: %s\n", what);
	abort();
}

static void *need(void *p)
{
	if (!p)
		die("out of memory");
	return p;
}

static int take(void *ctx, const uint8_t *bytes, size_t n)
{
	struct maker *m = ctx;
	if (!vec_reserve(&m->bytes, m->bytes.len + n))
		return -ENOMEM;
	memcpy(m->bytes.at + m->bytes.len, bytes, n);
	m->bytes.len += n;
	return 0;
}

static struct maker *maker_create(bool big, bool in_trailer)
{
	struct maker *m = need(calloc(1, sizeof *m));
	m->sink = (struct csp_sink){
	    .buf = m->buf, .cap = sizeof m->buf, .flush = take, .ctx = m, .big = big};
	m->in_trailer = in_trailer;
	return m;
}

static void maker_destroy(struct maker *m)
{
	vec_free(&m->bytes);
	vec_free(&m->fields);
	free(m);
}

static void note(struct maker *m, enum build_field_kind kind, size_t offset, unsigned width,
		 const char *name)
{
	struct build_field f = {kind, offset, width, name, m->in_trailer};
	if (m->no_fields)
		return;
	if (!vec_push(&m->fields, f))
		die("out of memory");
}

/* Note a field that begins skip bytes after the current end. */
static void ahead(struct maker *m, size_t skip, unsigned width, const char *name)
{
	note(m, BUILD_INTEGER, csp_sink_offset(&m->sink) + skip, width, name);
}

static void note_id(struct maker *m)
{
	size_t at = csp_sink_offset(&m->sink);
	note(m, BUILD_BYTES, at, CSP_MAGIC_BYTES, "magic");
	note(m, BUILD_BYTES, at + CSP_MAGIC_BYTES, CSP_VERSION_BYTES, "version");
	note(m, BUILD_BYTES, at + CSP_MAGIC_BYTES + CSP_VERSION_BYTES, 1, "endianness");
}

static void put_u32(struct maker *m, const char *name, uint32_t v)
{
	ahead(m, 0, 4, name);
	csp_put_u32(&m->sink, v);
}

static void put_u64(struct maker *m, const char *name, uint64_t v)
{
	ahead(m, 0, 8, name);
	csp_put_u64(&m->sink, v);
}

static void put_text(struct maker *m, const char *name, const char *s)
{
	ahead(m, 0, 4, name);
	csp_put_text(&m->sink, s ? s : "", s ? (uint32_t)strlen(s) : 0);
}

static void put_metric(struct maker *m, const struct build_metric *metric, bool with_flags)
{
	uint32_t n = (uint32_t)strlen(metric->name);
	ahead(m, 0, 4, "tag of event_name");
	ahead(m, 4, 4, "length of event_name");
	if (with_flags) {
		ahead(m, 8 + n, 4, "tag of flags");
		ahead(m, 12 + n, 8, "flags");
	}
	ahead(m, 8 + n + (with_flags ? 12 : 0), 4, "tag of sample_period");
	ahead(m, 12 + n + (with_flags ? 12 : 0), 8, "sample_period");
	csp_put_metric(&m->sink, metric->name, n, with_flags, metric->flags, metric->period);
}

static void put_head(struct maker *m, const struct build_file *f)
{
	note_id(m);
	ahead(m, 16, 8, "num_chunks, unused");
	csp_put_file_header(&m->sink, f->version ? f->version : CSP_VERSION_FILE);
	ahead(m, 0, 4, "tag of target");
	ahead(m, 4, 4, "length of target");
	csp_put_string(&m->sink, CSP_TAG_TARGET, f->target, (uint32_t)strlen(f->target));
	put_u32(m, "num_metrics", f->num_metrics);
	for (uint32_t i = 0; i < f->num_metrics; i++)
		put_metric(m, &f->metrics[i], !f->no_flags);
	put_u32(m, "num_epochs", f->num_epochs);
	for (uint32_t i = 0; i < f->num_epochs; i++) {
		put_u32(m, "num_modules", f->epochs[i].num_modules);
		for (uint32_t k = 0; k < f->epochs[i].num_modules; k++) {
			const struct build_module *mod = &f->epochs[i].modules[k];
			uint32_t n = (uint32_t)strlen(mod->name);
			ahead(m, 0, 4, "name_length");
			ahead(m, 4 + n, 8, "virtual_address");
			ahead(m, 12 + n, 8, "mapped_address");
			csp_put_module(&m->sink, mod->name, n, mod->virtual_address,
				       mod->mapped_address);
		}
	}
	put_u32(m, "num_trees", f->num_trees);
	put_u64(m, "tramp_samples", f->tramp_samples);
}

/* A small generator of our own, so that a seed gives the same numbers everywhere (xorshift32,
 * Marsaglia 2003). */
static uint32_t random_next(uint32_t *state)
{
	uint32_t x = *state;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}

/* A permutation of 0..n-1 that leaves the first keep in place; the same for the same seed (Fisher
 * and Yates). Without a seed: the identity. */
static uint64_t *permutation(uint64_t n, uint64_t keep, uint32_t seed)
{
	uint64_t *p = need(malloc((n ? n : 1) * sizeof *p));
	for (uint64_t i = 0; i < n; i++)
		p[i] = i;
	for (uint64_t i = n; seed && i > keep + 1; i--) {
		uint64_t k = keep + random_next(&seed) % (i - keep);
		uint64_t other = p[k];
		p[k] = p[i - 1];
		p[i - 1] = other;
	}
	return p;
}

/* The new ids of the nodes of tree i. */
static uint64_t *new_ids(const struct build_file *f, uint32_t i)
{
	return permutation(f->trees[i].num_nodes, 1, f->relabel ? f->shuffle + 17 + i : 0);
}

static uint64_t new_id(const struct build_file *f, uint32_t tree, uint64_t node)
{
	if (tree >= f->num_trees || node >= f->trees[tree].num_nodes)
		return node;
	uint64_t *ids = new_ids(f, tree);
	uint64_t id = ids[node];
	free(ids);
	return id;
}

static void put_tree(struct maker *m, const struct build_file *f, uint32_t i)
{
	const struct build_tree *t = &f->trees[i];
	uint32_t width = f->width ? f->width : 8;
	note_id(m);
	ahead(m, 16, 4, "vma_size");
	ahead(m, 20, 4, "uint_size");
	ahead(m, 24, 8, "num_nodes");
	ahead(m, 32, 4, "epoch_number");
	csp_put_tree_header(&m->sink, t->version ? t->version : CSP_VERSION_TREE, width,
			    t->num_nodes, t->epoch);
	uint64_t *ids = new_ids(f, i), *order = permutation(t->num_nodes, 0, f->shuffle);
	uint64_t *metrics = calloc(f->num_metrics + 1, sizeof *metrics);
	if (!metrics)
		die("out of memory");
	for (uint64_t k = 0; k < t->num_nodes; k++) {
		const struct build_node *node = &t->nodes[order[k]];
		uint64_t parent = node->parent < t->num_nodes ? ids[node->parent] : node->parent;
		ahead(m, 0, width, "id");
		ahead(m, width, width, "parent");
		ahead(m, 2 * width, width, "ip");
		ahead(m, 3 * width, width, "sp");
		for (uint32_t metric = 0; metric < f->num_metrics; metric++)
			ahead(m, (4 + metric) * width, width, "metric");
		for (uint32_t metric = 0; metric < f->num_metrics; metric++)
			metrics[metric] =
			    node->metrics[metric < BUILD_METRICS ? metric : BUILD_METRICS - 1];
		csp_put_node(&m->sink, width, ids[order[k]], parent, node->ip, node->sp, metrics,
			     f->num_metrics);
	}
	free(metrics);
	free(order);
	free(ids);
}

static void put_pairs(struct maker *m, const struct build_pair *pairs, uint32_t n)
{
	put_u32(m, "count of pairs", n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bytes = pairs[i].n ? pairs[i].n : (uint32_t)strlen(pairs[i].value);
		ahead(m, 0, 4, "length of key");
		ahead(m, 4 + strlen(pairs[i].key), 4, "length of value");
		csp_put_pair(&m->sink, pairs[i].key, pairs[i].value, bytes);
	}
}

static void put_process(struct maker *m, const struct build_file *f)
{
	put_pairs(m, f->process, f->num_process);
}

static void put_modules(struct maker *m, const struct build_file *f)
{
	put_u32(m, "epochs of MODULES", f->num_epochs);
	for (uint32_t i = 0; i < f->num_epochs; i++) {
		put_u32(m, "modules of MODULES", f->epochs[i].num_modules);
		for (uint32_t k = 0; k < f->epochs[i].num_modules; k++) {
			put_u64(m, "extent", f->epochs[i].modules[k].extent);
			put_text(m, "length of build-id", f->epochs[i].modules[k].build_id);
		}
	}
}

static void put_trees(struct maker *m, const struct build_file *f)
{
	put_u32(m, "trees of TREES", f->num_trees);
	for (uint32_t i = 0; i < f->num_trees; i++) {
		const struct build_tree *t = &f->trees[i];
		put_u32(m, "thread of TREES", t->thread);
		put_u32(m, "kind", t->kind);
		put_u32(m, "creator tree", t->creator_tree);
		put_u64(m, "creator node", new_id(f, t->creator_tree, t->creator_node));
	}
}

static void put_account(struct maker *m, const struct build_file *f)
{
	put_u32(m, "rows of ACCOUNT", f->num_account);
	for (uint32_t i = 0; i < f->num_account; i++) {
		put_u32(m, "thread of ACCOUNT", f->account[i].thread);
		put_u32(m, "metric of ACCOUNT", f->account[i].metric);
		put_text(m, "length of disposition", f->account[i].disposition);
		put_u64(m, "samples", f->account[i].samples);
		put_u64(m, "weight", f->account[i].weight);
	}
}

static void put_trace(struct maker *m, const struct build_file *f)
{
	put_u64(m, "rows of TRACE", f->num_trace);
	for (uint64_t i = 0; i < f->num_trace; i++) {
		const struct build_trace *row = &f->trace[i];
		put_u64(m, "time_ns", row->time_ns);
		put_u32(m, "tree of TRACE", row->tree);
		put_u32(m, "metric of TRACE", row->metric);
		put_u64(m, "node of TRACE", new_id(f, row->tree, row->node));
		put_u64(m, "weight of TRACE", row->weight);
	}
}

static void put_metrics(struct maker *m, const struct build_file *f)
{
	put_u32(m, "metrics of METRICS", f->num_metrics);
	for (uint32_t i = 0; i < f->num_metrics; i++)
		put_pairs(m, f->metrics[i].about, f->metrics[i].num_about);
}

static void put_threads(struct maker *m, const struct build_file *f)
{
	put_u32(m, "threads of THREADS", f->num_threads);
	for (uint32_t i = 0; i < f->num_threads; i++) {
		put_u64(m, "tid", f->threads[i].tid);
		put_text(m, "length of thread name", f->threads[i].name);
		put_u64(m, "start_ns", f->threads[i].start_ns);
		put_u64(m, "end_ns", f->threads[i].end_ns);
		put_u64(m, "cpu_ns", f->threads[i].cpu_ns);
	}
}

static void put_value(struct maker *m, const struct build_value *v)
{
	put_u32(m, "epoch of a VALUES row", v->epoch);
	put_u64(m, "ip of a VALUES row", v->ip);
	put_u32(m, "kind of a VALUES row", v->what);
	put_u32(m, "size of a VALUES row", v->bytes);
	put_u64(m, "count of a VALUES row", v->count);
	put_u64(m, "zeros of a VALUES row", v->zeros);
	put_u64(m, "same of a VALUES row", v->same);
	put_u64(m, "rest of a VALUES row", v->rest);
	put_u32(m, "frequent values of a VALUES row", v->num_top);
	for (uint32_t i = 0; i < v->num_top; i++) {
		put_u64(m, "frequent value of a VALUES row", v->top[i].value);
		put_u64(m, "count of a frequent value", v->top[i].count);
		put_u64(m, "error of a frequent value", v->top[i].error);
	}
}

static void put_values(struct maker *m, const struct build_file *f)
{
	const struct build_windows *w = f->windows;
	put_u64(m, "windows of VALUES", w->windows);
	put_u64(m, "steps of VALUES", w->steps);
	put_u64(m, "time of VALUES", w->ns);
	put_u64(m, "dropped of VALUES", w->dropped);
	put_u32(m, "refusals of VALUES", w->num_refused);
	for (uint32_t i = 0; i < w->num_refused; i++)
		put_u64(m, "refusal of VALUES", w->refused[i]);
	put_u32(m, "rows of VALUES", w->num_values);
	for (uint32_t i = 0; i < w->num_values; i++)
		put_value(m, &w->values[i]);
}

static void put_codes(struct maker *m, const struct build_file *f)
{
	put_u32(m, "rows of CODE", f->num_codes);
	for (uint32_t i = 0; i < f->num_codes; i++) {
		const struct build_code *code = &f->codes[i];
		put_u64(m, "ip of a CODE row", code->ip);
		put_u32(m, "extent of a CODE row", code->extent);
		put_u32(m, "line of a CODE row", code->line);
		put_text(m, "length of a CODE name", code->name);
		ahead(m, 0, 4, "length of CODE lines");
		csp_put_text(&m->sink, code->lines, code->lines_bytes);
	}
}

static const struct {
	uint32_t tag;
	void (*put)(struct maker *m, const struct build_file *f);
} known_chunks[] = {
    {CSP_CHUNK_PROCESS, put_process}, {CSP_CHUNK_MODULES, put_modules},
    {CSP_CHUNK_TREES, put_trees},     {CSP_CHUNK_ACCOUNT, put_account},
    {CSP_CHUNK_TRACE, put_trace},     {CSP_CHUNK_METRICS, put_metrics},
    {CSP_CHUNK_THREADS, put_threads}, {CSP_CHUNK_VALUES, put_values},
    {CSP_CHUNK_CODE, put_codes},
};
enum { KNOWN_CHUNKS = sizeof known_chunks / sizeof *known_chunks };

static bool has_chunk(const struct build_file *f, uint32_t tag)
{
	return !(f->without & 1u << tag) && (tag != CSP_CHUNK_TRACE || f->num_trace > 0) &&
	       (tag != CSP_CHUNK_VALUES || f->windows) && (tag != CSP_CHUNK_CODE || f->num_codes);
}

/* The payload of a chunk is made separately, because its length precedes it. */
static void put_chunk(struct maker *m, const struct build_file *f, size_t which)
{
	struct maker *inner = maker_create(f->big, true);
	known_chunks[which].put(inner, f);
	if (csp_sink_flush(&inner->sink))
		die("out of memory");
	ahead(m, 0, 4, "tag of chunk");
	ahead(m, 4, 8, "length of chunk");
	csp_put_chunk_header(&m->sink, known_chunks[which].tag, inner->bytes.len);
	for (size_t i = 0; i < inner->fields.len; i++) {
		struct build_field field = inner->fields.at[i];
		note(m, field.kind, csp_sink_offset(&m->sink) + field.offset, field.width,
		     field.name);
	}
	csp_put_bytes(&m->sink, inner->bytes.at, inner->bytes.len);
	maker_destroy(inner);
}

static void put_trailer(struct maker *m, const struct build_file *f)
{
	uint32_t n = f->num_chunks;
	for (size_t i = 0; i < KNOWN_CHUNKS; i++)
		n += has_chunk(f, known_chunks[i].tag);
	m->in_trailer = true;
	note_id(m);
	ahead(m, 16, 4, "num_chunks of the trailer");
	csp_put_trailer_header(&m->sink, n);
	for (size_t i = 0; i < KNOWN_CHUNKS; i++) {
		if (has_chunk(f, known_chunks[i].tag))
			put_chunk(m, f, i);
	}
	for (uint32_t i = 0; i < f->num_chunks; i++) {
		ahead(m, 0, 4, "tag of chunk");
		ahead(m, 4, 8, "length of chunk");
		csp_put_chunk_header(&m->sink, f->chunks[i].tag, f->chunks[i].n);
		csp_put_bytes(&m->sink, f->chunks[i].bytes, f->chunks[i].n);
	}
}

void build(const struct build_file *f, struct built *out)
{
	struct maker *m = maker_create(f->big, false);
	m->no_fields = f->no_fields;
	put_head(m, f);
	for (uint32_t i = 0; i < f->num_trees; i++)
		put_tree(m, f, i);
	size_t trailer = csp_sink_offset(&m->sink);
	if (!f->no_trailer)
		put_trailer(m, f);
	if (csp_sink_flush(&m->sink))
		die("out of memory");
	*out = (struct built){
	    .bytes = m->bytes.at,
	    .n = m->bytes.len,
	    .big = f->big,
	    .trailer = trailer,
	    .fields = m->fields.at,
	    .num_fields = m->fields.len,
	};
	free(m); /* the caller now owns its bytes and fields */
}

void built_free(struct built *b)
{
	if (!b)
		return;
	free(b->bytes);
	free(b->fields);
	memset(b, 0, sizeof *b);
}

void built_write(const struct built *b, const char *path)
{
	FILE *out = fopen(path, "wb");
	if (!out || fwrite(b->bytes, 1, b->n, out) != b->n || fclose(out) != 0)
		die(path);
}

const struct build_field *built_field(const struct built *b, const char *name)
{
	for (size_t i = 0; i < b->num_fields; i++) {
		if (strcmp(b->fields[i].name, name) == 0)
			return &b->fields[i];
	}
	die(name);
	return NULL;
}

uint64_t built_get(const struct built *b, const struct build_field *field)
{
	const uint8_t *p = b->bytes + field->offset;
	return field->width == 8 ? cursor_load_u64(p, b->big) : cursor_load_u32(p, b->big);
}

void built_put(struct built *b, const struct build_field *field, uint64_t v)
{
	struct csp_sink s = {.buf = b->bytes + field->offset, .cap = field->width, .big = b->big};
	if (field->width == 8)
		csp_put_u64(&s, v);
	else
		csp_put_u32(&s, (uint32_t)v);
}

struct build_node *build_random_nodes(uint64_t n, uint32_t seed)
{
	struct build_node *nodes = need(calloc(n ? n : 1, sizeof *nodes));
	for (uint64_t i = 1; i < n; i++) {
		uint32_t r = random_next(&seed);
		/* Every other node is a child of its predecessor, as frames are. */
		nodes[i].parent = r & 1 ? i - 1 : (r >> 1) % i;
		nodes[i].ip = 0x400000 + 16 * (uint64_t)(random_next(&seed) % 100000);
		nodes[i].sp = 0x7ffd00000000 - 64 * i;
		if (r & 2) {
			nodes[i].metrics[1] = 1 + (r >> 2) % 7;
			nodes[i].metrics[0] = nodes[i].metrics[1] * 1000000;
		}
	}
	return nodes;
}
