#include "db/query/regexp.h"

#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MOST = 1000, COPIES_MOST = 20000 };

/* Copies that the C library makes of the characters of a part: all of them, and those of the part
 * that an operator after it would repeat. They stop growing at more than COPIES_MOST. */
struct copies {
	unsigned long all, last;
};

static void add(struct copies *c, unsigned long last)
{
	c->last = last;
	c->all += last;
	if (c->all > COPIES_MOST)
		c->all = c->last = COPIES_MOST + 1UL;
}

/* The last part is copied times times in place of once. */
static void repeat(struct copies *c, unsigned long times)
{
	unsigned long last = c->last;

	c->all -= last;
	add(c, times && last > COPIES_MOST / times ? COPIES_MOST + 1UL : last * times);
}

/* The copies for {M}, {M,} or {M,N}; *at is behind the brace. */
static unsigned long times_of(const char **at)
{
	char *end;
	unsigned long least = strtoul(*at, &end, 10), most = least;

	if (*end == ',' && end[1] >= '0' && end[1] <= '9')
		most = strtoul(end + 1, &end, 10);
	else if (*end == ',')
		most = least + 1;
	*at = end;
	most = most > least ? most : least;
	return most < COPIES_MOST ? most + (most == 0) : COPIES_MOST;
}

/* Behind the bracket that ends a list of characters. */
static const char *skip_list(const char *at)
{
	at += *at == '^';
	at += *at == ']';
	while (*at && *at != ']') {
		if (*at == '[' && at[1] && strchr(".=:", at[1])) {
			const char end[] = {at[1], ']', '\0'};
			const char *close = strstr(at + 2, end);
			at = close ? close + 1 : at;
		}
		at++;
	}
	return *at ? at + 1 : at;
}

/* Whether an expression of at most BYTES_MOST bytes is copied too often. x{2} is xx, and x+ is xx*;
 * where such operators are nested, the copies multiply. */
static bool is_repeated_too_often(const char *at)
{
	struct copies open[BYTES_MOST + 1] = {0}, *c = open;

	while (*at) {
		char here = *at++;
		if (here == '\\' && *at) {
			at++;
			add(c, 1);
		} else if (here == '[') {
			at = skip_list(at);
			add(c, 1);
		} else if (here == '(') {
			*++c = (struct copies){0};
		} else if (here == ')' && c > open) {
			c--;
			add(c, c[1].all);
		} else if (here == '{') {
			repeat(c, times_of(&at));
		} else if (here == '+') {
			repeat(c, 2);
		} else {
			add(c, 1);
		}
	}
	for (; c > open; c--)
		add(c - 1, c->all);
	return open->all > COPIES_MOST;
}

static void free_expression(void *p)
{
	regfree(p);
	sqlite3_free(p);
}

static regex_t *compile(sqlite3_context *c, sqlite3_value *v)
{
	const char *expression = (const char *)sqlite3_value_text(v);
	char why[200];
	regex_t *r;
	int rc;

	if (!expression) {
		sqlite3_result_error_nomem(c);
		return NULL;
	}
	if (sqlite3_value_bytes(v) > BYTES_MOST) {
		sqlite3_result_error(c, "the regular expression has more than 1000 bytes", -1);
		return NULL;
	}
	if (is_repeated_too_often(expression)) {
		sqlite3_result_error(c, "the regular expression repeats its parts too often", -1);
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
