/* Finds the valid records of a store before a datafile is made from it. A killed process or a
 * crashed machine may have left the store, so nothing in it is trusted: each record is used
 * once, for one purpose, and no two records share a byte. A link is ignored if its target is
 * incomplete, was used already or belongs elsewhere. Whatever the bytes are, this ends, and
 * reads nothing outside the store.
 *
 * All records that were found are numbered in one sequence: the epochs to which trees refer, the
 * threads, the trees by thread, the modules by epoch, the nodes by tree with parents before
 * children, the names, the sources and their functions. Linked into the preloaded library: no
 * malloc, no stdio; async-signal-safe if the given memory is. */
#ifndef FORMATS_STORE_SURVEY_H
#define FORMATS_STORE_SURVEY_H

#include "formats/store/store.h"

struct store_survey {
	struct store_view view;
	const struct store_header *header;
	uint32_t *number; /* [slots], by ref; 0: no record is there */
	store_ref *order; /* [slots], by number */
	size_t slots;
	/* The number of the first record of each kind, and their count. Epochs begin at 1. */
	uint32_t num_epochs;
	uint32_t first_thread, num_threads;
	uint32_t first_tree, num_trees;
	uint32_t first_module;
	uint32_t first_name, num_names;
	uint32_t first_source, num_sources;
	uint32_t first_code, num_codes;
	/* From there to next: values, and before those of an epoch its index and the bit below. */
	const struct store_windows *windows; /* or NULL */
	uint32_t first_value, num_values;
	uint32_t next;    /* the number after the last record */
	store_ref shared; /* header->shared, or 0 if that is invalid */
};

/* Returns 0; -EINVAL: not a store that this code can read; -ENOMEM. store_survey_free accepts a
 * zeroed survey and one for which this failed. */
int store_survey_make(struct store_survey *s, const struct store_view *v,
		      const struct store_memory *memory);
void store_survey_free(struct store_survey *s, const struct store_memory *memory);

/* Write the datafile of what was found. Returns the sink's error. */
int store_survey_put(const struct store_survey *s, struct csp_sink *sink);

#define STORE_SURVEY_EPOCH (1u << 31)

/* The column of event e's V, or CSP_NONE; that of its N, or CSP_NONE. */
uint32_t store_value_column(const struct store_header *h, uint32_t e);
uint32_t store_samples_column(const struct store_header *h, uint32_t e);

/* The size of a thread's record in bytes. */
static inline size_t store_thread_bytes(const struct store_header *h)
{
	return sizeof(struct store_thread) + h->num_events * sizeof(struct store_clock);
}

/* Thread i of num_threads. */
static inline store_ref store_survey_thread(const struct store_survey *s, uint32_t i)
{
	return s->order[s->first_thread + i];
}

/* The first tree (0 .. num_trees - 1) of thread i. The trees of a thread end where those of the
 * next begin; i == num_threads: the shared trees; + 1: the end of all. */
static inline uint32_t store_survey_first_tree(const struct store_survey *s, uint32_t i)
{
	if (i < s->num_threads)
		return s->number[store_survey_thread(s, i)] - s->first_tree;
	if (i == s->num_threads && s->shared)
		return s->number[s->shared] - s->first_tree;
	return s->num_trees;
}

static inline const struct store_tree *store_survey_tree(const struct store_survey *s, uint32_t i)
{
	return store_at(&s->view, s->order[s->first_tree + i], sizeof(struct store_tree));
}

/* The number of the root of tree i. The nodes of the tree are order[first] .. order[end - 1],
 * where first is the result for i and end the result for i + 1 (also for the last tree). */
static inline uint32_t store_survey_first_node(const struct store_survey *s, uint32_t i)
{
	return i < s->num_trees ? s->number[store_survey_tree(s, i)->root] : s->first_name;
}

static inline const struct store_node *store_survey_node(const struct store_survey *s,
							 uint32_t number)
{
	return store_at(&s->view, s->order[number], s->header->node_bytes);
}

/* Name i of num_names. */
static inline const struct store_name *store_survey_name(const struct store_survey *s, uint32_t i)
{
	return store_at(&s->view, s->order[s->first_name + i], sizeof(struct store_name));
}

/* Source i of num_sources. */
static inline const struct store_source *store_survey_source(const struct store_survey *s,
							     uint32_t i)
{
	return store_at(&s->view, s->order[s->first_source + i], sizeof(struct store_source));
}

/* Code i of num_codes. Its source is one of num_sources, and its addresses are in it. */
static inline const struct store_code *store_survey_code(const struct store_survey *s, uint32_t i)
{
	return store_at(&s->view, s->order[s->first_code + i], sizeof(struct store_code));
}

#endif
