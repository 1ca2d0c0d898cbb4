#include "hpcprof/model/values.h"

#include "formats/base/search.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 1 << 16 }; /* rows that are not added up before the end */

bool model_value_is_code(uint32_t what)
{
	return what == CSP_VALUE_TARGET || what == CSP_VALUE_REPLAY || what == CSP_VALUE_ALIAS;
}

static void add(uint64_t *to, uint64_t value)
{
	bool saturated = false;
	*to = sum_add(*to, value, &saturated);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* ---- adding up --------------------------------------------------------------------------- */

static int compare_places(const struct value_place *a, const struct value_place *b)
{
	int c = compare_numbers(a->module, b->module);

	if (!c)
		c = compare_numbers(a->address, b->address);
	return c ? c : compare_numbers(a->what, b->what);
}

static int by_place(const void *pa, const void *pb)
{
	const struct value_row *a = pa, *b = pb;

	return compare_places(&a->place, &b->place);
}

static int by_value(const void *pa, const void *pb)
{
	const struct value_often *a = pa, *b = pb;
	int c = compare_places(&a->place, &b->place);

	if (!c)
		c = compare_numbers(a->module, b->module);
	return c ? c : compare_numbers(a->value, b->value);
}

static void add_up_rows(struct value_parts *p)
{
	struct value_row *last = NULL;
	size_t n = 0;

	if (p->rows.len)
		qsort(p->rows.at, p->rows.len, sizeof *p->rows.at, by_place);
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct value_row *row = &p->rows.at[i];
		if (!last || by_place(last, row) != 0) {
			last = &p->rows.at[n++];
			*last = *row;
			continue;
		}
		add(&last->count, row->count);
		add(&last->zeros, row->zeros);
		add(&last->same, row->same);
		add(&last->rest, row->rest);
		last->bytes = row->bytes > last->bytes ? row->bytes : last->bytes;
	}
	p->rows.len = n;
}

static void add_up_often(struct value_parts *p)
{
	struct value_often *last = NULL;
	size_t n = 0;

	if (p->often.len)
		qsort(p->often.at, p->often.len, sizeof *p->often.at, by_value);
	for (size_t i = 0; i < p->often.len; i++) {
		const struct value_often *o = &p->often.at[i];
		if (!last || by_value(last, o) != 0) {
			last = &p->often.at[n++];
			*last = *o;
			continue;
		}
		add(&last->count, o->count);
		add(&last->error, o->error);
		add(&last->rest, o->rest);
	}
	p->often.len = n;
}

static void add_up(struct value_parts *p)
{
	add_up_rows(p);
	add_up_often(p);
	p->settled = p->rows.len;
}

static bool is_rare(const struct model_frequent *f, uint64_t of)
{
	return f->count <= f->error || f->count - f->error < of / MODEL_VALUE_RARE;
}

bool model_add_value(struct model *m, const struct value_row *given,
		     const struct model_frequent *frequent, uint32_t n, bool whole)
{
	struct value_parts *p = &m->value_parts;
	struct value_row row = *given;
	bool ok = true;

	for (uint32_t i = 0; !whole && i < n; i++)
		if (is_rare(&frequent[i], row.count) && frequent[i].count > row.rest)
			row.rest = frequent[i].count;
	for (uint32_t i = 0; ok && i < n; i++) {
		struct value_often o = {.place = row.place,
					.module = frequent[i].module,
					.value = frequent[i].value,
					.count = frequent[i].count,
					.error = frequent[i].error,
					.rest = row.rest};
		if (whole || !is_rare(&frequent[i], row.count))
			ok = vec_push(&p->often, o);
	}
	if (ok && row.count)
		ok = vec_push(&p->rows, row);
	if (ok && p->rows.len > FEW && p->rows.len > 2 * p->settled)
		add_up(p);
	return ok;
}

static uint32_t new_module(const uint32_t *places, uint32_t module)
{
	return module == MODEL_NO_MODULE ? module : places[module];
}

void model_add_windows(struct model *m, const struct reader_windows *w)
{
	m->has_windows = true;
	add(&m->windows.windows, w->windows);
	add(&m->windows.steps, w->steps);
	add(&m->windows.ns, w->ns);
	add(&m->windows.dropped, w->dropped);
	for (int i = 0; i < CSP_VALUE_REFUSALS; i++)
		add(&m->windows.refused[i], w->refused[i]);
}

bool model_join_values(struct model *m, const struct model *from, const uint32_t *modules)
{
	struct value_parts *to = &m->value_parts;

	if (from->has_windows)
		model_add_windows(m, &from->windows);
	for (size_t i = 0; i < from->value_parts.rows.len; i++) {
		struct value_row row = from->value_parts.rows.at[i];
		row.place.module = new_module(modules, row.place.module);
		if (!vec_push(&to->rows, row))
			return false;
	}
	for (size_t i = 0; i < from->value_parts.often.len; i++) {
		struct value_often o = from->value_parts.often.at[i];
		o.place.module = new_module(modules, o.place.module);
		o.module = new_module(modules, o.module);
		if (!vec_push(&to->often, o))
			return false;
	}
	return true;
}

void model_place_values(struct model *m, const uint32_t *places)
{
	struct value_parts *p = &m->value_parts;

	for (size_t i = 0; i < p->rows.len; i++)
		p->rows.at[i].place.module = new_module(places, p->rows.at[i].place.module);
	for (size_t i = 0; i < p->often.len; i++) {
		p->often.at[i].place.module = new_module(places, p->often.at[i].place.module);
		p->often.at[i].module = new_module(places, p->often.at[i].module);
	}
}

/* ---- the end ------------------------------------------------------------------------------ */

static uint64_t at_least(const struct model_frequent *f)
{
	return f->count > f->error ? f->count - f->error : 0;
}

/* The first of two to be kept: what is known to be more frequent. */
static int compare_frequent(const struct model_frequent *a, const struct model_frequent *b)
{
	int c = compare_numbers(at_least(b), at_least(a));

	if (!c)
		c = compare_numbers(b->count, a->count);
	if (!c)
		c = compare_numbers(a->module, b->module);
	return c ? c : compare_numbers(a->value, b->value);
}

static int by_frequency(const void *pa, const void *pb)
{
	return compare_frequent(pa, pb);
}

/* Move the frequent values of a row, which begin at *next. */
static bool take_frequent(struct model *m, const struct value_row *row, struct model_value *v,
			  size_t *next)
{
	const struct value_parts *p = &m->value_parts;

	v->first_frequent = m->frequent.len;
	for (; *next < p->often.len && compare_places(&p->often.at[*next].place, &row->place) == 0;
	     ++*next) {
		const struct value_often *o = &p->often.at[*next];
		/* in the files without it, it may have come so often */
		uint64_t unseen = row->rest > o->rest ? row->rest - o->rest : 0;
		struct model_frequent f = {o->value, o->count, o->error, o->module};
		add(&f.count, unseen);
		add(&f.error, unseen);
		if (!vec_push(&m->frequent, f))
			return false;
	}
	v->num_frequent = (uint32_t)(m->frequent.len - v->first_frequent);
	if (v->num_frequent)
		qsort(&m->frequent.at[v->first_frequent], v->num_frequent, sizeof *m->frequent.at,
		      by_frequency);
	return true;
}

bool model_finish_values(struct model *m)
{
	struct value_parts *p = &m->value_parts;
	size_t next = 0;
	bool ok;

	add_up(p);
	ok = vec_reserve(&m->values, p->rows.len);
	for (size_t i = 0; ok && i < p->rows.len; i++) {
		const struct value_row *row = &p->rows.at[i];
		struct model_value v = {.address = row->place.address,
					.module = row->place.module,
					.what = row->place.what,
					.bytes = row->bytes,
					.count = row->count,
					.zeros = row->zeros,
					.same = row->same,
					.rest = row->rest};
		ok = take_frequent(m, row, &v, &next);
		m->values.at[m->values.len++] = v;
	}
	vec_free(&p->rows);
	vec_free(&p->often);
	return ok;
}

void model_values_deinit(struct model *m)
{
	vec_free(&m->values);
	vec_free(&m->frequent);
	vec_free(&m->value_parts.rows);
	vec_free(&m->value_parts.often);
}

size_t model_first_value(const struct model *m, uint32_t module, uint64_t address)
{
	return SEARCH_FIRST(
	    i, 0, m->values.len,
	    m->values.at[i].module > module ||
		(m->values.at[i].module == module && m->values.at[i].address >= address));
}
