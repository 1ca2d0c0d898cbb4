#include "formats/base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t utf8_cut(const char *s, size_t n)
{
	for (size_t i = 0; i < 4 && i <= n; i++)
		if (((unsigned char)s[n - i] & 0xc0) != 0x80)
			return n - i;
	return n; /* no UTF-8 */
}

size_t utf8_clean(char *to, const char *s, size_t n)
{
	char *const begin = to;

	for (size_t i = 0; i < n;) {
		uint32_t code;
		unsigned length = utf8_decode(s + i, n - i, &code);
		if (length == 0 || (length == 1 && utf8_is_harmful(code)))
			to += sprintf(to, "\\x%02x", (unsigned)(uint8_t)s[i]);
		else if (utf8_is_harmful(code))
			to += sprintf(to, "\\u{%" PRIx32 "}", code);
		else
			to = (char *)memcpy(to, s + i, length) + length;
		i += length ? length : 1;
	}
	*to = '\0';
	return (size_t)(to - begin);
}
