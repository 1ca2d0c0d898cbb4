#include "reader/xml_name.h"

#include "formats/base/utf8.h"

#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Char of XML 1.0, section 2.2, without the controls that it allows: a parser changes some of them
 * to blanks, and terminals and editors obey others. */
static int plain(uint32_t c)
{
	return !utf8_is_harmful(c) && c != '\\' && c != 0xfffe && c != 0xffff;
}

static void put_character(FILE *out, const char *s, unsigned n)
{
	switch (*s) {
	case '&':
		fputs("&amp;", out);
		break;
	case '<':
		fputs("&lt;", out);
		break;
	case '>':
		fputs("&gt;", out);
		break;
	case '"':
		fputs("&quot;", out);
		break;
	default:
		fwrite(s, 1, n, out);
	}
}

static void put_escaped(FILE *out, const char *s, unsigned n)
{
	if (*s == '\\') {
		fputs("\\\\", out);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		fprintf(out, "\\x%02x", (unsigned)(uint8_t)s[i]);
}

void reader_xml_write_name(FILE *out, const char *name)
{
	const char *s = name;

	if (strcmp(name, READER_XML_UNKNOWN_FILE) == 0 ||
	    strcmp(name, READER_XML_PARTIAL_PATHS) == 0)
		put_escaped(out, s++, 1);
	while (*s) {
		uint32_t code;
		unsigned n = utf8_decode(s, SIZE_MAX, &code);
		if (n && plain(code))
			put_character(out, s, n);
		else
			put_escaped(out, s, n ? n : 1);
		s += n ? n : 1;
	}
}

void reader_xml_decode_name(char *value)
{
	char *to = value;

	for (const char *s = value; *s; s++) {
		int high, low;
		if (s[0] == '\\' && s[1] == '\\') {
			*to++ = *++s;
		} else if (s[0] == '\\' && s[1] == 'x' && (high = hex_digit(s[2])) >= 0 &&
			   (low = hex_digit(s[3])) >= 0 && high + low > 0) {
			*to++ = (char)(high << 4 | low);
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}
