/* Fuzzes the file of names that are kept: whatever it contains, what is read of it is complete, and
 * a file that is not read has a reason. */
#include "symbolize/pack.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
	if (!ok)
		abort();
}

static void check(const struct symbol_pack *p)
{
	const struct symbol_table *t = &p->table;

	need(t->num_addresses == p->num_addresses && t->first[0] == 0);
	for (size_t i = 0; i < p->num_addresses; i++) {
		need(!i || p->addresses[i] > p->addresses[i - 1]);
		need(symbol_pack_find(p, p->addresses[i]) == i);
		need(t->first[i + 1] > t->first[i]);
		for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
			const struct symbol_frame *f = &t->frames[k];
			need(f->function->name[0] && f->function->linkage_name);
			need(f->function->source <= SYMBOL_NONE);
			need(f->inlined == (k + 1 < t->first[i + 1]));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbol_names *names = symbol_names_create();
	struct error why = {.kind = ERROR_NONE};
	struct functions functions;
	struct symbol_pack p;
	struct arena arena;

	arena_init(&arena);
	functions_init(&functions, &arena);
	need(names && symbol_pack_parse(&p, data, size, "file", "0123456789abcdef", &functions,
					names, &why) == 0);
	if (p.num_addresses)
		check(&p);
	need((p.num_addresses != 0) == (why.kind == ERROR_NONE));
	symbol_pack_free(&p);
	functions_deinit(&functions);
	symbol_names_destroy(names);
	arena_deinit(&arena);
	return 0;
}
