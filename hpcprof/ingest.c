/* One datafile into the model: relocation, roles of values, merging. The nodes of a
 * tree stream by once, parents first; a context is made when something needs it:
 * a call site when its first child arrives, an instruction when it has a value. */
#include "hpcprof/model.h"
#include "hpcprof/process.h"
#include "hpcprof/relocate.h"
#include "hpcprof/sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the values of one metric of the file go. */
struct column {
	uint32_t metric;      /* of the model */
	bool events, samples; /* which of its columns */
	uint64_t scale;       /* events = value x scale */
	bool at_point;        /* asynchronous: belongs to the instruction at ip */
	bool activation;      /* return or activation count */
};

/* An epoch's relocator and, for each distinct ip, the frames that it became. */
struct place {
	bool ready;
	struct relocator relocator;
	struct interner ips;
	VEC(uint32_t) frames[FRAME_ROLES]; /* by ip's id; MODEL_NO_FRAME: not yet */
	uint32_t *modules;                 /* of the epoch -> of the model; UINT32_MAX: not yet */
};

/* A node of the tree at hand. */
struct seat {
	uint32_t up;   /* the parent's context */
	uint32_t ip;   /* id in the place's ips */
	uint32_t call; /* its context as a call site, or NO_CONTEXT: not needed so far */
};
#define NO_CONTEXT UINT32_MAX

struct ingest {
	struct model *m;
	const struct reader *r;
	const char *sysroot;
	struct error *e;
	uint32_t num_metrics;
	struct column *columns; /* [num_metrics] */
	struct place *places;   /* [epochs] */
	struct seat *seats;     /* [nodes of the largest tree] */
	uint8_t *inner;         /* per node: it has children; NULL where no column asks */
	uint64_t *sums;         /* [threads + 1][num_metrics], raw values; the last row is of
				   trees without a thread */
	struct model_process *process;
};

static int out_of_memory(struct ingest *in, uint64_t bytes)
{
	if (in->m->contexts.len >= UINT32_MAX - 1)
		error_set(in->e, ERROR_LIMIT, "more than 2^32 distinct contexts");
	else
		error_memory(in->e, bytes);
	return -1;
}

static struct reader_text unit_of(const struct reader_metric *metric)
{
	return reader_pairs_get(metric->about, "unit");
}

/* Whatever the order of the files, the largest stays. */
static void note_interval(struct model_metric *metric, uint64_t interval)
{
	if (interval > metric->interval)
		metric->interval = interval;
}

/* Pair V columns with the N columns that follow them. */
static int plan_columns(struct ingest *in)
{
	for (uint32_t i = 0; i < in->num_metrics; i++) {
		const struct reader_metric *v = reader_metric(in->r, i);
		const struct reader_metric *n =
		    i + 1 < in->num_metrics ? reader_metric(in->r, i + 1) : NULL;
		struct column *c = &in->columns[i];

		*c = (struct column){.events = true,
				     .samples = true,
				     .scale = v->period,
				     .at_point = v->flags & CSP_METRIC_ASYNC,
				     .activation =
					 v->flags & (CSP_METRIC_RETURNS | CSP_METRIC_ACTIVATIONS)};
		c->metric = model_metric(in->m, v->name, unit_of(v), v->flags);
		if (c->metric == UINT32_MAX)
			return out_of_memory(in, sizeof(struct model_metric));
		if (!n || !(n->flags & CSP_METRIC_SAMPLES) || (v->flags & CSP_METRIC_SAMPLES)) {
			if (v->flags & CSP_METRIC_ASYNC)
				note_interval(&in->m->metrics.at[c->metric], v->period);
			continue;
		}
		c->samples = false;
		in->columns[++i] = *c;
		in->columns[i].events = false;
		in->columns[i].samples = true;
		in->columns[i].scale = 0;
		note_interval(&in->m->metrics.at[c->metric], n->period);
	}
	return 0;
}

static int open_place(struct ingest *in, uint32_t epoch, struct place **out)
{
	struct place *p = &in->places[epoch];
	const struct reader_epoch *table = reader_epoch(in->r, epoch);

	*out = p;
	if (p->ready)
		return 0;
	p->modules = malloc(((size_t)table->num_modules + 1) * sizeof *p->modules);
	if (!p->modules)
		return out_of_memory(in, table->num_modules * sizeof *p->modules);
	memset(p->modules, 0xff, ((size_t)table->num_modules + 1) * sizeof *p->modules);
	if (relocate_init(&p->relocator, table, relocate_elf_extent, (void *)in->sysroot, in->e))
		return -1;
	p->ready = true;
	return 0;
}

static void close_place(struct place *p)
{
	relocate_deinit(&p->relocator);
	interner_deinit(&p->ips);
	for (int role = 0; role < FRAME_ROLES; role++)
		vec_free(&p->frames[role]);
	free(p->modules);
}

/* The name under which the image of the vdso was saved beside the datafile. */
static int note_image(struct ingest *in, struct model_module *mod)
{
	const char *path = in->process->path, *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;
	const char *image;
	char *text;
	int n;

	if (!mod->build_id || strcmp(mod->name, CSP_MODULE_VDSO) != 0)
		return 0;
	n = asprintf(&text, "%.*s" CSP_VDSO_PREFIX "%s", folder, path, mod->build_id);
	if (n < 0)
		return out_of_memory(in, (uint64_t)folder);
	image = model_text(in->m, text, (size_t)n);
	free(text);
	if (!image)
		return out_of_memory(in, (uint64_t)n);
	if (!mod->image || strcmp(image, mod->image) < 0)
		mod->image = image;
	return 0;
}

static int module_of(struct ingest *in, struct place *p, uint32_t index, uint32_t *out)
{
	uint32_t slot = index == RELOCATE_NOWHERE ? p->relocator.epoch->num_modules : index;

	if (p->modules[slot] == UINT32_MAX) {
		struct reader_text name = {MODEL_UNKNOWN_MODULE, sizeof MODEL_UNKNOWN_MODULE - 1};
		struct reader_text build_id = {"", 0};
		if (index != RELOCATE_NOWHERE) {
			name = p->relocator.epoch->modules[index].name;
			build_id = p->relocator.epoch->modules[index].build_id;
		}
		p->modules[slot] = model_module(in->m, name, build_id);
		if (p->modules[slot] == UINT32_MAX)
			return out_of_memory(in, sizeof(struct model_module));
		if (note_image(in, &in->m->modules.at[p->modules[slot]]) != 0)
			return -1;
	}
	*out = p->modules[slot];
	return 0;
}

/* The frame of an ip in a role, relocated once per distinct ip. */
static int frame_of(struct ingest *in, struct place *p, uint32_t ip, enum frame_role role,
		    uint32_t *out)
{
	uint64_t address = p->ips.keys[ip];
	struct relocated at;
	uint32_t module = UINT32_MAX;

	if (ip < p->frames[role].len && p->frames[role].at[ip] != MODEL_NO_FRAME) {
		*out = p->frames[role].at[ip];
		return 0;
	}
	at = relocate(&p->relocator, role == FRAME_CALL && address ? address - 1 : address);
	if (module_of(in, p, at.module, &module) != 0)
		return -1;
	in->m->modules.at[module].assumed |= at.assumed;
	*out = model_frame(in->m, module, at.address, role);
	if (*out == UINT32_MAX)
		return out_of_memory(in, sizeof(struct model_frame));
	if (!vec_reserve(&p->frames[role], (size_t)ip + 1))
		return out_of_memory(in, ip * sizeof(uint32_t));
	while (p->frames[role].len <= ip)
		p->frames[role].at[p->frames[role].len++] = MODEL_NO_FRAME;
	p->frames[role].at[ip] = *out;
	return 0;
}

static int context_of(struct ingest *in, struct place *p, const struct seat *seat,
		      enum frame_role role, uint32_t *out)
{
	uint32_t frame;

	if (frame_of(in, p, seat->ip, role, &frame) != 0)
		return -1;
	*out = model_context(in->m, seat->up, frame);
	return *out == UINT32_MAX ? out_of_memory(in, sizeof(uint64_t)) : 0;
}

/* The context that the children of a node hang under. */
static int call_site(struct ingest *in, struct place *p, struct seat *seat, uint32_t *out)
{
	if (seat->call == NO_CONTEXT && context_of(in, p, seat, FRAME_CALL, &seat->call) != 0)
		return -1;
	*out = seat->call;
	return 0;
}

static int add_value(struct ingest *in, const struct column *c, uint32_t context, uint64_t value)
{
	struct model_metric *metric = &in->m->metrics.at[c->metric];
	struct model_sum *sum = &in->process->sums[c->metric];
	bool *saturated = &in->m->saturated;

	if (!model_reach(in->m, metric, context))
		return out_of_memory(in, (uint64_t)context * sizeof value);
	if (c->events) {
		uint64_t events = c->scale == 1 ? value : sum_mul(value, c->scale, saturated);
		metric->events[context] = sum_add(metric->events[context], events, saturated);
		metric->total.events = sum_add(metric->total.events, events, saturated);
		sum->events = sum_add(sum->events, events, saturated);
	}
	if (c->samples) {
		metric->samples[context] = sum_add(metric->samples[context], value, saturated);
		metric->total.samples = sum_add(metric->total.samples, value, saturated);
		sum->samples = sum_add(sum->samples, value, saturated);
	}
	return 0;
}

/* Give each value of a node to the context that it belongs to. */
static int add_values(struct ingest *in, struct place *p, const struct reader_node *node,
		      uint64_t *sums)
{
	struct seat *seat = &in->seats[node->id];
	uint32_t by_role[FRAME_ROLES] = {NO_CONTEXT, NO_CONTEXT};
	bool call = in->inner && in->inner[node->id];

	for (uint32_t i = 0; i < in->num_metrics; i++)
		call |= node->metrics[i] && !in->columns[i].at_point && !in->columns[i].activation;
	for (uint32_t i = 0; i < in->num_metrics; i++) {
		const struct column *c = &in->columns[i];
		enum frame_role role = FRAME_CALL;

		if (!node->metrics[i])
			continue;
		sums[i] = sum_add(sums[i], node->metrics[i], &in->m->saturated);
		if (c->at_point || (c->activation && !call))
			role = FRAME_POINT;
		if (by_role[role] == NO_CONTEXT &&
		    (role == FRAME_CALL ? call_site(in, p, seat, &by_role[role])
					: context_of(in, p, seat, role, &by_role[role])) != 0)
			return -1;
		if (add_value(in, c, by_role[role], node->metrics[i]) != 0)
			return -1;
	}
	return 0;
}

/* Note which nodes have children: only counts of activations need to know. */
static int mark_inner(struct ingest *in, uint32_t tree)
{
	struct reader_nodes it;
	const struct reader_node *node;

	memset(in->inner, 0, reader_tree(in->r, tree)->num_nodes);
	if (reader_nodes_begin(&it, in->r, tree, false, in->e) != 0)
		return -1;
	while ((node = reader_nodes_next(&it)))
		if (node->id != 0)
			in->inner[node->parent] = 1;
	reader_nodes_end(&it);
	return 0;
}

static int add_node(struct ingest *in, struct place *p, uint32_t root,
		    const struct reader_node *node, uint64_t *sums)
{
	struct seat *seat = &in->seats[node->id];

	seat->call = NO_CONTEXT;
	seat->ip = interner_add(&p->ips, node->ip);
	if (seat->ip == INTERNER_NONE)
		return out_of_memory(in, sizeof(uint64_t));
	if (node->id == 0) {
		/* values at the root itself, which has no frame, become a child of it */
		seat->up = root;
		if (add_values(in, p, node, sums) != 0)
			return -1;
		seat->call = root;
		return 0;
	}
	if (call_site(in, p, &in->seats[node->parent], &seat->up) != 0)
		return -1;
	return add_values(in, p, node, sums);
}

static int add_tree(struct ingest *in, uint32_t index)
{
	const struct reader_tree *tree = reader_tree(in->r, index);
	uint32_t threads = reader_num_threads(in->r);
	uint32_t row = tree->thread < threads ? tree->thread : threads;
	uint32_t root = tree->kind == CSP_TREE_PARTIAL ? MODEL_PARTIAL_ROOT : MODEL_ROOT;
	struct reader_nodes it;
	const struct reader_node *node;
	struct place *p;
	int rc = 0;

	if (open_place(in, tree->epoch, &p) != 0 || (in->inner && mark_inner(in, index) != 0))
		return -1;
	if (reader_nodes_begin(&it, in->r, index, true, in->e) != 0)
		return -1;
	while (rc == 0 && (node = reader_nodes_next(&it)))
		rc = add_node(in, p, root, node, in->sums + (size_t)row * in->num_metrics);
	reader_nodes_end(&it);
	return rc;
}

static int prepare(struct ingest *in)
{
	uint64_t largest = 0;
	bool activations = false;

	for (uint32_t i = 0; i < reader_num_trees(in->r); i++)
		if (reader_tree(in->r, i)->num_nodes > largest)
			largest = reader_tree(in->r, i)->num_nodes;
	if (largest >= NO_CONTEXT) {
		error_set(in->e, ERROR_LIMIT, "a tree has %" PRIu64 " nodes; the limit is 2^32",
			  largest);
		return -1;
	}
	for (uint32_t i = 0; i < in->num_metrics; i++)
		activations |=
		    reader_metric(in->r, i)->flags & (CSP_METRIC_RETURNS | CSP_METRIC_ACTIVATIONS);
	in->columns = calloc((size_t)in->num_metrics + 1, sizeof *in->columns);
	in->places = calloc((size_t)reader_num_epochs(in->r) + 1, sizeof *in->places);
	in->seats = malloc((largest + 1) * sizeof *in->seats);
	in->inner = activations ? malloc(largest + 1) : NULL;
	in->sums =
	    calloc(((size_t)reader_num_threads(in->r) + 1) * in->num_metrics + 1, sizeof *in->sums);
	if (!in->columns || !in->places || !in->seats || !in->sums || (activations && !in->inner))
		return out_of_memory(in, largest * sizeof *in->seats);
	if (plan_columns(in) != 0)
		return -1;
	in->process->num_sums = (uint32_t)in->m->metrics.len;
	in->process->sums =
	    arena_alloc(&in->m->arena, (in->m->metrics.len + 1) * sizeof *in->process->sums);
	return in->process->sums ? 0 : out_of_memory(in, sizeof *in->process->sums);
}

int model_add(struct model *m, const struct reader *r, const char *path, const char *sysroot,
	      model_complaint_fn *complain, void *context, struct error *e)
{
	struct model_process process = {0};
	struct ingest in = {.m = m,
			    .r = r,
			    .sysroot = sysroot,
			    .e = e,
			    .num_metrics = reader_num_metrics(r),
			    .process = &process};
	int rc = process_describe(m, r, path, &process, e);

	if (rc == 0)
		rc = prepare(&in);
	for (uint32_t i = 0; rc == 0 && i < reader_num_trees(r); i++)
		rc = add_tree(&in, i);
	for (uint32_t i = 0; rc == 0 && i < in.num_metrics; i++)
		if (in.columns[i].events)
			rc = process_describe_metric(m, r, i, &m->metrics.at[in.columns[i].metric],
						     e);
	if (rc == 0)
		rc = process_check_account(r, in.sums, complain, context, e);
	if (rc == 0 && !vec_push(&m->processes, process))
		rc = error_memory(e, sizeof process);
	for (uint32_t i = 0; in.places && i < reader_num_epochs(r); i++)
		close_place(&in.places[i]);
	free(in.columns);
	free(in.places);
	free(in.seats);
	free(in.inner);
	free(in.sums);
	return rc;
}
