/* A profile into a database: one measurement more. */
#ifndef DB_WRITE_H
#define DB_WRITE_H

#include "db/bulk.h"
#include "db/tree.h"
#include "hpcprof/command/common.h"
#include "hpcprof/profile.h"

#include <stdbool.h>

/* Whether values of single profiles are stored; SMALL: if there are few. */
enum db_per_profile { PER_PROFILE_SMALL, PER_PROFILE_YES, PER_PROFILE_NO };

enum { DB_MOST = 1000 }; /* rows of hottest, each metric, and of deepest */

struct db_writing {
	/* given */
	const struct profile *p;
	const struct common *o; /* what was read */
	bool per_profile;       /* profile_value and profile_function, too */
	struct diag *d;         /* progress */
	/* while it is written */
	sqlite3 *db;
	struct pages *pages; /* where the large tables go; NULL: all goes through SQL */
	struct arena arena;
	struct db_ranks ranks;
	struct db_tree tree;
	uint32_t *files;         /* [code files]: place of each in the table */
	VEC(const char *) names; /* of the first rows of the table, sorted */
	/* ids of the first rows; measurement is the only one */
	int64_t measurement, process, profile, metric, module, file, function, line, context, call;
};

/* Make the tables of an empty database. */
int db_create(sqlite3 *db, struct error *e);
/* Indexes and views, once rows are there; where they are, nothing happens. */
int db_finish(sqlite3 *db, struct error *e);

/* Write w->p and finish, outside of a transaction. 0, or -1 and *e: the database is then of no
 * use. */
int db_write(struct db_writing *w, sqlite3 *db, struct error *e);

/* All of that: p, which o named,  into an open database, whose tables are made where it
 * is empty. 0, or -1 and *e. */
int db_fill(sqlite3 *db, const struct profile *p, const struct common *o,
	    enum db_per_profile per_profile, struct diag *d, struct error *e);

/* ---- parts, each of tables that belong together ------------------------------------- */
int db_write_code(struct db_writing *w, struct error *e);     /* module to line */
int db_write_contexts(struct db_writing *w, struct error *e); /* with their values */
int db_write_values(struct db_writing *w, struct error *e);   /* by code and by call */
int db_write_hottest(struct db_writing *w, struct error *e);  /* hottest, deepest, inlined_line */
/* inlined_line of a metric; exclusive: events and samples by the tree's contexts */
int db_write_inlined(struct db_writing *w, size_t metric, const uint64_t *exclusive,
		     struct error *e);
int db_write_profiles(struct db_writing *w, struct error *e); /* profiles and their values */

#endif
