#include "db/query/reading_only.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Pragmas that only read. */
static const char *const pragmas[] = {
    "table_info",  "table_xinfo",     "table_list",     "index_list",        "index_info",
    "index_xinfo", "user_version",    "application_id", "foreign_key_list",  "page_count",
    "page_size",   "integrity_check", "quick_check",    "foreign_key_check", "compile_options"};
/* Those of them that write if they are given a value. */
static const char *const settings[] = {"user_version", "application_id", "page_size"};

/* Functions that compute a value from their arguments, the time or chance, in the order of strcmp:
 * those of SQLite up to 3.50 (sqlite.org/lang_corefunc.html, lang_aggfunc.html,
 * windowfunctions.html, lang_datefunc.html, lang_mathfunc.html, json1.html, percentile.html), and
 * functions.h. Not those that load code, write a log, or belong to virtual tables. */
static const char *const functions[] = {"->",
					"->>",
					"abs",
					"acos",
					"acosh",
					"asin",
					"asinh",
					"atan",
					"atan2",
					"atanh",
					"avg",
					"ceil",
					"ceiling",
					"changes",
					"char",
					"coalesce",
					"concat",
					"concat_ws",
					"cos",
					"cosh",
					"count",
					"cume_dist",
					"current_date",
					"current_time",
					"current_timestamp",
					"date",
					"datetime",
					"degrees",
					"demangle",
					"dense_rank",
					"exp",
					"first_value",
					"floor",
					"format",
					"glob",
					"group_concat",
					"hex",
					"if",
					"ifnull",
					"iif",
					"instr",
					"is_beneath",
					"json",
					"json_array",
					"json_array_insert",
					"json_array_length",
					"json_error_position",
					"json_extract",
					"json_group_array",
					"json_group_object",
					"json_insert",
					"json_object",
					"json_patch",
					"json_pretty",
					"json_quote",
					"json_remove",
					"json_replace",
					"json_set",
					"json_type",
					"json_valid",
					"jsonb",
					"jsonb_array",
					"jsonb_array_insert",
					"jsonb_extract",
					"jsonb_group_array",
					"jsonb_group_object",
					"jsonb_insert",
					"jsonb_object",
					"jsonb_patch",
					"jsonb_remove",
					"jsonb_replace",
					"jsonb_set",
					"julianday",
					"lag",
					"last_insert_rowid",
					"last_value",
					"lead",
					"length",
					"like",
					"likelihood",
					"likely",
					"ln",
					"log",
					"log10",
					"log2",
					"lower",
					"ltrim",
					"max",
					"median",
					"min",
					"mod",
					"nth_value",
					"ntile",
					"nullif",
					"octet_length",
					"path_text",
					"percent_rank",
					"percentile",
					"percentile_cont",
					"percentile_disc",
					"pi",
					"pow",
					"power",
					"printf",
					"quote",
					"radians",
					"random",
					"randomblob",
					"rank",
					"regexp",
					"replace",
					"round",
					"row_number",
					"rtrim",
					"scaled",
					"sign",
					"sin",
					"sinh",
					"soundex",
					"sqlite_source_id",
					"sqlite_version",
					"sqrt",
					"strftime",
					"string_agg",
					"substr",
					"substring",
					"subtype",
					"sum",
					"tan",
					"tanh",
					"time",
					"timediff",
					"total",
					"total_changes",
					"trim",
					"trunc",
					"typeof",
					"unhex",
					"unicode",
					"unistr",
					"unistr_quote",
					"unixepoch",
					"unlikely",
					"upper",
					"zeroblob"};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_function(const char *name)
{
	return bsearch(&name, functions, sizeof functions / sizeof *functions, sizeof *functions,
		       by_name) != NULL;
}

static bool is_among(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sqlite3_stricmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool is_pragma(const char *name, const char *value)
{
	if (value && is_among(name, settings, sizeof settings / sizeof *settings))
		return false;
	return is_among(name, pragmas, sizeof pragmas / sizeof *pragmas);
}

int reading_only(void *context, int action, const char *a, const char *b, const char *schema,
		 const char *trigger)
{
	(void)context;
	(void)schema;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return b && is_function(b) ? SQLITE_OK : SQLITE_DENY;
	/* Asked when SQLite declares the columns of a function that gives rows, as json_each; a
	 * statement that changes this table does not compile (see SQLITE_DBCONFIG_WRITABLE_SCHEMA).
	 */
	case SQLITE_UPDATE:
		return a && strcmp(a, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_PRAGMA:
		return a && is_pragma(a, b) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}
