/* Values in words, and the names of those that are addresses of code. */
#include "formats/base/search.h"
#include "hpcprof/terminal/layout.h"
#include "hpcprof/views/values/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *values_format(struct values_view *v, const char *format, ...)
{
	va_list ap;
	const char *text;

	va_start(ap, format);
	text = layout_format_list(&v->arena, format, ap);
	va_end(ap);
	v->starved |= !text;
	return text;
}

struct value_span values_between(const struct values_view *v, const struct instructions *p,
				 uint64_t low, uint64_t high)
{
	return (struct value_span){model_first_value(v->m, p->module, low),
				   model_first_value(v->m, p->module, high)};
}

double values_share(const struct model_value *row, const struct model_frequent *f)
{
	return f->count > f->error && row->count
		   ? (double)(f->count - f->error) / (double)row->count
		   : 0;
}

const struct model_frequent *values_best(const struct values_view *v, const struct model_value *row)
{
	return row->num_frequent ? &v->m->frequent.at[row->first_frequent] : NULL;
}

/* ---- names of code --------------------------------------------------------------------------- */

static int by_place(const void *pa, const void *pb)
{
	const struct place_name *a = pa, *b = pb;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static bool collect(struct values_view *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->m->frequent.len; i++) {
		const struct model_frequent *f = &v->m->frequent.at[i];
		struct place_name place = {.module = f->module, .address = f->value};
		if (f->module != MODEL_NO_MODULE && !vec_push(&v->places, place))
			return false;
	}
	if (v->places.len)
		qsort(v->places.at, v->places.len, sizeof *v->places.at, by_place);
	for (size_t i = 0; i < v->places.len; i++)
		if (!i || by_place(&v->places.at[i], &v->places.at[kept - 1]) != 0)
			v->places.at[kept++] = v->places.at[i];
	v->places.len = kept;
	return true;
}

/* Name those of one module: [first, end). */
static int name_module(struct values_view *v, size_t first, size_t end, struct error *e)
{
	bool image;
	const struct model_module *mod = &v->m->modules.at[v->places.at[first].module];
	struct symbolize_request q = correlate_request(mod, &image);
	struct symbol_table t;
	uint64_t *addresses = calloc(end - first + 1, sizeof *addresses);
	int rc;

	if (!addresses)
		return error_memory(e, end - first);
	for (size_t i = first; i < end; i++)
		addresses[i - first] = v->places.at[i].address;
	q.addresses = addresses;
	q.num_addresses = end - first;
	rc = symbolize_module(image ? v->of.procedures.images : v->of.procedures.modules, &q, &t,
			      NULL);
	for (size_t i = first; rc == 0 && i < end; i++) {
		/* the function itself, not what is inlined there */
		const struct symbol_frame *f = &t.frames[t.first[i - first + 1] - 1];
		struct place_name *place = &v->places.at[i];
		place->function = layout_clean(&v->arena, f->function->name);
		place->offset = f->function->low && f->function->low <= place->address
				    ? place->address - f->function->low
				    : 0;
		v->starved |= !place->function;
	}
	if (rc == 0)
		symbol_table_free(&t);
	free(addresses);
	return rc == 0 ? 0 : error_memory(e, end - first);
}

int values_name_places(struct values_view *v, struct error *e)
{
	int rc = collect(v) ? 0 : error_memory(e, v->places.len);

	for (size_t i = 0, end; rc == 0 && i < v->places.len; i = end) {
		for (end = i;
		     end < v->places.len && v->places.at[end].module == v->places.at[i].module;)
			end++;
		rc = name_module(v, i, end, e);
	}
	return rc;
}

static const char *code_text(struct values_view *v, const struct instructions *p,
			     const struct model_frequent *f)
{
	const struct place_name want = {.module = f->module, .address = f->value};
	size_t at = SEARCH_FIRST(i, 0, v->places.len, by_place(&v->places.at[i], &want) >= 0);
	const struct place_name *place = &v->places.at[at];

	if (f->module == p->module && f->value >= p->code.low && f->value < p->code.high)
		return values_format(v, "+0x%" PRIx64, f->value - p->code.low);
	if (at == v->places.len || by_place(place, &want) != 0 || !place->function)
		return values_format(v, "0x%" PRIx64, f->value);
	return place->offset ? values_format(v, "%s+0x%" PRIx64, place->function, place->offset)
			     : place->function;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool is_vector(uint32_t what)
{
	enum { FIRST_VECTOR = 16 };

	return what >= FIRST_VECTOR && what < CSP_VALUE_REGISTERS;
}

/* The low part of a vector register as a number, if it is likely to be one. */
static bool as_real(const struct model_value *row, uint64_t bits, double *out)
{
	enum { SMALLEST = -40, LARGEST = 60 };
	uint32_t low = (uint32_t)bits;
	float single;
	int exponent;

	if (row->bytes == sizeof single) {
		memcpy(&single, &low, sizeof single);
		*out = (double)single;
	} else {
		memcpy(out, &bits, sizeof *out);
	}
	if (!isfinite(*out) || *out == 0)
		return false;
	frexp(*out, &exponent);
	return exponent > SMALLEST && exponent < LARGEST;
}

static int64_t with_sign(const struct model_value *row, uint64_t value)
{
	unsigned shift = row->bytes < sizeof value ? 8 * (unsigned)(sizeof value - row->bytes) : 0;

	return row->what & CSP_VALUE_DIFFERENCE ? (int64_t)value
						: (int64_t)(value << shift) >> shift;
}

const char *values_text(struct values_view *v, const struct instructions *p,
			const struct model_value *row, const struct model_frequent *f)
{
	enum { DECIMAL = 1000000, NEGATIVE = 100000 };
	int64_t number = with_sign(row, f->value);
	double real;

	if (model_value_is_code(row->what))
		return f->value ? code_text(v, p, f) : "none";
	if (is_vector(row->what) && as_real(row, f->value, &real))
		return values_format(v, "%g", real);
	if (f->value < DECIMAL)
		return values_format(v, "%" PRIu64, f->value);
	if (row->what & CSP_VALUE_DIFFERENCE || (number < 0 && number > -NEGATIVE))
		return values_format(v, "%" PRId64, number);
	return values_format(v, "0x%" PRIx64, f->value);
}
