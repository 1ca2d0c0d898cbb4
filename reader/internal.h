/* Internal to reader/: shared by its files. */
#ifndef READER_INTERNAL_H
#define READER_INTERNAL_H

#include "formats/base/arena.h"
#include "formats/decode.h"
#include "reader/reader.h"

struct tree_index {
	struct reader_tree said;
	bool top_down; /* in the file, parents are before their children */
	bool plain;    /* also, ids are 0, 1, 2, ... */
};

struct reader {
	struct arena arena; /* all tables below */
	const uint8_t *bytes;
	size_t size;
	void *owned; /* bytes, if reader_open read them */

	struct reader_header header;
	struct reader_metric *metrics;
	struct reader_epoch *epochs;
	struct tree_index *trees;
	uint32_t num_metrics, num_epochs, num_trees;

	bool has_trailer;
	struct reader_chunk *chunks;
	struct reader_pairs process;
	struct reader_thread *threads;
	struct reader_account *account;
	struct reader_merged *merged;
	struct reader_group *groups;
	struct reader_name *names; /* by number */
	struct reader_code *codes; /* by ip */
	struct reader_windows windows;
	struct reader_value *values;
	uint32_t num_values;
	bool has_values; /* there is a complete VALUES chunk */
	uint64_t trace_offset, num_trace;
	uint32_t num_merged, num_groups, num_names, num_codes;
	bool is_merged; /* there is a complete MERGED chunk */
	uint32_t num_chunks, num_threads, num_account;
	bool threads_known;   /* num_threads is from a THREADS chunk */
	struct error warning; /* kind ERROR_NONE: no problem */
	unsigned more_warnings;
};

static inline struct reader_text text_of(struct csp_text t)
{
	return (struct reader_text){t.at, t.n};
}

/* n elements of size bytes, zeroed; n was checked against the file's size, so
 * that the product cannot overflow. NULL and *e if memory ran out. */
void *reader_table(struct reader *r, uint64_t n, size_t size, struct error *e);

/* Check the nodes of a tree whose header fits the file, and determine their order. Allocates
 * nothing if ids count up and parents are first. */
int tree_check(const struct reader *r, struct tree_index *t, struct error *e);
/* The positions in the file of t's nodes in an order with parents first, for a tree that was
 * checked. malloc'd, num_nodes long; NULL and *e if memory ran out. */
uint64_t *tree_top_down(const struct reader *r, const struct tree_index *t, struct error *e);

/* Read what follows the last tree. Damage is a warning; -1 only if memory ran out. */
int trailer_read(struct reader *r, struct cursor c, struct error *e);
/* Check that an index of width bytes that was just read from c is below limit. */
int trailer_index(const struct cursor *c, const char *name, uint64_t v, uint64_t limit,
		  unsigned width, struct error *e);
int trailer_pairs(struct reader *r, struct cursor *c, struct reader_pairs *out, struct error *e);
/* Chunks of merged files. drop reverses what a get that failed did. */
int trailer_merged_get(struct reader *r, struct cursor *c, struct error *e);
void trailer_merged_drop(struct reader *r);
int trailer_merged_get_groups(struct reader *r, struct cursor *c, struct error *e);
void trailer_merged_drop_groups(struct reader *r);
int trailer_names_get(struct reader *r, struct cursor *c, struct error *e);
void trailer_names_drop(struct reader *r);
int trailer_code_get(struct reader *r, struct cursor *c, struct error *e);
void trailer_code_drop(struct reader *r);
int trailer_values_get(struct reader *r, struct cursor *c, struct error *e);
void trailer_values_drop(struct reader *r);

#endif
