/* Writes a profile into a database, as another measurement. */
#ifndef DB_WRITE_WRITE_H
#define DB_WRITE_WRITE_H

#include "db/base/tree.h"
#include "db/write/bulk.h"
#include "hpcprof/command/common.h"
#include "hpcprof/load/profile.h"

#include <stdbool.h>

/* Whether values of single profiles are stored; SMALL: if there are few. */
enum db_per_profile { PER_PROFILE_SMALL, PER_PROFILE_YES, PER_PROFILE_NO };

enum { DB_MOST = 1000 }; /* most rows of hottest, per metric, and of deepest */

struct db_writing {
	/* input */
	const struct profile *p;
	const struct common *o; /* the options of reading */
	bool per_profile;       /* also write profile_value and profile_function */
	struct diag *d;         /* progress */
	/* internal */
	sqlite3 *db;
	struct pages *pages; /* for the large tables; NULL: everything through SQL */
	struct arena arena;
	struct db_ranks ranks;
	struct db_tree tree;
	uint32_t *files;         /* [code files]: row of each in the table */
	VEC(const char *) names; /* of the first rows of table file, sorted */
	/* ids of the first rows; measurement has only one row */
	int64_t measurement, process, thread_group, profile, metric, module, file, function, line,
	    context, call, value, label, label_set;
};

/* Create the tables of an empty database. */
int db_create(sqlite3 *db, struct error *e);
/* Create the indexes and views, after the rows. Does nothing to those that exist. */
int db_finish(sqlite3 *db, struct error *e);

/* Write w->p and finish, outside a transaction. 0, or -1 and *e: then the database is unusable. */
int db_write(struct db_writing *w, sqlite3 *db, struct error *e);

/* All of the above: write p, which was read with the options o, into an open database. Its tables
 * are created if it is empty. 0, or -1 and *e. */
int db_fill(sqlite3 *db, const struct profile *p, const struct common *o,
	    enum db_per_profile per_profile, struct diag *d, struct error *e);

/* ---- parts, by tables that belong together ------------------------------------------ */
int db_write_code(struct db_writing *w, struct error *e);     /* module to line */
int db_write_contexts(struct db_writing *w, struct error *e); /* with their values */
int db_write_values(struct db_writing *w, struct error *e);   /* by code and by call */
int db_write_hottest(struct db_writing *w, struct error *e);  /* hottest, deepest, inlined_line */
/* write inlined_line of a metric; exclusive: events and samples by context of the tree */
int db_write_inlined(struct db_writing *w, size_t metric, const uint64_t *exclusive,
		     struct error *e);
int db_write_waits(struct db_writing *w, struct error *e);        /* what contexts waited for */
int db_write_instructions(struct db_writing *w, struct error *e); /* what they produced */
int db_write_threads(struct db_writing *w, struct error *e);      /* groups of threads */
int db_write_profiles(struct db_writing *w, struct error *e);     /* profiles and their values */
int db_write_labels(struct db_writing *w, struct error *e);       /* labels and their values */

#endif
