/* Inside ingesting: what its files share. */
#ifndef HPCPROF_INGEST_INTERNAL_H
#define HPCPROF_INGEST_INTERNAL_H

#include "hpcprof/ingest.h"
#include "hpcprof/places.h"

/* Where the values of one metric of the file go. */
struct column {
	uint32_t metric;      /* of the model */
	bool events, samples; /* which of its columns */
	uint64_t scale;       /* events = value x scale */
	bool at_point;        /* asynchronous: belongs to the instruction at ip */
	bool activation;      /* return or activation count */
};

/* What is known about a node. */
enum {
	MARK_VALUE = 1,  /* it has a value */
	MARK_LIVE = 2,   /* or a node below it has */
	MARK_CALLED = 4, /* a child is live */
	MARK_INNER = 8,  /* it has children */
};

/* Which columns of a node belong to one of its contexts. */
enum taking {
	TAKE_POINT,      /* of a call, its instruction: sampled values */
	TAKE_LEAF_POINT, /* of any other node: these, returns and activations */
	TAKE_CALL,       /* of a call: recorded values, returns and activations */
	TAKINGS
};

/* A column of the model that takes a column of the file. */
struct target {
	uint32_t metric; /* of the model */
	bool samples;    /* else events */
	unsigned column; /* of the file */
	uint64_t scale;
};

/* Contexts that nodes want in one of their roles. Of a node that wants several the one for its
 * call site comes last, so that it is what the node's children find. */
enum { BATCH_NODES = 128, BATCH = 2 * BATCH_NODES };
struct batch {
	unsigned n;
	uint64_t node[BATCH], parent[BATCH];
	uint8_t role[BATCH];
	uint64_t path[BATCH];
	uint32_t context[BATCH];
	/* by kind: which of these take values */
	unsigned num_taking[TAKINGS];
	uint8_t taking[TAKINGS][BATCH];
};

struct ingest {
	struct model *m;
	struct ingest_options options;
	struct extents extents;
	/* of the tree at hand; room is for so many nodes */
	uint64_t *paths;    /* hash of the path that the node's children go on from */
	uint32_t *contexts; /* that its children hang under */
	uint8_t *marks;
	uint64_t room;

	/* of the file at hand */
	const struct reader *r;
	const char *path;
	struct error *e;
	uint32_t num_metrics;
	struct column *columns;          /* [num_metrics] */
	struct target *targets[TAKINGS]; /* [num_targets] each */
	unsigned num_targets[TAKINGS];
	struct place **places; /* [epochs], NULL where no tree asked for it */
	uint32_t *roots;       /* [trees], what each hangs under; see root_of */
	uint64_t *sums;        /* [threads + 1][num_metrics], raw values; the last row is of
				  trees without a thread */
	bool calls;            /* some column is not asynchronous */
	uint32_t reached;      /* contexts that the file's columns of the model have */

	ingest_watch_fn *watch; /* or NULL */
	void *watcher;
};

struct tree {
	struct reader_rows rows;
	struct place *place;
	uint64_t *sums; /* [num_metrics], of its thread */
	struct batch batch;
};

/* -1, with the error of the ingest filled: memory or ids ran out. */
int ingest_out_of_memory(struct ingest *in, uint64_t bytes);

/* Learn which nodes of the tree are worth a context (in->marks), and add all values to the
 * sums of the tree's thread. True if there is any value. */
bool ingest_mark(struct ingest *in, struct tree *t);
/* Merge the nodes of a marked tree below the context root. 0, or -1 and the error filled. */
int ingest_nodes(struct ingest *in, struct tree *t, uint32_t root);

#endif
