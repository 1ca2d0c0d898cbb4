/* Helpers for SQLite: errors as error values, statements in one line, texts that are always UTF-8.
 * The same files are compiled for hpcprof and, with DB_EXTENSION, for the loadable extension, which
 * calls SQLite through a table that its host provides. */
#ifndef DB_BASE_SQL_H
#define DB_BASE_SQL_H

#ifdef DB_EXTENSION
#include <sqlite3ext.h>
extern const sqlite3_api_routines *sqlite3_api;
#else
#include <sqlite3.h>
#endif

#include "formats/base/arena.h"
#include "formats/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The application_id of a profile database ("HPCp") and the version of share/hpcprof/schema.sql. */
enum { DB_APPLICATION = 0x48504370, DB_VERSION = 11 };

/* The texts of share/hpcprof. */
extern const char db_schema_sql[], db_views_sql[], db_queries_sql[];

/* A cell of a row: a text, NULL or a number. */
struct db_cell {
	int64_t number;
	const char *text; /* or NULL */
	bool null;
};

/* Put path before the text of *e. Returns -1. */
int db_about(const char *path, struct error *e);
/* Set *e to the last error of db. Returns -1. */
int db_error(sqlite3 *db, struct error *e);
/* The same for the result of a method of SQLite's file. Returns -1. */
int db_file_error(int code, struct error *e);
/* Run statements without results. 0, or -1 and *e. */
int db_exec(sqlite3 *db, const char *sql, struct error *e);
/* The first column of the first row of a statement, made as by printf; 0 without a row. 0, or -1
 * and *e. */
int db_number(sqlite3 *db, int64_t *out, struct error *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Check that db is a profile database of a known version. 0, or -1 and *e. */
int db_check(sqlite3 *db, struct error *e);

/* s if it is UTF-8 that a terminal can show, else a copy in the arena in which each invalid byte
 * and each byte of a harmful character (utf8_is_harmful) is replaced by \xHH (see
 * share/hpcprof/schema.sql). reader_xml_decode_name reverses this. NULL for NULL, and if memory ran
 * out. */
const char *db_text(struct arena *a, const char *s);

#endif
