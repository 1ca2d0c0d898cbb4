/* The named queries: share/hpcprof/queries.sql. */
#ifndef DB_QUERY_NAMED_QUERIES_H
#define DB_QUERY_NAMED_QUERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct named_query {
	const char *name, *parameters, *text, *sql; /* not NUL-terminated */
	int name_length, parameters_length, text_length, sql_length;
	int num_parameters;
};

/* The query after *at, which is db_queries_sql at first. False after the last. */
bool named_queries_next(const char **at, struct named_query *out);
bool named_queries_find(const char *name, struct named_query *out);
/* Print all names with their parameters and descriptions. */
void named_queries_list(FILE *out);

#endif
