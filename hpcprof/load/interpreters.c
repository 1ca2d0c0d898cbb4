#include "hpcprof/load/interpreters.h"

#include "formats/identity/content_id.h"

#include <stdlib.h>
#include <string.h>

static bool same_text(struct reader_text a, struct reader_text b)
{
	return a.n == b.n && (!a.n || memcmp(a.at, b.at, a.n) == 0);
}

/* As model_module has it: a merged file may have a module in several pieces. */
static bool same_module(const struct reader_module *a, const struct reader_module *b)
{
	return same_text(a->build_id, b->build_id) &&
	       (same_text(a->name, b->name) ||
		(a->build_id.n && !content_id_is(a->build_id.at, a->build_id.n)));
}

static const struct reader_module *module_of(const struct relocator *r, uint32_t span)
{
	return &r->epoch->modules[r->spans[span].module];
}

bool interpreters_add(struct interpreters *x, const struct relocator *r, uint64_t address)
{
	uint32_t at = relocate_find(r, address);

	if (at == r->num_spans || x->n == INTERPRETERS)
		return true;
	if (!x->bits)
		x->bits = calloc(r->num_spans, sizeof *x->bits);
	if (!x->bits)
		return false;
	if (x->bits[at])
		return true;
	for (uint32_t i = 0; i < r->num_spans; i++)
		if (same_module(module_of(r, i), module_of(r, at)))
			x->bits[i] = (uint8_t)(1 << x->n);
	x->n++;
	return true;
}

uint8_t interpreters_bit(const struct interpreters *x, const struct relocator *r, uint64_t address)
{
	uint32_t at = x->bits ? relocate_find(r, address) : r->num_spans;

	return at < r->num_spans ? x->bits[at] : 0;
}

void interpreters_deinit(struct interpreters *x)
{
	free(x->bits);
	*x = (struct interpreters){0};
}
