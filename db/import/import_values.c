#include "db/import/import_values.h"

#include "hpcprof/model/values.h"

#include <string.h>

struct import_row {
	struct value_row row;
	int64_t id;
	VEC(struct model_frequent) frequent;
};

static int damaged(const char *table, int64_t row, struct error *e)
{
	return error_set(e, ERROR_FORMAT, "row %lld of %s of the database is damaged",
			 (long long)row, table);
}

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

static int add_windows(sqlite3 *db, struct model *m, struct error *e)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, "SELECT what, count FROM value_window", -1, &s, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		struct reader_windows w = {0};
		const char *what = (const char *)sqlite3_column_text(s, 0);
		uint64_t *count = count_of(&w, what ? what : "");
		if (count)
			*count = (uint64_t)sqlite3_column_int64(s, 1);
		model_add_windows(m, &w);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? 0 : db_error(db, e);
}

/* ---- values -----------------------------------------------------------------------------------
 */

/* Add the row that is complete. */
static int add_row(struct model *m, struct import_row *r, struct error *e)
{
	uint32_t n = (uint32_t)r->frequent.len;

	r->frequent.len = 0;
	if (r->row.count && !model_add_value(m, &r->row, r->frequent.at, n, true))
		return error_memory(e, n * sizeof *r->frequent.at);
	return 0;
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
static int take(struct model *m, struct import_row *r, sqlite3_stmt *s, const struct ids *modules,
		struct error *e)
{
	struct model_frequent f = {.value = (uint64_t)sqlite3_column_int64(s, 9),
				   .count = (uint64_t)sqlite3_column_int64(s, 12),
				   .module = MODEL_NO_MODULE};

	if (r->id != sqlite3_column_int64(s, 0)) {
		if (add_row(m, r, e) != 0)
			return -1;
		if (!begin_row(r, s, modules))
			return damaged("instruction_value", sqlite3_column_int64(s, 0), e);
	}
	if (sqlite3_column_type(s, 9) == SQLITE_NULL)
		return 0;
	f.error = f.count - (uint64_t)sqlite3_column_int64(s, 11);
	if (sqlite3_column_type(s, 10) != SQLITE_NULL) {
		f.module = ids_get(modules, (uint64_t)sqlite3_column_int64(s, 10));
		if (f.module == UINT32_MAX)
			return damaged("frequent_value", r->id, e);
	}
	return vec_push(&r->frequent, f) ? 0 : error_memory(e, sizeof f);
}

int import_values(sqlite3 *db, struct model *m, const struct ids *modules, struct error *e)
{
	static const char sql[] =
	    "SELECT i.id, i.module, i.address, i.what, i.bytes, i.seen, i.zeros, i.same, i.rest, "
	    "v.value, v.module, v.at_least, v.at_most FROM instruction_value i "
	    "LEFT JOIN frequent_value v ON v.instruction_value = i.id ORDER BY i.id, v.position";
	struct import_row row = {.id = -1};
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL), taken = 0;

	while (rc == SQLITE_OK && taken == 0 && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		taken = take(m, &row, s, modules, e);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(s);
	if (taken == 0 && rc != SQLITE_DONE)
		taken = db_error(db, e);
	if (taken == 0)
		taken = add_row(m, &row, e);
	vec_free(&row.frequent);
	return taken == 0 ? add_windows(db, m, e) : -1;
}
