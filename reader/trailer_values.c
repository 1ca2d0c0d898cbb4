/* The chunk VALUES: what instructions have produced (formats/README.md). */
#include "reader/internal.h"

enum { VALUE_MIN_BYTES = 4 + 8 + 4 + 4 + 4 * 8 + 4, OFTEN_BYTES = 3 * 8 };

static int get_windows(struct cursor *c, struct reader_windows *w, struct error *e)
{
	uint32_t n = 0;
	if (csp_get_u64(c, "windows of VALUES", &w->windows, e) ||
	    csp_get_u64(c, "steps of VALUES", &w->steps, e) ||
	    csp_get_u64(c, "time of VALUES", &w->ns, e) ||
	    csp_get_u64(c, "dropped of VALUES", &w->dropped, e) ||
	    csp_get_count(c, "refusals of VALUES", 8, &n, e))
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t ignored;
		if (csp_get_u64(c, "refusal of VALUES",
				i < CSP_VALUE_REFUSALS ? &w->refused[i] : &ignored, e))
			return -1;
	}
	return 0;
}

static int get_often(struct cursor *c, struct reader_value *v, struct error *e)
{
	if (csp_get_count(c, "frequent values of a VALUES row", OFTEN_BYTES, &v->num_top, e) ||
	    trailer_index(c, "number of frequent values of a VALUES row", v->num_top,
			  CSP_VALUE_TOP + 1, 4, e))
		return -1;
	for (uint32_t i = 0; i < v->num_top; i++) {
		struct reader_often *o = &v->top[i];
		if (csp_get_u64(c, "frequent value of a VALUES row", &o->value, e) ||
		    csp_get_u64(c, "count of a frequent value", &o->count, e) ||
		    csp_get_u64(c, "error of a frequent value", &o->error, e))
			return -1;
	}
	return 0;
}

static int get_row(struct reader *r, struct cursor *c, struct reader_value *v, struct error *e)
{
	if (csp_get_u32(c, "epoch of a VALUES row", &v->epoch, e) ||
	    trailer_index(c, "epoch of a VALUES row", v->epoch, r->num_epochs, 4, e) ||
	    csp_get_u64(c, "ip of a VALUES row", &v->ip, e) ||
	    csp_get_u32(c, "kind of a VALUES row", &v->what, e) ||
	    csp_get_u32(c, "size of a VALUES row", &v->bytes, e) ||
	    csp_get_u64(c, "count of a VALUES row", &v->count, e) ||
	    csp_get_u64(c, "zeros of a VALUES row", &v->zeros, e) ||
	    csp_get_u64(c, "same of a VALUES row", &v->same, e) ||
	    csp_get_u64(c, "rest of a VALUES row", &v->rest, e))
		return -1;
	return get_often(c, v, e);
}

int trailer_values_get(struct reader *r, struct cursor *c, struct error *e)
{
	uint32_t n = 0;
	if (get_windows(c, &r->windows, e) ||
	    csp_get_count(c, "rows of VALUES", VALUE_MIN_BYTES, &n, e))
		return -1;
	r->values = reader_table(r, n, sizeof *r->values, e);
	if (!r->values)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (get_row(r, c, &r->values[i], e))
			return -1;
	r->num_values = n;
	r->has_values = true;
	return 0;
}

void trailer_values_drop(struct reader *r)
{
	r->num_values = 0;
	r->has_values = false;
	r->windows = (struct reader_windows){0};
}

const struct reader_windows *reader_windows(const struct reader *r)
{
	return r->has_values ? &r->windows : NULL;
}

uint32_t reader_num_values(const struct reader *r)
{
	return r->num_values;
}

const struct reader_value *reader_value(const struct reader *r, uint32_t i)
{
	return &r->values[i];
}
