/* Opens a datafile: copies it, and reads everything up to the trees' nodes. */
#include "formats/base/regular_file.h"
#include "reader/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *reader_table(struct reader *r, uint64_t n, size_t size, struct error *e)
{
	void *p = arena_alloc(&r->arena, (n ? n : 1) * size);
	if (!p)
		error_memory(e, n * size);
	return p;
}

static int read_metrics(struct reader *r, struct cursor *c, struct error *e)
{
	char expected[40];
	uint32_t n;
	if (csp_get_count(c, "num_metrics", CSP_METRIC_MIN_BYTES, &n, e))
		return -1;
	snprintf(expected, sizeof expected, "at most %d metrics", READER_MOST_METRICS);
	if (n > READER_MOST_METRICS)
		return error_format(e, c->pos - sizeof n, expected, "%" PRIu32, n);
	r->metrics = reader_table(r, n, sizeof *r->metrics, e);
	if (!r->metrics)
		return -1;
	for (r->num_metrics = 0; r->num_metrics < n; r->num_metrics++) {
		struct csp_metric m;
		if (csp_get_metric(c, &m, e))
			return -1;
		r->metrics[r->num_metrics] = (struct reader_metric){
		    .name = text_of(m.name),
		    .has_flags = m.has_flags,
		    .flags = m.flags,
		    .period = m.period,
		};
	}
	return 0;
}

static int read_epoch(struct reader *r, struct cursor *c, struct reader_epoch *epoch,
		      struct error *e)
{
	uint32_t n;
	if (csp_get_count(c, "num_modules", CSP_MODULE_MIN_BYTES, &n, e))
		return -1;
	struct reader_module *modules = reader_table(r, n, sizeof *modules, e);
	if (!modules)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct csp_module m;
		if (csp_get_module(c, &m, e))
			return -1;
		modules[i] = (struct reader_module){
		    .name = text_of(m.name),
		    .virtual_address = m.virtual_address,
		    .mapped_address = m.mapped_address,
		};
	}
	*epoch = (struct reader_epoch){modules, n};
	return 0;
}

static int read_epochs(struct reader *r, struct cursor *c, struct error *e)
{
	uint32_t n;
	if (csp_get_count(c, "num_epochs", CSP_EPOCH_MIN_BYTES, &n, e))
		return -1;
	r->epochs = reader_table(r, n, sizeof *r->epochs, e);
	if (!r->epochs)
		return -1;
	for (r->num_epochs = 0; r->num_epochs < n; r->num_epochs++) {
		if (read_epoch(r, c, &r->epochs[r->num_epochs], e))
			return -1;
	}
	return 0;
}

static int read_tree(struct reader *r, struct cursor *c, struct tree_index *t, struct error *e)
{
	struct csp_tree_header h;
	uint64_t offset = c->pos;
	if (csp_get_tree_header(c, r->num_metrics, &h, e))
		return -1;
	if (h.epoch >= r->num_epochs) {
		char expected[64];
		snprintf(expected, sizeof expected, "epoch_number below %" PRIu32, r->num_epochs);
		return error_format(e, c->pos - 4, expected, "%" PRIu32, h.epoch);
	}
	t->said = (struct reader_tree){
	    .version = text_of(h.version),
	    .width = h.width,
	    .num_nodes = h.num_nodes,
	    .epoch = h.epoch,
	    .offset = offset,
	    .nodes_offset = c->pos,
	    .thread = CSP_NONE,
	    .kind = CSP_TREE_COMPLETE,
	    .creator_tree = CSP_NONE,
	};
	if (tree_check(r, t, e))
		return -1;
	cursor_skip(c, h.num_nodes * csp_node_bytes(h.width, r->num_metrics));
	return 0;
}

static int read_trees(struct reader *r, struct cursor *c, struct error *e)
{
	struct cursor count = *c;
	uint32_t n;
	/* tramp_samples is between the count and the trees, so that the size of the trees is known
	 * only after both. */
	if (csp_get_u32(c, "num_trees", &n, e) ||
	    csp_get_u64(c, "tramp_samples", &r->header.tramp_samples, e))
		return -1;
	count.size -= sizeof(uint64_t);
	if (csp_get_count(&count, "num_trees",
			  CSP_TREE_HEADER_BYTES + csp_node_bytes(4, r->num_metrics), &n, e))
		return -1;
	r->trees = reader_table(r, n, sizeof *r->trees, e);
	if (!r->trees)
		return -1;
	for (r->num_trees = 0; r->num_trees < n; r->num_trees++) {
		if (read_tree(r, c, &r->trees[r->num_trees], e))
			return -1;
	}
	return 0;
}

static int read_all(struct reader *r, struct error *e)
{
	struct cursor c = cursor_of(r->bytes, r->size, false);
	struct csp_file_header h;
	struct csp_text target;
	if (csp_get_file_header(&c, &h, e) || csp_get_string(&c, CSP_TAG_TARGET, &target, e))
		return -1;
	r->header = (struct reader_header){
	    .version = text_of(h.version),
	    .big = h.big,
	    .num_chunks = h.num_chunks,
	    .target = text_of(target),
	};
	if (read_metrics(r, &c, e) || read_epochs(r, &c, e) || read_trees(r, &c, e))
		return -1;
	return trailer_read(r, c, e);
}

static int open_bytes(const void *bytes, size_t n, void *owned, struct reader **out,
		      struct error *e)
{
	struct reader *r = calloc(1, sizeof *r);
	if (!r) {
		free(owned);
		return error_memory(e, sizeof *r);
	}
	r->bytes = bytes;
	r->size = n;
	r->owned = owned;
	if (read_all(r, e)) {
		reader_close(r);
		return -1;
	}
	*out = r;
	return 0;
}

int reader_open_memory(const void *bytes, size_t n, struct reader **out, struct error *e)
{
	return open_bytes(bytes, n, NULL, out, e);
}

/* Of a file that is refused for its first bytes, no more are read. */
static void shorten(int fd, struct stat *st)
{
	char head[sizeof CSP_MAGIC_FILE - 1];

	if (st->st_size > (off_t)sizeof head && pread(fd, head, sizeof head, 0) == sizeof head &&
	    memcmp(head, CSP_MAGIC_FILE, sizeof head) != 0)
		st->st_size = sizeof head;
}

/* A copy of the file is read: what was checked cannot change any more, and a file that is cut is
 * noticed. */
int reader_open(const char *path, struct reader **out, struct error *e)
{
	struct stat st;
	void *bytes;
	int fd = regular_file_open(path, &st, e);

	if (fd < 0)
		return -1;
	shorten(fd, &st);
	bytes = regular_file_read(fd, &st, e);
	close(fd);
	return bytes ? open_bytes(bytes, (size_t)st.st_size, bytes, out, e) : -1;
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	arena_deinit(&r->arena);
	free(r->owned);
	free(r);
}

const struct error *reader_warning(const struct reader *r)
{
	return r->warning.kind == ERROR_NONE ? NULL : &r->warning;
}

const struct reader_header *reader_header(const struct reader *r)
{
	return &r->header;
}

uint32_t reader_num_metrics(const struct reader *r)
{
	return r->num_metrics;
}

const struct reader_metric *reader_metric(const struct reader *r, uint32_t i)
{
	return &r->metrics[i];
}

uint32_t reader_num_epochs(const struct reader *r)
{
	return r->num_epochs;
}

const struct reader_epoch *reader_epoch(const struct reader *r, uint32_t i)
{
	return &r->epochs[i];
}

uint32_t reader_num_trees(const struct reader *r)
{
	return r->num_trees;
}

const struct reader_tree *reader_tree(const struct reader *r, uint32_t i)
{
	return &r->trees[i].said;
}
