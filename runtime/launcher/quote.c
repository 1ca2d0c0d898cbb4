#include "runtime/launcher/quote.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char plain[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+,:@%=-";

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

/* As bash's $'...', in which a control character can be a number. */
static void escape(char *out, const char *word)
{
	char *at = out;

	*at++ = '$';
	*at++ = '\'';
	for (; *word; word++) {
		if (is_control(*word)) {
			at += sprintf(at, "\\%03o", (unsigned char)*word);
			continue;
		}
		if (*word == '\'' || *word == '\\')
			*at++ = '\\';
		*at++ = *word;
	}
	*at++ = '\'';
	*at = '\0';
}

char *launch_quote(char *out, const char *word)
{
	size_t n = strlen(word), safe = strspn(word, plain);
	bool controls = false;

	for (size_t i = 0; i < n; i++)
		controls |= is_control(word[i]);
	if (n && safe == n)
		memcpy(out, word, n + 1);
	else if (controls || strchr(word, '\''))
		escape(out, word);
	else
		sprintf(out, "'%s'", word);
	return out;
}
