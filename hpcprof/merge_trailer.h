/* Inside merging to a file: the trailer. */
#ifndef HPCPROF_MERGE_TRAILER_H
#define HPCPROF_MERGE_TRAILER_H

#include "formats/encode.h"
#include "hpcprof/address_map.h"
#include "hpcprof/model.h"

/* Of a file with that many trees, the second of them of partial paths. */
void merge_put_trailer(struct csp_sink *s, const struct address_map *map, uint32_t num_trees);

/* What a text of all processes is where it is the same; else "". offset is that of the text in
 * struct model_process. */
const char *merge_common(const struct model *m, size_t offset);
#define MERGE_COMMON(m, field) merge_common(m, offsetof(struct model_process, field))

#endif
