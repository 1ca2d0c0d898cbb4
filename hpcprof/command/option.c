#include "hpcprof/command/option.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

char *option_name(char out[OPTION_NAME_BYTES], const struct option_row *row)
{
	if (row->letter)
		snprintf(out, OPTION_NAME_BYTES, "-%c", row->letter);
	else
		snprintf(out, OPTION_NAME_BYTES, "--%s", row->name);
	return out;
}

int option_flag(const struct option_row *row, const char *text, void *field, struct error *e)
{
	(void)row;
	(void)text;
	(void)e;
	*(bool *)field = true;
	return 0;
}

int option_no(const struct option_row *row, const char *text, void *field, struct error *e)
{
	(void)row;
	(void)text;
	(void)e;
	*(bool *)field = false;
	return 0;
}

int option_string(const struct option_row *row, const char *text, void *field, struct error *e)
{
	(void)row;
	(void)e;
	*(const char **)field = text;
	return 0;
}

int option_output(const struct option_row *row, const char *text, void *field, struct error *e)
{
	return option_string(row, text, field, e);
}

int option_strings(const struct option_row *row, const char *text, void *field, struct error *e)
{
	option_strings_field *to = field;

	(void)row;
	return vec_push(to, text) ? 0 : error_memory(e, sizeof text);
}

/* "a, b or c". Returns out. */
static char *list_words(char *out, size_t n, const char *const *words)
{
	size_t used = 0;

	for (size_t i = 0; words[i] && used < n; i++)
		used += (size_t)snprintf(out + used, n - used, "%s%s",
					 !i             ? ""
					 : words[i + 1] ? ", "
							: " or ",
					 words[i]);
	return out;
}

int option_word(const struct option_row *row, const char *text, void *field, struct error *e)
{
	char name[OPTION_NAME_BYTES], words[256];

	for (unsigned i = 0; row->words[i]; i++)
		if (strcasecmp(text, row->words[i]) == 0) {
			*(unsigned *)field = i + 1;
			return 0;
		}
	return error_set(e, ERROR_USAGE, "%s takes %s, not '%s'", option_name(name, row),
			 list_words(words, sizeof words, row->words), text);
}

int option_count(const struct option_row *row, const char *text, void *field, struct error *e)
{
	char name[OPTION_NAME_BYTES], *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || !isdigit((unsigned char)text[0]) || value > UINT32_MAX)
		return error_set(e, ERROR_USAGE, "%s takes a whole number up to %lu, not '%s'",
				 option_name(name, row), (unsigned long)UINT32_MAX, text);
	*(uint64_t *)field = value;
	return 0;
}

int option_limit(const struct option_row *row, const char *text, void *field, struct error *e)
{
	uint64_t *value = field;

	if (option_count(row, text, field, e) != 0)
		return -1;
	if (!*value)
		*value = UINT64_MAX;
	return 0;
}

/* A decimal number: no sign, no exponent, no "nan". */
static bool decimal(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && strspn(text, "0123456789.") == strlen(text);
}

int option_percent(const struct option_row *row, const char *text, void *field, struct error *e)
{
	char name[OPTION_NAME_BYTES];
	double value;

	if (!decimal(text, &value) || !(value <= 100))
		return error_set(e, ERROR_USAGE, "%s takes a percentage from 0 to 100, not '%s'",
				 option_name(name, row), text);
	*(double *)field = value;
	return 0;
}

int option_seconds(const struct option_row *row, const char *text, void *field, struct error *e)
{
	char name[OPTION_NAME_BYTES];
	double value;

	if (!decimal(text, &value) || !(value >= 0.1 && value <= 86400))
		return error_set(e, ERROR_USAGE,
				 "%s takes a number of seconds from 0.1 to 86400, not '%s'",
				 option_name(name, row), text);
	*(double *)field = value;
	return 0;
}
