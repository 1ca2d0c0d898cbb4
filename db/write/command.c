/* The command db: writes a measurement as a SQLite database, or its tables as CSV. */
#include "db/base/csv.h"
#include "db/write/database_file.h"
#include "db/write/write.h"

#include "hpcprof/command/list.h"
#include "hpcprof/load/scan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Up to this size, values of single profiles are stored by default. */
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

int db_fill(sqlite3 *db, const struct profile *p, const struct common *o,
	    enum db_per_profile per_profile, struct diag *d, struct error *e)
{
	struct db_writing w = {.p = p, .o = o, .d = d};
	int64_t pages;

	w.per_profile =
	    per_profile == PER_PROFILE_YES || (per_profile == PER_PROFILE_SMALL && is_small(p));
	if (db_number(db, &pages, e, "PRAGMA page_count") != 0)
		return -1;
	if (pages ? db_check(db, e) != 0
		  : db_exec(db, "BEGIN", e) != 0 || db_create(db, e) != 0 ||
			db_exec(db, "COMMIT", e) != 0)
		return -1;
	return db_write(&w, db, e);
}

struct db_options {
	struct common common;
	const char *output; /* or NULL */
	bool append;
	enum db_per_profile per_profile;
	const char *csv; /* a folder, or NULL */
	bool quote_formulas;
};

static int write_database(const struct profile *p, const struct db_options *o, struct diag *d,
			  struct error *e)
{
	struct database_file place;
	int rc = database_file_open(&place, o->output, o->append, e);

	if (rc != 0)
		return rc;
	rc = db_fill(place.db, p, &o->common, o->per_profile, d, e);
	if (rc == 0)
		rc = database_file_commit(&place, e);
	database_file_abandon(&place);
	return rc;
}

/* Write CSV from a temporary database. */
static int write_csv(const struct profile *p, const struct db_options *o, struct diag *d,
		     struct error *e)
{
	struct database_file place;
	char *path;
	int rc = csv_folder(o->csv, e);

	if (rc != 0)
		return rc;
	if (asprintf(&path, "%s/tables.db", o->csv) < 0)
		return error_memory(e, strlen(o->csv));
	rc = database_file_open(&place, path, false, e);
	if (rc == 0)
		rc = db_fill(place.db, p, &o->common, o->per_profile, d, e);
	if (rc == 0)
		rc = csv_write(place.db, o->csv, o->quote_formulas, e);
	database_file_abandon(&place);
	free(path);
	return rc;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct db_options *o = options;
	const struct profile_request wanted = {
	    .common = &o->common, .output = o->output, .threads = true, .values = true};
	struct profile p;
	int rc = 0;

	(void)out;
	if (!o->output && !o->csv)
		return error_set(
		    e, ERROR_USAGE,
		    "no output is named (use -o FILE for a database, or --csv DIR for CSV files)");
	if (o->append && !o->output)
		return error_set(e, ERROR_USAGE,
				 "--append needs a database (name it with -o FILE)");
	if (profile_load(&p, &wanted, d, e) != 0)
		return -1;
	if (o->output && write_database(&p, o, d, e) != 0)
		rc = db_about(o->output, e);
	if (rc == 0 && o->csv && write_csv(&p, o, d, e) != 0)
		rc = db_about(o->csv, e);
	diag_progress_end(d);
	profile_deinit(&p);
	return rc;
}

static const char *const yes_or_no[] = {"yes", "no", NULL};

static const struct option_row own_options[] = {
    {'o', "output", "FILE", "write to FILE, completely or not at all", option_output,
     offsetof(struct db_options, output), NULL},
    {0, "append", NULL, "add a measurement to the database FILE", option_flag,
     offsetof(struct db_options, append), NULL},
    {0, "per-profile", "YES|NO",
     "store the values of each thread (default: for up to 256 files and 64 MiB)", option_word,
     offsetof(struct db_options, per_profile), yes_or_no},
    {0, "csv", "DIR", "write a CSV file per table into DIR", option_output,
     offsetof(struct db_options, csv), NULL},
    {0, "quote-formulas", NULL, "--csv: put ' before texts that look like formulas", option_flag,
     offsetof(struct db_options, quote_formulas), NULL},
    {0}};

static const struct option_row *const tables[] = {
    own_options, common_inlining_options, common_symbols_options, common_loading_options, NULL};

const struct command db_command = {
    .name = "db",
    .summary = "a SQLite database; CSV files with --csv",
    .options = tables,
    .size = sizeof(struct db_options),
    .run = run,
};
