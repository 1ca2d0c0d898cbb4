/* What the files of reader/ share. Nobody else includes this. */
#ifndef READER_INTERNAL_H
#define READER_INTERNAL_H

#include "formats/base/arena.h"
#include "formats/decode.h"
#include "reader/reader.h"

struct tree {
	struct reader_tree said;
	bool top_down; /* in the file, parents stand before their children */
	bool plain;    /* that, and ids count up */
};

struct reader {
	struct arena arena; /* all tables below */
	const uint8_t *bytes;
	size_t size;
	bool mapped; /* bytes are our mapping */

	struct reader_header header;
	struct reader_metric *metrics;
	struct reader_epoch *epochs;
	struct tree *trees;
	uint32_t num_metrics, num_epochs, num_trees;

	bool has_trailer;
	struct reader_chunk *chunks;
	struct reader_pairs process;
	struct reader_thread *threads;
	struct reader_account *account;
	struct reader_merged *merged;
	uint64_t trace_offset, num_trace;
	uint32_t num_merged;
	bool is_merged; /* a whole MERGED chunk is there */
	uint32_t num_chunks, num_threads, num_account;
	bool threads_known;   /* a THREADS chunk stands behind num_threads */
	struct error warning; /* kind ERROR_NONE: all is well */
	unsigned more_warnings;
};

static inline struct reader_text text_of(struct csp_text t)
{
	return (struct reader_text){t.at, t.n};
}

/* n elements of size bytes, zeroed; n was checked against the file's size, so
 * that the product cannot overflow. NULL and *e without memory. */
void *reader_table(struct reader *r, uint64_t n, size_t size, struct error *e);

/* Check the nodes of a tree whose header fits the file, and learn their order.
 * Without memory of its own where ids count up and parents stand first. */
int tree_check(const struct reader *r, struct tree *t, struct error *e);
/* The positions of t's nodes in the file such that parents come first, for a
 * tree that was checked. malloc'd, num_nodes long; NULL and *e without memory. */
uint64_t *tree_top_down(const struct reader *r, const struct tree *t, struct error *e);

/* Read what stands behind the last tree. Damage becomes a warning; -1 only for
 * want of memory. */
int trailer_read(struct reader *r, struct cursor c, struct error *e);

#endif
