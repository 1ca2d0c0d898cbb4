#include "db/import/import_internal.h"

#include "hpcprof/model/values.h"

#include <string.h>

struct import_row {
	struct value_row row;
	int64_t id;
	VEC(struct model_frequent) frequent;
};

/* ---- windows --------------------------------------------------------------------------------- */

static uint64_t *count_of(struct reader_windows *w, const char *what)
{
	static const char *const refusals[] = CSP_VALUE_REFUSAL_TEXTS;

	if (strcmp(what, "windows") == 0)
		return &w->windows;
	if (strcmp(what, "steps") == 0)
		return &w->steps;
	if (strcmp(what, "ns") == 0)
		return &w->ns;
	if (strcmp(what, "dropped values") == 0)
		return &w->dropped;
	for (int i = 0; i < CSP_VALUE_REFUSALS; i++)
		if (strcmp(what, refusals[i]) == 0)
			return &w->refused[i];
	return NULL; /* of a later version */
}

static int take_window(struct import *in, sqlite3_stmt *s)
{
	struct reader_windows w = {0};
	const char *what = (const char *)sqlite3_column_text(s, 0);
	uint64_t *count = count_of(&w, what ? what : "");

	if (count)
		*count = import_number(s, 1);
	model_add_windows(in->m, &w);
	return 0;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Add the row that is complete. */
static int add_row(struct import *in)
{
	struct import_row *r = in->value;
	uint32_t n = (uint32_t)r->frequent.len;

	r->frequent.len = 0;
	return !r->row.count || model_add_value(in->m, &r->row, r->frequent.at, n, true)
		   ? 0
		   : import_out_of_memory(in);
}

static bool begin_row(struct import_row *r, sqlite3_stmt *s, const struct ids *modules)
{
	r->id = sqlite3_column_int64(s, 0);
	r->row = (struct value_row){
	    .place = {.address = (uint64_t)sqlite3_column_int64(s, 2),
		      .module = ids_get(modules, (uint64_t)sqlite3_column_int64(s, 1)),
		      .what = (uint32_t)sqlite3_column_int64(s, 3)},
	    .bytes = (uint32_t)sqlite3_column_int64(s, 4),
	    .count = (uint64_t)sqlite3_column_int64(s, 5),
	    .zeros = (uint64_t)sqlite3_column_int64(s, 6),
	    .same = (uint64_t)sqlite3_column_int64(s, 7),
	    .rest = (uint64_t)sqlite3_column_int64(s, 8)};
	return r->row.place.module != UINT32_MAX && r->row.count;
}

/* A row of the join: one of the frequent values of an instruction's row, or none. */
static int take_value(struct import *in, sqlite3_stmt *s)
{
	struct import_row *r = in->value;
	struct model_frequent f = {
	    .value = import_number(s, 9), .count = import_number(s, 12), .module = MODEL_NO_MODULE};

	if (r->id != sqlite3_column_int64(s, 0)) {
		if (add_row(in) != 0)
			return -1;
		if (!begin_row(r, s, &in->modules))
			return import_damaged(in, "instruction_value", sqlite3_column_int64(s, 0));
	}
	if (!import_known(s, 9))
		return 0;
	f.error = f.count - import_number(s, 11);
	if (import_known(s, 10)) {
		f.module = ids_get(&in->modules, import_number(s, 10));
		if (f.module == UINT32_MAX)
			return import_damaged(in, "frequent_value", r->id);
	}
	return vec_push(&r->frequent, f) ? 0 : import_out_of_memory(in);
}

int import_values(struct import *in)
{
	struct import_row row = {.id = -1};
	int rc;

	in->value = &row;
	rc = import_each(
	    in,
	    "SELECT i.id, i.module, i.address, i.what, i.bytes, i.seen, i.zeros, i.same, i.rest, "
	    "v.value, v.module, v.at_least, v.at_most FROM instruction_value i "
	    "LEFT JOIN frequent_value v ON v.instruction_value = i.id ORDER BY i.id, v.position",
	    take_value);
	if (rc == 0)
		rc = add_row(in);
	if (rc == 0)
		rc = import_each(in, "SELECT what, count FROM value_window", take_window);
	vec_free(&row.frequent);
	in->value = NULL;
	return rc;
}
