/* The queries that have names: share/hpcprof/queries.sql. */
#ifndef DB_SHIPPED_H
#define DB_SHIPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct shipped {
	const char *name, *parameters, *text, *sql; /* not NUL-terminated */
	int name_length, parameters_length, text_length, sql_length;
	int num_parameters;
};

/* The query behind *at, which begins as db_queries_sql; false behind the last. */
bool shipped_next(const char **at, struct shipped *out);
bool shipped_find(const char *name, struct shipped *out);
/* All names with their parameters and what they tell. */
void shipped_list(FILE *out);

#endif
