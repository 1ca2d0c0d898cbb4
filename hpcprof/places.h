/* From an ip of a process to a step of the model: the epochs of one datafile, made ready for
 * many look-ups. Part of ingesting; used by one thread at a time. */
#ifndef HPCPROF_PLACES_H
#define HPCPROF_PLACES_H

#include "hpcprof/model.h"
#include "hpcprof/relocate.h"

enum { PLACE_HINTS = 256 };
#define PLACE_NOT_YET UINT32_MAX

/* Where a module of an epoch lies and what the model calls it. */
struct place_span {
	uint64_t start, length; /* length: last - start */
	uint64_t shift;         /* ip + shift is the address in the file */
	uint32_t module;        /* of the model; PLACE_NOT_YET: nobody asked so far */
};

/* An epoch. hints has the index of the span that an ip of a stretch of 64 kB was in last. */
struct place {
	bool ready;
	struct relocator relocator;
	struct place_span *spans; /* [relocator.num_spans] */
	uint32_t hints[PLACE_HINTS];
	uint32_t unknown; /* the model's module for ips that no span covers */
};

/* Extents of modules that were found out from their files, kept from datafile to datafile. */
struct extents {
	const char *sysroot;
	struct strings *names;
	VEC(uint64_t) bytes; /* by the id of the name */
};

/* 0, or -1 and *e for want of memory. */
int place_open(struct place *p, const struct reader_epoch *epoch, struct extents *extents,
	       struct error *e);
void place_close(struct place *p);
void extents_deinit(struct extents *x);

/* What place_step does where it is not quick. path is the datafile's. UINT64_MAX if memory
 * ran out. */
uint64_t place_slow_step(struct place *p, struct model *m, const char *path, uint64_t ip,
			 enum frame_role role);

/* The step for an ip in a role. */
static inline uint64_t place_step(struct place *p, struct model *m, const char *path, uint64_t ip,
				  enum frame_role role)
{
	uint64_t at = ip - (role == FRAME_CALL && ip);
	const struct place_span *s = &p->spans[p->hints[(at >> 16) % PLACE_HINTS]];

	if (at - s->start <= s->length && at >= s->start && s->module < MODEL_STEP_MODULES &&
	    !((at + s->shift) >> MODEL_STEP_ADDRESS_BITS))
		return model_plain_step(s->module, at + s->shift, role);
	return place_slow_step(p, m, path, ip, role);
}

#endif
