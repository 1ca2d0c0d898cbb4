#include "hpcprof/terminal/json.h"

#include "formats/base/utf8.h"

#include <inttypes.h>
#include <string.h>

/* Bytes of ASCII that stand for themselves in a string. */
static size_t plain_length(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= ' ' && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
		i++;
	return i;
}

void json_string(FILE *out, const char *s, size_t n)
{
	putc_unlocked('"', out);
	for (size_t i = 0; i < n;) {
		uint32_t code;
		size_t bytes = plain_length(s + i, n - i);
		if (bytes) {
			fwrite(s + i, 1, bytes, out);
			i += bytes;
			continue;
		}
		bytes = utf8_decode(s + i, n - i, &code);
		if (bytes == 0) {
			fputs("\\ufffd", out);
			i++;
			continue;
		}
		if (utf8_is_harmful(code)) {
			fprintf(out, "\\u%04" PRIx32, code);
		} else {
			if (s[i] == '"' || s[i] == '\\')
				putc_unlocked('\\', out);
			fwrite(s + i, 1, bytes, out);
		}
		i += bytes;
	}
	putc_unlocked('"', out);
}

void json_member(FILE *out, const char *name, const char *value)
{
	fprintf(out, "\"%s\":", name);
	if (value)
		json_string(out, value, strlen(value));
	else
		fputs("null", out);
}
