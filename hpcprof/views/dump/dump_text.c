/* A dump as text. A record is a line; its contents are indented below it. */
#include "formats/base/utf8.h"
#include "formats/encode.h"
#include "hpcprof/views/dump/dump_form.h"

void dump_put_u64(FILE *out, uint64_t v)
{
	char digits[20];
	size_t n = csp_format_u64(digits, v);
	fwrite(digits, 1, n, out);
}

void dump_put_hex(FILE *out, uint64_t v)
{
	char digits[16];
	unsigned n = 0;
	do
		digits[n++] = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	fputs("0x", out);
	while (n > 0)
		putc_unlocked(digits[--n], out);
}

static void finish_line(struct dump_to *to)
{
	if (to->in_line)
		putc_unlocked('\n', to->out);
	to->in_line = false;
}

static void start_line(struct dump_to *to)
{
	finish_line(to);
	for (unsigned i = 0; i < to->depth; i++)
		fputs("  ", to->out);
	to->in_line = true;
}

static void record(struct dump_to *to, const char *name, int64_t index)
{
	start_line(to);
	fputs(name, to->out);
	if (index >= 0) {
		putc_unlocked(' ', to->out);
		dump_put_u64(to->out, (uint64_t)index);
	}
	putc_unlocked(':', to->out);
	to->depth++;
}

static void end_record(struct dump_to *to)
{
	finish_line(to);
	to->depth--;
}

static void begin(struct dump_to *to, const char *name)
{
	record(to, name, DUMP_ALONE);
}

/* A list itself is not printed, only its records. */
static void list(struct dump_to *to, const char *name)
{
	(void)name;
	finish_line(to);
}

/* Fields after a list get a line of their own. */
static void field(struct dump_to *to, const char *name)
{
	if (to->in_line)
		fputs("  ", to->out);
	else
		start_line(to);
	fputs(name, to->out);
	putc_unlocked(' ', to->out);
}

static void number(struct dump_to *to, const char *name, uint64_t v, const char *meaning)
{
	field(to, name);
	dump_put_u64(to->out, v);
	if (meaning)
		fprintf(to->out, " (%s)", meaning);
}

static void address(struct dump_to *to, const char *name, uint64_t v)
{
	field(to, name);
	dump_put_hex(to->out, v);
}

static void numbers(struct dump_to *to, const char *name, const uint64_t *v, size_t n)
{
	field(to, name);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			putc_unlocked(' ', to->out);
		dump_put_u64(to->out, v[i]);
	}
}

static void string(struct dump_to *to, const char *name, struct dump_bytes s)
{
	field(to, name);
	putc_unlocked('"', to->out);
	for (size_t i = 0; i < s.n;) {
		uint32_t code;
		size_t n = utf8_decode(s.at + i, s.n - i, &code);
		if (n == 0 || utf8_is_harmful(code)) {
			for (size_t end = i + (n ? n : 1); i < end; i++)
				fprintf(to->out, "\\x%02x", (unsigned)(uint8_t)s.at[i]);
			continue;
		}
		if (s.at[i] == '"' || s.at[i] == '\\')
			putc_unlocked('\\', to->out);
		fwrite(s.at + i, 1, n, to->out);
		i += n;
	}
	putc_unlocked('"', to->out);
}

static void word(struct dump_to *to, const char *name, struct dump_bytes s)
{
	field(to, name);
	fwrite(s.at, 1, s.n, to->out);
}

static void absent(struct dump_to *to, const char *name)
{
	field(to, name);
	putc_unlocked('-', to->out);
}

const struct dump_form dump_text = {
    .begin = begin,
    .end = end_record,
    .record = record,
    .end_record = end_record,
    .list = list,
    .end_list = finish_line,
    .number = number,
    .address = address,
    .numbers = numbers,
    .string = string,
    .word = word,
    .absent = absent,
};
