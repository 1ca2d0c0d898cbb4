/* The chunk NAMES: names that nodes refer to by number (formats/identity/notes.h). */
#include "formats/base/search.h"
#include "reader/internal.h"

#include <stdlib.h>

enum { NAME_MIN_BYTES = 4 + CSP_TEXT_MIN_BYTES };

static int by_number(const void *pa, const void *pb)
{
	const struct reader_name *a = pa, *b = pb;
	return a->number < b->number ? -1 : a->number > b->number;
}

int trailer_names_get(struct reader *r, struct cursor *c, struct error *e)
{
	uint32_t n = 0;
	if (csp_get_count(c, "rows of NAMES", NAME_MIN_BYTES, &n, e))
		return -1;
	r->names = reader_table(r, n, sizeof *r->names, e);
	if (!r->names)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct reader_name *name = &r->names[i];
		struct csp_text text;
		if (csp_get_u32(c, "number of a NAMES row", &name->number, e) ||
		    trailer_index(c, "number of a NAMES row", name->number, CSP_NAMES, 4, e) ||
		    csp_get_text(c, "text of a NAMES row", &text, e))
			return -1;
		name->text = text_of(text);
	}
	qsort(r->names, n, sizeof *r->names, by_number);
	r->num_names = n;
	return 0;
}

void trailer_names_drop(struct reader *r)
{
	r->num_names = 0;
}

uint32_t reader_num_names(const struct reader *r)
{
	return r->num_names;
}

const struct reader_name *reader_name(const struct reader *r, uint32_t i)
{
	return &r->names[i];
}

struct reader_text reader_name_of(const struct reader *r, uint32_t number)
{
	uint32_t i = (uint32_t)SEARCH_FIRST(k, 0, r->num_names, r->names[k].number >= number);
	if (i < r->num_names && r->names[i].number == number)
		return r->names[i].text;
	return (struct reader_text){NULL, 0};
}
