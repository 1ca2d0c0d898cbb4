/* Internal to the import of databases: shared by its files. */
#ifndef DB_IMPORT_IMPORT_INTERNAL_H
#define DB_IMPORT_IMPORT_INTERNAL_H

#include "db/base/database.h"
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

/* A text of one of the lists of a metric. */
enum import_list { IMPORT_SOURCES, IMPORT_REQUESTED, IMPORT_ACHIEVED, IMPORT_JITTERS };
struct import_entry {
	uint32_t metric; /* of the model */
	enum import_list list;
	const char *text;
};

/* Reading takes time and memory that are linear in the file's bytes, also if its pages are used
 * several times, or its tables hold what hpcprof db would not write: SQLite's work is limited
 * (database.h), and so are the rows and texts, which are read at most once each, and the values of
 * the model. */
enum {
	IMPORT_ROW_BYTES = 4,         /* a row takes at least so many */
	IMPORT_VALUES_EACH = 2,       /* metrics times contexts, for each byte, and ... */
	IMPORT_VALUES_LEAST = 4 << 20 /* ... in any file */
};

struct import {
	struct model *m; /* NULL: only parts are listed */
	struct database file;
	sqlite3 *db;                      /* file.db */
	uint64_t rows, text;              /* that may still be read: their number, their bytes */
	uint64_t contexts;                /* that it may have, and again with labels */
	const struct importer_part *part; /* NULL: everything */
	bool labels_alone;                /* only what has some label */
	struct error *e;
	struct ids modules, metrics, files, processes, group_rows;
	VEC(struct import_entry) entries;
	VEC(struct model_threads) groups;
	VEC(const char *) file_names;
	struct interner function_rows, line_rows, place_rows;
	VEC(struct model_function) functions;
	VEC(struct import_line) lines;
	VEC(struct import_place) places;
	VEC(uint32_t) stack;                /* places, by depth */
	struct label_import *labels;        /* while labels are read */
	struct import_row *value;           /* while values of instructions are read */
	struct import_list_of_parts *parts; /* while parts are listed */
};

typedef int import_take_fn(struct import *in, sqlite3_stmt *s);

/* Open the database and set the limits. 0, or -1 and in->e. in->file is to be closed in any case.
 */
int import_open(struct import *in, const char *path);

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
/* The row whose id is in the first cell was not added: it came before, or memory ran out. */
int import_not_added(struct import *in, const struct interner *rows, const char *table,
		     sqlite3_stmt *s);

/* ---- contexts and values, after functions and lines ----------------------------------------- */

/* Rows: context's id, depth, last, function, line, inlined, whether it is the root of partial
 * paths. */
int import_context(struct import *in, sqlite3_stmt *s);
/* After all contexts: limit those of the model, and check them. 0, or -1 and in->e. */
int import_check_contexts(struct import *in);
/* There are too many. Returns -1. */
int import_refuse_contexts(struct import *in);
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

/* ---- values of instructions, after modules -------------------------------------------------- */

int import_values(struct import *in);

/* ---- parts ---------------------------------------------------------------------------------- */

/* As struct importer says. */
int import_parts(const char *path, struct importer_part **out, size_t *n, struct arena *a,
		 struct error *e);

#endif
