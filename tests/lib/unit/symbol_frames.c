#include "tests/lib/unit/symbol_frames.h"

#include "symbolize/symbolize.h"

static const char *problem(const struct symbol_table *t, size_t n)
{
	if (t->num_addresses != n || t->first[0] != 0)
		return "wrong table";
	for (size_t i = 0; i < n; i++) {
		if (t->first[i + 1] <= t->first[i])
			return "an address without frames";
		for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
			const struct symbol_frame *f = &t->frames[k];
			if (!f->function || !f->function->name[0] || !f->function->linkage_name[0])
				return "a frame without a name";
			if (f->inlined != (k + 1 < t->first[i + 1]))
				return "only the outermost frame is not inlined";
		}
	}
	for (size_t i = 0; i < t->num_statements; i++) {
		const struct symbol_statement *now = &t->statements[i];
		if (!now->file || !now->line || (i && now->address < now[-1].address))
			return "a statement nowhere, or not in order";
	}
	return NULL;
}

const char *symbol_frames_problem(const char *path, const uint64_t *addresses, size_t n)
{
	struct symbolize_request request = {.path = path,
					    .name = "m",
					    .addresses = addresses,
					    .num_addresses = n,
					    .statements = true};
	struct symbolizer *s = symbolizer_create(NULL);
	const char *found = "no memory";
	struct symbol_table table;

	if (s && symbolize_module(s, &request, &table, NULL) == 0) {
		found = problem(&table, n);
		symbol_table_free(&table);
	}
	symbolizer_destroy(s);
	return found;
}
