/* Made-up addresses for the functions of an interpreter, which came with names
 * (formats/identity/sources.h): a function has one for each of its lines. */
#ifndef HPCPROF_EXPORT_CODE_MAP_H
#define HPCPROF_EXPORT_CODE_MAP_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "formats/encode.h"
#include "hpcprof/model/model.h"

struct mapped_code {
	uint32_t function; /* of the model */
	uint64_t ip;
	uint32_t extent;
	size_t lines, lines_bytes; /* in the map's lines */
};

struct code_map {
	VEC(struct mapped_code) codes; /* in the order of the model's functions */
	VEC(uint8_t) lines;
	uint32_t num_sources; /* modules so far */
	uint32_t module;      /* the last one, */
	uint64_t end;         /* and the end of its addresses */
	uint32_t line;        /* the last one that is known, of the last function */
	uint64_t frame;       /* the last one's function << 32 | line */
};

/* Whether the frame is one of an interpreter's function. */
bool code_map_has(const struct model *m, const struct model_frame *f);
/* Give the frame an address. All of them must be added, in the order of the finished model. *first
 * is set to the first address of its module. 0, or -1 and *e: memory ran out, or ERROR_LIMIT if
 * there are too many source files. */
int code_map_add(struct code_map *s, const struct model *m, const struct model_frame *f,
		 uint64_t *ip, uint64_t *first, struct error *e);
/* Put the chunk CODE. */
void code_map_put(const struct code_map *s, const struct model *m, struct csp_sink *sink);
void code_map_deinit(struct code_map *s); /* takes all zeros */

#endif
