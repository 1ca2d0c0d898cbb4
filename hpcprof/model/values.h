/* Values of instructions of all files (formats/README.md). Only models that were asked for them
 * have any (ingest_options.values).
 *
 * The most frequent values of several files are added up as those of one stream would be: a value
 * that is not in a file's full list may have come as often as the least of that list (Agarwal,
 * Cormode, Huang, Phillips, Wei, Yi, Mergeable Summaries, 2012). No list is cut, so that merging is
 * associative. */
#ifndef HPCPROF_MODEL_VALUES_H
#define HPCPROF_MODEL_VALUES_H

#include "hpcprof/model/model.h"

/* Of a file that is not merged, a frequent value that is less than one in so many, as far as is
 * known, is not kept. */
enum { MODEL_VALUE_RARE = 16 };

/* Add how a file's values came about. */
void model_add_windows(struct model *m, const struct reader_windows *w);
/* Add a row of a file and its n frequent values: without rare ones, unless whole. A row with count
 * 0 has more of them, and nothing else. False if memory ran out. */
bool model_add_value(struct model *m, const struct value_row *row,
		     const struct model_frequent *frequent, uint32_t n, bool whole);
/* Add those of from, with a map from its modules to those of m. */
bool model_join_values(struct model *m, const struct model *from, const uint32_t *modules);
/* The modules have new ids. */
void model_place_values(struct model *m, const uint32_t *places);
/* Make m->values of what was added. False if memory ran out. */
bool model_finish_values(struct model *m);
void model_values_deinit(struct model *m);

/* In a finished model: the first row at an address of a module, or after it. */
size_t model_first_value(const struct model *m, uint32_t module, uint64_t address);

/* Whether the values of a kind are addresses of code. */
bool model_value_is_code(uint32_t what);

#endif
