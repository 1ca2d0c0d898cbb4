#include "tests/lib/unit/fake_code.h"

#include "hpcprof/correlate/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned fake_chain(uint64_t address, unsigned functions[FAKE_LONGEST_CHAIN])
{
	unsigned n = 0;
	for (unsigned k = 0; k < FAKE_LONGEST_CHAIN; k++) {
		unsigned f = address >> (4 + 6 * k) & 63;
		if (!f)
			break;
		functions[n++] = f;
	}
	if (!n)
		functions[n++] = 1;
	return n;
}

unsigned fake_line(uint64_t address)
{
	unsigned f = address >> 4 & 63;
	return (f ? f : 1) * 100 + (unsigned)(address >> 22 & 63);
}

static void need(bool ok)
{
	if (ok)
		return;
	fprintf(stderr, "fake_code: out of memory\n");
	abort();
}

/* The index of the function in the module, which is appended if it is new. */
static uint32_t function_of(struct symbolized *c, const char *name, uint32_t module, unsigned f)
{
	for (uint32_t i = 0; i < c->functions.len; i++)
		if (c->functions.at[i].module == module && c->functions.at[i].low == f)
			return i;
	need(vec_push(&c->functions, (struct code_function){.name = name,
							    .linkage_name = name,
							    .module = module,
							    .low = f,
							    .source = SYMBOL_DWARF}));
	return (uint32_t)c->functions.len - 1;
}

static uint32_t file_of(struct symbolized *c, unsigned f)
{
	char name[16];
	int n = snprintf(name, sizeof name, "f%u.c", (f - 1) / 2);

	for (uint32_t i = 0; i < c->files.len; i++)
		if (strcmp(c->files.at[i].name, name) == 0)
			return i;
	need(vec_push(&c->files,
		      (struct code_file){.name = arena_strndup(&c->arena, name, (size_t)n)}));
	return (uint32_t)c->files.len - 1;
}

static uint32_t line_of(struct symbolized *c, uint32_t file, unsigned line, uint32_t function)
{
	for (uint32_t i = 0; i < c->lines.len; i++)
		if (c->lines.at[i].file == file && c->lines.at[i].line == line) {
			c->lines.at[i].several |= c->lines.at[i].function != function;
			return i;
		}
	need(vec_push(&c->lines,
		      (struct code_line){.file = file, .line = line, .function = function}));
	return (uint32_t)c->lines.len - 1;
}

void fake_code(const struct model *m, const char *const *names, struct symbolized *out)
{
	memset(out, 0, sizeof *out);
	out->first = calloc(m->frames.len + 1, sizeof *out->first);
	out->modules = calloc(m->modules.len + 1, sizeof *out->modules);
	out->paths = strings_create();
	out->creators = calloc(m->threads.len + 1, sizeof *out->creators);
	need(out->first && out->modules && out->paths && out->creators);
	for (size_t i = 0; i < m->threads.len; i++) {
		const struct model_threads *g = &m->threads.at[i];
		unsigned chain[FAKE_LONGEST_CHAIN] = {0};
		if (g->num_calls)
			fake_chain(g->call[0].address, chain);
		out->creators[i] = g->num_calls ? names[chain[0] - 1]
				   : g->creator ? g->creator
						: "";
	}
	for (size_t i = 0; i < m->frames.len; i++) {
		const struct model_frame *f = &m->frames.at[i];
		unsigned chain[FAKE_LONGEST_CHAIN], n = fake_chain(f->address, chain);
		for (unsigned k = 0; k < n; k++) {
			uint32_t function =
			    function_of(out, names[chain[k] - 1], f->module, chain[k]);
			unsigned line = k ? chain[k] * 100 : fake_line(f->address);
			bool inlined = k + 1 < n;
			out->functions.at[function].inlined |= inlined;
			out->functions.at[function].standing |= !inlined;
			need(vec_push(&out->frames, (struct code_frame){
							.function = function,
							.line = line_of(out, file_of(out, chain[k]),
									line, function),
							.inlined = inlined}));
		}
		out->first[i + 1] = (uint32_t)out->frames.len;
	}
	need(groups_find(out, m, NULL) == 0);
}
