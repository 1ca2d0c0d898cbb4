/* pprof's profile.proto, compressed with gzip. A node of the tree is a context of the model: its
 * frame is a Location, with the inlined functions there as its lines, and a context with values is
 * a Sample. Addresses are those in the load modules' files. */
#include "formats/base/arena.h"
#include "formats/pprof.h"
#include "hpcprof/export/formats/formats.h"
#include "hpcprof/export/formats/protobuf.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/model/wall_time.h"
#include "hpcprof/terminal/layout.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Frames that are none of the model's: their Locations have the first ids, and their functions the
 * last. */
enum special { PARTIAL, LEFT_OUT, NUM_SPECIAL };
static const char *const special_names[] = {
    [PARTIAL] = EXPORT_PARTIAL, [LEFT_OUT] = EXPORT_LEFT_OUT};

struct pprof {
	struct export_data *x;
	struct strings *strings;
	uint32_t num_strings;
	struct interner functions; /* function << 32 | file; the id of one is its index + 1 */
	bool *used;                /* [frames] it has a Location; see location_id */
	bool used_special[NUM_SPECIAL];
	bool starved;
	/* messages that are being made, from the outermost in */
	struct protobuf message, inner, list;
	/* the compressor */
	z_stream zip;
	uint8_t packed[1 << 16];
};

/* ---- output ------------------------------------------------------------------------ */

/* Compress n bytes. Z_FINISH ends the stream. */
static void pack(struct pprof *s, const void *at, size_t n, int flush)
{
	int rc = Z_OK;

	s->zip.next_in = (Bytef *)(uintptr_t)at;
	s->zip.avail_in = (uInt)n;
	do {
		s->zip.next_out = s->packed;
		s->zip.avail_out = sizeof s->packed;
		rc = deflate(&s->zip, flush);
		fwrite(s->packed, 1, sizeof s->packed - s->zip.avail_out, s->x->out);
	} while (!s->zip.avail_out && rc != Z_STREAM_END);
}

/* Write s->message as a field of the profile. */
static void put_message(struct pprof *s, uint32_t field)
{
	struct protobuf *list = &s->list;

	protobuf_clear(list);
	protobuf_message(list, field, &s->message);
	s->starved |= list->failed;
	if (!list->failed)
		pack(s, list->bytes.at, list->bytes.len, Z_NO_FLUSH);
	protobuf_clear(&s->message);
}

static void put_number(struct pprof *s, uint32_t field, uint64_t value)
{
	protobuf_clear(&s->list);
	protobuf_number(&s->list, field, value);
	s->starved |= s->list.failed;
	if (!s->list.failed)
		pack(s, s->list.bytes.at, s->list.bytes.len, Z_NO_FLUSH);
}

/* The index of a string in the table. */
static uint64_t string(struct pprof *s, const char *text)
{
	uint32_t id = strings_intern(s->strings, text ? text : "", text ? strlen(text) : 0);

	s->starved |= id == UINT32_MAX;
	if (id >= s->num_strings && id != UINT32_MAX)
		s->num_strings = id + 1;
	return id;
}

/* ---- parts of the profile ---------------------------------------------------------- */

static const char *unit_of(const struct shown_metric *c)
{
	if (strcmp(c->unit, "ns") == 0)
		return "nanoseconds";
	return c->unit[0] ? c->unit : "count";
}

static uint64_t type_name(struct pprof *s, const struct shown_metric *c)
{
	const char *name;

	if (!c->of_samples)
		return string(s, c->metric_name);
	name = layout_format(&s->x->arena, "%s_samples", c->metric_name);
	s->starved |= !name;
	return string(s, name);
}

static void put_type(struct pprof *s, uint32_t field, const struct shown_metric *c)
{
	protobuf_number(&s->message, PPROF_VALUE_TYPE_TYPE, type_name(s, c));
	protobuf_number(&s->message, PPROF_VALUE_TYPE_UNIT, string(s, unit_of(c)));
	put_message(s, field);
}

static bool is_written(const struct export_data *x, size_t column)
{
	return column < x->num_metrics || export_is_sampled(x, column - x->num_metrics);
}

/* Samples first, as profile.proto suggests. */
static size_t column_at(const struct export_data *x, size_t i)
{
	return i < x->num_metrics ? x->num_metrics + i : i - x->num_metrics;
}

static void put_types(struct pprof *s)
{
	const struct export_data *x = s->x;

	for (size_t i = 0; i < x->columns.len; i++)
		if (is_written(x, column_at(x, i)))
			put_type(s, PPROF_PROFILE_SAMPLE_TYPE, &x->columns.at[column_at(x, i)]);
	if (!x->num_metrics)
		return;
	put_number(s, PPROF_PROFILE_DEFAULT_SAMPLE_TYPE, type_name(s, &x->columns.at[0]));
	put_type(s, PPROF_PROFILE_PERIOD_TYPE, &x->columns.at[0]);
	put_number(s, PPROF_PROFILE_PERIOD, x->columns.at[0].metric->interval);
}

/* The duration is that in which a process ran: pprof compares the CPU time with it. */
static bool put_times(struct pprof *s)
{
	struct wall_time w;

	if (!wall_time_measure(s->x->m, NULL, NULL, &w))
		return false;
	if (w.ran_ns) {
		put_number(s, PPROF_PROFILE_TIME_NANOS, w.start_ns);
		put_number(s, PPROF_PROFILE_DURATION_NANOS, w.ran_ns);
	}
	return true;
}

static uint64_t location_id(uint32_t frame)
{
	return frame + UINT64_C(1) + NUM_SPECIAL;
}

/* The path from a node out. */
static void add_locations(struct pprof *s, uint32_t node)
{
	uint32_t n;
	const uint32_t *path = export_path(s->x, node, &n);

	protobuf_clear(&s->list);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = path[i];
		if (at == PATH_TREE_PARTIAL_ROOT || at == EXPORT_MIDDLE) {
			enum special k = at == EXPORT_MIDDLE ? LEFT_OUT : PARTIAL;
			s->used_special[k] = true;
			protobuf_varint(&s->list, k + UINT64_C(1));
			continue;
		}
		s->used[model_frame_of(s->x->m, at)] = true;
		protobuf_varint(&s->list, location_id(model_frame_of(s->x->m, at)));
	}
	protobuf_message(&s->message, PPROF_SAMPLE_LOCATION_ID, &s->list);
}

static bool has_values(const struct export_data *x, const uint64_t *values)
{
	uint64_t any = 0;

	for (size_t i = 0; i < x->columns.len; i++)
		any |= values[i];
	return any != 0;
}

static void put_sample(struct pprof *s, uint32_t node, const uint64_t *values, const char *part)
{
	const struct export_data *x = s->x;
	static const char *const keys[] = {"", "profile", "thread", "process", "rank", "host"};

	add_locations(s, node);
	protobuf_clear(&s->list);
	for (size_t i = 0; i < x->columns.len; i++) {
		uint64_t value = values[column_at(x, i)];
		if (is_written(x, column_at(x, i)))
			protobuf_varint(&s->list, value > INT64_MAX ? INT64_MAX : value);
	}
	protobuf_message(&s->message, PPROF_SAMPLE_VALUE, &s->list);
	if (part) {
		protobuf_clear(&s->inner);
		protobuf_number(&s->inner, PPROF_LABEL_KEY, string(s, keys[x->o->common.by]));
		protobuf_number(&s->inner, PPROF_LABEL_STR, string(s, part));
		protobuf_message(&s->message, PPROF_SAMPLE_LABEL, &s->inner);
	}
	put_message(s, PPROF_PROFILE_SAMPLE);
}

static int put_samples(struct pprof *s, struct error *e)
{
	const struct path_tree *t = &s->x->tree;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->x->num_parts; i++) {
		struct export_part part;
		rc = export_part_init(&part, s->x, i, e);
		for (uint32_t k = 0; rc == 0 && !s->starved && k < t->num_order; k++) {
			const uint64_t *values = &part.exclusive[t->order[k] * t->num_columns];
			if (has_values(s->x, values))
				put_sample(s, t->order[k], values, part.name);
		}
		export_part_deinit(&part);
	}
	return rc;
}

/* The id of a function with code in a file: a Line has a number only. */
static uint64_t function_id(struct pprof *s, const struct code_frame *f)
{
	uint32_t file = s->x->c->lines.at[f->line].file;
	uint32_t id = interner_add(&s->functions, (uint64_t)f->function << 32 | file);

	s->starved |= id == INTERNER_NONE;
	return id + UINT64_C(1);
}

static void put_location(struct pprof *s, uint32_t frame)
{
	const struct model_frame *f = &s->x->m->frames.at[frame];
	const struct symbolized *c = s->x->c;

	protobuf_number(&s->message, PPROF_LOCATION_ID, location_id(frame));
	protobuf_number(&s->message, PPROF_LOCATION_MAPPING_ID, f->module + UINT64_C(1));
	if (f->role < FRAME_ADDRESSED)
		protobuf_number(&s->message, PPROF_LOCATION_ADDRESS, f->address);
	for (uint32_t k = c->first[frame]; k < c->first[frame + 1]; k++) {
		const struct code_frame *code = &c->frames.at[k];
		protobuf_clear(&s->inner);
		protobuf_number(&s->inner, PPROF_LINE_FUNCTION_ID, function_id(s, code));
		protobuf_number(&s->inner, PPROF_LINE_LINE, c->lines.at[code->line].line);
		protobuf_message(&s->message, PPROF_LOCATION_LINE, &s->inner);
	}
	put_message(s, PPROF_PROFILE_LOCATION);
}

static void put_special(struct pprof *s, enum special k)
{
	uint64_t function = s->functions.len + UINT64_C(1) + k;

	protobuf_clear(&s->inner);
	protobuf_number(&s->inner, PPROF_LINE_FUNCTION_ID, function);
	protobuf_number(&s->message, PPROF_LOCATION_ID, k + UINT64_C(1));
	protobuf_message(&s->message, PPROF_LOCATION_LINE, &s->inner);
	put_message(s, PPROF_PROFILE_LOCATION);
	protobuf_number(&s->message, PPROF_FUNCTION_ID, function);
	protobuf_number(&s->message, PPROF_FUNCTION_NAME, string(s, special_names[k]));
	put_message(s, PPROF_PROFILE_FUNCTION);
}

static void put_locations(struct pprof *s)
{
	for (uint32_t i = 0; i < s->x->m->frames.len; i++)
		if (s->used[i])
			put_location(s, i);
	for (unsigned k = 0; k < NUM_SPECIAL; k++)
		if (s->used_special[k])
			put_special(s, k);
}

/* pprof shortens a name that is also the system's, as it takes it for one that nobody demangled. */
static uint64_t linkage_name(struct pprof *s, const struct code_function *f)
{
	const char *clean;

	if (strcmp(f->linkage_name, f->name) == 0)
		return 0;
	clean = layout_clean(&s->x->arena, f->linkage_name);
	s->starved |= !clean;
	return string(s, clean);
}

static void put_functions(struct pprof *s)
{
	const struct export_data *x = s->x;

	for (uint32_t i = 0; i < s->functions.len; i++) {
		uint32_t id = (uint32_t)(s->functions.keys[i] >> 32);
		const char *file = x->files[(uint32_t)s->functions.keys[i]];
		const struct code_function *f = &x->c->functions.at[id];
		bool here = file && x->declared[id] && strcmp(file, x->declared[id]) == 0;
		protobuf_number(&s->message, PPROF_FUNCTION_ID, i + UINT64_C(1));
		protobuf_number(&s->message, PPROF_FUNCTION_NAME, string(s, x->functions[id]));
		protobuf_number(&s->message, PPROF_FUNCTION_SYSTEM_NAME, linkage_name(s, f));
		protobuf_number(&s->message, PPROF_FUNCTION_FILENAME, string(s, file));
		if (here)
			protobuf_number(&s->message, PPROF_FUNCTION_START_LINE, f->line);
		put_message(s, PPROF_PROFILE_FUNCTION);
	}
}

/* A mapping of the whole file, at the addresses in it. Names are found here and nowhere else, so
 * pprof need not look for the files. */
static void put_mapping(struct pprof *s, uint32_t module)
{
	const struct model_module *m = &s->x->m->modules.at[module];
	const struct model_frame *end = s->x->m->frames.at + m->first_frame + m->num_frames;
	uint64_t last = m->num_frames ? end[-1].address : 0;
	uint64_t limit = last < UINT64_MAX ? last + 1 : last;

	protobuf_number(&s->message, PPROF_MAPPING_ID, module + UINT64_C(1));
	protobuf_number(&s->message, PPROF_MAPPING_LIMIT, limit);
	protobuf_number(&s->message, PPROF_MAPPING_FILENAME, string(s, s->x->modules[module]));
	protobuf_number(&s->message, PPROF_MAPPING_BUILD_ID, string(s, m->build_id));
	protobuf_number(&s->message, PPROF_MAPPING_HAS_FUNCTIONS, 1);
	protobuf_number(&s->message, PPROF_MAPPING_HAS_FILENAMES, 1);
	protobuf_number(&s->message, PPROF_MAPPING_HAS_LINE_NUMBERS, 1);
	protobuf_number(&s->message, PPROF_MAPPING_HAS_INLINE_FRAMES, 1);
	put_message(s, PPROF_PROFILE_MAPPING);
}

/* The main program is first. */
static void put_mappings(struct pprof *s)
{
	const struct model *m = s->x->m;
	const char *program = export_program(m);
	uint32_t first = 0;

	for (uint32_t i = 0; i < m->modules.len; i++)
		if (strcmp(m->modules.at[i].name, program) == 0)
			first = i;
	if (m->modules.len)
		put_mapping(s, first);
	for (uint32_t i = 0; i < m->modules.len; i++)
		if (i != first)
			put_mapping(s, i);
}

static void put_strings(struct pprof *s)
{
	protobuf_clear(&s->message);
	for (uint32_t i = 0; i < s->num_strings; i++) {
		const char *text = strings_get(s->strings, i);
		protobuf_clear(&s->list);
		protobuf_bytes(&s->list, PPROF_PROFILE_STRING_TABLE, text, strlen(text));
		s->starved |= s->list.failed;
		if (!s->starved)
			pack(s, s->list.bytes.at, s->list.bytes.len, Z_NO_FLUSH);
	}
}

static int write_all(struct pprof *s, struct error *e)
{
	int rc;

	string(s, ""); /* the first string of the table has to be empty */
	put_types(s);
	rc = put_times(s) ? put_samples(s, e) : error_memory(e, 0);
	if (rc != 0)
		return rc;
	put_mappings(s);
	put_locations(s);
	put_functions(s);
	put_number(s, PPROF_PROFILE_COMMENT, string(s, "hpcprof " HPC_VERSION));
	put_strings(s);
	pack(s, "", 0, Z_FINISH);
	return s->starved ? error_memory(e, 0) : 0;
}

/* windowBits of zlib for a gzip file. */
enum { GZIP_BITS = 15 + 16, MEMORY_LEVEL = 8 };

static int emit(struct export_data *x, struct error *e)
{
	struct pprof *s = calloc(1, sizeof *s);
	int rc = -1;

	if (!s)
		return error_memory(e, sizeof *s);
	s->x = x;
	s->strings = strings_create();
	s->used = calloc(x->m->frames.len + 1, sizeof *s->used);
	if (s->strings && s->used &&
	    deflateInit2(&s->zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) == Z_OK) {
		rc = write_all(s, e);
		deflateEnd(&s->zip);
	} else {
		error_memory(e, x->m->frames.len);
	}
	protobuf_deinit(&s->message);
	protobuf_deinit(&s->inner);
	protobuf_deinit(&s->list);
	interner_deinit(&s->functions);
	strings_destroy(s->strings);
	free(s->used);
	free(s);
	return rc;
}

const struct export_format export_pprof = {
    .name = "pprof",
    .shape = PATH_TREE_CONTEXTS,
    .binary = true,
    .parts = true,
    .paths = true,
    .most = INT64_MAX,
    .write = emit,
};
