/* A dump as one JSON object. Records are objects, lists of records are arrays. */
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/dump/dump_form.h"

static void next(struct dump_to *to)
{
	if (to->has_before)
		putc_unlocked(',', to->out);
	to->has_before = true;
}

/* Names are from dump.c: letters, digits, '_'. */
static void key(struct dump_to *to, const char *name)
{
	next(to);
	fprintf(to->out, "\"%s\":", name);
}

static void open_with(struct dump_to *to, char bracket)
{
	putc_unlocked(bracket, to->out);
	to->has_before = false;
	to->depth++;
}

static void close_with(struct dump_to *to, char bracket)
{
	putc_unlocked(bracket, to->out);
	to->has_before = true;
	to->depth--;
}

static void begin(struct dump_to *to, const char *name)
{
	(void)name;
	open_with(to, '{');
}

static void end(struct dump_to *to)
{
	close_with(to, '}');
	putc_unlocked('\n', to->out);
}

static void record(struct dump_to *to, const char *name, int64_t index)
{
	if (index == DUMP_ALONE) {
		key(to, name);
	} else {
		next(to);
		putc_unlocked('\n', to->out);
	}
	open_with(to, '{');
}

static void end_record(struct dump_to *to)
{
	close_with(to, '}');
}

static void list(struct dump_to *to, const char *name)
{
	key(to, name);
	open_with(to, '[');
}

static void end_list(struct dump_to *to)
{
	close_with(to, ']');
}

static void string(struct dump_to *to, const char *name, struct dump_bytes s)
{
	key(to, name);
	json_string(to->out, s.at, s.n);
}

static void number(struct dump_to *to, const char *name, uint64_t v, const char *meaning)
{
	key(to, name);
	dump_put_u64(to->out, v);
	if (meaning) {
		next(to);
		fprintf(to->out, "\"%s_meaning\":\"%s\"", name, meaning);
	}
}

static void address(struct dump_to *to, const char *name, uint64_t v)
{
	key(to, name);
	putc_unlocked('"', to->out);
	dump_put_hex(to->out, v);
	putc_unlocked('"', to->out);
}

static void numbers(struct dump_to *to, const char *name, const uint64_t *v, size_t n)
{
	list(to, name);
	for (size_t i = 0; i < n; i++) {
		next(to);
		dump_put_u64(to->out, v[i]);
	}
	end_list(to);
}

static void absent(struct dump_to *to, const char *name)
{
	key(to, name);
	fputs("null", to->out);
}

const struct dump_form dump_json = {
    .begin = begin,
    .end = end,
    .record = record,
    .end_record = end_record,
    .list = list,
    .end_list = end_list,
    .number = number,
    .address = address,
    .numbers = numbers,
    .string = string,
    .word = string,
    .absent = absent,
};
