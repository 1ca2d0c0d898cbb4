/* Reads one datafile: maps it, checks every byte of its structure, and returns its contents. After
 * reader_open has returned 0, nothing that the accessors return can be out of bounds, and every
 * tree is a single tree.
 *
 * Time and memory grow with the bytes of the file, whatever is in it: at most 256 bytes of memory
 * for each, as tests/unit/linear_views.c holds (by `dump`; 2 to 6 are seen).
 *
 * A reader is used by one thread at a time; different readers are independent. Everything that is
 * returned belongs to the reader and lives until reader_close. */
#ifndef READER_READER_H
#define READER_READER_H

#include "formats/base/error.h"
#include "formats/datafile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct reader;

/* A byte string of the file: n bytes, not NUL-terminated, any content. */
struct reader_text {
	const char *at;
	uint32_t n;
};

struct reader_pair {
	struct reader_text key, value;
};

struct reader_pairs {
	const struct reader_pair *at;
	uint32_t n;
};

struct reader_header {
	struct reader_text version; /* "01.00" or "01.01" */
	bool big;                   /* the file is big-endian */
	uint64_t num_chunks;        /* as in the file; has no meaning */
	struct reader_text target;  /* path of the executable; may be empty */
	uint64_t tramp_samples;
};

struct reader_metric {
	struct reader_text name;
	bool has_flags; /* false: an old file without the number; flags is then 0 */
	uint64_t flags; /* CSP_METRIC_* */
	uint64_t period;
	struct reader_pairs about; /* of the METRICS chunk; n is 0 without one */
};

struct reader_module {
	struct reader_text name;
	uint64_t virtual_address, mapped_address;
	uint64_t extent;             /* bytes, from the trailer's MODULES; 0: not known */
	struct reader_text build_id; /* hex digits, from the trailer; n is 0: not known */
	bool assumed;                /* in a merged file: the extent was not known before merging */
};

struct reader_epoch {
	const struct reader_module *modules;
	uint32_t num_modules;
};

struct reader_tree {
	struct reader_text version; /* "01.00" or "01.0T" */
	uint32_t width;             /* of ip, sp, id, parent and metrics: 8 or 4 */
	uint64_t num_nodes;         /* at least 1 */
	uint32_t epoch;             /* index into the epochs */
	uint64_t offset;            /* of the tree in the file */
	uint64_t nodes_offset;      /* of its first node in the file */
	/* from the trailer's TREES, else CSP_NONE, CSP_TREE_COMPLETE, CSP_NONE, 0. thread is below
	 * reader_num_threads or CSP_NONE, unless the file has no (complete) THREADS chunk: then it
	 * is any number and only distinguishes threads. */
	uint32_t thread;
	uint32_t kind;
	uint32_t creator_tree;
	uint64_t creator_node;
};

struct reader_node {
	uint64_t id, parent, ip, sp;
	uint64_t metrics[]; /* reader_num_metrics of them */
};

struct reader_account {
	uint32_t thread; /* as in reader_tree, but never CSP_NONE if THREADS exists */
	uint32_t metric; /* below reader_num_metrics */
	struct reader_text disposition;
	uint64_t samples, weight;
};

struct reader_thread {
	uint64_t tid;
	struct reader_text name;
	uint64_t start_ns, end_ns, cpu_ns;
};

/* A program image whose datafile was merged into this one. */
struct reader_merged_sum {
	uint32_t metric; /* a V: below reader_num_metrics */
	uint64_t events, samples;
};
struct reader_merged {
	struct reader_pairs about; /* as in PROCESS, and more */
	const struct reader_merged_sum *sums;
	uint32_t num_sums;
};

/* Threads of merged images that the same calls created, and with similar names. */
struct reader_group {
	uint32_t kind;                  /* enum csp_group_kind */
	struct reader_text first, last; /* of their names */
	uint64_t threads;
	const uint64_t *calls; /* return addresses, innermost first */
	const struct reader_merged_sum *sums;
	uint32_t num_calls, num_sums;
};

/* A name that nodes refer to: see formats/identity/notes.h. */
struct reader_name {
	uint32_t number;
	struct reader_text text;
};

/* A function of an interpreter, whose addresses are [ip, ip + extent): see
 * formats/identity/sources.h. A run of addresses ends before ip + end. */
struct reader_run {
	uint32_t end, line; /* 0: not known */
};
struct reader_code {
	uint64_t ip;
	uint32_t extent; /* at least 1 */
	uint32_t line;   /* where it begins; 0: not known */
	struct reader_text name;
	struct reader_text lines;      /* as in the file, */
	const struct reader_run *runs; /* and decoded, in the order of addresses */
	uint32_t num_runs;
};

/* Of value profiles: windows of single steps, the steps, the CPU time that they took, values that
 * were not recorded, and samples after which there was no window (enum csp_value_refusal). */
struct reader_windows {
	uint64_t windows, steps, ns, dropped;
	uint64_t refused[CSP_VALUE_REFUSALS];
};
/* What an instruction has produced: what is an enum csp_value, bytes the size of the value. A
 * frequent value came at most count times, and at least count - error; any other value at most rest
 * times. */
struct reader_value {
	uint32_t epoch, what, bytes, num_top;
	uint64_t ip, count, zeros, same, rest;
	struct reader_often {
		uint64_t value, count, error;
	} top[CSP_VALUE_TOP];
};

struct reader_trace {
	uint64_t time_ns;
	uint32_t tree, metric; /* below reader_num_trees and reader_num_metrics */
	uint64_t node, weight; /* node: an id of that tree */
};

/* A chunk in the trailer, of a known tag or not. */
struct reader_chunk {
	uint32_t tag;
	uint64_t offset, length; /* of the payload in the file */
	bool decoded;            /* the first complete chunk of a known tag: see the accessors */
};

/* Read and check the regular file at path. 0 and *out, or -1 and *e, whose text has the offset,
 * what was expected and what was found (not the file name, which the caller knows). A damaged
 * trailer is not an error: see reader_warning. Memory use is at most 16 times the file's size + 64
 * MB. */
int reader_open(const char *path, struct reader **out, struct error *e);
/* The same for bytes in memory, which must outlive the reader. */
int reader_open_memory(const void *bytes, size_t n, struct reader **out, struct error *e);
void reader_close(struct reader *r); /* takes NULL */

/* NULL, or what was wrong with the trailer. The caller shows it and sets its exit status to 1. A
 * damaged chunk counts as absent; the others are used. Of several problems the first is described
 * and the others are counted. */
const struct error *reader_warning(const struct reader *r);

const struct reader_header *reader_header(const struct reader *r);
/* A datafile with more metrics is not read, so that work for each pair of them is bounded. */
enum { READER_MOST_METRICS = 2000 };
uint32_t reader_num_metrics(const struct reader *r);
const struct reader_metric *reader_metric(const struct reader *r, uint32_t i);
uint32_t reader_num_epochs(const struct reader *r);
const struct reader_epoch *reader_epoch(const struct reader *r, uint32_t i);
uint32_t reader_num_trees(const struct reader *r);
const struct reader_tree *reader_tree(const struct reader *r, uint32_t i);

/* Trailer. Without one the counts are 0 and has_trailer is false. */
bool reader_has_trailer(const struct reader *r);
uint32_t reader_num_chunks(const struct reader *r);
const struct reader_chunk *reader_chunk(const struct reader *r, uint32_t i);
struct reader_pairs reader_process(const struct reader *r);
uint32_t reader_num_threads(const struct reader *r);
const struct reader_thread *reader_thread(const struct reader *r, uint32_t i);
uint32_t reader_num_account(const struct reader *r);
const struct reader_account *reader_account(const struct reader *r, uint32_t i);
/* MERGED: 0 if the file is of one program image. */
bool reader_is_merged(const struct reader *r);
uint32_t reader_num_merged(const struct reader *r);
const struct reader_merged *reader_merged(const struct reader *r, uint32_t i);
/* GROUPS: 0 if the file is of one program image, or does not have them. */
uint32_t reader_num_groups(const struct reader *r);
const struct reader_group *reader_group(const struct reader *r, uint32_t i);
/* NAMES, in the order of their numbers; the name with that number, n is 0 if there is none. */
uint32_t reader_num_names(const struct reader *r);
const struct reader_name *reader_name(const struct reader *r, uint32_t i);
struct reader_text reader_name_of(const struct reader *r, uint32_t number);
/* CODE, in the order of addresses; the function with that address, or NULL; its line there, or 0 if
 * it is not known. */
uint32_t reader_num_code(const struct reader *r);
const struct reader_code *reader_code(const struct reader *r, uint32_t i);
const struct reader_code *reader_code_of(const struct reader *r, uint64_t ip);
uint32_t reader_code_line(const struct reader_code *code, uint64_t ip);
/* VALUES: NULL and 0 if no values were recorded. */
const struct reader_windows *reader_windows(const struct reader *r);
/* The name of a row's kind, such as "eax", "stride of address", "argument 1"; returns name, which
 * has room for READER_VALUE_KIND_BYTES. */
enum { READER_VALUE_KIND_BYTES = 32 };
const char *reader_value_kind(uint32_t what, uint32_t bytes, char *name, size_t most);
uint32_t reader_num_values(const struct reader *r);
const struct reader_value *reader_value(const struct reader *r, uint32_t i);
uint64_t reader_num_trace(const struct reader *r);
/* Row i of TRACE, decoded into *out. */
void reader_trace(const struct reader *r, uint64_t i, struct reader_trace *out);

/* The value of key in pairs; n is 0 if it is missing or empty. */
struct reader_text reader_pairs_get(struct reader_pairs pairs, const char *key);
/* The same as a decimal number; false, and *out is as it was, if it is missing or not a number. */
bool reader_pairs_u64(struct reader_pairs pairs, const char *key, uint64_t *out);

/* Walk the nodes of tree i in the file's order, or with top_down in an order with parents before
 * children (the file's order if it has that property).
 *
 *     struct reader_nodes it;
 *     const struct reader_node *node;
 *     if (reader_nodes_begin(&it, r, tree, true, &error) == 0)
 *         while ((node = reader_nodes_next(&it)))
 *             ...
 *     reader_nodes_end(&it);
 *
 * The node is valid until the next call. begin fails only if memory ran out. */
struct reader_nodes {
	const struct reader *r;
	uint32_t tree;
	uint64_t next;
	uint64_t *order; /* positions in the tree, or NULL for the file's order */
	struct reader_node *node;
};
int reader_nodes_begin(struct reader_nodes *it, const struct reader *r, uint32_t tree,
		       bool top_down, struct error *e);
const struct reader_node *reader_nodes_next(struct reader_nodes *it);
void reader_nodes_end(struct reader_nodes *it);

/* All nodes of tree i in one table, which is faster for many nodes: row k is the node with id k,
 * parents are before their children, words are 64 bits wide and in the machine's byte order. The
 * runtime writes trees in this form; then the table is the file itself, unaligned. Other trees are
 * converted: then ids[k] is the id in the file of row k, and parents are rows.
 *
 *     struct reader_rows rows;
 *     if (reader_rows_begin(&rows, r, tree, &error) == 0)
 *         ... reader_row_word(&rows, k, ROW_IP) ...
 *     reader_rows_end(&rows);
 *
 * begin fails only for want of memory. */
enum { ROW_ID, ROW_PARENT, ROW_IP, ROW_SP, ROW_METRICS };
struct reader_rows {
	const uint8_t *at;
	uint64_t n;
	size_t bytes;         /* of a row */
	const uint64_t *ids;  /* [n], or NULL: row k has id k */
	void *copy, *ids_own; /* to be freed */
};
int reader_rows_begin(struct reader_rows *rows, const struct reader *r, uint32_t tree,
		      struct error *e);
void reader_rows_end(struct reader_rows *rows); /* takes all zeros */

static inline uint64_t reader_row_word(const struct reader_rows *rows, uint64_t row, unsigned word)
{
	uint64_t v;
	memcpy(&v, rows->at + row * rows->bytes + word * sizeof v, sizeof v);
	return v;
}

#endif
