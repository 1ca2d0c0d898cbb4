/* Internal to the import of databases: shared by its files. */
#ifndef DB_IMPORT_IMPORT_INTERNAL_H
#define DB_IMPORT_IMPORT_INTERNAL_H

#include "db/base/sql.h"
#include "db/import/ids.h"
#include "hpcprof/load/importers.h"
#include "hpcprof/model/model.h"

#include <stdbool.h>
#include <stdint.h>

struct import_line {
	const char *file;
	uint32_t number;
};

#define IMPORT_NO_PLACE UINT32_MAX

/* A context of the database. It has up to two contexts in the model: one that calls, and one for
 * its own values. They are made when they are needed. */
struct import_place {
	uint32_t up;                  /* the place that it is below; IMPORT_NO_PLACE: a root */
	uint32_t parent, call, point; /* of the model */
	uint32_t function, line;
	bool inlined;
};

struct import {
	struct model *m;
	sqlite3 *db;
	const struct importer_part *part; /* NULL: everything */
	bool labels_alone;                /* only what has some label */
	struct error *e;
	struct ids modules, metrics;
	struct interner function_rows, line_rows, place_rows;
	VEC(struct model_function) functions;
	VEC(struct import_line) lines;
	VEC(struct import_place) places;
	VEC(uint32_t) stack;         /* places, by depth */
	struct label_import *labels; /* while labels are read */
};

typedef int import_take_fn(struct import *in, sqlite3_stmt *s);

/* Call take for each row; it returns 0, or -1 and in->e. The statement's parameter, if any, is the
 * part. */
int import_each(struct import *in, const char *sql, import_take_fn *take);

/* Cells. Texts are the model's copies, with escapes decoded; NULL for NULL. They clear *ok if
 * memory ran out. */
static inline uint64_t import_number(sqlite3_stmt *s, int i)
{
	return (uint64_t)sqlite3_column_int64(s, i);
}
static inline bool import_known(sqlite3_stmt *s, int i)
{
	return sqlite3_column_type(s, i) != SQLITE_NULL;
}
const char *import_text(struct import *in, sqlite3_stmt *s, int i, bool *ok);

/* Set in->e and return -1. */
int import_out_of_memory(struct import *in);
int import_damaged(struct import *in, const char *table, int64_t row);

/* ---- contexts and values, after functions and lines ----------------------------------------- */

/* Rows: context's id, depth, last, function, line, inlined, whether it is the root of partial
 * paths. */
int import_context(struct import *in, sqlite3_stmt *s);
/* Rows: metric, context, events, samples. */
int import_exclusive(struct import *in, sqlite3_stmt *s);

/* The frame of a place that is not a root, as a call site or as a point; UINT32_MAX if memory ran
 * out. */
uint32_t import_frame(struct import *in, const struct import_place *p, bool call);
/* Whether the metric's values are those of calls. */
bool import_is_of_calls(const struct model_metric *k);
/* The context of a place for the metric's values. 0, or -1 and in->e. */
int import_place_context(struct import *in, struct import_place *p, const struct model_metric *k,
			 uint32_t *out);
/* Add to what the metric has in a context. 0, or -1 and in->e. */
int import_add(struct import *in, struct model_metric *k, uint32_t context, uint64_t events,
	       uint64_t samples);

/* ---- labels, after all values --------------------------------------------------------------- */

/* Move what has labels below frames of these, as o says. If labels_alone, there are no values yet,
 * and this adds them. 0, or -1 and in->e. */
int import_labels(struct import *in, const struct ingest_options *o);

#endif
