/* Builds datafiles for tests, valid ones and ones that can be damaged.
 *
 * A struct build_file has the contents of a file as plain values. Start from build_example, change
 * what the test is about, and build:
 *
 *     struct build_file f = build_example;
 *     struct built b;
 *     f.big = true;
 *     build(&f, &b);
 *     ... reader_open_memory(b.bytes, b.n, ...) or built_write(&b, path) ...
 *     built_free(&b);
 *
 * Every integer, version and order byte is noted in b.fields with its offset and name, so that a
 * test can change it with built_put.
 *
 * The builder writes the values that it is given, even if the format forbids them (a parent out of
 * range, a missing epoch). It uses formats/encode.h. If memory or disk space runs out, the test
 * ends. */
#ifndef TESTS_LIB_BUILDERS_BUILD_DATAFILE_H
#define TESTS_LIB_BUILDERS_BUILD_DATAFILE_H

#include "formats/datafile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a node; further ones are as the last of these. */
enum { BUILD_METRICS = 8 };

struct build_pair {
	const char *key, *value;
	uint32_t n; /* bytes of value; 0: up to its NUL */
};

struct build_metric {
	const char *name;
	uint64_t flags, period;
	const struct build_pair *about; /* for METRICS */
	uint32_t num_about;
};

struct build_module {
	const char *name;
	uint64_t virtual_address, mapped_address;
	uint64_t extent;      /* for MODULES */
	const char *build_id; /* for MODULES; NULL: empty */
};

struct build_epoch {
	const struct build_module *modules;
	uint32_t num_modules;
};

struct build_node { /* its id is its index */
	uint64_t parent, ip, sp;
	uint64_t metrics[BUILD_METRICS];
};

struct build_tree {
	const char *version; /* NULL: CSP_VERSION_TREE */
	uint32_t epoch;
	const struct build_node *nodes;
	uint64_t num_nodes;
	uint32_t thread, kind, creator_tree; /* for TREES */
	uint64_t creator_node;
};

struct build_thread {
	uint64_t tid;
	const char *name;
	uint64_t start_ns, end_ns, cpu_ns;
};

struct build_account {
	uint32_t thread, metric;
	const char *disposition;
	uint64_t samples, weight;
};

struct build_trace {
	uint64_t time_ns;
	uint32_t tree, metric;
	uint64_t node, weight;
};

/* Of the chunk VALUES: what is recorded of an instruction, and of all windows. */
struct build_value {
	uint32_t epoch;
	uint64_t ip;
	uint32_t what, bytes;
	uint64_t count, zeros, same, rest;
	uint32_t num_top;
	struct {
		uint64_t value, count, error;
	} top[CSP_VALUE_TOP];
};
struct build_windows {
	uint64_t windows, steps, ns, dropped;
	uint32_t num_refused;
	uint64_t refused[CSP_VALUE_REFUSALS];
	const struct build_value *values;
	uint32_t num_values;
};

/* Of the chunk CODE: a function of an interpreter. */
struct build_code {
	uint64_t ip;
	uint32_t extent, line;
	const char *name, *lines; /* lines has lines_bytes */
	uint32_t lines_bytes;
};

struct build_chunk { /* any bytes with any tag, after the known chunks */
	uint32_t tag;
	const void *bytes;
	uint32_t n;
};

struct build_file {
	const char *version; /* NULL: CSP_VERSION_FILE */
	bool big;
	uint32_t width; /* of the trees; 0: 8 */
	bool no_flags;  /* leave out the metrics' flags, as old files do */
	const char *target;
	uint64_t tramp_samples;
	const struct build_metric *metrics;
	uint32_t num_metrics;
	const struct build_epoch *epochs;
	uint32_t num_epochs;
	const struct build_tree *trees;
	uint32_t num_trees;

	/* 0: nodes in the given order. Else a seed: they are in a random order. relabel: they also
	 * get random ids, except for the root, which has 0. */
	uint32_t shuffle;
	bool relabel;

	bool no_trailer;
	uint32_t without; /* chunks to leave out: bit 1 << tag */
	const struct build_pair *process;
	uint32_t num_process;
	const struct build_thread *threads;
	uint32_t num_threads;
	const struct build_account *account;
	uint32_t num_account;
	const struct build_trace *trace; /* the chunk is left out if num_trace is 0 */
	uint64_t num_trace;
	const struct build_windows *windows; /* NULL: the chunk VALUES is left out */
	const struct build_code *codes;      /* the chunk CODE is left out if num_codes is 0 */
	uint32_t num_codes;
	const struct build_chunk *chunks;
	uint32_t num_chunks;

	bool no_fields; /* do not fill struct built's fields: for large files */
};

/* Three metrics, two epochs, two threads; trees of complete paths of each and one
 * of partial paths; the second thread's creator; all chunks; the equations of
 * ACCOUNT hold. */
extern const struct build_file build_example;

/* A program with regions of its own: a in main, b in f and in main, and f's own time in b; how
 * often they were entered; with a label; and nodes that no runtime writes: calls below a region, a
 * region without a name. */
extern const struct build_file build_regions;
/* One with values of instructions. */
extern const struct build_file build_values;

/* A program in Python: functions that call each other, directly and by way of C; an extension
 * module; the kernel; a wait for the lock of the interpreter; regions; a thread that runs no
 * Python, and a thread that Python created. */
extern const struct build_file build_interpreter;

enum build_field_kind {
	BUILD_INTEGER, /* in the file's byte order; width 4 or 8 */
	BUILD_BYTES,   /* a magic, a version or an order byte */
};

struct build_field {
	enum build_field_kind kind;
	size_t offset;
	unsigned width; /* bytes */
	const char *name;
	bool in_trailer;
};

struct built {
	uint8_t *bytes;
	size_t n;
	bool big;
	size_t trailer; /* offset of the trailer; n without one */
	struct build_field *fields;
	size_t num_fields;
};

void build(const struct build_file *f, struct built *out);
void built_free(struct built *b); /* takes NULL */
/* Write the bytes to a new or emptied file. */
void built_write(const struct built *b, const char *path);
/* The first field of this name; ends the test if there is none. */
const struct build_field *built_field(const struct built *b, const char *name);
/* Get the value of an integer field; replace it (truncated to its width). */
uint64_t built_get(const struct built *b, const struct build_field *field);
void built_put(struct built *b, const struct build_field *field, uint64_t v);

/* n nodes of a tree in the usual order, with a typical depth of log2 n and some
 * deep chains; metric 0 and 1 of about every second node set. malloc'd. */
struct build_node *build_random_nodes(uint64_t n, uint32_t seed);

#endif
