/* Decode functions of the datafile, the counterpart of encode.h: each takes one record from a
 * bounded cursor. They return 0, or -1 with *e (which may be NULL) describing the byte offset,
 * what was expected and what was found; then the cursor has not moved and *out is undefined.
 * Offsets are relative to the cursor's base: a cursor over a chunk has the file's first byte as
 * its base and ends where the chunk ends, so offsets are those of the file.
 *
 * No allocation: texts point into the cursor's bytes. Reentrant. Not async-signal-safe (errors
 * are formatted with snprintf). */
#ifndef FORMATS_DECODE_H
#define FORMATS_DECODE_H

#include "formats/base/cursor.h"
#include "formats/base/error.h"
#include "formats/datafile.h"

/* n bytes, not NUL-terminated, any content. */
struct csp_text {
	const char *at;
	uint32_t n;
};

struct csp_file_header {
	struct csp_text version;
	bool big;
	uint64_t num_chunks;
};

struct csp_metric {
	struct csp_text name;
	bool has_flags; /* false: there is no flags number, and flags is 0 */
	uint64_t flags, period;
};

struct csp_module {
	struct csp_text name;
	uint64_t virtual_address, mapped_address;
};

struct csp_tree_header {
	struct csp_text version;
	uint32_t width; /* 4 or 8 */
	uint64_t num_nodes;
	uint32_t epoch;
};

struct csp_node {
	uint64_t id, parent, ip, sp;
};

struct csp_chunk_header {
	uint32_t tag;
	uint64_t length;
};

/* The minimum size of each record in bytes, for checks of counts. */
enum {
	CSP_METRIC_MIN_BYTES = 4 + 4 + 4 + 8,
	CSP_EPOCH_MIN_BYTES = 4,
	CSP_MODULE_MIN_BYTES = 4 + 8 + 8,
	CSP_CHUNK_MIN_BYTES = 4 + 8,
	CSP_TEXT_MIN_BYTES = 4,
	CSP_PAIR_MIN_BYTES = 2 * CSP_TEXT_MIN_BYTES,
};

/* One integer; name is the name of the field, for the error. */
int csp_get_u32(struct cursor *c, const char *name, uint32_t *out, struct error *e);
int csp_get_u64(struct cursor *c, const char *name, uint64_t *out, struct error *e);
/* A u32 (or u64) count of records of at least min_bytes each; an error if so many do not fit
 * into what follows. min_bytes is not 0. */
int csp_get_count(struct cursor *c, const char *name, uint64_t min_bytes, uint32_t *out,
		  struct error *e);
int csp_get_count64(struct cursor *c, const char *name, uint64_t min_bytes, uint64_t *out,
		    struct error *e);

/* FileHeader. Sets c->big for everything that follows. */
int csp_get_file_header(struct cursor *c, struct csp_file_header *out, struct error *e);
/* hpcfile_string and hpcfile_number with the given tag. */
int csp_get_string(struct cursor *c, uint32_t tag, struct csp_text *out, struct error *e);
int csp_get_number(struct cursor *c, uint32_t tag, uint64_t *out, struct error *e);
/* One metric of CsProfData, with or without the flags number. */
int csp_get_metric(struct cursor *c, struct csp_metric *out, struct error *e);
/* One module of an epoch. */
int csp_get_module(struct cursor *c, struct csp_module *out, struct error *e);
/* A tree's header up to its nodes. Checks that num_nodes nodes of num_metrics metrics fit after
 * it (at least one: the root), and that its byte order is c's. */
int csp_get_tree_header(struct cursor *c, uint32_t num_metrics, struct csp_tree_header *out,
			struct error *e);
/* The size of one node in bytes. */
uint64_t csp_node_bytes(uint32_t width, uint32_t num_metrics);
/* One node; metrics takes num_metrics values, or is NULL to step over them. */
int csp_get_node(struct cursor *c, uint32_t width, uint32_t num_metrics, struct csp_node *out,
		 uint64_t *metrics, struct error *e);

/* The trailer's header: magic, version, order (c's), num_chunks (not checked). */
int csp_get_trailer_header(struct cursor *c, uint32_t *num_chunks, struct error *e);
/* A chunk's header. Checks that its length fits into what is left. */
int csp_get_chunk_header(struct cursor *c, struct csp_chunk_header *out, struct error *e);
/* text: u32 length, bytes. */
int csp_get_text(struct cursor *c, const char *name, struct csp_text *out, struct error *e);
/* One pair of a pairs list; the list's count is csp_get_count with
 * CSP_PAIR_MIN_BYTES. */
int csp_get_pair(struct cursor *c, struct csp_text *key, struct csp_text *value, struct error *e);

#endif
