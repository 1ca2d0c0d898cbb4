#include "hpcprof/export/feedback/order.h"

#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "hpcprof/export/feedback/calls.h"

#include <stdlib.h>

/* A cluster gets no larger than a large page: what is on it needs one entry of the TLB. */
enum { CLUSTER_BYTES = 2 << 20 };
/* A function is not put behind a cluster of which each byte is executed so much more often. */
enum { DENSITY_LOSS = 8 };

struct arc {
	uint32_t from, to;
	double calls;     /* 0: not known */
	uint64_t samples; /* below the call */
};

/* A procedure, and while it is the first of a cluster, the cluster. */
struct member {
	double samples;
	uint64_t bytes;
	uint32_t cluster; /* its first procedure */
	uint32_t next;    /* behind it in the cluster */
	uint32_t last;    /* of the cluster */
	uint32_t caller;  /* that calls it most */
	double calls;     /* those, and the samples below them */
	uint64_t below;
};
#define NO_MEMBER UINT32_MAX

struct orderer {
	const struct feedback *f;
	const struct feedback_module *m;
	struct interner keys; /* from << 32 | to */
	VEC(struct arc) arcs;
	struct member *all; /* [procedures] */
};

/* ---- calls ------------------------------------------------------------------------- */

static struct arc *arc_to(struct orderer *o, size_t from, size_t to)
{
	uint32_t id = interner_add(&o->keys, (uint64_t)from << 32 | to);

	if (id == INTERNER_NONE)
		return NULL;
	if (id == o->arcs.len &&
	    !vec_push(&o->arcs, (struct arc){.from = (uint32_t)from, .to = (uint32_t)to}))
		return NULL;
	return &o->arcs.at[id];
}

/* Calls, and jumps to other procedures, whose target is in the code. */
static bool add_direct(struct orderer *o, size_t from, const struct feedback_instruction *one)
{
	size_t to = feedback_find(o->m, one->target);
	struct arc *a;

	if (!one->target || to == o->m->procedures.len || to == from || one->executions == 0)
		return true;
	a = arc_to(o, from, to);
	if (a)
		a->calls += one->executions;
	return a;
}

/* Calls on call paths. *next: see calls_of. */
static bool add_seen(struct orderer *o, size_t from, size_t i, size_t *next)
{
	const struct feedback_module *m = o->m;
	const struct feedback_instruction *one = &m->code.at[i];
	size_t n;
	const struct feedback_call *calls = calls_of(m, i, next, &n);

	for (size_t k = 0; k < n; k++) {
		const struct feedback_call *c = &calls[k];
		const struct code_function *callee = &o->f->c->functions.at[c->function];
		size_t to =
		    callee->module == m->module ? feedback_find(m, callee->low) : m->procedures.len;
		struct arc *a;
		if (to == m->procedures.len || to == from)
			continue;
		a = arc_to(o, from, to);
		if (!a)
			return false;
		a->samples += c->samples;
		if (!one->target)
			a->calls += one->executions * c->share;
	}
	return true;
}

static bool find_arcs(struct orderer *o)
{
	const struct feedback_module *m = o->m;
	size_t next = 0;

	for (size_t p = 0; p < m->procedures.len; p++) {
		const struct feedback_procedure *in = &m->procedures.at[p];
		for (size_t i = in->first; i < in->first + in->num; i++)
			if (!add_direct(o, p, &m->code.at[i]) || !add_seen(o, p, i, &next))
				return false;
	}
	return true;
}

/* ---- clusters ---------------------------------------------------------------------- */

/* Whether an arc has more calls than the best so far, or, if these are not known, more samples. */
static bool is_better(const struct arc *a, const struct member *to)
{
	if (a->calls != to->calls)
		return a->calls > to->calls;
	if (a->samples != to->below)
		return a->samples > to->below;
	return to->caller == NO_MEMBER || a->from < to->caller;
}

static void find_callers(struct orderer *o)
{
	for (size_t i = 0; i < o->arcs.len; i++) {
		const struct arc *a = &o->arcs.at[i];
		struct member *to = &o->all[a->to];
		if (!is_better(a, to))
			continue;
		to->caller = a->from;
		to->calls = a->calls;
		to->below = a->samples;
	}
}

static double density(double samples, uint64_t bytes)
{
	return samples / (double)bytes;
}

static void join(struct orderer *o, uint32_t to, uint32_t from)
{
	struct member *a = &o->all[to], *b = &o->all[from];

	o->all[a->last].next = from;
	a->last = b->last;
	a->samples += b->samples;
	a->bytes += b->bytes;
	for (uint32_t i = from; i != NO_MEMBER; i = o->all[i].next)
		o->all[i].cluster = to;
}

/* Put the cluster of a procedure behind that of its caller. */
static void place(struct orderer *o, uint32_t procedure)
{
	uint32_t from = o->all[procedure].cluster, to;
	const struct member *a, *b = &o->all[from];

	if (o->all[procedure].caller == NO_MEMBER)
		return;
	to = o->all[o->all[procedure].caller].cluster;
	a = &o->all[to];
	if (to == from || a->bytes + b->bytes > CLUSTER_BYTES ||
	    density(a->samples + b->samples, a->bytes + b->bytes) * DENSITY_LOSS <
		density(a->samples, a->bytes))
		return;
	join(o, to, from);
}

struct ranked {
	double key;
	uint32_t id;
};

static int by_key(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Procedures by samples, then clusters by density. */
static size_t rank(const struct orderer *o, bool clusters, struct ranked *out)
{
	size_t n = 0;

	for (uint32_t i = 0; i < o->m->procedures.len; i++) {
		const struct member *a = &o->all[i];
		if (clusters && a->cluster != i)
			continue;
		out[n++] =
		    (struct ranked){clusters ? density(a->samples, a->bytes) : a->samples, i};
	}
	if (n)
		qsort(out, n, sizeof *out, by_key);
	return n;
}

static bool make_members(struct orderer *o)
{
	size_t n = o->m->procedures.len;

	o->all = malloc((n + 1) * sizeof *o->all);
	for (uint32_t i = 0; o->all && i < n; i++) {
		const struct feedback_procedure *p = &o->m->procedures.at[i];
		o->all[i] = (struct member){.samples = (double)p->samples,
					    .bytes = p->high - p->low,
					    .cluster = i,
					    .next = NO_MEMBER,
					    .last = i,
					    .caller = NO_MEMBER};
	}
	return o->all;
}

int order_procedures(const struct feedback *f, const struct feedback_module *m, uint32_t **out,
		     size_t *n, struct error *e)
{
	struct orderer o = {.f = f, .m = m};
	struct ranked *ranked = malloc((m->procedures.len + 1) * sizeof *ranked);
	size_t num;

	*n = 0;
	*out = malloc((m->procedures.len + 1) * sizeof **out);
	if (!ranked || !*out || !make_members(&o) || !find_arcs(&o)) {
		free(*out);
		free(ranked);
		free(o.all);
		*out = NULL;
		interner_deinit(&o.keys);
		vec_free(&o.arcs);
		return error_memory(e, m->procedures.len * sizeof *ranked);
	}
	find_callers(&o);
	num = rank(&o, false, ranked);
	for (size_t i = 0; i < num; i++)
		place(&o, ranked[i].id);
	num = rank(&o, true, ranked);
	for (size_t i = 0; i < num; i++)
		for (uint32_t k = ranked[i].id; k != NO_MEMBER; k = o.all[k].next)
			(*out)[(*n)++] = k;
	interner_deinit(&o.keys);
	vec_free(&o.arcs);
	free(o.all);
	free(ranked);
	return 0;
}
