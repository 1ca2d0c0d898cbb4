#include "hpcprof/command/expression.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MOST = EXPRESSION_BYTES_MOST, COPIES_MOST = EXPRESSION_COPIES_MOST };

/* Copies that the C library makes of the characters of a part: all of them, and those of the part
 * that an operator after it would repeat. They stop growing at more than COPIES_MOST. Where a part
 * may match nothing, what is before it is linked to all copies, so that these count squared. */
struct copies {
	unsigned long all, last;
	bool empty;      /* the last part may match nothing; */
	bool some_empty; /* as any of them */
};

static void add(struct copies *c, unsigned long last)
{
	c->last = last;
	c->all += last;
	c->empty = false;
	if (c->all > COPIES_MOST)
		c->all = c->last = COPIES_MOST + 1UL;
}

/* The last part may match nothing. */
static void may_be_empty(struct copies *c)
{
	c->empty = c->some_empty = true;
}

/* The last part is copied times times in place of once. */
static void repeat(struct copies *c, unsigned long times)
{
	unsigned long last = c->last;
	bool empty = c->empty;

	times = empty ? times * times : times;
	c->all -= last;
	add(c, times && last > COPIES_MOST / times ? COPIES_MOST + 1UL : last * times);
	c->empty = empty;
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

/* Whether there is something on both sides of the bar before at. */
static bool has_parts(const char *begin, const char *at)
{
	const char *bar = at - 1;

	return bar > begin && !strchr("(|", bar[-1]) && *at && !strchr(")|", *at);
}

/* Whether an expression of at most BYTES_MOST bytes is copied too often. x{2} is xx, and x+ is xx*;
 * where such operators are nested, the copies multiply. */
static bool is_repeated_too_often(const char *at)
{
	const char *begin = at;
	struct copies open[BYTES_MOST + 1] = {0}, *c = open;

	while (*at) {
		char here = *at++;
		if (here == '\\' && *at) {
			add(c, 1);
			if (strchr("<>bB`'", *at++))
				may_be_empty(c);
		} else if (here == '[') {
			at = skip_list(at);
			add(c, 1);
		} else if (here == '(') {
			*++c = (struct copies){0};
		} else if (here == ')' && c > open) {
			c--;
			add(c, c[1].all);
			if (c[1].some_empty || c[1].all == 0)
				may_be_empty(c);
		} else if (here == '{') {
			bool empty = strtoul(at, NULL, 10) == 0;
			repeat(c, times_of(&at));
			if (empty)
				may_be_empty(c);
		} else if (here == '+') {
			repeat(c, 2);
		} else if (here == '*' || here == '?') {
			may_be_empty(c);
		} else {
			add(c, 1);
			if (here == '^' || here == '$' || (here == '|' && !has_parts(begin, at)))
				may_be_empty(c);
		}
	}
	for (; c > open; c--)
		add(c - 1, c->all);
	return open->all > COPIES_MOST;
}

const char *expression_refused(const char *text)
{
	if (strlen(text) > BYTES_MOST)
		return "has more than 1000 bytes";
	return is_repeated_too_often(text) ? "repeats its parts too often" : NULL;
}

int expression_compile(regex_t *to, const char *option, const char *text, struct error *e)
{
	const char *refused = expression_refused(text);
	char why[128];
	int rc;

	if (refused)
		return error_set(e, ERROR_USAGE, "%s: the regular expression '%.100s' %s", option,
				 text, refused);
	rc = regcomp(to, text, REG_EXTENDED | REG_NOSUB);
	if (rc == 0)
		return 0;
	regerror(rc, to, why, sizeof why);
	return error_set(e, ERROR_USAGE,
			 "%s takes an extended regular expression, not '%.100s' (%s)", option, text,
			 why);
}

int expression_check(const char *option, const char *text, struct error *e)
{
	regex_t r;

	if (expression_compile(&r, option, text, e) != 0)
		return -1;
	regfree(&r);
	return 0;
}
