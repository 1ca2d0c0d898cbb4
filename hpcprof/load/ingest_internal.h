/* Internal to ingesting: shared by its files. */
#ifndef HPCPROF_LOAD_INGEST_INTERNAL_H
#define HPCPROF_LOAD_INGEST_INTERNAL_H

#include "hpcprof/load/epoch_index.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/load/row_sums.h"

/* Where the values of one metric of the file go. */
struct ingest_column {
	uint32_t metric;      /* of the model */
	uint32_t sum;         /* that it is a part of, or INGEST_NO_SUM */
	bool events, samples; /* which of its columns */
	uint64_t scale;       /* events = value x scale */
	bool at_point;        /* asynchronous: belongs to the instruction at ip */
	bool activation;      /* return or activation count */
};

#define INGEST_NO_SUM UINT32_MAX

/* What is known about a node. */
enum {
	MARK_VALUE = 1,  /* the node has a value */
	MARK_LIVE = 2,   /* it or a node below it has a value */
	MARK_CALLED = 4, /* a child is live */
	MARK_INNER = 8,  /* it has children */
};

/* Which columns of a node belong to one of its contexts. */
enum taking {
	TAKE_POINT, /* the instruction: sampled values */
	TAKE_ENTRY, /* the function's entry: returns and activations */
	TAKE_CALL,  /* the call: recorded values */
	TAKINGS
};

/* A column of the model, and the column of the file that is added to it. */
struct target {
	uint32_t metric; /* of the model */
	bool samples;    /* else events */
	unsigned column; /* of the file */
	uint64_t scale;
};

/* The contexts that nodes need, each in one role. If a node needs several, the one for its call
 * site is last, because it is the parent of the node's children. */
enum { BATCH_NODES = 128, BATCH = 3 * BATCH_NODES };
struct node_batch {
	unsigned n;
	uint64_t node[BATCH], parent[BATCH];
	uint8_t role[BATCH];
	bool by_call[BATCH]; /* its address is that of the call before the node's ip */
	uint64_t path[BATCH];
	uint32_t context[BATCH];
	/* by kind: indexes of those that take values */
	unsigned num_taking[TAKINGS];
	uint16_t taking[TAKINGS][BATCH];
};

/* A tree with nodes where threads were created, with or without the interpreter's own frames. */
struct ingest_creator {
	struct reader_rows rows;
	uint64_t num_nodes;  /* in the file */
	bool numbered;       /* the nodes have ids, */
	struct interner ids; /* these; else they are the nodes' numbers */
	uint64_t *images;    /* [num_nodes]: their rows; NULL: the same numbers */
	struct epoch_index *place;
	uint32_t *contexts; /* [rows] of the nodes as call sites, CONTEXT_NONE: not yet; or NULL */
};

struct ingest {
	struct model *m;
	struct ingest_options options;
	struct epoch_index_extents extents;
	/* of the current tree; there is room for this many nodes */
	uint64_t *paths;    /* hash of the path to the node, which its children extend */
	uint32_t *contexts; /* parents of the nodes' children */
	uint8_t *marks;
	uint64_t room;

	/* of the current file */
	const struct reader *r;
	const char *path;
	struct error *e;
	uint32_t num_metrics;
	struct ingest_column *columns;   /* [num_metrics] */
	struct target *targets[TAKINGS]; /* [num_targets] each */
	unsigned num_targets[TAKINGS];
	struct interner place_ids; /* the epochs of places */
	VEC(struct epoch_index *) places;
	bool *left_out;  /* [threads]: not chosen; NULL: none, or not known of all yet */
	uint32_t *roots; /* [trees], the context that each is below, or NULL; see ingest_root */
	struct row_sums sums;          /* raw values */
	struct interner creator_trees; /* twice the trees of creators, plus 1 if they are folded */
	VEC(struct ingest_creator *) creators;
	bool calls;       /* a column is not asynchronous */
	uint32_t reached; /* contexts that the model's columns have room for */

	ingest_watch_fn *watch; /* or NULL */
	void *watcher;
};

/* What nodes that are no frames say (formats/identity/notes.h). */
static inline bool ingest_is_region(uint64_t ip)
{
	return ip - CSP_REGION_BASE < CSP_NOTE_EXTENT;
}
static inline bool ingest_is_label(uint64_t ip)
{
	return ip - CSP_LABEL_BASE < CSP_NOTE_EXTENT;
}
static inline bool ingest_is_note(uint64_t ip)
{
	return ingest_is_region(ip) || ingest_is_label(ip);
}

struct ingested_tree {
	struct reader_rows rows;
	struct epoch_index *place;
	uint64_t *sums; /* [num_metrics], of its thread */
	struct node_batch batch;
};

/* Returns -1 and sets the ingest's error: memory or ids ran out. */
int ingest_out_of_memory(struct ingest *in, uint64_t bytes);

/* Find which nodes of the tree need a context (in->marks), and add all values to the sums of the
 * tree's thread. True if there is any value. */
bool ingest_mark(struct ingest *in, struct ingested_tree *t);
/* Put what the nodes of regions say into the paths that they are about, if the tree has any: *rows,
 * which is the tree's, is replaced. 0, or -1 and the ingest's error. */
int ingest_notes(struct ingest *in, struct reader_rows *rows);
/* Leave the interpreter's own frames out of paths with Python frames, if the tree has any: *rows,
 * which is the tree's, is replaced. images may be NULL; else, if that was done, *images becomes the
 * new row of what is left of the path to each old one, malloc'd. 0, or -1 and the ingest's error.
 */
int ingest_interpreter(struct ingest *in, struct epoch_index *place, struct reader_rows *rows,
		       uint64_t **images);
/* Merge the nodes of a marked tree below the context root. 0, or -1 and the ingest's error. */
int ingest_nodes(struct ingest *in, struct ingested_tree *t, uint32_t root);

/* The place of addresses in an epoch. 0, or -1 and the ingest's error. */
int ingest_open_place(struct ingest *in, uint32_t epoch, struct epoch_index **out);
/* Add to what column i has in sums by the model's metrics: to its own, and to that which it is a
 * part of. */
bool ingest_add_sum(const struct ingest *in, uint32_t i, struct model_sum value,
		    struct metric_sums *sums);
/* The same for the sums of a row of a merged file. */
bool ingest_merged_sums(const struct ingest *in, const struct reader_merged_sum *from, uint32_t n,
			struct metric_sums *sums);
/* Events and samples of the metric whose V is column i, in a row of in->sums. */
struct model_sum ingest_row_sum(const struct ingest *in, const uint64_t *row, uint32_t i);
/* Open a tree with nodes where threads were created; folded: without the interpreter's own frames.
 * It is closed at the end of the file. 0, or -1 and the ingest's error. */
int ingest_creator(struct ingest *in, uint32_t tree, bool folded, struct ingest_creator **out);
/* The row of a node there; 0 (the root's) if there is none. */
uint64_t ingest_creator_row(const struct ingest_creator *c, uint64_t node);
void ingest_creators_close(struct ingest *in);
/* The context that a tree is put below, if it is to be below the call that created its thread. 0,
 * or -1 and the ingest's error. */
int ingest_root(struct ingest *in, uint32_t tree, uint32_t *out);
/* Add the file's threads to the model's groups. After its trees. 0, or -1 and the ingest's
 * error. */
int ingest_threads(struct ingest *in);
/* Add the file's values of instructions to the model. 0, or -1 and the ingest's error. */
int ingest_values(struct ingest *in);

#endif
