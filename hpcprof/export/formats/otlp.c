/* OpenTelemetry's ProfilesData (opentelemetry.proto.profiles.v1development) in the JSON encoding of
 * OTLP: names in lowerCamelCase, and numbers of 64 bits as strings. A metric is a Profile, as that
 * has one type of samples; its numbers of samples are another. Stacks, locations, functions and
 * strings are in the dictionary, which all share and which is last; element 0 of each of its tables
 * is empty, as an index of 0 means none.
 *
 * A node of the tree is a context of the model: its frame is a Location, with the inlined functions
 * there as its lines. Addresses are those in the load modules' files. */
#include "hpcprof/export/formats/formats.h"
#include "hpcprof/model/wall_time.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/terminal/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Keys of what is above partial paths, and in the place of frames that are left out. */
#define KEY_PARTIAL UINT64_MAX
#define KEY_LEFT_OUT (UINT64_MAX - 1)

enum { MOST_DIGITS = 10 }; /* of an index */

struct otlp {
	struct export_data *x;
	FILE *out;
	struct strings *strings;
	uint32_t num_strings;
	/* ids are those of the tables - 1 */
	struct interner stacks;    /* nodes */
	struct interner locations; /* frames, or one of the keys below */
	struct interner functions; /* function << 32 | file, or one of the keys below */
	VEC(char) indices;         /* of the path that is written, as text */
	VEC(uint32_t) attributes;  /* strings: the names of parts */
	bool starved;
};

/* The index of a string in the table. */
static uint32_t string(struct otlp *s, const char *text)
{
	uint32_t id = strings_intern(s->strings, text ? text : "", text ? strlen(text) : 0);

	s->starved |= id == UINT32_MAX;
	if (id >= s->num_strings && id != UINT32_MAX)
		s->num_strings = id + 1;
	return id;
}

/* The index of a key's element in a table. */
static uint32_t index_of(struct otlp *s, struct interner *in, uint64_t key)
{
	uint32_t id = interner_add(in, key);

	s->starved |= id == INTERNER_NONE;
	return id + 1;
}

/* Begin element i of a list. */
static void next(const struct otlp *s, size_t i)
{
	fputs(i ? ",\n" : "\n", s->out);
}

static void put_index(const struct otlp *s, const char *name, uint32_t value)
{
	fprintf(s->out, "\"%s\":%" PRIu32, name, value);
}

/* A number of 64 bits. */
static void put_long(const struct otlp *s, const char *name, uint64_t value)
{
	fprintf(s->out, "\"%s\":\"%" PRIu64 "\"", name, value > INT64_MAX ? INT64_MAX : value);
}

/* ---- profiles ---------------------------------------------------------------------- */

static void put_type(struct otlp *s, const char *name, const struct shown_metric *c)
{
	const char *unit = strcmp(c->unit, "ns") == 0 ? "nanoseconds"
			   : c->unit[0]               ? c->unit
						      : "count";
	const char *name_of =
	    layout_format(&s->x->arena, "%s%s", c->metric_name, c->of_samples ? "_samples" : "");

	s->starved |= !name_of;
	fprintf(s->out, "\"%s\":{", name);
	put_index(s, "typeStrindex", string(s, name_of));
	fputc(',', s->out);
	put_index(s, "unitStrindex", string(s, unit));
	fputc('}', s->out);
}

static void put_times(struct otlp *s)
{
	struct wall_time w = {0};

	s->starved |= !wall_time_measure(s->x->m, NULL, NULL, &w);
	if (!w.ran_ns)
		return;
	fputc(',', s->out);
	put_long(s, "timeUnixNano", w.start_ns);
	fputc(',', s->out);
	put_long(s, "durationNano", w.ran_ns);
}

/* The samples of a column. */
static int put_samples(struct otlp *s, size_t column, struct error *e)
{
	const struct path_tree *t = &s->x->tree;
	size_t n = 0;
	int rc = 0;

	fputs(",\"samples\":[", s->out);
	for (size_t i = 0; rc == 0 && i < s->x->num_parts; i++) {
		struct export_part part;
		rc = export_part_init(&part, s->x, i, e);
		for (uint32_t k = 0; rc == 0 && k < t->num_order; k++) {
			uint32_t node = t->order[k];
			uint64_t value = part.exclusive[node * t->num_columns + column];
			if (!value)
				continue;
			next(s, n++);
			fputc('{', s->out);
			put_index(s, "stackIndex", index_of(s, &s->stacks, node));
			fprintf(s->out, ",\"values\":[\"%" PRIu64 "\"]",
				value > INT64_MAX ? INT64_MAX : value);
			if (part.name)
				fprintf(s->out, ",\"attributeIndices\":[%zu]", i + 1);
			fputc('}', s->out);
		}
		if (rc == 0 && part.name && i == s->attributes.len &&
		    !vec_push(&s->attributes, string(s, part.name)))
			s->starved = true;
		export_part_deinit(&part);
	}
	fputc(']', s->out);
	return rc;
}

static int put_profile(struct otlp *s, size_t column, struct error *e)
{
	const struct shown_metric *c = &s->x->columns.at[column];
	int rc;

	fputc('{', s->out);
	put_type(s, "sampleType", c);
	put_times(s);
	if (c->metric->interval) {
		fputc(',', s->out);
		put_type(s, "periodType", &s->x->columns.at[column % s->x->num_metrics]);
		fputc(',', s->out);
		put_long(s, "period", c->metric->interval);
	}
	rc = put_samples(s, column, e);
	fputc('}', s->out);
	return rc;
}

static int put_profiles(struct otlp *s, struct error *e)
{
	const struct export_data *x = s->x;
	size_t n = 0;
	int rc = 0;

	fputs("\"profiles\":[", s->out);
	for (size_t i = 0; rc == 0 && i < x->columns.len; i++) {
		if (i >= x->num_metrics && !export_is_sampled(x, i - x->num_metrics))
			continue;
		next(s, n++);
		rc = put_profile(s, i, e);
	}
	fputc(']', s->out);
	return rc;
}

/* ---- the dictionary ---------------------------------------------------------------- */

static void begin_table(const struct otlp *s, const char *name)
{
	fprintf(s->out, ",\n\"%s\":[{}", name);
}

static uint64_t location_key(const struct otlp *s, uint32_t node)
{
	return node == EXPORT_MIDDLE            ? KEY_LEFT_OUT
	       : node == PATH_TREE_PARTIAL_ROOT ? KEY_PARTIAL
						: model_frame_of(s->x->m, node);
}

/* For each frame of each path: as fprintf does it, it would take most of the time. */
static char *add_digits(char *at, uint32_t value)
{
	char digits[MOST_DIGITS];
	unsigned i = sizeof digits;

	do
		digits[--i] = (char)('0' + value % 10);
	while (value /= 10);
	memcpy(at, digits + i, sizeof digits - i);
	return at + sizeof digits - i;
}

/* Paths from the innermost frame out. */
static void put_stacks(struct otlp *s)
{
	fputs("\"stackTable\":[{}", s->out);
	for (uint32_t i = 0; i < s->stacks.len; i++) {
		uint32_t n;
		const uint32_t *path = export_path(s->x, (uint32_t)s->stacks.keys[i], &n);
		char *at;
		if (!vec_reserve(&s->indices, (MOST_DIGITS + 1) * (size_t)n + 1)) {
			s->starved = true;
			break;
		}
		at = s->indices.at;
		for (uint32_t k = 0; k < n; k++) {
			if (k)
				*at++ = ',';
			at = add_digits(at, index_of(s, &s->locations, location_key(s, path[k])));
		}
		fputs(",\n{\"locationIndices\":[", s->out);
		fwrite(s->indices.at, 1, (size_t)(at - s->indices.at), s->out);
		fputs("]}", s->out);
	}
	fputc(']', s->out);
}

static void put_line(struct otlp *s, uint64_t function, uint32_t line)
{
	fputc('{', s->out);
	put_index(s, "functionIndex", index_of(s, &s->functions, function));
	if (line) {
		fputc(',', s->out);
		put_long(s, "line", line);
	}
	fputc('}', s->out);
}

static void put_location(struct otlp *s, uint32_t frame)
{
	const struct model_frame *f = &s->x->m->frames.at[frame];
	const struct symbolized *c = s->x->c;

	put_index(s, "mappingIndex", f->module + 1);
	if (f->role < FRAME_ADDRESSED)
		fprintf(s->out, ",\"address\":\"%" PRIu64 "\"", f->address);
	fputs(",\"lines\":[", s->out);
	for (uint32_t k = c->first[frame]; k < c->first[frame + 1]; k++) {
		const struct code_frame *code = &c->frames.at[k];
		const struct code_line *l = &c->lines.at[code->line];
		if (k > c->first[frame])
			fputc(',', s->out);
		put_line(s, (uint64_t)code->function << 32 | l->file, l->line);
	}
	fputc(']', s->out);
}

static void put_locations(struct otlp *s)
{
	begin_table(s, "locationTable");
	for (uint32_t i = 0; i < s->locations.len; i++) {
		uint64_t key = s->locations.keys[i];
		fputs(",\n{", s->out);
		if (key >= KEY_LEFT_OUT) {
			fputs("\"lines\":[", s->out);
			put_line(s, key, 0);
			fputc(']', s->out);
		} else {
			put_location(s, (uint32_t)key);
		}
		fputc('}', s->out);
	}
	fputc(']', s->out);
}

/* The line where a function begins is in the file where it is declared. */
static void put_function(struct otlp *s, uint32_t id, const char *file)
{
	const struct export_data *x = s->x;
	const struct code_function *f = &x->c->functions.at[id];

	put_index(s, "nameStrindex", string(s, x->functions[id]));
	if (strcmp(f->linkage_name, f->name) != 0) {
		fputc(',', s->out);
		put_index(s, "systemNameStrindex", string(s, f->linkage_name));
	}
	if (file) {
		fputc(',', s->out);
		put_index(s, "filenameStrindex", string(s, file));
	}
	if (f->line && file && x->declared[id] && strcmp(file, x->declared[id]) == 0) {
		fputc(',', s->out);
		put_long(s, "startLine", f->line);
	}
}

static void put_functions(struct otlp *s)
{
	begin_table(s, "functionTable");
	for (uint32_t i = 0; i < s->functions.len; i++) {
		uint64_t key = s->functions.keys[i];
		fputs(",\n{", s->out);
		if (key >= KEY_LEFT_OUT)
			put_index(s, "nameStrindex",
				  string(s, key == KEY_PARTIAL ? EXPORT_PARTIAL : EXPORT_LEFT_OUT));
		else
			put_function(s, (uint32_t)(key >> 32), s->x->files[(uint32_t)key]);
		fputc('}', s->out);
	}
	fputc(']', s->out);
}

static void put_mappings(struct otlp *s)
{
	const struct model *m = s->x->m;

	begin_table(s, "mappingTable");
	for (uint32_t i = 0; i < m->modules.len; i++) {
		fputs(",\n{", s->out);
		put_index(s, "filenameStrindex", string(s, s->x->modules[i]));
		fputc('}', s->out);
	}
	fputc(']', s->out);
}

/* What parts are told apart by, in the names of the semantic conventions where they have one. */
static void put_attributes(struct otlp *s)
{
	static const char *const keys[] = {
	    "", "hpcprof.profile", "thread.name", "hpcprof.process", "hpcprof.rank", "host.name"};

	begin_table(s, "attributeTable");
	for (size_t i = 0; i < s->attributes.len; i++) {
		const char *name = strings_get(s->strings, s->attributes.at[i]);
		fputs(",\n{", s->out);
		put_index(s, "keyStrindex", string(s, keys[s->x->o->common.by]));
		fputs(",\"value\":{", s->out);
		json_member(s->out, "stringValue", name);
		fputs("}}", s->out);
	}
	fputc(']', s->out);
}

static void put_strings(const struct otlp *s)
{
	fputs(",\n\"stringTable\":[", s->out);
	for (uint32_t i = 0; i < s->num_strings; i++) {
		const char *text = strings_get(s->strings, i);
		next(s, i);
		json_string(s->out, text, strlen(text));
	}
	fputc(']', s->out);
}

/* The strings are last, as the other tables add some. */
static void put_dictionary(struct otlp *s)
{
	fputs("\"dictionary\":{\n", s->out);
	put_stacks(s);
	put_locations(s);
	put_functions(s);
	put_mappings(s);
	fputs(",\n\"linkTable\":[{}]", s->out);
	put_attributes(s);
	if (!s->starved)
		put_strings(s);
	fputc('}', s->out);
}

static int write_all(struct otlp *s, struct error *e)
{
	int rc;

	string(s, ""); /* the first string of the table has to be empty */
	fputs("{\"resourceProfiles\":[{\"resource\":{\"attributes\":[{\"key\":"
	      "\"process.executable.path\",\"value\":{",
	      s->out);
	json_member(s->out, "stringValue", export_program(s->x->m));
	fputs("}}]},\n\"scopeProfiles\":[{\"scope\":{\"name\":\"hpcprof\",", s->out);
	json_member(s->out, "version", HPC_VERSION);
	fputs("},\n", s->out);
	rc = put_profiles(s, e);
	fputs("}]}],\n", s->out);
	if (rc == 0)
		put_dictionary(s);
	fputs("}\n", s->out);
	return rc == 0 && s->starved ? error_memory(e, 0) : rc;
}

static int emit(struct export_data *x, struct error *e)
{
	struct otlp s = {.x = x, .out = x->out, .strings = strings_create()};
	int rc = s.strings ? write_all(&s, e) : error_memory(e, 0);

	interner_deinit(&s.stacks);
	interner_deinit(&s.locations);
	interner_deinit(&s.functions);
	vec_free(&s.attributes);
	vec_free(&s.indices);
	strings_destroy(s.strings);
	return rc;
}

const struct export_format export_otlp = {
    .name = "otlp",
    .shape = PATH_TREE_CONTEXTS,
    .parts = true,
    .paths = true,
    .most = INT64_MAX,
    .write = emit,
};
