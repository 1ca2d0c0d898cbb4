/* Internal to merging into a file: the trailer. */
#ifndef HPCPROF_EXPORT_MERGE_TRAILER_H
#define HPCPROF_EXPORT_MERGE_TRAILER_H

#include "formats/encode.h"
#include "hpcprof/export/address_map.h"
#include "hpcprof/model/model.h"

/* Put the trailer of a file with num_trees trees, the second of which has partial paths. 0, or -1
 * and *e if memory ran out. */
int merge_put_trailer(struct csp_sink *s, const struct address_map *map, uint32_t num_trees,
		      struct error *e);

/* The text that all processes have in common; "" if they differ. offset is that of the text in
 * struct model_process. */
const char *merge_common(const struct model *m, size_t offset);
#define MERGE_COMMON(m, field) merge_common(m, offsetof(struct model_process, field))

#endif
