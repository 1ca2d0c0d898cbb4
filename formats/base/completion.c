#include "formats/base/completion.h"

#include <string.h>

static const struct completion_option *by_name(const struct completion_option *options, size_t n,
					       const char *name, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
			return &options[i];
	return NULL;
}

static const struct completion_option *by_letter(const struct completion_option *options, size_t n,
						 char letter)
{
	for (size_t i = 0; i < n; i++)
		if (options[i].letter == letter)
			return &options[i];
	return NULL;
}

/* Read a word that begins with a dash. Returns the option whose value is its end, at *value, or is
 * the next word, and then *value is NULL. NULL: it has no value. */
static const struct completion_option *read_option(const struct completion_option *options,
						   size_t n, const char *word, const char **value)
{
	const struct completion_option *o;

	*value = NULL;
	if (word[1] == '-') {
		size_t length = strcspn(word, "=");
		o = by_name(options, n, word + 2, length - 2);
		if (word[length])
			*value = word + length + 1;
		return o && o->argument ? o : NULL;
	}
	for (const char *letter = word + 1; *letter; letter++) {
		o = by_letter(options, n, *letter);
		if (!o)
			return NULL;
		if (o->argument) {
			*value = letter[1] ? letter + 1 : NULL;
			return o;
		}
	}
	return NULL;
}

/* The last word is or has a value of o. */
static void complete_value(struct completion *c, const struct completion_option *o,
			   const char *word, const char *value)
{
	c->option = o;
	c->prefix = word;
	c->prefix_length = (size_t)(value - word);
	c->typed = value;
}

void completion_find(struct completion *c, const struct completion_option *options,
		     size_t num_options, const char *const *words, size_t num_words, bool is_prefix,
		     const char **plain, FILE *out)
{
	const struct completion_option *waiting = NULL; /* for its value, the next word */
	const char *last = words[num_words - 1], *value;
	bool ended = false; /* by -- */

	*c = (struct completion){
	    .out = out, .typed = last, .prefix = "", .plain = plain, .first_plain = num_words};
	for (size_t i = 0; i + 1 < num_words; i++) {
		const char *word = words[i];
		if (waiting) {
			waiting = NULL;
		} else if (!ended && strcmp(word, "--") == 0) {
			ended = true;
		} else if (!ended && word[0] == '-' && word[1]) {
			waiting = read_option(options, num_options, word, &value);
			if (value)
				waiting = NULL;
		} else {
			if (!c->num_plain)
				c->first_plain = i;
			plain[c->num_plain++] = word;
			ended |= is_prefix;
		}
	}
	if (waiting) {
		complete_value(c, waiting, last, last);
		return;
	}
	if (ended || last[0] != '-')
		return;
	waiting = read_option(options, num_options, last, &value);
	if (waiting && value)
		complete_value(c, waiting, last, value);
	else
		c->is_option = true;
}

static bool is_clean(const char *word)
{
	for (; *word; word++)
		if ((unsigned char)*word < ' ' || *word == 0x7f)
			return false;
	return true;
}

void completion_offer(const struct completion *c, const char *word, const char *help)
{
	if (strncmp(word, c->typed, strlen(c->typed)) != 0 || !word[0] || !is_clean(word) ||
	    !is_clean(c->prefix) || (!c->prefix_length && word[0] == ':'))
		return;
	fprintf(c->out, "%.*s%s\t", (int)c->prefix_length, c->prefix, word);
	for (; help && *help; help++)
		fputc(*help == '\n' ? ' ' : *help, c->out);
	fputc('\n', c->out);
}

void completion_offer_option(const struct completion *c, const struct completion_option *o)
{
	char name[64];

	snprintf(name, sizeof name, "--%s", o->name);
	completion_offer(c, name, o->help);
}

void completion_offer_values(const struct completion *c)
{
	const char *argument = c->option->argument;

	for (const char *const *w = c->option->words; w && *w; w++)
		completion_offer(c, *w, NULL);
	if (strcmp(argument, "FILE") == 0)
		fputs(":file\n", c->out);
	if (strcmp(argument, "DIR") == 0)
		fputs(":directory\n", c->out);
}
