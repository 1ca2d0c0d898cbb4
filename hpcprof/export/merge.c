/* A model as a datafile.
 *
 * There is one epoch, in which modules are at made-up addresses. There is one tree of complete
 * paths and, if there are any, one of partial paths. A context is a node, with one role, as in the
 * trees that the runtime writes. */
#include "hpcprof/export/merge.h"

#include "formats/encode.h"
#include "hpcprof/export/address_map.h"
#include "hpcprof/export/merge_trailer.h"
#include "hpcprof/model/sum.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	const struct model *m;
	size_t num_metrics; /* those of the files */
	struct csp_sink sink;
	struct address_map map;
	uint64_t *values; /* [2 x metrics], of a node */
};
enum { BUFFER_BYTES = 1 << 16 };

static int to_file(void *context, const uint8_t *bytes, size_t n)
{
	return fwrite(bytes, 1, n, context) == n ? 0 : -EIO;
}

static uint64_t n_flags(const struct model_metric *k)
{
	return k->flags | CSP_METRIC_SAMPLES;
}

static void put_metrics(struct writer *w)
{
	struct csp_sink *s = &w->sink;

	csp_put_u32(s, 2 * (uint32_t)w->num_metrics);
	for (size_t i = 0; i < w->num_metrics; i++) {
		const struct model_metric *k = &w->m->metrics.at[i];
		size_t n = strlen(k->name);
		csp_put_metric(s, k->name, (uint32_t)n, true, k->flags, 1);
		csp_put_u32(s, CSP_TAG_EVENT_NAME);
		csp_put_u32(s, (uint32_t)(n + sizeof CSP_SAMPLES_SUFFIX - 1));
		csp_put_bytes(s, k->name, n);
		csp_put_bytes(s, CSP_SAMPLES_SUFFIX, sizeof CSP_SAMPLES_SUFFIX - 1);
		csp_put_number(s, CSP_TAG_FLAGS, n_flags(k));
		csp_put_number(s, CSP_TAG_PERIOD, k->interval);
	}
}

static void put_epoch(struct writer *w)
{
	struct csp_sink *s = &w->sink;

	csp_put_u32(s, 1);
	csp_put_u32(s, (uint32_t)w->map.stretches.len);
	for (size_t i = 0; i < w->map.stretches.len; i++) {
		const struct stretch *at = &w->map.stretches.at[i];
		const char *name = w->m->modules.at[at->module].name;
		csp_put_module(s, name, (uint32_t)strlen(name), at->low, at->mapped);
	}
}

/* ---- trees ---------------------------------------------------------------------------- */

static uint64_t ip_of(const struct writer *w, uint32_t context)
{
	uint32_t frame = model_frame_of(w->m, context);
	const struct model_frame *f = &w->m->frames.at[frame];
	bool call = f->role == FRAME_CALL || (f->role == FRAME_NAMED_CALL && code_map_has(w->m, f));

	return address_map_at(&w->map, frame) + call;
}

/* Put the contexts [from, end), which are all below root. ids has room for their ids. */
static void put_tree(struct writer *w, uint32_t root, uint32_t from, uint32_t end, uint64_t *ids)
{
	const struct model *m = w->m;
	uint32_t words = 2 * (uint32_t)w->num_metrics;
	const char *version = CSP_VERSION_TREE;
	uint64_t id = 0;

	for (uint32_t c = from; c < end; c++)
		ids[c] = ++id;
	for (size_t i = 0; i < w->num_metrics; i++)
		if (m->metrics.at[i].flags & CSP_METRIC_RETURNS)
			version = CSP_VERSION_TREE_T;
	ids[root] = 0;
	csp_put_tree_header(&w->sink, version, 8, id + 1, 0);
	memset(w->values, 0, words * sizeof *w->values);
	csp_put_node(&w->sink, 8, 0, 0, 0, 0, w->values, words);
	for (uint32_t c = from; c < end; c++) {
		for (size_t i = 0; i < w->num_metrics; i++) {
			w->values[2 * i] = m->metrics.at[i].events[c];
			w->values[2 * i + 1] = m->metrics.at[i].samples[c];
		}
		csp_put_node(&w->sink, 8, ids[c], ids[model_parent(m, c)], ip_of(w, c), 0,
			     w->values, words);
	}
}

/* The first context below the root of partial paths: contexts are in depth-first order. */
static uint32_t first_partial(const struct model *m)
{
	uint32_t low = MODEL_ROOTS, high = model_num_contexts(m);

	for (uint32_t c = low; c < high; c++)
		if (model_parent(m, c) == MODEL_PARTIAL_ROOT)
			return c;
	return high;
}

static int put_trees(struct writer *w, uint32_t *num_trees, struct error *e)
{
	uint32_t n = model_num_contexts(w->m), partial = first_partial(w->m);
	uint64_t *ids = malloc(n * sizeof *ids), slots = 0;
	bool saturated = false;

	if (!ids)
		return error_memory(e, n * sizeof *ids);
	for (size_t i = 0; i < w->m->processes.len; i++)
		slots = sum_add(slots, w->m->processes.at[i].tramp_samples, &saturated);
	*num_trees = partial < n ? 2 : 1;
	csp_put_u32(&w->sink, *num_trees);
	csp_put_u64(&w->sink, slots);
	put_tree(w, MODEL_ROOT, MODEL_ROOTS, partial, ids);
	if (partial < n)
		put_tree(w, MODEL_PARTIAL_ROOT, partial, n, ids);
	free(ids);
	return 0;
}

static int write_all(struct writer *w, struct error *e)
{
	const char *target = MERGE_COMMON(w->m, executable);
	uint32_t num_trees = 0;

	csp_put_file_header(&w->sink, CSP_VERSION_FILE);
	csp_put_string(&w->sink, CSP_TAG_TARGET, target, (uint32_t)strlen(target));
	put_metrics(w);
	put_epoch(w);
	if (put_trees(w, &num_trees, e) != 0)
		return -1;
	if (merge_put_trailer(&w->sink, &w->map, num_trees, e) != 0)
		return -1;
	csp_sink_flush(&w->sink);
	return 0;
}

static bool is_note(const struct model *m, const struct model_frame *f)
{
	const char *module = m->modules.at[f->module].name;

	return strcmp(module, CSP_MODULE_REGION) == 0 || strcmp(module, CSP_MODULE_LABEL) == 0;
}

int merge_write(FILE *out, const struct model *m, struct error *e)
{
	struct writer w = {.m = m, .num_metrics = model_num_recorded(m)};
	int rc;

	for (size_t i = 0; i < m->frames.len; i++)
		if (m->frames.at[i].role >= FRAME_ADDRESSED && !is_note(m, &m->frames.at[i]) &&
		    !code_map_has(m, &m->frames.at[i]))
			return error_set(e, ERROR_USAGE,
					 "a PROFILE contains names instead of addresses and cannot "
					 "be merged into a datafile (omit it)");
	if (w.num_metrics > READER_MOST_METRICS / 2)
		return error_set(e, ERROR_LIMIT, "%zu metrics: a datafile has at most %d",
				 (size_t)w.num_metrics, READER_MOST_METRICS / 2);
	w.sink = (struct csp_sink){.buf = malloc(BUFFER_BYTES),
				   .cap = BUFFER_BYTES,
				   .flush = to_file,
				   .ctx = out,
				   .big = csp_host_is_big()};
	w.values = calloc(2 * w.num_metrics + 1, sizeof *w.values);
	rc =
	    w.sink.buf && w.values ? address_map_make(&w.map, m, e) : error_memory(e, BUFFER_BYTES);
	if (rc == 0)
		rc = write_all(&w, e);
	address_map_deinit(&w.map);
	free(w.sink.buf);
	free(w.values);
	return rc;
}
