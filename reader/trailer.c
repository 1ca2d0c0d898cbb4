/* The trailer. Its chunks are found first, then decoded one by one, those that others refer to
 * first. A damaged chunk is ignored, with a warning; the others are used. */
#include "formats/identity/content_id.h"
#include "reader/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	MODULES_ROW_MIN_BYTES = 8 + CSP_TEXT_MIN_BYTES,
	TREES_ROW_BYTES = 4 + 4 + 4 + 8,
	ACCOUNT_ROW_MIN_BYTES = 4 + 4 + CSP_TEXT_MIN_BYTES + 8 + 8,
	TRACE_ROW_BYTES = 8 + 4 + 4 + 8 + 8,
	THREADS_ROW_MIN_BYTES = 8 + CSP_TEXT_MIN_BYTES + 8 + 8 + 8,
};

/* Keep the first warning and count the others. */
static void warn(struct reader *r, const struct error *e, const char *consequence)
{
	if (r->warning.kind == ERROR_NONE) {
		r->warning = *e;
		size_t used = strlen(r->warning.text);
		snprintf(r->warning.text + used, sizeof r->warning.text - used, "; %s",
			 consequence);
	}
	r->more_warnings++;
}

int trailer_index(const struct cursor *c, const char *name, uint64_t v, uint64_t limit,
		  unsigned width, struct error *e)
{
	char expected[96];
	if (v < limit)
		return 0;
	snprintf(expected, sizeof expected, "%s below %" PRIu64, name, limit);
	return error_format(e, c->pos - width, expected, "%" PRIu64, v);
}

/* Read a count that must be the same as that of the file's table. */
static int get_same_count(struct cursor *c, const char *name, uint64_t min_bytes, uint32_t want,
			  struct error *e)
{
	char expected[96];
	uint32_t n = 0;
	if (csp_get_count(c, name, min_bytes, &n, e))
		return -1;
	if (n == want)
		return 0;
	snprintf(expected, sizeof expected, "%s %" PRIu32 " as before the trailer", name, want);
	return error_format(e, c->pos - 4, expected, "%" PRIu32, n);
}

int trailer_pairs(struct reader *r, struct cursor *c, struct reader_pairs *out, struct error *e)
{
	uint32_t n = 0;
	if (csp_get_count(c, "count of pairs", CSP_PAIR_MIN_BYTES, &n, e))
		return -1;
	struct reader_pair *pairs = reader_table(r, n, sizeof *pairs, e);
	if (!pairs)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct csp_text key, value;
		if (csp_get_pair(c, &key, &value, e))
			return -1;
		pairs[i] = (struct reader_pair){text_of(key), text_of(value)};
	}
	*out = (struct reader_pairs){pairs, n};
	return 0;
}

static int get_process(struct reader *r, struct cursor *c, struct error *e)
{
	return trailer_pairs(r, c, &r->process, e);
}

static void drop_process(struct reader *r)
{
	r->process = (struct reader_pairs){NULL, 0};
}

static int get_modules(struct reader *r, struct cursor *c, struct error *e)
{
	if (get_same_count(c, "epochs of MODULES", CSP_EPOCH_MIN_BYTES, r->num_epochs, e))
		return -1;
	for (uint32_t i = 0; i < r->num_epochs; i++) {
		/* The tables are our own; only consumers see them as const. */
		struct reader_module *modules = (struct reader_module *)r->epochs[i].modules;
		uint32_t n = r->epochs[i].num_modules;
		if (get_same_count(c, "modules of an epoch in MODULES", MODULES_ROW_MIN_BYTES, n,
				   e))
			return -1;
		for (uint32_t k = 0; k < n; k++) {
			struct csp_text id;
			if (csp_get_u64(c, "extent of a module", &modules[k].extent, e) ||
			    csp_get_text(c, "a build-id", &id, e))
				return -1;
			if (!content_id_or_build_id(id.at, id.n))
				return error_format(e, c->pos - id.n, "a build-id in hex",
						    "another character");
			modules[k].build_id = text_of(id);
		}
	}
	return 0;
}

static void drop_modules(struct reader *r)
{
	for (uint32_t i = 0; i < r->num_epochs; i++) {
		struct reader_module *modules = (struct reader_module *)r->epochs[i].modules;
		for (uint32_t k = 0; k < r->epochs[i].num_modules; k++) {
			modules[k].extent = 0;
			modules[k].build_id = (struct reader_text){NULL, 0};
		}
	}
}

static int get_threads(struct reader *r, struct cursor *c, struct error *e)
{
	uint32_t n = 0;
	if (csp_get_count(c, "threads of THREADS", THREADS_ROW_MIN_BYTES, &n, e))
		return -1;
	r->threads = reader_table(r, n, sizeof *r->threads, e);
	if (!r->threads)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct reader_thread *t = &r->threads[i];
		struct csp_text name;
		if (csp_get_u64(c, "tid", &t->tid, e) ||
		    csp_get_text(c, "a thread's name", &name, e) ||
		    csp_get_u64(c, "start_ns of a thread", &t->start_ns, e) ||
		    csp_get_u64(c, "end_ns of a thread", &t->end_ns, e) ||
		    csp_get_u64(c, "cpu_ns of a thread", &t->cpu_ns, e))
			return -1;
		t->name = text_of(name);
	}
	r->num_threads = n;
	r->threads_known = true;
	return 0;
}

static void drop_threads(struct reader *r)
{
	r->num_threads = 0;
	r->threads_known = false;
}

static int get_metrics(struct reader *r, struct cursor *c, struct error *e)
{
	if (get_same_count(c, "metrics of METRICS", 4, r->num_metrics, e))
		return -1;
	for (uint32_t i = 0; i < r->num_metrics; i++) {
		if (trailer_pairs(r, c, &r->metrics[i].about, e))
			return -1;
	}
	return 0;
}

static void drop_metrics(struct reader *r)
{
	for (uint32_t i = 0; i < r->num_metrics; i++)
		r->metrics[i].about = (struct reader_pairs){NULL, 0};
}

static int get_tree_row(struct reader *r, struct cursor *c, struct reader_tree *t, struct error *e)
{
	if (csp_get_u32(c, "thread of a tree", &t->thread, e))
		return -1;
	if (r->threads_known && t->thread != CSP_NONE &&
	    trailer_index(c, "thread of a tree", t->thread, r->num_threads, 4, e))
		return -1;
	if (csp_get_u32(c, "kind of a tree", &t->kind, e) ||
	    trailer_index(c, "kind of a tree", t->kind, CSP_TREE_PARTIAL + 1, 4, e) ||
	    csp_get_u32(c, "creator tree", &t->creator_tree, e))
		return -1;
	if (t->creator_tree != CSP_NONE &&
	    trailer_index(c, "creator tree", t->creator_tree, r->num_trees, 4, e))
		return -1;
	if (csp_get_u64(c, "creator node", &t->creator_node, e))
		return -1;
	if (t->creator_tree == CSP_NONE)
		return 0;
	return trailer_index(c, "creator node", t->creator_node,
			     r->trees[t->creator_tree].said.num_nodes, 8, e);
}

static int get_trees(struct reader *r, struct cursor *c, struct error *e)
{
	if (get_same_count(c, "trees of TREES", TREES_ROW_BYTES, r->num_trees, e))
		return -1;
	for (uint32_t i = 0; i < r->num_trees; i++) {
		if (get_tree_row(r, c, &r->trees[i].said, e))
			return -1;
	}
	return 0;
}

static void drop_trees(struct reader *r)
{
	for (uint32_t i = 0; i < r->num_trees; i++) {
		struct reader_tree *t = &r->trees[i].said;
		t->thread = CSP_NONE;
		t->kind = CSP_TREE_COMPLETE;
		t->creator_tree = CSP_NONE;
		t->creator_node = 0;
	}
}

static int get_account(struct reader *r, struct cursor *c, struct error *e)
{
	uint32_t n = 0;
	if (csp_get_count(c, "rows of ACCOUNT", ACCOUNT_ROW_MIN_BYTES, &n, e))
		return -1;
	r->account = reader_table(r, n, sizeof *r->account, e);
	if (!r->account)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct reader_account *a = &r->account[i];
		struct csp_text disposition;
		if (csp_get_u32(c, "thread of an ACCOUNT row", &a->thread, e) ||
		    (r->threads_known && trailer_index(c, "thread of an ACCOUNT row", a->thread,
						       r->num_threads, 4, e)) ||
		    csp_get_u32(c, "metric of an ACCOUNT row", &a->metric, e) ||
		    trailer_index(c, "metric of an ACCOUNT row", a->metric, r->num_metrics, 4, e) ||
		    csp_get_text(c, "a disposition", &disposition, e) ||
		    csp_get_u64(c, "samples of an ACCOUNT row", &a->samples, e) ||
		    csp_get_u64(c, "weight of an ACCOUNT row", &a->weight, e))
			return -1;
		a->disposition = text_of(disposition);
	}
	r->num_account = n;
	return 0;
}

static void drop_account(struct reader *r)
{
	r->num_account = 0;
}

/* Read one row of TRACE and check its indexes. */
static int get_trace_row(const struct reader *r, struct cursor *c, struct reader_trace *out,
			 struct error *e)
{
	if (csp_get_u64(c, "time_ns of a TRACE row", &out->time_ns, e) ||
	    csp_get_u32(c, "tree of a TRACE row", &out->tree, e) ||
	    trailer_index(c, "tree of a TRACE row", out->tree, r->num_trees, 4, e) ||
	    csp_get_u32(c, "metric of a TRACE row", &out->metric, e) ||
	    trailer_index(c, "metric of a TRACE row", out->metric, r->num_metrics, 4, e) ||
	    csp_get_u64(c, "node of a TRACE row", &out->node, e) ||
	    trailer_index(c, "node of a TRACE row", out->node, r->trees[out->tree].said.num_nodes,
			  8, e) ||
	    csp_get_u64(c, "weight of a TRACE row", &out->weight, e))
		return -1;
	return 0;
}

static int get_trace(struct reader *r, struct cursor *c, struct error *e)
{
	uint64_t n = 0;
	if (csp_get_count64(c, "rows of TRACE", TRACE_ROW_BYTES, &n, e))
		return -1;
	r->trace_offset = c->pos;
	for (uint64_t i = 0; i < n; i++) {
		struct reader_trace row;
		if (get_trace_row(r, c, &row, e))
			return -1;
	}
	r->num_trace = n;
	return 0;
}

static void drop_trace(struct reader *r)
{
	r->num_trace = 0;
}

/* The known chunks, in the order in which they are decoded: THREADS before those with indexes into
 * it. drop reverses what a failed get did. */
static const struct chunk_kind {
	uint32_t tag;
	const char *lost; /* the consequence, for the warning */
	int (*get)(struct reader *r, struct cursor *c, struct error *e);
	void (*drop)(struct reader *r);
} chunk_kinds[] = {
    {CSP_CHUNK_PROCESS, "chunk PROCESS ignored", get_process, drop_process},
    {CSP_CHUNK_MODULES, "chunk MODULES ignored", get_modules, drop_modules},
    {CSP_CHUNK_THREADS, "chunk THREADS ignored", get_threads, drop_threads},
    {CSP_CHUNK_METRICS, "chunk METRICS ignored", get_metrics, drop_metrics},
    {CSP_CHUNK_TREES, "chunk TREES ignored", get_trees, drop_trees},
    {CSP_CHUNK_ACCOUNT, "chunk ACCOUNT ignored", get_account, drop_account},
    {CSP_CHUNK_TRACE, "chunk TRACE ignored", get_trace, drop_trace},
    {CSP_CHUNK_MERGED, "chunk MERGED ignored", trailer_merged_get, trailer_merged_drop},
    {CSP_CHUNK_GROUPS, "chunk GROUPS ignored", trailer_merged_get_groups,
     trailer_merged_drop_groups},
    {CSP_CHUNK_NAMES, "chunk NAMES ignored", trailer_names_get, trailer_names_drop},
    {CSP_CHUNK_CODE, "chunk CODE ignored", trailer_code_get, trailer_code_drop},
    {CSP_CHUNK_VALUES, "chunk VALUES ignored", trailer_values_get, trailer_values_drop},
};

/* Decode one chunk; -1 only if memory ran out. */
static int read_chunk(struct reader *r, const struct chunk_kind *kind, struct reader_chunk *chunk,
		      struct error *e)
{
	struct error damage;
	struct cursor c = cursor_of(r->bytes, chunk->offset + chunk->length, r->header.big);
	c.pos = chunk->offset;
	int failed = kind->get(r, &c, &damage);
	if (!failed && cursor_left(&c) > 0)
		failed = error_format(&damage, c.pos, "the end of the chunk", "%zu bytes more",
				      cursor_left(&c));
	chunk->decoded = !failed;
	if (!failed)
		return 0;
	kind->drop(r);
	if (damage.kind == ERROR_MEMORY) {
		if (e)
			*e = damage;
		return -1;
	}
	warn(r, &damage, kind->lost);
	return 0;
}

static int read_kind(struct reader *r, const struct chunk_kind *kind, struct error *e)
{
	bool seen = false;
	for (uint32_t i = 0; i < r->num_chunks; i++) {
		struct error again;
		if (r->chunks[i].tag != kind->tag)
			continue;
		if (!seen && read_chunk(r, kind, &r->chunks[i], e))
			return -1;
		if (seen) {
			error_format(&again, r->chunks[i].offset - CSP_CHUNK_MIN_BYTES,
				     "each known chunk once", "a second one of tag %" PRIu32,
				     kind->tag);
			warn(r, &again, "it is ignored");
		}
		seen = true;
	}
	return 0;
}

/* Find the chunks; a broken header ends the list. -1 only if memory ran out. */
static int find_chunks(struct reader *r, struct cursor *c, uint32_t n, struct error *e)
{
	struct error damage;
	uint64_t most = cursor_left(c) / CSP_CHUNK_MIN_BYTES;
	r->chunks = reader_table(r, n < most ? n : most, sizeof *r->chunks, e);
	if (!r->chunks)
		return -1;
	while (r->num_chunks < n) {
		struct csp_chunk_header h;
		if (csp_get_chunk_header(c, &h, &damage)) {
			warn(r, &damage, "this chunk and those after it are ignored");
			return 0;
		}
		r->chunks[r->num_chunks++] = (struct reader_chunk){
		    .tag = h.tag,
		    .offset = c->pos,
		    .length = h.length,
		};
		cursor_skip(c, h.length);
	}
	if (cursor_left(c) > 0) {
		error_format(&damage, c->pos, "the end of the file after the last chunk",
			     "%zu bytes more", cursor_left(c));
		warn(r, &damage, "they are ignored");
	}
	return 0;
}

/* Whether this is a trailer, possibly a damaged one: most of the existing bytes of the magic must
 * be right. Other bytes after the trees are ignored. */
static bool looks_like_trailer(const struct cursor *c)
{
	size_t there = cursor_left(c) < CSP_MAGIC_BYTES ? cursor_left(c) : CSP_MAGIC_BYTES;
	size_t same = 0;
	for (size_t i = 0; i < there; i++)
		same += c->base[c->pos + i] == (uint8_t)CSP_MAGIC_META[i];
	return 2 * same > there;
}

int trailer_read(struct reader *r, struct cursor c, struct error *e)
{
	struct error damage;
	uint32_t n = 0;
	if (!looks_like_trailer(&c))
		return 0;
	if (csp_get_trailer_header(&c, &n, &damage)) {
		warn(r, &damage, "trailer ignored");
		return 0;
	}
	r->has_trailer = true;
	if (find_chunks(r, &c, n, e))
		return -1;
	for (size_t i = 0; i < sizeof chunk_kinds / sizeof *chunk_kinds; i++) {
		if (read_kind(r, &chunk_kinds[i], e))
			return -1;
	}
	if (r->more_warnings > 1) {
		size_t used = strlen(r->warning.text);
		snprintf(r->warning.text + used, sizeof r->warning.text - used, "; %u more like it",
			 r->more_warnings - 1);
	}
	return 0;
}

bool reader_has_trailer(const struct reader *r)
{
	return r->has_trailer;
}

uint32_t reader_num_chunks(const struct reader *r)
{
	return r->num_chunks;
}

const struct reader_chunk *reader_chunk(const struct reader *r, uint32_t i)
{
	return &r->chunks[i];
}

struct reader_pairs reader_process(const struct reader *r)
{
	return r->process;
}

uint32_t reader_num_threads(const struct reader *r)
{
	return r->num_threads;
}

const struct reader_thread *reader_thread(const struct reader *r, uint32_t i)
{
	return &r->threads[i];
}

uint32_t reader_num_account(const struct reader *r)
{
	return r->num_account;
}

const struct reader_account *reader_account(const struct reader *r, uint32_t i)
{
	return &r->account[i];
}

uint64_t reader_num_trace(const struct reader *r)
{
	return r->num_trace;
}

void reader_trace(const struct reader *r, uint64_t i, struct reader_trace *out)
{
	struct cursor c = cursor_of(r->bytes, r->size, r->header.big);
	c.pos = r->trace_offset + i * TRACE_ROW_BYTES;
	if (get_trace_row(r, &c, out, NULL))
		memset(out, 0, sizeof *out);
}

struct reader_text reader_pairs_get(struct reader_pairs pairs, const char *key)
{
	size_t n = strlen(key);
	for (uint32_t i = 0; i < pairs.n; i++) {
		if (pairs.at[i].key.n == n && memcmp(pairs.at[i].key.at, key, n) == 0)
			return pairs.at[i].value;
	}
	return (struct reader_text){NULL, 0};
}

bool reader_pairs_u64(struct reader_pairs pairs, const char *key, uint64_t *out)
{
	struct reader_text t = reader_pairs_get(pairs, key);
	uint64_t v = 0;
	for (uint32_t i = 0; i < t.n; i++) {
		unsigned digit = (unsigned)(unsigned char)t.at[i] - '0';
		if (digit > 9 || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, digit, &v))
			return false;
	}
	if (t.n)
		*out = v;
	return t.n > 0;
}
