/* The view db: a measurement as a SQLite database, and its tables as CSV. */
#include "db/csv.h"
#include "db/db.h"
#include "db/place.h"
#include "db/write.h"

#include "hpcprof/scan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Up to here values of profiles are kept without being asked for. */
enum { SMALL_FILES = 256, SMALL_MIB = 64 };

static bool is_small(const struct profile *p)
{
	uint64_t bytes = 0;
	struct stat st;

	for (size_t i = 0; i < p->model->processes.len; i++)
		if (stat(p->model->processes.at[i].path, &st) == 0)
			bytes += (uint64_t)st.st_size;
	return p->model->processes.len <= SMALL_FILES && bytes <= (uint64_t)SMALL_MIB << 20;
}

int db_fill(sqlite3 *db, const struct profile *p, const struct options *o, struct diag *d,
	    struct error *e)
{
	struct db_writing w = {.p = p, .o = o, .d = d};
	int64_t pages;

	w.per_profile = o->per_profile == PER_PROFILE_YES ||
			(o->per_profile == PER_PROFILE_SMALL && is_small(p));
	if (db_number(db, &pages, e, "PRAGMA page_count") != 0)
		return -1;
	if (pages ? db_check(db, e) != 0
		  : db_exec(db, "BEGIN", e) != 0 || db_create(db, e) != 0 ||
			db_exec(db, "COMMIT", e) != 0)
		return -1;
	return db_write(&w, db, e);
}

static int write_database(const struct profile *p, const struct options *o, struct diag *d,
			  struct error *e)
{
	struct db_place place;
	int rc = db_place_open(&place, o->output, o->append, e);

	if (rc != 0)
		return rc;
	rc = db_fill(place.db, p, o, d, e);
	if (rc == 0)
		rc = db_place_commit(&place, e);
	db_place_abandon(&place);
	return rc;
}

/* By way of a database that is there only meanwhile. */
static int write_csv(const struct profile *p, const struct options *o, struct diag *d,
		     struct error *e)
{
	struct db_place place;
	char *path;
	int rc = csv_folder(o->csv, e);

	if (rc != 0)
		return rc;
	if (asprintf(&path, "%s/tables.db", o->csv) < 0)
		return error_memory(e, strlen(o->csv));
	rc = db_place_open(&place, path, false, e);
	if (rc == 0)
		rc = db_fill(place.db, p, o, d, e);
	if (rc == 0)
		rc = csv_write(place.db, o->csv, e);
	db_place_abandon(&place);
	free(path);
	return rc;
}

static int run(FILE *out, const struct options *o, struct diag *d, struct error *e)
{
	struct profile p;
	int rc = 0;

	(void)out;
	if (!o->output && !o->csv)
		return error_set(e, ERROR_USAGE,
				 "db writes a database (name it with -o FILE, or a folder for CSV "
				 "files with --csv DIR)");
	if (o->append && !o->output)
		return error_set(e, ERROR_USAGE,
				 "--append needs the database (name it with -o FILE)");
	if (profile_load(&p, o, d, e) != 0)
		return -1;
	if (o->output && write_database(&p, o, d, e) != 0)
		rc = db_about(o->output, e);
	if (rc == 0 && o->csv && write_csv(&p, o, d, e) != 0)
		rc = db_about(o->csv, e);
	diag_progress_end(d);
	profile_deinit(&p);
	return rc;
}

const struct view db_view = {
    .name = "db",
    .summary = "a SQLite database; CSV files with --csv",
    .takes = OPTION_NO_INLINE | OPTION_SYMBOLS | OPTION_THREADS | OPTION_JOIN | OPTION_OUTPUT |
	     OPTION_DATABASE,
    .run = run,
};
