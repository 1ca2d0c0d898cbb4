/* Merges a PROFILE or CSPROFILE into the model. */
#include "hpcprof/load/ingest_xml.h"

#include "hpcprof/model/sum.h"
#include "reader/xml.h"

#include <stdlib.h>
#include <string.h>

/* The code that an open scope describes, together with the scopes around it. Strings belong to the
 * model. */
struct xml_scope_place {
	uint32_t module; /* NONE: not known yet */
	const char *file;
	struct model_function function; /* without file and module, which are above */
	uint32_t line;
	uint32_t function_id; /* NONE: added when a value is read */
	uint32_t context;     /* NONE until a value is read, in the scope or, on a path, below it */
	enum frame_role role; /* of that context */
	bool on_path;         /* the enclosing scope is its caller */
};
#define NONE UINT32_MAX

struct xml_ingest {
	struct model *m;
	struct error *e;
	struct model_process process;
	VEC(uint32_t) metrics; /* of the file -> of the model */
	VEC(uint64_t) periods;
	VEC(struct model_sum) sums; /* of this file, by its metrics */
	uint32_t unknown;           /* the module of code without one; NONE: not needed yet */
	VEC(struct xml_scope_place) places; /* of the open scopes */
};

static int out_of_memory(struct xml_ingest *in)
{
	if (in->m->contexts.len >= UINT32_MAX - 1)
		return error_set(in->e, ERROR_LIMIT, "more than 2^32 distinct contexts");
	return error_memory(in->e, 0);
}

static const char *text_of(struct xml_ingest *in, const char *s)
{
	return s ? model_text(in->m, s, strlen(s)) : NULL;
}

static int target(void *context, const char *name, struct error *e)
{
	struct xml_ingest *in = context;

	(void)e;
	in->process.executable = text_of(in, name);
	return in->process.executable ? 0 : out_of_memory(in);
}

/* Metrics of one file are different, even if their names are the same. */
enum { ORDINAL_SHIFT = 32 };

static int metric(void *context, const struct reader_xml_metric *metric, struct error *e)
{
	struct xml_ingest *in = context;
	struct reader_text name = {metric->name, (uint32_t)strlen(metric->name)};
	struct reader_text unit = {metric->unit ? metric->unit : "",
				   metric->unit ? (uint32_t)strlen(metric->unit) : 0};
	uint64_t flags = metric->period > 1 ? CSP_METRIC_ASYNC : 0;
	struct model_metric *to;
	uint32_t id;

	(void)e;
	for (size_t i = 0; i < in->metrics.len; i++) {
		const struct model_metric *other = &in->m->metrics.at[in->metrics.at[i]];
		if (strcmp(other->name, name.at) == 0 && strcmp(other->unit, unit.at) == 0)
			flags += UINT64_C(1) << ORDINAL_SHIFT;
	}
	id = model_metric(in->m, name, unit, flags);
	if (id == UINT32_MAX || !vec_push(&in->metrics, id) ||
	    !vec_push(&in->periods, metric->period) || !vec_push(&in->sums, (struct model_sum){0}))
		return out_of_memory(in);
	to = &in->m->metrics.at[id];
	if (in->metrics.len - 1 < to->position)
		to->position = (uint32_t)in->metrics.len - 1;
	if (metric->period > 1 && metric->period > to->interval)
		to->interval = metric->period;
	return 0;
}

static int module_of(struct xml_ingest *in, struct xml_scope_place *p)
{
	struct reader_text name = {MODEL_UNKNOWN_MODULE, sizeof MODEL_UNKNOWN_MODULE - 1};

	if (p->module == NONE && in->unknown == NONE)
		in->unknown = model_module(in->m, name, (struct reader_text){"", 0});
	if (p->module == NONE)
		p->module = in->unknown;
	return p->module == UINT32_MAX ? out_of_memory(in) : 0;
}

static int enter_module(struct xml_ingest *in, struct xml_scope_place *p, const char *name)
{
	p->function_id = NONE;
	if (!name)
		return module_of(in, p);
	p->module = model_module(in->m, (struct reader_text){name, (uint32_t)strlen(name)},
				 (struct reader_text){"", 0});
	return p->module == UINT32_MAX ? out_of_memory(in) : 0;
}

/* Add the context of a place. */
static int enter_context(struct xml_ingest *in, struct xml_scope_place *p, uint32_t parent,
			 enum frame_role role)
{
	uint32_t frame;

	if (module_of(in, p) != 0)
		return -1;
	if (p->function_id == NONE) {
		p->function.module = p->module;
		p->function.file = p->file;
		p->function_id = model_function(in->m, &p->function);
	}
	if (p->function_id == UINT32_MAX)
		return out_of_memory(in);
	frame = model_named_frame(in->m, p->function_id, p->line, role);
	p->context = frame == UINT32_MAX ? UINT32_MAX : model_context(in->m, parent, frame);
	return p->context == UINT32_MAX ? out_of_memory(in) : 0;
}

static int enter_path(struct xml_ingest *in, struct xml_scope_place *p,
		      const struct reader_xml_scope *scope)
{
	if (scope->partial) {
		p->context = MODEL_PARTIAL_ROOT;
		return 0;
	}
	p->on_path = true;
	p->role = scope->kind == READER_XML_CALLSITE ? FRAME_NAMED_CALL : FRAME_NAMED_POINT;
	p->file = text_of(in, scope->file);
	p->function = (struct model_function){.name = text_of(in, scope->name)};
	p->line = scope->line;
	p->function_id = NONE;
	return (scope->file && !p->file) || (scope->name && !p->function.name) ? out_of_memory(in)
									       : 0;
}

static bool known(const char *name)
{
	return name && strcmp(name, MODEL_UNKNOWN_FUNCTION) != 0;
}

static int enter_procedure(struct xml_ingest *in, struct xml_scope_place *p,
			   const struct reader_xml_scope *scope)
{
	p->function = (struct model_function){.line = scope->line};
	p->function_id = NONE;
	if (known(scope->name)) {
		p->function.name = text_of(in, scope->name);
		p->function.linkage_name = text_of(in, scope->linkage_name);
		if (!p->function.name || (scope->linkage_name && !p->function.linkage_name))
			return out_of_memory(in);
	}
	return 0;
}

static int enter(struct xml_ingest *in, struct xml_scope_place *p,
		 const struct reader_xml_scope *scope)
{
	switch (scope->kind) {
	case READER_XML_PGM:
		p->context = MODEL_ROOT;
		if (in->process.executable[0] || !scope->name)
			return 0;
		return target(in, scope->name, in->e);
	case READER_XML_LM:
		return enter_module(in, p, scope->name);
	case READER_XML_F:
		p->file = text_of(in, scope->name);
		p->function_id = NONE;
		return scope->name && !p->file ? out_of_memory(in) : 0;
	case READER_XML_P:
		return enter_procedure(in, p, scope);
	case READER_XML_L:
	case READER_XML_S:
		p->line = scope->line;
		return 0;
	case READER_XML_CALLSITE:
	case READER_XML_PATH_S:
		return enter_path(in, p, scope);
	default:
		return 0;
	}
}

static int open_scope(void *context, const struct reader_xml_scope *scope, struct error *e)
{
	static const struct xml_scope_place outermost = {
	    .module = NONE, .function_id = NONE, .context = NONE, .role = FRAME_NAMED_POINT};
	struct xml_ingest *in = context;
	struct xml_scope_place p = outermost;
	struct reader_xml_scope of = *scope;

	(void)e;
	if (in->places.len)
		p = in->places.at[in->places.len - 1];
	if (!known(of.name) && of.kind >= READER_XML_CALLSITE)
		of.name = NULL;
	p.context = NONE;
	if (enter(in, &p, &of) != 0)
		return -1;
	return vec_push(&in->places, p) ? 0 : out_of_memory(in);
}

static int close_scope(void *context, struct error *e)
{
	struct xml_ingest *in = context;
	const struct xml_scope_place *p = &in->places.at[--in->places.len];
	struct xml_scope_place *around = in->places.len ? &in->places.at[in->places.len - 1] : NULL;

	(void)e;
	/* saves the look-up for the next statement of the same function */
	if (around && around->module == p->module && around->file == p->file &&
	    around->function_id == NONE && around->function.name == p->function.name &&
	    around->function.linkage_name == p->function.linkage_name &&
	    around->function.line == p->function.line)
		around->function_id = p->function_id;
	return 0;
}

/* A value was read: add the contexts of the innermost scope and of the calls on the path to it. The
 * outermost scope always has one. */
static int reach(struct xml_ingest *in)
{
	size_t i = in->places.len - 1;

	while (in->places.at[i].on_path && in->places.at[i - 1].context == NONE)
		i--;
	for (; i < in->places.len; i++) {
		struct xml_scope_place *p = &in->places.at[i];
		in->process.flat &= !p->on_path;
		uint32_t parent = p->on_path ? in->places.at[i - 1].context : MODEL_PARTIAL_ROOT;
		if (enter_context(in, p, parent, p->role) != 0)
			return -1;
	}
	return 0;
}

static int value(void *context, uint32_t id, uint64_t events, struct error *e)
{
	struct xml_ingest *in = context;
	struct xml_scope_place *p = &in->places.at[in->places.len - 1];
	struct model_metric *to = &in->m->metrics.at[in->metrics.at[id]];
	uint64_t period = in->periods.at[id] ? in->periods.at[id] : 1;
	uint64_t samples = events / period + (events % period > (period - 1) / 2);
	bool *saturated = &in->m->saturated;
	struct model_sum *sum = &in->sums.at[id];
	struct xml_scope_place at;

	(void)e;
	if (p->context == NONE && reach(in) != 0)
		return -1;
	at = *p;
	/* a value of a root, which has no frame, becomes a child of it */
	if (at.context < MODEL_ROOTS && enter_context(in, &at, at.context, FRAME_NAMED_POINT) != 0)
		return -1;
	if (!model_reach(in->m, to, at.context))
		return out_of_memory(in);
	to->events[at.context] = sum_add(to->events[at.context], events, saturated);
	to->samples[at.context] = sum_add(to->samples[at.context], samples, saturated);
	sum->events = sum_add(sum->events, events, saturated);
	sum->samples = sum_add(sum->samples, samples, saturated);
	to->total.events = sum_add(to->total.events, events, saturated);
	to->total.samples = sum_add(to->total.samples, samples, saturated);
	return 0;
}

static const struct reader_xml_sink sink = {
    .target = target, .metric = metric, .open = open_scope, .close = close_scope, .value = value};

struct xml_source {
	const char *path;
	const void *bytes; /* or NULL: the file */
	size_t n;
};

static int read_source(const struct xml_source *s, const struct reader_xml_sink *to, void *context,
		       struct error *e)
{
	return s->bytes ? reader_xml_read_memory(s->bytes, s->n, to, context, e)
			: reader_xml_read(s->path, to, context, e);
}

/* Store the sums of the file. */
static int keep_sums(struct xml_ingest *in)
{
	struct model_process *to = &in->process;

	bool ok = true;

	to->has_sums = in->metrics.len;
	for (size_t i = 0; ok && i < in->metrics.len; i++)
		ok = metric_sums_set(&to->sums, &in->m->arena, in->metrics.at[i], in->sums.at[i]);
	return ok ? 0 : out_of_memory(in);
}

static int add(struct model *m, const struct xml_source *s, struct error *e)
{
	struct xml_ingest in = {.m = m, .e = e, .unknown = NONE};
	const char *path, *nothing;
	int rc;

	if (read_source(s, NULL, NULL, e) != 0)
		return e->kind == ERROR_MEMORY ? -1 : 1;
	path = arena_strndup(&m->arena, s->path, strlen(s->path));
	nothing = model_text(m, "", 0);
	in.process = (struct model_process){
	    .path = path,
	    .command = nothing,
	    .executable = nothing,
	    .host = nothing,
	    .end = nothing,
	    .tool = nothing,
	    .unmarked = nothing,
	    .uninterpreted = nothing,
	    .estimated = true,
	    .flat = true,
	};
	rc = path && nothing ? read_source(s, &sink, &in, e) : out_of_memory(&in);
	if (rc == 0)
		rc = keep_sums(&in);
	if (rc == 0 && !vec_push(&m->processes, in.process))
		rc = out_of_memory(&in);
	vec_free(&in.metrics);
	vec_free(&in.periods);
	vec_free(&in.sums);
	vec_free(&in.places);
	return rc;
}

int ingest_xml(struct model *m, const char *path, struct error *e)
{
	return add(m, &(struct xml_source){.path = path}, e);
}

int ingest_xml_memory(struct model *m, const char *name, const void *bytes, size_t n,
		      struct error *e)
{
	return add(m, &(struct xml_source){.path = name, .bytes = bytes, .n = n}, e);
}
