#include "db/query/named_queries.h"

#include "db/base/sql.h"

#include <string.h>

static const char head[] = "\n-- name: ";

static int to_end_of_line(const char *s)
{
	return (int)strcspn(s, "\n");
}

bool named_queries_next(const char **at, struct named_query *out)
{
	const char *s = strstr(*at, head), *end;

	if (!s)
		return false;
	*out = (struct named_query){.name = s + sizeof head - 1};
	out->name_length = (int)strcspn(out->name, " \n");
	out->parameters = out->name + out->name_length;
	out->parameters += *out->parameters == ' ';
	out->parameters_length = to_end_of_line(out->parameters);
	for (int i = 0; i < out->parameters_length; i++)
		out->num_parameters += !i || out->parameters[i] == ' ';
	out->text = out->parameters + out->parameters_length + sizeof "\n-- " - 1;
	out->text_length = to_end_of_line(out->text);
	out->sql = out->text + out->text_length + 1;
	end = strstr(out->sql, head);
	out->sql_length = end ? (int)(end - out->sql) : (int)strlen(out->sql);
	*at = out->sql;
	return true;
}

bool named_queries_find(const char *name, struct named_query *out)
{
	const char *at = db_queries_sql;

	while (named_queries_next(&at, out))
		if (strlen(name) == (size_t)out->name_length &&
		    memcmp(name, out->name, (size_t)out->name_length) == 0)
			return true;
	return false;
}

void named_queries_list(FILE *out)
{
	const char *at = db_queries_sql;
	struct named_query q;

	while (named_queries_next(&at, &q)) {
		int width = fprintf(out, "%.*s %.*s", q.name_length, q.name, q.parameters_length,
				    q.parameters);
		fprintf(out, "%*s %.*s\n", width < 24 ? 24 - width : 0, "", q.text_length, q.text);
	}
}
