/* Maps an ip of a process to a step of the model: the epochs of one datafile, prepared for many
 * look-ups. Part of ingesting. Used by one thread at a time. */
#ifndef HPCPROF_LOAD_EPOCH_INDEX_H
#define HPCPROF_LOAD_EPOCH_INDEX_H

#include "hpcprof/load/interpreters.h"
#include "hpcprof/load/relocate.h"
#include "hpcprof/model/model.h"

enum { EPOCH_INDEX_HINTS = 256 };
#define EPOCH_INDEX_UNSEEN UINT32_MAX

/* Where a module of an epoch is mapped, and its id in the model. */
struct epoch_index_span {
	uint64_t start, length; /* length: last - start */
	uint64_t shift;         /* ip + shift is the address in the file */
	uint32_t module;        /* of the model; EPOCH_INDEX_UNSEEN: not looked up yet */
};

/* An epoch. An ip's stretch of 64 kB selects an entry of hints: the index of the span that was last
 * found for that entry. */
struct epoch_index {
	bool ready;
	struct relocator relocator;
	struct epoch_index_span *spans; /* [relocator.num_spans] */
	uint32_t hints[EPOCH_INDEX_HINTS];
	uint32_t unknown;           /* the model's module for ips outside all spans */
	const struct reader *names; /* for nodes that refer to names, and functions of sources */
	struct interpreters interpreters;
	/* steps in source files, by the id of twice the address, plus 1 for a call */
	struct interner source_keys;
	VEC(uint64_t) source_steps;
	bool keep_notes;  /* see struct ingest_options */
	bool every_label; /* the same */
};

/* Extents of modules, read from their files and kept for later datafiles. */
struct epoch_index_extents {
	const char *sysroot;
	struct strings *names;
	VEC(uint64_t) bytes; /* by the id of the name */
};

/* 0, or -1 and *e if memory ran out. */
int epoch_index_open(struct epoch_index *p, const struct reader *r, uint32_t epoch,
		     struct epoch_index_extents *extents, struct error *e);
void epoch_index_close(struct epoch_index *p);
void epoch_index_extents_deinit(struct epoch_index_extents *x);

/* Whether an ip is that of a frame of an interpreter (formats/identity/sources.h). */
static inline bool epoch_index_is_source(uint64_t ip)
{
	return ip - CSP_SOURCE_BASE < CSP_SOURCES_EXTENT;
}

/* Whether it is in what stands for what the interpreter itself does. */
bool epoch_index_is_pseudo(const struct epoch_index *p, uint64_t ip);

/* The slow path of epoch_index_step. path is that of the datafile. UINT64_MAX if memory ran out. */
uint64_t epoch_index_slow_step(struct epoch_index *p, struct model *m, const char *path,
			       uint64_t ip, enum frame_role role);

/* The step for an ip in a role. */
static inline uint64_t epoch_index_step(struct epoch_index *p, struct model *m, const char *path,
					uint64_t ip, enum frame_role role)
{
	uint64_t at = ip - (role == FRAME_CALL && ip);
	const struct epoch_index_span *s = &p->spans[p->hints[(at >> 16) % EPOCH_INDEX_HINTS]];

	if (role != FRAME_ENTRY && at - s->start <= s->length && at >= s->start &&
	    s->module < MODEL_STEP_MODULES && !((at + s->shift) >> MODEL_STEP_ADDRESS_BITS))
		return model_plain_step(s->module, at + s->shift, role);
	return epoch_index_slow_step(p, m, path, ip, role);
}

#endif
