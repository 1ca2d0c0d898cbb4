/* As linear_imports.c, for pprof's files: their strings, functions and places are meant by their
 * numbers. */
#include "formats/pprof.h"
#include "hpcprof/import/import.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/growth_files.h"
#include "tests/lib/unit/scratch.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message that is made, before its length is known. */
struct message {
	uint8_t *at;
	size_t len, cap;
};

static void put_varint(struct message *m, uint64_t value)
{
	do {
		if (m->len == m->cap) {
			m->cap = 2 * m->cap + 64;
			m->at = realloc(m->at, m->cap);
			if (!m->at)
				abort();
		}
		m->at[m->len++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
}

static void put_number(struct message *m, unsigned field, uint64_t value)
{
	put_varint(m, field << 3);
	put_varint(m, value);
}

/* Append part to m as a field, and empty it. */
static void put_message(struct message *m, unsigned field, struct message *part)
{
	put_varint(m, field << 3 | 2);
	put_varint(m, part->len);
	for (size_t i = 0; i < part->len; i++)
		put_varint(m, 0); /* makes room */
	memcpy(m->at + m->len - part->len, part->at, part->len);
	part->len = 0;
}

static void put_text(struct message *m, const char *text)
{
	struct message part = {.at = (uint8_t *)(uintptr_t)text, .len = strlen(text)};

	if (part.len) {
		put_message(m, PPROF_PROFILE_STRING_TABLE, &part);
		return;
	}
	put_varint(m, PPROF_PROFILE_STRING_TABLE << 3 | 2);
	put_varint(m, 0);
}

/* A type "s" in "count", and the strings "", these two, and one of so many bytes. */
enum { TEXT_S = 1, TEXT_COUNT, TEXT_LONG };
static void begin_pprof(struct message *m, size_t long_bytes)
{
	struct message part = {0};
	char *text = calloc(1, long_bytes + 1);

	if (!text)
		abort();
	memset(text, 'n', long_bytes);
	put_number(&part, PPROF_VALUE_TYPE_TYPE, TEXT_S);
	put_number(&part, PPROF_VALUE_TYPE_UNIT, TEXT_COUNT);
	put_message(m, PPROF_PROFILE_SAMPLE_TYPE, &part);
	put_text(m, "");
	put_text(m, "s");
	put_text(m, "count");
	put_text(m, text);
	free(part.at);
	free(text);
}

static void put_function(struct message *m, uint64_t id, uint64_t name)
{
	struct message part = {0};

	put_number(&part, PPROF_FUNCTION_ID, id);
	put_number(&part, PPROF_FUNCTION_NAME, name);
	put_message(m, PPROF_PROFILE_FUNCTION, &part);
	free(part.at);
}

/* lines: of which each has another number. */
static void put_location(struct message *m, uint64_t id, uint64_t function, size_t lines)
{
	struct message part = {0}, line = {0};

	put_number(&part, PPROF_LOCATION_ID, id);
	for (size_t i = 0; i < lines; i++) {
		put_number(&line, PPROF_LINE_FUNCTION_ID, function);
		put_number(&line, PPROF_LINE_LINE, i);
		put_message(&part, PPROF_LOCATION_LINE, &line);
	}
	put_message(m, PPROF_PROFILE_LOCATION, &part);
	free(part.at);
	free(line.at);
}

/* frames: how often the location is in the path. label: NULL or one. */
static void put_sample(struct message *m, uint64_t location, size_t frames, struct message *label)
{
	struct message part = {0}, path = {0};

	while (frames--)
		put_varint(&path, location);
	put_message(&part, PPROF_SAMPLE_LOCATION_ID, &path);
	put_number(&part, PPROF_SAMPLE_VALUE, 1);
	if (label)
		put_message(&part, PPROF_SAMPLE_LABEL, label);
	put_message(m, PPROF_PROFILE_SAMPLE, &part);
	free(part.at);
	free(path.at);
}

static void end_pprof(struct message *m, FILE *out)
{
	fwrite(m->at, 1, m->len, out);
	free(m->at);
}

static void pprof_deep(FILE *out, size_t bytes)
{
	struct message m = {0};

	begin_pprof(&m, 1);
	put_function(&m, 1, TEXT_S);
	put_location(&m, 1, 1, 1);
	put_sample(&m, 1, bytes, NULL);
	end_pprof(&m, out);
}

static void pprof_inlined(FILE *out, size_t bytes)
{
	struct message m = {0};

	begin_pprof(&m, 1);
	put_function(&m, 1, TEXT_S);
	put_location(&m, 1, 1, bytes / 2 / 7);
	put_sample(&m, 1, bytes / 2, NULL);
	end_pprof(&m, out);
}

/* Many inlined functions at each place, in one path of new frames, or in one again and again. */
static void pprof_most_frames(FILE *out, size_t bytes)
{
	struct message m = {0};

	begin_pprof(&m, 1);
	put_function(&m, 1, TEXT_S);
	put_location(&m, 1, 1, 100);
	put_sample(&m, 1, bytes / 65, NULL);
	while (m.len < bytes)
		put_number(&m, PPROF_PROFILE_COMMENT, 1);
	end_pprof(&m, out);
}

static void pprof_most_visits(FILE *out, size_t bytes)
{
	struct message m = {0};

	begin_pprof(&m, 1);
	put_function(&m, 1, TEXT_S);
	put_location(&m, 1, 1, 100);
	while (m.len < bytes)
		put_sample(&m, 1, 1, NULL);
	end_pprof(&m, out);
}

static void pprof_long(FILE *out, size_t bytes)
{
	struct message m = {0};

	begin_pprof(&m, bytes / 2);
	put_function(&m, 1, TEXT_LONG);
	put_location(&m, 1, 1, 1);
	for (size_t i = 0; i < bytes / 2 / 8; i++)
		put_sample(&m, 1, 1, NULL);
	end_pprof(&m, out);
}

static void pprof_functions(FILE *out, size_t bytes)
{
	struct message m = {0};

	begin_pprof(&m, bytes / 2);
	for (size_t i = 1; i < bytes / 2 / 32; i++) {
		put_function(&m, i, TEXT_LONG);
		put_location(&m, i, i, 1);
		put_sample(&m, i, 1, NULL);
	}
	end_pprof(&m, out);
}

static void pprof_mappings(FILE *out, size_t bytes)
{
	struct message m = {0}, part = {0};

	begin_pprof(&m, bytes / 2);
	for (size_t i = 1; i < bytes / 2 / 30; i++) {
		put_number(&part, PPROF_MAPPING_ID, i);
		put_number(&part, PPROF_MAPPING_FILENAME, TEXT_LONG);
		put_message(&m, PPROF_PROFILE_MAPPING, &part);
		put_number(&part, PPROF_LOCATION_ID, i);
		put_number(&part, PPROF_LOCATION_MAPPING_ID, i);
		put_message(&m, PPROF_PROFILE_LOCATION, &part);
		put_sample(&m, i, 1, NULL);
	}
	free(part.at);
	end_pprof(&m, out);
}

static void pprof_threads(FILE *out, size_t bytes)
{
	struct message m = {0}, part = {0};

	begin_pprof(&m, bytes / 2);
	put_text(&m, "thread");
	put_function(&m, 1, TEXT_LONG);
	put_location(&m, 1, 1, 1);
	for (size_t i = 1; i < bytes / 2 / 20; i++) {
		put_number(&part, PPROF_LABEL_KEY, TEXT_LONG + 1);
		put_number(&part, PPROF_LABEL_STR, TEXT_LONG);
		put_number(&part, PPROF_LABEL_NUM, i);
		put_sample(&m, 1, 1, &part);
	}
	free(part.at);
	end_pprof(&m, out);
}

static void pprof_types(FILE *out, size_t bytes)
{
	struct message m = {0}, part = {0}, path = {0};

	for (int i = 1; i < 100; i++) {
		put_number(&part, PPROF_VALUE_TYPE_TYPE, TEXT_LONG);
		put_number(&part, PPROF_VALUE_TYPE_UNIT, TEXT_LONG);
		put_message(&m, PPROF_PROFILE_SAMPLE_TYPE, &part);
	}
	begin_pprof(&m, bytes / 2);
	put_function(&m, 1, TEXT_LONG);
	put_location(&m, 1, 1, 1);
	for (size_t i = 1; i < bytes / 2 / 110; i++) {
		put_varint(&path, 1);
		put_message(&part, PPROF_SAMPLE_LOCATION_ID, &path);
		for (int k = 0; k < 100; k++)
			put_varint(&path, 1);
		put_message(&part, PPROF_SAMPLE_VALUE, &path);
		put_message(&m, PPROF_PROFILE_SAMPLE, &part);
	}
	free(part.at);
	free(path.at);
	end_pprof(&m, out);
}

static const struct growth_file families[] = {
    {"pprof: deep", "text", pprof_deep, 0, false},
    {"pprof: inlined", "text", pprof_inlined, 0, true},
    {"pprof: most frames", "text", pprof_most_frames, 512, false},
    {"pprof: most visits", "text", pprof_most_visits, 0, false},
    {"pprof: a long name", "text", pprof_long, 0, false},
    {"pprof: functions", "text", pprof_functions, 0, false},
    {"pprof: mappings", "text", pprof_mappings, 0, false},
    {"pprof: threads", "text", pprof_threads, 0, false},
    {"pprof: by thread", GROWTH_BY_THREAD, pprof_threads, 0, false},
    {"pprof: types", "text", pprof_types, 0, false},
};

static void all_grow_with_their_bytes(void **state)
{
	(void)state;
	growth_of_files(families, sizeof families / sizeof *families);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_grow_with_their_bytes),
	};
	importers_add(&import_importer);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
