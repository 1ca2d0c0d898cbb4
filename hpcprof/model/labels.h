/* Labels that are frames: paths that are grouped by a label begin with it (load/ingest.h). */
#ifndef HPCPROF_MODEL_LABELS_H
#define HPCPROF_MODEL_LABELS_H

#include "hpcprof/model/model.h"

#include <stddef.h>

/* Texts live as long as the model. The key is not terminated. */
struct model_label {
	const char *key;
	size_t key_bytes;
	const char *value;
	uint32_t function; /* the same for labels with the same key and value */
	bool number;       /* the program gave it as one; false also if this was not kept */
};

/* Whether the frame is a label. */
bool model_frame_is_label(const struct model *m, uint32_t frame);
/* The label that the function is by its name; false: it is none. */
bool model_label(const struct model *m, uint32_t function, struct model_label *out);
/* The same for a frame. */
bool model_frame_label(const struct model *m, uint32_t frame, struct model_label *out);

#endif
