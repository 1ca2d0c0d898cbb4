/* pprof's profile.proto. Parts may be in any order, so all are found first and then decoded:
 * strings, functions, mappings, locations, samples. */
#include "formats/pprof.h"
#include "hpcprof/import/import.h"
#include "hpcprof/import/pprof_reader.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

int pprof_out_of_memory(const struct pprof_reader *r)
{
	return error_memory(r->e, 0);
}

int pprof_damaged(const struct pprof_reader *r, size_t offset, const char *what)
{
	return error_set(r->e, ERROR_FORMAT,
			 "byte %zu of the profile (unpacked): %s (is the file complete?)", offset,
			 what);
}

/* A string of the table; 0 is none. A long one may be meant by many messages. */
static int text_of(struct pprof_reader *r, size_t at, uint64_t index, const char **out)
{
	*out = NULL;
	if (index >= r->strings.len && index)
		return pprof_damaged(r, at, "a string that is not in the string table");
	if (!index || !r->strings.at[index].n)
		return 0;
	if (!r->texts)
		r->texts = calloc(r->strings.len, sizeof *r->texts);
	if (r->texts && !r->texts[index])
		r->texts[index] = parsed_span(r->p, r->strings.at[index]);
	*out = r->texts ? r->texts[index] : NULL;
	return *out ? 0 : pprof_out_of_memory(r);
}

/* The string of a message's field. */
int pprof_text_in(struct pprof_reader *r, const struct wire_field *f, size_t at, const char **out)
{
	return f->type == WIRE_NUMBER ? text_of(r, at, f->value, out)
				      : pprof_damaged(r, at, "a field has the wrong type");
}

/* ---- the parts --------------------------------------------------------------------- */

static struct span bytes_of(const struct cursor *c)
{
	return (struct span){(const char *)c->base + c->pos, cursor_left(c)};
}

static bool keep(struct pprof_reader *r, const struct wire_field *f)
{
	switch (f->number) {
	case PPROF_PROFILE_SAMPLE_TYPE:
		return vec_push(&r->types, f->bytes);
	case PPROF_PROFILE_SAMPLE:
		return vec_push(&r->samples, f->bytes);
	case PPROF_PROFILE_MAPPING:
		return vec_push(&r->mappings, f->bytes);
	case PPROF_PROFILE_LOCATION:
		return vec_push(&r->locations, f->bytes);
	case PPROF_PROFILE_FUNCTION:
		return vec_push(&r->functions, f->bytes);
	case PPROF_PROFILE_STRING_TABLE:
		return vec_push(&r->strings, bytes_of(&f->bytes));
	case PPROF_PROFILE_PERIOD_TYPE:
		r->period_type = f->bytes;
		return true;
	case PPROF_PROFILE_TIME_NANOS:
		r->time_ns = f->value;
		return true;
	case PPROF_PROFILE_DURATION_NANOS:
		r->duration_ns = f->value;
		return true;
	case PPROF_PROFILE_PERIOD:
		r->period = f->value;
		return true;
	case PPROF_PROFILE_DEFAULT_SAMPLE_TYPE:
		r->preferred = f->type == WIRE_NUMBER ? f->value : 0;
		return true;
	default:
		return true;
	}
}

/* The type of a field of the profile; false: there is no such field. */
static bool type_of(uint32_t number, enum wire_type *type)
{
	*type = number <= PPROF_PROFILE_STRING_TABLE || number == PPROF_PROFILE_PERIOD_TYPE
		    ? WIRE_BYTES
		    : WIRE_NUMBER;
	return number <= PPROF_PROFILE_FIELDS;
}

static int find_parts(struct pprof_reader *r, struct cursor c)
{
	struct wire_field f;
	enum wire_type type;

	while (cursor_left(&c)) {
		size_t at = c.pos;
		if (!wire_field(&c, &f))
			return pprof_damaged(r, at, "a field is cut or damaged");
		if (f.number <= PPROF_PROFILE_PERIOD &&
		    (!type_of(f.number, &type) || f.type != type))
			return pprof_damaged(r, at, "a field has the wrong type");
		if (!keep(r, &f))
			return pprof_out_of_memory(r);
	}
	return 0;
}

/* ---- samples ----------------------------------------------------------------------- */

/* Move *node to its child for a line of a location. */
static int enter(struct pprof_reader *r, uint32_t module, const struct pprof_line *l, bool inlined,
		 uint32_t *node)
{
	struct parsed_node child = {.parent = *node, .line = l->line, .inlined = inlined};
	struct parsed_function f = {.module = module};

	if (l->function) {
		const struct pprof_function *from =
		    &r->function_list.at[interner_find(&r->function_ids, l->function)];
		if (*node == PARSED_ROOT && from->name &&
		    strcmp(from->name, MODEL_PARTIAL_PATHS) == 0) {
			*node = PARSED_PARTIAL_ROOT;
			return 0;
		}
		f.name = from->name;
		f.linkage_name = from->linkage_name;
		f.file = from->file;
		f.line = from->line;
	}
	child.function = parsed_function(r->p, &f);
	*node = child.function == PARSED_NONE ? PARSED_NONE : parsed_node(r->p, &child);
	return *node == PARSED_NONE ? pprof_out_of_memory(r) : 0;
}

/* The node of a sample's path. A few locations of many inlined functions, used again and again,
 * would make far more frames than the file has bytes: no profiler writes that. */
static int enter_path(struct pprof_reader *r, size_t begin, uint32_t *node)
{
	int rc = 0;

	for (size_t i = r->path.len; rc == 0 && i-- > 0;) {
		uint32_t id = interner_find(&r->location_ids, r->path.at[i]);
		const struct pprof_location *l;
		if (id == INTERNER_NONE)
			return pprof_damaged(r, begin, "a location that the profile does not have");
		l = &r->location_list.at[id];
		if (l->end - l->first > r->most_visits || r->p->nodes.len > r->most_nodes)
			return pprof_damaged(
			    r, begin, "more frames than a profile of this size has in truth");
		r->most_visits -= l->end - l->first;
		for (size_t k = l->end; rc == 0 && k-- > l->first;)
			rc = enter(r, l->module, &r->lines.at[k], k + 1 < l->end, node);
	}
	if (rc == 0 && *node < PARSED_ROOTS)
		rc = enter(r, PARSED_UNKNOWN_MODULE, &(struct pprof_line){0}, false, node);
	return rc;
}

/* What a sample's labels say about its thread. */
struct pprof_labels {
	struct span name;
	uint64_t tid;
	bool has_tid;
};

/* Bytes of a thread's name: each thread may have the same, which is compared again and again. */
enum { THREAD_NAME_MOST = 256 };

static int read_label(struct pprof_reader *r, struct cursor c, struct pprof_labels *out)
{
	static const char *const keys[] = {"thread",    "tid",         "thread_id",
					   "thread id", "thread_name", "thread name"};
	const char *key = NULL, *text = NULL;
	uint64_t number = 0;
	bool has_number = false;
	struct wire_field f;
	size_t i = 0;
	int rc = 0;

	while (rc == 0 && cursor_left(&c)) {
		size_t at = c.pos;
		if (!wire_field(&c, &f))
			return pprof_damaged(r, at, "a label is damaged");
		if (f.number == PPROF_LABEL_KEY)
			rc = pprof_text_in(r, &f, at, &key);
		else if (f.number == PPROF_LABEL_STR)
			rc = pprof_text_in(r, &f, at, &text);
		else if (f.number == PPROF_LABEL_NUM)
			number = f.value;
		has_number |= f.number == PPROF_LABEL_NUM;
	}
	while (i < sizeof keys / sizeof *keys && key && strcmp(key, keys[i]) != 0)
		i++;
	if (!key || i == sizeof keys / sizeof *keys) {
		r->p->lost |= PARSED_LOST_LABELS;
		return rc;
	}
	if (text)
		out->name = (struct span){text, strnlen(text, THREAD_NAME_MOST)};
	if (has_number && number <= INT64_MAX) {
		out->tid = number;
		out->has_tid = true;
	}
	return rc;
}

/* Threads without a number are told apart by their names; no number is as large. */
#define NAMED_THREADS (UINT64_C(1) << 63)

static int find_thread(struct pprof_reader *r, const struct pprof_labels *l, uint32_t *out)
{
	struct span name = l->name, rest = l->name;
	uint64_t tid = l->tid;
	bool has_tid = l->has_tid;
	struct parsed_thread *t;
	const char *text;

	*out = PARSED_NONE;
	/* as hpcprof writes it: "thread 1234 NAME" */
	if (!has_tid && span_skip(&rest, "thread ") && span_number(&rest, &tid)) {
		has_tid = true;
		name = span_trim(rest);
	} else if (!has_tid && span_is_digits(rest)) {
		has_tid = span_number(&rest, &tid);
		name.n = has_tid ? 0 : name.n;
	}
	if (!has_tid && !name.n)
		return 0;
	text = parsed_span(r->p, name);
	if (!text)
		return pprof_out_of_memory(r);
	if (!has_tid)
		tid = NAMED_THREADS | (uint64_t)(uintptr_t)text;
	*out = parsed_thread(r->p, 0, tid);
	if (*out == PARSED_NONE)
		return pprof_out_of_memory(r);
	t = &r->p->threads.at[*out];
	if (text[0])
		t->name = text;
	if (!has_tid)
		t->tid = 0;
	return 0;
}

/* The number of samples of a type without one: an estimate if it is sampled, else as in datafiles
 * without it. */
static uint64_t samples_in(const struct pprof_reader *r, const struct pprof_type *t,
			   uint64_t events)
{
	uint64_t period = r->p->metrics.at[t->metric].period;

	if (r->p->metrics.at[t->metric].counted || period <= 1)
		return events;
	return events / period + (events % period > (period - 1) / 2);
}

static int add_values(struct pprof_reader *r, size_t begin, struct parsed_value v)
{
	bool *saturated = &r->p->saturated;

	if (r->values.len != r->sample_types.len)
		return pprof_damaged(r, begin,
				     "a sample with another number of values than of types");
	for (size_t i = 0; i < r->values.len; i++) {
		const struct pprof_type *t = &r->sample_types.at[i];
		uint64_t value = r->values.at[i];
		if (value > INT64_MAX)
			return error_set(r->e, ERROR_FORMAT,
					 "byte %zu of the profile (unpacked): a negative value: a "
					 "difference of profiles (give 'hpcprof diff' the two "
					 "profiles)",
					 begin);
		v.metric = t->metric;
		v.events = t->samples ? 0 : sum_mul(value, t->factor, saturated);
		v.samples = t->samples ? value : t->paired ? 0 : samples_in(r, t, v.events);
		if (!parsed_add(r->p, &v))
			return pprof_out_of_memory(r);
	}
	return 0;
}

static int read_sample(struct pprof_reader *r, struct cursor c)
{
	struct parsed_value v = {.node = PARSED_ROOT, .thread = PARSED_NONE};
	struct pprof_labels labels = {0};
	size_t begin = c.pos;
	struct wire_field f;
	uint64_t number;
	int rc = 0;

	r->values.len = r->path.len = 0;
	while (rc == 0 && cursor_left(&c)) {
		size_t at = c.pos;
		if (!wire_field(&c, &f))
			return pprof_damaged(r, at, "a sample is damaged");
		if (f.number == PPROF_SAMPLE_LABEL && f.type == WIRE_BYTES)
			rc = read_label(r, f.bytes, &labels);
		while ((f.number == PPROF_SAMPLE_LOCATION_ID || f.number == PPROF_SAMPLE_VALUE) &&
		       wire_next(&f, &number))
			if (!(f.number == PPROF_SAMPLE_VALUE ? vec_push(&r->values, number)
							     : vec_push(&r->path, number)))
				return pprof_out_of_memory(r);
		if (f.type == WIRE_BYTES && f.number <= PPROF_SAMPLE_VALUE && cursor_left(&f.bytes))
			return pprof_damaged(r, at, "a list of numbers is damaged");
	}
	if (rc == 0)
		rc = enter_path(r, begin, &v.node);
	if (rc == 0)
		rc = find_thread(r, &labels, &v.thread);
	return rc == 0 ? add_values(r, begin, v) : rc;
}

/* ---- all --------------------------------------------------------------------------- */

int pprof_each(struct pprof_reader *r, const pprof_messages *list,
	       int (*read)(struct pprof_reader *r, struct cursor c))
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < list->len; i++)
		rc = read(r, list->at[i]);
	return rc;
}

static void keep_times(struct pprof_reader *r)
{
	struct parsed_process *p = &r->p->processes.at[0];

	p->has_start = r->time_ns && r->time_ns <= INT64_MAX;
	p->start_ns = p->has_start ? r->time_ns : 0;
	p->has_wall = r->duration_ns && r->duration_ns <= INT64_MAX;
	p->wall_ns = p->has_wall ? r->duration_ns : 0;
}

/* The main program is the first mapping. */
static void keep_program(struct pprof_reader *r)
{
	if (r->modules.len && r->modules.at[0] != PARSED_UNKNOWN_MODULE)
		r->p->processes.at[0].command = r->p->modules.at[r->modules.at[0]].name;
}

static int read_all(struct pprof_reader *r, struct cursor c)
{
	int rc = find_parts(r, c);

	if (rc == 0 && !r->types.len)
		return pprof_damaged(r, c.size, "it ends without a sample type");
	if (rc == 0)
		rc = pprof_types_read(r);
	if (rc == 0)
		rc = pprof_code_read(r);
	if (rc == 0)
		rc = pprof_each(r, &r->samples, read_sample);
	if (rc == 0) {
		keep_times(r);
		keep_program(r);
	}
	return rc;
}

static int read_pprof(struct parsed *p, const void *at, size_t n, struct error *e)
{
	enum { VISITS_PER_BYTE = 16, NODES_PER_BYTE = 2, FREE = 4096 };
	struct pprof_reader r = {.p = p,
				 .e = e,
				 .most_visits = (uint64_t)n * VISITS_PER_BYTE + FREE,
				 .most_nodes = n * NODES_PER_BYTE + FREE};
	int rc = read_all(&r, cursor_of(at, n, false));

	vec_free(&r.types);
	vec_free(&r.samples);
	vec_free(&r.mappings);
	vec_free(&r.locations);
	vec_free(&r.functions);
	vec_free(&r.strings);
	free(r.texts);
	vec_free(&r.sample_types);
	interner_deinit(&r.function_ids);
	interner_deinit(&r.mapping_ids);
	interner_deinit(&r.location_ids);
	vec_free(&r.function_list);
	vec_free(&r.modules);
	vec_free(&r.location_list);
	vec_free(&r.lines);
	vec_free(&r.values);
	vec_free(&r.path);
	return rc;
}

/* Whether all fields of a sample type are its two strings. */
static bool is_type(struct cursor c)
{
	struct wire_field f;

	while (cursor_left(&c))
		if (!wire_field(&c, &f) || f.number > PPROF_VALUE_TYPE_UNIT ||
		    f.type != WIRE_NUMBER)
			return false;
	return true;
}

/* All that is there is a profile's, and a sample type is among it. */
static bool is(const void *at, size_t n, bool whole)
{
	struct cursor c = cursor_of(at, n, false);
	bool found = false;
	struct wire_field f;
	enum wire_type type;

	(void)whole;
	while (cursor_left(&c)) {
		if (!wire_field(&c, &f))
			return found; /* the head is cut, or the file is damaged */
		if (!type_of(f.number, &type) ||
		    (f.number <= PPROF_PROFILE_PERIOD && f.type != type))
			return false;
		if (f.number == PPROF_PROFILE_SAMPLE_TYPE && !is_type(f.bytes))
			return false;
		found |= f.number == PPROF_PROFILE_SAMPLE_TYPE && cursor_left(&f.bytes);
	}
	return found;
}

const struct import_format import_pprof = {"pprof", is, read_pprof};
