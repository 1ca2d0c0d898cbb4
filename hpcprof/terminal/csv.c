#include "hpcprof/terminal/csv.h"

#include "formats/base/utf8.h"

#include <string.h>

/* What a formula begins with, in Excel, LibreOffice Calc or Google Sheets; also their wide forms
 * (OWASP, "CSV Injection"). */
static bool is_formula(const char *s, size_t n)
{
	uint32_t code;

	utf8_decode(s, n, &code);
	return (code && code < 0x80 && strchr("=+-@\t\n", (int)code)) || code == 0xff1d ||
	       code == 0xff0b || code == 0xff0d || code == 0xff20;
}

/* Bytes of ASCII that stand for themselves in a field. */
static size_t plain_length(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= ' ' && s[i] < 0x7f && s[i] != '"')
		i++;
	return i;
}

/* n: bytes of a character, or 0 for a byte that is none. */
static void put_character(FILE *out, const char *s, unsigned n, uint32_t code)
{
	char clean[UTF8_CLEAN_BYTES(4)] = "";
	bool shown = n && (code == '\t' || code == '\n' || !utf8_is_harmful(code));
	size_t length = shown ? n : utf8_clean(clean, s, n ? n : 1);

	for (size_t i = 0; i < length; i++)
		putc_unlocked(shown ? s[i] : clean[i], out);
}

void csv_field(FILE *out, const char *s, size_t n, bool formulas)
{
	bool quoted = n == 0;

	for (size_t i = 0; i < n && !quoted; i++)
		quoted = s[i] == ',' || s[i] == '"' || s[i] == '\n';
	if (quoted)
		putc_unlocked('"', out);
	if (formulas && is_formula(s, n))
		putc_unlocked('\'', out);
	for (size_t i = 0; i < n;) {
		uint32_t code;
		size_t plain = plain_length(s + i, n - i);
		unsigned length;
		fwrite(s + i, 1, plain, out);
		i += plain;
		if (i == n)
			break;
		length = utf8_decode(s + i, n - i, &code);
		if (code == '"')
			putc_unlocked('"', out);
		put_character(out, s + i, length, code);
		i += length ? length : 1;
	}
	if (quoted)
		putc_unlocked('"', out);
}
