#include "db/query/regexp.h"

#include "hpcprof/command/expression.h"

#include <regex.h>
#include <stdio.h>

static void free_expression(void *p)
{
	regfree(p);
	sqlite3_free(p);
}

static regex_t *compile(sqlite3_context *c, sqlite3_value *v)
{
	const char *expression = (const char *)sqlite3_value_text(v);
	const char *refused;
	char why[200];
	regex_t *r;
	int rc;

	if (!expression) {
		sqlite3_result_error_nomem(c);
		return NULL;
	}
	refused = expression_refused(expression);
	if (refused) {
		snprintf(why, sizeof why, "the regular expression %s", refused);
		sqlite3_result_error(c, why, -1);
		return NULL;
	}
	r = sqlite3_malloc(sizeof *r);
	if (!r) {
		sqlite3_result_error_nomem(c);
		return NULL;
	}
	rc = regcomp(r, expression, REG_EXTENDED | REG_NOSUB);
	if (rc == 0)
		return r;
	regerror(rc, r, why, sizeof why);
	sqlite3_free(r);
	if (rc == REG_ESPACE)
		sqlite3_result_error_nomem(c);
	else
		sqlite3_result_error(c, why, -1);
	return NULL;
}

static void match(sqlite3_context *c, const regex_t *r, const char *text)
{
	int rc = regexec(r, text, 0, NULL, 0);

	if (rc == REG_ESPACE)
		sqlite3_result_error_nomem(c);
	else
		sqlite3_result_int(c, rc == 0);
}

void regexp(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *text = (const char *)sqlite3_value_text(v[1]);
	regex_t *r = sqlite3_get_auxdata(c, 0);

	(void)n;
	if (!text || sqlite3_value_type(v[0]) == SQLITE_NULL)
		return;
	if (r) {
		match(c, r, text);
		return;
	}
	r = compile(c, v[0]);
	if (!r)
		return;
	match(c, r, text);
	sqlite3_set_auxdata(c, 0, r, free_expression); /* may free r immediately */
}
