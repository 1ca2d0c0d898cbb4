/* The functions, mappings and locations of pprof. */
#include "formats/pprof.h"
#include "hpcprof/import/pprof_reader.h"

#include <stdio.h>
#include <string.h>

/* Number a message by its id, which is new and not 0. what: of the messages. */
static int add_id(struct pprof_reader *r, struct interner *ids, uint64_t id, size_t begin,
		  const char *what)
{
	char text[64];

	if (!id || interner_find(ids, id) != INTERNER_NONE) {
		snprintf(text, sizeof text, "two %s with the same id, or one without", what);
		return pprof_damaged(r, begin, text);
	}
	return interner_add(ids, id) != INTERNER_NONE ? 0 : pprof_out_of_memory(r);
}

static int read_function(struct pprof_reader *r, struct cursor c)
{
	struct pprof_function out = {0};
	size_t begin = c.pos;
	struct wire_field f;
	uint64_t id = 0;
	int rc = 0;

	while (rc == 0 && cursor_left(&c)) {
		size_t at = c.pos;
		if (!wire_field(&c, &f))
			return pprof_damaged(r, at, "a function is damaged");
		if (f.number == PPROF_FUNCTION_ID)
			id = f.value;
		else if (f.number == PPROF_FUNCTION_NAME)
			rc = pprof_text_in(r, &f, at, &out.name);
		else if (f.number == PPROF_FUNCTION_SYSTEM_NAME)
			rc = pprof_text_in(r, &f, at, &out.linkage_name);
		else if (f.number == PPROF_FUNCTION_FILENAME)
			rc = pprof_text_in(r, &f, at, &out.file);
		else if (f.number == PPROF_FUNCTION_START_LINE)
			out.line = f.value <= UINT32_MAX ? (uint32_t)f.value : 0;
	}
	if (!out.name)
		out.name = out.linkage_name;
	if (out.name && strcmp(out.name, MODEL_UNKNOWN_FUNCTION) == 0)
		out.name = NULL;
	if (out.linkage_name == out.name)
		out.linkage_name = NULL;
	if (rc == 0)
		rc = add_id(r, &r->function_ids, id, begin, "functions");
	if (rc != 0)
		return rc;
	return vec_push(&r->function_list, out) ? 0 : pprof_out_of_memory(r);
}

static int read_mapping(struct pprof_reader *r, struct cursor c)
{
	const char *name = NULL, *build_id = NULL;
	size_t begin = c.pos;
	struct wire_field f;
	uint64_t id = 0;
	uint32_t module;
	int rc = 0;

	while (rc == 0 && cursor_left(&c)) {
		size_t at = c.pos;
		if (!wire_field(&c, &f))
			return pprof_damaged(r, at, "a mapping is damaged");
		if (f.number == PPROF_MAPPING_ID)
			id = f.value;
		else if (f.number == PPROF_MAPPING_FILENAME)
			rc = pprof_text_in(r, &f, at, &name);
		else if (f.number == PPROF_MAPPING_BUILD_ID)
			rc = pprof_text_in(r, &f, at, &build_id);
	}
	if (rc == 0)
		rc = add_id(r, &r->mapping_ids, id, begin, "mappings");
	if (rc != 0)
		return rc;
	module = name ? parsed_module(r->p, name, build_id ? build_id : r->p->empty)
		      : PARSED_UNKNOWN_MODULE;
	return module != PARSED_NONE && vec_push(&r->modules, module) ? 0 : pprof_out_of_memory(r);
}

static int read_line(struct pprof_reader *r, struct cursor c)
{
	struct pprof_line out = {0};
	struct wire_field f;
	uint64_t line = 0;
	size_t begin = c.pos;

	while (cursor_left(&c)) {
		size_t at = c.pos;
		if (!wire_field(&c, &f))
			return pprof_damaged(r, at, "a line is damaged");
		if (f.number == PPROF_LINE_FUNCTION_ID)
			out.function = f.value;
		else if (f.number == PPROF_LINE_LINE)
			line = f.value;
	}
	out.line = line <= UINT32_MAX ? (uint32_t)line : 0; /* negative ones are not known */
	if (out.function && interner_find(&r->function_ids, out.function) == INTERNER_NONE)
		return pprof_damaged(r, begin, "a function that the profile does not have");
	return vec_push(&r->lines, out) ? 0 : pprof_out_of_memory(r);
}

static int read_location(struct pprof_reader *r, struct cursor c)
{
	struct pprof_location out = {.module = PARSED_UNKNOWN_MODULE, .first = r->lines.len};
	size_t begin = c.pos;
	struct wire_field f;
	uint64_t id = 0;
	int rc = 0;

	while (rc == 0 && cursor_left(&c)) {
		size_t at = c.pos;
		if (!wire_field(&c, &f))
			return pprof_damaged(r, at, "a location is damaged");
		if (f.number == PPROF_LOCATION_ID) {
			id = f.value;
		} else if (f.number == PPROF_LOCATION_MAPPING_ID && f.value) {
			uint32_t mapping = interner_find(&r->mapping_ids, f.value);
			if (mapping == INTERNER_NONE)
				return pprof_damaged(r, at,
						     "a mapping that the profile does not have");
			out.module = r->modules.at[mapping];
		} else if (f.number == PPROF_LOCATION_LINE) {
			if (f.type != WIRE_BYTES)
				return pprof_damaged(r, at, "a field has the wrong type");
			rc = read_line(r, f.bytes);
		}
	}
	if (rc != 0)
		return rc;
	out.end = r->lines.len;
	if (out.end == out.first && !vec_push(&r->lines, (struct pprof_line){0}))
		return pprof_out_of_memory(r);
	out.end = r->lines.len; /* code without a name is one frame */
	rc = add_id(r, &r->location_ids, id, begin, "locations");
	if (rc != 0)
		return rc;
	return vec_push(&r->location_list, out) ? 0 : pprof_out_of_memory(r);
}

int pprof_code_read(struct pprof_reader *r)
{
	int rc = pprof_each(r, &r->functions, read_function);

	if (rc == 0)
		rc = pprof_each(r, &r->mappings, read_mapping);
	return rc == 0 ? pprof_each(r, &r->locations, read_location) : rc;
}
