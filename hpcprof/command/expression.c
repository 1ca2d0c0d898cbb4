#include "hpcprof/command/expression.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	BYTES_MOST = EXPRESSION_BYTES_MOST,
	COPIES_MOST = EXPRESSION_COPIES_MOST,
	LOOPS_MOST = EXPRESSION_LOOPS_MOST
};

/* Copies that the C library makes of the characters of a part: all of them, and those of the part
 * that an operator after it would repeat. They stop growing at more than COPIES_MOST. Where a part
 * may match nothing, what is before it is linked to all copies, so that these count squared. */
struct copies {
	unsigned long all, last;
	unsigned long loops, last_loops; /* the same of loops over what may match nothing */
	bool empty;                      /* the last part may match nothing, */
	bool before;                     /* and so may all parts before it in this alternative; */
	bool any;                        /* an earlier alternative may */
};

static struct copies none(void)
{
	return (struct copies){.empty = true, .before = true};
}

static bool may_match_nothing(const struct copies *c)
{
	return c->any || (c->before && c->empty);
}

static void bound(unsigned long *all, unsigned long *last)
{
	*all += *last;
	if (*all > COPIES_MOST)
		*all = *last = COPIES_MOST + 1UL;
}

static void add(struct copies *c, unsigned long last, unsigned long loops, bool empty)
{
	c->before = c->before && c->empty;
	c->empty = empty;
	c->last = last;
	c->last_loops = loops;
	bound(&c->all, &c->last);
	bound(&c->loops, &c->last_loops);
}

/* Another alternative begins. */
static void begin_another(struct copies *c)
{
	c->any = may_match_nothing(c);
	add(c, 1, 0, true);
	c->before = true;
}

static unsigned long product(unsigned long a, unsigned long b)
{
	return a > COPIES_MOST / b ? COPIES_MOST + 1UL : a * b;
}

/* The last part is copied times times in place of once. */
static void repeat(struct copies *c, unsigned long times)
{
	c->all -= c->last;
	c->loops -= c->last_loops;
	c->last_loops = product(c->last_loops, times);
	c->last = product(c->last, c->empty ? times * times : times);
	bound(&c->all, &c->last);
	bound(&c->loops, &c->last_loops);
}

/* The last part is in a loop. */
static void loop(struct copies *c)
{
	c->loops -= c->last_loops;
	c->last_loops += c->empty;
	bound(&c->loops, &c->last_loops);
}

/* The copies for {M}, {M,} or {M,N}; *at is behind the brace, and then behind the other. */
static unsigned long times_of(const char **at)
{
	char *end;
	unsigned long least = strtoul(*at, &end, 10), most = least;

	if (*end == ',' && end[1] >= '0' && end[1] <= '9') {
		most = strtoul(end + 1, &end, 10);
	} else if (*end == ',') {
		most = least + 1;
		end++;
	}
	*at = end + (*end == '}');
	most = most > least ? most : least;
	return most <= COPIES_MOST ? most + (most == 0) : COPIES_MOST + 1UL;
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
	bool anchored = false;
	struct copies open[BYTES_MOST + 1], *c = open;

	*c = none();
	while (*at) {
		char here = *at++;
		if (here == '\\' && *at) {
			bool anchor = strchr("<>bB`'", *at++);
			anchored |= anchor;
			add(c, 1, 0, anchor);
		} else if (here == '[') {
			at = skip_list(at);
			add(c, 1, 0, false);
		} else if (here == '(') {
			*++c = none();
		} else if (here == ')' && c > open) {
			c--;
			add(c, c[1].all ? c[1].all : 1, c[1].loops, may_match_nothing(&c[1]));
		} else if (here == '|') {
			begin_another(c);
		} else if (here == '{') {
			bool empty = strtoul(at, NULL, 10) == 0;
			repeat(c, times_of(&at));
			loop(c); /* it may be one */
			c->empty |= empty;
		} else if (here == '+') {
			repeat(c, 2);
			loop(c);
		} else if (here == '*') {
			loop(c);
			c->empty = true;
		} else if (here == '?') {
			c->empty = true;
		} else {
			bool anchor = here == '^' || here == '$';
			anchored |= anchor;
			add(c, 1, 0, anchor);
		}
	}
	for (; c > open; c--)
		add(c - 1, c->all, c->loops, false);
	return open->all > COPIES_MOST || (anchored && open->loops > LOOPS_MOST);
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
