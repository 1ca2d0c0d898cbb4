/* The tables of functions, frames and symbols. */
#include "hpcprof/export/formats/firefox.h"

#include <inttypes.h>
#include <string.h>

enum { CATEGORY = 1 }; /* of all frames: "Native" in the list that firefox.c writes */

struct firefox_frame {
	uint32_t function, line, depth; /* depth: of inlining */
	uint32_t symbol;                /* or FIREFOX_NO_SYMBOL */
};

uint32_t firefox_string(struct firefox *s, const char *text)
{
	uint32_t id = strings_intern(s->strings, text, strlen(text));

	if (id == UINT32_MAX)
		s->starved = true;
	else if (id >= s->num_strings)
		s->num_strings = id + 1;
	return id;
}

/* ---- columns ----------------------------------------------------------------------- */

void firefox_put_column(struct firefox *s, const char *name, uint32_t n, firefox_cell *cell)
{
	fprintf(s->x->out, ",\"%s\":[", name);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			fputc(',', s->x->out);
		cell(s, i);
	}
	fputc(']', s->x->out);
}

static void put_null(struct firefox *s, uint32_t i)
{
	(void)i;
	fputs("null", s->x->out);
}

static void put_false(struct firefox *s, uint32_t i)
{
	(void)i;
	fputs("false", s->x->out);
}

static void put_zero(struct firefox *s, uint32_t i)
{
	(void)i;
	fputc('0', s->x->out);
}

/* ---- functions --------------------------------------------------------------------- */

/* The function of a row, or NULL above partial paths. */
static const struct code_function *function_of(const struct firefox *s, uint32_t i)
{
	uint64_t key = s->functions.keys[i];

	return key == UINT64_MAX ? NULL : &s->x->c->functions.at[key >> 32];
}

static void put_function_name(struct firefox *s, uint32_t i)
{
	const struct code_function *f = function_of(s, i);
	const char *name = f ? s->x->functions[f - s->x->c->functions.at] : EXPORT_PARTIAL;

	fprintf(s->x->out, "%" PRIu32, firefox_string(s, name));
}

static void put_resource(struct firefox *s, uint32_t i)
{
	const struct code_function *f = function_of(s, i);

	if (f)
		fprintf(s->x->out, "%" PRIu32, f->module);
	else
		fputs("-1", s->x->out);
}

static void put_file(struct firefox *s, uint32_t i)
{
	const char *file = function_of(s, i) ? s->x->files[(uint32_t)s->functions.keys[i]] : NULL;

	if (file)
		fprintf(s->x->out, "%" PRIu32, firefox_string(s, file));
	else
		fputs("null", s->x->out);
}

/* Where it begins, if that is in this file. */
static void put_begin(struct firefox *s, uint32_t i)
{
	const struct code_function *f = function_of(s, i);
	const char *file = f ? s->x->files[(uint32_t)s->functions.keys[i]] : NULL;
	const char *declared = f ? s->x->declared[f - s->x->c->functions.at] : NULL;

	if (file && declared && strcmp(file, declared) == 0 && f->line)
		fprintf(s->x->out, "%" PRIu32, f->line);
	else
		fputs("null", s->x->out);
}

void firefox_put_functions(struct firefox *s)
{
	uint32_t n = s->functions.len;

	fprintf(s->x->out, ",\n\"funcTable\":{\"length\":%" PRIu32, n);
	firefox_put_column(s, "name", n, put_function_name);
	firefox_put_column(s, "isJS", n, put_false);
	firefox_put_column(s, "relevantForJS", n, put_false);
	firefox_put_column(s, "resource", n, put_resource);
	firefox_put_column(s, "fileName", n, put_file);
	firefox_put_column(s, "lineNumber", n, put_begin);
	firefox_put_column(s, "columnNumber", n, put_null);
	fputc('}', s->x->out);
}

/* ---- frames ------------------------------------------------------------------------ */

static struct firefox_frame frame_of(const struct firefox *s, uint32_t i)
{
	uint64_t level = s->levels.keys[s->frame_keys.keys[i] >> 32];
	uint64_t place = s->places.keys[level >> 32];

	return (struct firefox_frame){.function = (uint32_t)(place >> 32),
				      .line = (uint32_t)place,
				      .depth = (uint32_t)level,
				      .symbol = (uint32_t)s->frame_keys.keys[i]};
}

static void put_address(struct firefox *s, uint32_t i)
{
	(void)i;
	fputs("-1", s->x->out);
}

static void put_depth(struct firefox *s, uint32_t i)
{
	fprintf(s->x->out, "%" PRIu32, frame_of(s, i).depth);
}

static void put_category(struct firefox *s, uint32_t i)
{
	(void)i;
	fprintf(s->x->out, "%d", CATEGORY);
}

static void put_frame_function(struct firefox *s, uint32_t i)
{
	fprintf(s->x->out, "%" PRIu32, frame_of(s, i).function);
}

static void put_line(struct firefox *s, uint32_t i)
{
	uint32_t line = frame_of(s, i).line;

	if (line)
		fprintf(s->x->out, "%" PRIu32, line);
	else
		fputs("null", s->x->out);
}

static void put_frame_symbol(struct firefox *s, uint32_t i)
{
	uint32_t symbol = frame_of(s, i).symbol;

	if (symbol == FIREFOX_NO_SYMBOL)
		fputs("null", s->x->out);
	else
		fprintf(s->x->out, "%" PRIu32, symbol);
}

void firefox_put_frames(struct firefox *s)
{
	uint32_t n = s->frame_keys.len;

	fprintf(s->x->out, ",\n\"frameTable\":{\"length\":%" PRIu32, n);
	firefox_put_column(s, "address", n, put_address);
	firefox_put_column(s, "inlineDepth", n, put_depth);
	firefox_put_column(s, "category", n, put_category);
	firefox_put_column(s, "subcategory", n, put_zero);
	firefox_put_column(s, "func", n, put_frame_function);
	firefox_put_column(s, "nativeSymbol", n, put_frame_symbol);
	firefox_put_column(s, "innerWindowID", n, put_null);
	firefox_put_column(s, "line", n, put_line);
	firefox_put_column(s, "column", n, put_null);
	fputc('}', s->x->out);
}

/* ---- symbols ----------------------------------------------------------------------- */

static void put_symbol_module(struct firefox *s, uint32_t i)
{
	fprintf(s->x->out, "%" PRIu32, s->x->c->functions.at[s->symbols.keys[i]].module);
}

static void put_symbol_address(struct firefox *s, uint32_t i)
{
	fprintf(s->x->out, "%" PRIu64, s->x->c->functions.at[s->symbols.keys[i]].low);
}

static void put_symbol_name(struct firefox *s, uint32_t i)
{
	fprintf(s->x->out, "%" PRIu32, firefox_string(s, s->x->functions[s->symbols.keys[i]]));
}

/* By these the Firefox Profiler knows what was inlined into what. */
void firefox_put_symbols(struct firefox *s)
{
	uint32_t n = s->symbols.len;

	fprintf(s->x->out, ",\n\"nativeSymbols\":{\"length\":%" PRIu32, n);
	firefox_put_column(s, "libIndex", n, put_symbol_module);
	firefox_put_column(s, "address", n, put_symbol_address);
	firefox_put_column(s, "name", n, put_symbol_name);
	firefox_put_column(s, "functionSize", n, put_null);
	fputc('}', s->x->out);
}
