/* Characters of UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing past
 * 0x10ffff), and which of them a terminal must not get. No allocation; any thread. */
#ifndef FORMATS_BASE_UTF8_H
#define FORMATS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at s, of which n bytes may be read. Returns its length in bytes, and its code in
 * *code; 0 if the bytes are no character, and then *code is the first byte (0 if n is 0). In a
 * NUL-terminated string nothing after the NUL is read, for any n. */
static inline unsigned utf8_decode(const char *s, size_t n, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const uint8_t *p = (const uint8_t *)s;
	unsigned length;
	uint32_t c;

	*code = n ? p[0] : 0;
	if (!n || p[0] < 0x80)
		return n ? 1 : 0;
	length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
	if (!length || length > n)
		return 0;
	c = p[0] & (0x7fu >> length);
	for (unsigned i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3fu);
	}
	if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return length;
}

/* Whether a character is an order to a terminal, or changes how the text around it is shown: the
 * control characters, the separators of lines and paragraphs, the byte order mark, and the marks
 * that change the direction of text (Cc, Zl, Zp and Bidi_Control of the Unicode Character
 * Database). */
static inline bool utf8_is_harmful(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
	       code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

/* The length of text that is cut after at most n bytes, of which there are more, so that the last
 * character remains whole. */
size_t utf8_cut(const char *s, size_t n);

/* Room for n bytes that utf8_clean has written, with a NUL. */
#define UTF8_CLEAN_BYTES(n) (4 * (n) + 1)

/* Write n bytes as text that a terminal can show: bytes that are no character and harmful ones as
 * \xHH, other harmful characters as \u{H...}. Returns the length without the NUL. */
size_t utf8_clean(char *to, const char *s, size_t n);

#endif
