#include "runtime/launcher/quote.h"

#include "formats/base/utf8.h"

#include <stdio.h>
#include <string.h>

static const char plain[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+,:@%=-";

/* The bytes at s that may not be shown: of a harmful character, or one that is no character. 0: the
 * *length bytes of a character can be shown. */
static unsigned not_shown(const char *s, unsigned *length)
{
	uint32_t code;

	*length = utf8_decode(s, SIZE_MAX, &code);
	if (*length == 0)
		return 1;
	return utf8_is_harmful(code) ? *length : 0;
}

/* As bash's $'...', in which a byte can be a number. */
static void escape(char *out, const char *word)
{
	char *at = out;

	*at++ = '$';
	*at++ = '\'';
	while (*word) {
		unsigned length, n = not_shown(word, &length);
		for (; n; n--, length = 0)
			at += sprintf(at, "\\%03o", (unsigned)(uint8_t)*word++);
		if (length && (*word == '\'' || *word == '\\'))
			*at++ = '\\';
		for (; length; length--)
			*at++ = *word++;
	}
	*at++ = '\'';
	*at = '\0';
}

char *launch_quote(char *out, const char *word)
{
	size_t n = strlen(word), safe = strspn(word, plain);
	unsigned escapes = 0, length;

	for (size_t i = 0; i < n && !escapes; i += length)
		escapes = not_shown(word + i, &length);
	if (n && safe == n)
		memcpy(out, word, n + 1);
	else if (escapes || strchr(word, '\''))
		escape(out, word);
	else
		sprintf(out, "'%s'", word);
	return out;
}
