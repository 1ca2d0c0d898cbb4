#include "hpcprof/terminal/layout.h"

#include "formats/base/utf8.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <wchar.h>

/* Decode a character of a NUL-terminated text. */
static unsigned decode(const char *s, uint32_t *code)
{
	return utf8_decode(s, SIZE_MAX, code);
}

const char *layout_clean(struct arena *a, const char *s)
{
	size_t size = strlen(s);
	char *out;

	for (size_t i = 0;; i++) {
		if (!s[i])
			return arena_strndup(a, s, size); /* only printable ASCII */
		if ((uint8_t)s[i] < 0x20 || (uint8_t)s[i] >= 0x7f)
			break;
	}
	out = size < SIZE_MAX / 8 ? arena_alloc(a, UTF8_CLEAN_BYTES(size)) : NULL;
	if (out)
		utf8_clean(out, s, size);
	return out;
}

/* The width of a character: from the C library's table for UTF-8, or one if it is not in it. */
static unsigned columns_of(uint32_t code)
{
	static locale_t utf8;
	locale_t before;
	int w;

	if (code < 0x80)
		return 1;
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (!utf8)
		return 1;
	before = uselocale(utf8);
	w = wcwidth((wchar_t)code);
	uselocale(before);
	return w < 0 ? 1 : (unsigned)w;
}

unsigned layout_width(const char *s)
{
	unsigned width = 0;
	while (*s) {
		uint32_t code;
		unsigned n = decode(s, &code);
		width += columns_of(code);
		s += n ? n : 1;
	}
	return width;
}

/* Bytes of the longest prefix of s that takes at most width columns. */
static size_t head_bytes(const char *s, unsigned width)
{
	size_t at = 0;
	unsigned used = 0;
	while (s[at]) {
		uint32_t code;
		unsigned n = decode(s + at, &code);
		used += columns_of(code);
		if (used > width)
			break;
		at += n ? n : 1;
	}
	return at;
}

/* The start of the longest suffix of s that takes at most width columns. */
static size_t tail_start(const char *s, unsigned width)
{
	unsigned all = layout_width(s);
	size_t at = 0;
	while (s[at] && all > width) {
		uint32_t code;
		unsigned n = decode(s + at, &code);
		all -= columns_of(code);
		at += n ? n : 1;
	}
	return at;
}

static const char dots[] = "...";

const char *layout_cut_after(struct arena *a, const char *s, unsigned head, unsigned width)
{
	size_t first, last;
	char *out;

	if (layout_width(s) <= width)
		return s;
	if (width <= sizeof dots - 1)
		return arena_strndup(a, dots, width);
	if (head > width - (unsigned)(sizeof dots - 1))
		head = width - (unsigned)(sizeof dots - 1);
	first = head_bytes(s, head);
	last = tail_start(s, width - (unsigned)(sizeof dots - 1) - head);
	out = arena_alloc(a, first + sizeof dots + strlen(s + last));
	if (!out)
		return NULL;
	memcpy(out, s, first);
	strcpy(out + first, dots);
	return strcat(out, s + last);
}

const char *layout_cut_middle(struct arena *a, const char *s, unsigned width)
{
	/* keep more of the end: template arguments often begin alike */
	return layout_cut_after(a, s, width > 3 ? (width - 3) * 2 / 5 : 0, width);
}

/* Bytes of an operator's name at s, which begins with "operator"; 0 if it does not. The brackets in
 * it ("operator<<", "operator()") are not a pair around anything. */
static size_t operator_bytes(const char *s)
{
	static const char word[] = "operator";
	size_t n = sizeof word - 1;

	if (strncmp(s, word, n) != 0)
		return 0;
	if (strncmp(s + n, "()", 2) == 0)
		return n + 2;
	return n + strspn(s + n, "<>=-");
}

/* Bytes of a part like "<locals>" of a Python function's name, which is one word at its beginning
 * or after a dot; 0 if there is none at s. */
static size_t python_bytes(const char *name, const char *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	size_t n = *s == '<' && (s == name || s[-1] == '.') ? strspn(s + 1, letters) : 0;

	return n && s[1 + n] == '>' ? n + 2 : 0;
}

const char *layout_empty_brackets(struct arena *a, const char *s, char open, char close)
{
	char *out = arena_alloc(a, 3 * strlen(s) + sizeof dots), *to = out;
	const char *name = s;
	unsigned depth = 0;

	while (out && *s) {
		size_t n = operator_bytes(s);
		if (!n && !depth)
			n = python_bytes(name, s);
		if (n) {
			if (!depth)
				to = mempcpy(to, s, n);
			s += n;
			continue;
		}
		if (*s == close && depth && !--depth)
			to = stpcpy(to, s[-1] == open ? "" : dots);
		if (!depth)
			*to++ = *s;
		depth += *s == open;
		s++;
	}
	return out;
}

/* A copy with from replaced by into, which is not longer. NULL if memory ran out. */
static const char *replaced(struct arena *a, const char *s, const char *from, const char *into)
{
	char *out = arena_alloc(a, strlen(s) + 1), *to = out;
	const char *hit;

	while (out && (hit = strstr(s, from))) {
		to = stpcpy(mempcpy(to, s, (size_t)(hit - s)), into);
		s = hit + strlen(from);
	}
	if (out)
		strcpy(to, s);
	return out;
}

const char *layout_cut_name(struct arena *a, const char *s, unsigned width)
{
	/* then the emptied brackets are removed, beginning at the end of the name */
	static const char *const less[][2] = {{") const", ")"}, {"(...)", ""}, {"<...>", ""}};

	if (layout_width(s) > width)
		s = layout_empty_brackets(a, s, '(', ')');
	if (s && layout_width(s) > width)
		s = layout_empty_brackets(a, s, '<', '>');
	for (size_t i = 0; s && i < sizeof less / sizeof *less && layout_width(s) > width; i++)
		s = replaced(a, s, less[i][0], less[i][1]);
	return s ? layout_cut_middle(a, s, width) : NULL;
}

const char *layout_cut_left(struct arena *a, const char *s, unsigned width)
{
	return layout_cut_after(a, s, 0, width);
}

const char *layout_cut_right(struct arena *a, const char *s, unsigned width)
{
	return layout_cut_after(
	    a, s, width > sizeof dots - 1 ? width - (unsigned)(sizeof dots - 1) : 0, width);
}

const char *layout_format_list(struct arena *a, const char *format, va_list ap)
{
	va_list again;
	char *out;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	out = n < 0 ? NULL : arena_alloc(a, (size_t)n + 1);
	if (out)
		vsnprintf(out, (size_t)n + 1, format, ap);
	return out;
}

const char *layout_format(struct arena *a, const char *format, ...)
{
	const char *out;
	va_list ap;

	va_start(ap, format);
	out = layout_format_list(a, format, ap);
	va_end(ap);
	return out;
}

void layout_title(FILE *out, bool color, const char *text)
{
	fprintf(out, color ? "\x1b[1m%s\x1b[0m\n" : "%s\n", text);
}

void layout_paragraph(FILE *out, unsigned width, const char *text)
{
	unsigned used = 0;

	if (width == LAYOUT_WHOLE)
		width = LAYOUT_USUAL;
	while (*text) {
		size_t n = strcspn(text, " ");
		char word[512];
		unsigned wide;

		snprintf(word, sizeof word, "%.*s", (int)n, text);
		wide = layout_width(word);
		if (used && used + 1 + wide > width) {
			fputc('\n', out);
			used = 0;
		}
		fprintf(out, "%s%.*s", used ? " " : "  ", (int)n, text);
		used += wide + (used ? 1 : 2);
		text += n + strspn(text + n, " ");
	}
	fputc('\n', out);
}

/* ---- numbers -------------------------------------------------------------------- */

char *layout_percent(char out[LAYOUT_NUMBER_BYTES], uint64_t value, uint64_t total)
{
	if (total)
		snprintf(out, LAYOUT_NUMBER_BYTES, "%.1f%%", 100.0 * (double)value / (double)total);
	else
		strcpy(out, "-");
	return out;
}

struct cut_step {
	double size;
	const char *name;
};

/* Format value with three digits, in the largest step that is not greater than it. */
static char *scaled(char *out, double value, const struct cut_step *steps, size_t n)
{
	size_t k = 0;
	double x;

	/* 999.6 would round to 1000: use the next step */
	while (k + 1 < n && value >= steps[k + 1].size * 0.9995)
		k++;
	x = value / steps[k].size;
	snprintf(out, LAYOUT_NUMBER_BYTES, "%.*f %s",
		 steps[k].size == 1 || x >= 99.95 ? 0
		 : x >= 9.995                     ? 1
						  : 2,
		 x, steps[k].name);
	return out;
}

char *layout_real(char out[LAYOUT_NUMBER_BYTES], double value, const char *unit)
{
	static const struct cut_step times[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
	static const struct cut_step sizes[] = {{1, "B"},        {0x1p10, "KiB"}, {0x1p20, "MiB"},
						{0x1p30, "GiB"}, {0x1p40, "TiB"}, {0x1p50, "PiB"}};
	static const struct cut_step counts[] = {{1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}};
	static const double minute = 60e9, hour = 3600e9;

	if (strcmp(unit, "ns") == 0) {
		/* minutes and hours from two of each */
		if (value >= 2 * hour)
			snprintf(out, LAYOUT_NUMBER_BYTES, "%.2f h", value / hour);
		else if (value >= 2 * minute)
			snprintf(out, LAYOUT_NUMBER_BYTES, "%.*f min", value < 10 * minute ? 2 : 1,
				 value / minute);
		else
			scaled(out, value, times, sizeof times / sizeof *times);
		return out;
	}
	if (strcmp(unit, "bytes") == 0)
		return scaled(out, value, sizes, sizeof sizes / sizeof *sizes);
	if (value >= 999999.5)
		return scaled(out, value, counts, sizeof counts / sizeof *counts);
	if (value >= 99.95 || value == floor(value))
		return layout_exact(out, (uint64_t)(value + 0.5));
	snprintf(out, LAYOUT_NUMBER_BYTES, "%.*f", value >= 9.995 ? 1 : 2, value);
	return out;
}

char *layout_value(char out[LAYOUT_NUMBER_BYTES], uint64_t value, const char *unit)
{
	return layout_real(out, (double)value, unit);
}

char *layout_exact(char out[LAYOUT_NUMBER_BYTES], uint64_t value)
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%" PRIu64, value);
	char *to = out;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return out;
}
