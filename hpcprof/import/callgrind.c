/* Callgrind's format, version 1, as callgrind and other programs write it.
 *
 * It has what each line of a function costs by itself, and what each call of another function costs
 * in total, but no call paths: from which of its callers a function's own costs are is not known.
 * So the lines' own costs are kept, and the calls are not. */
#include "hpcprof/import/import.h"

#include <string.h>

/* Names by their numbers: "(12) NAME" says it, and "(12)" means it from then on. */
struct callgrind_names {
	struct interner numbers;
	VEC(const char *) names;
};
enum callgrind_kind { NAMES_OB, NAMES_FL, NAMES_FN, NAMES };

struct callgrind_reader {
	struct parsed *p;
	struct lines lines;
	struct error *e;
	struct callgrind_names names[NAMES];
	VEC(uint32_t) events; /* of the costs in a line: metrics */
	bool has_instr, has_line;
	uint64_t instr, line; /* the last position */
	bool is_call;         /* the next costs are those of a call */
	uint32_t process, thread;
	/* where the costs are from */
	const char *object, *file, *declared, *function; /* NULL: not known */
	uint32_t id;                                     /* of the function; PARSED_NONE: not yet */
};

static int out_of_memory(const struct callgrind_reader *r)
{
	return error_memory(r->e, 0);
}

static int expected(const struct callgrind_reader *r, const char *what, struct span found)
{
	return lines_error(&r->lines, r->e, what, found);
}

/* ---- names ------------------------------------------------------------------------- */

/* Read "(12) NAME", "(12)" or "NAME". "???" is a name that is not known. */
static int read_name(struct callgrind_reader *r, enum callgrind_kind kind, struct span s,
		     const char **out)
{
	struct callgrind_names *names = &r->names[kind];
	struct span rest = s = span_trim(s);
	uint32_t id = INTERNER_NONE;
	const char *name = NULL;
	uint64_t number;

	if (span_skip(&rest, "(") && span_number(&rest, &number) && span_skip(&rest, ")")) {
		rest = span_trim(rest);
		id = interner_find(&names->numbers, number);
		if (!rest.n && id == INTERNER_NONE)
			return expected(r, "a number that has a name ('(1) NAME')", s);
		if (!rest.n) {
			*out = names->names.at[id];
			return 0;
		}
		if (id == INTERNER_NONE && (id = interner_add(&names->numbers, number),
					    id == INTERNER_NONE || !vec_push(&names->names, NULL)))
			return out_of_memory(r);
		s = rest;
	}
	if (s.n && !span_is(s, "???")) {
		name = parsed_span(r->p, s);
		if (!name)
			return out_of_memory(r);
	}
	if (id != INTERNER_NONE)
		names->names.at[id] = name;
	*out = name;
	return 0;
}

/* Read a line that names a place. 1: it is something else. */
static int read_place(struct callgrind_reader *r, struct span line)
{
	static const struct {
		const char *key;
		enum callgrind_kind kind;
	} keys[] = {{"cob=", NAMES_OB}, {"cfi=", NAMES_FL}, {"cfl=", NAMES_FL}, {"cfn=", NAMES_FN},
		    {"jfi=", NAMES_FL}, {"jfl=", NAMES_FL}, {"jfn=", NAMES_FN}};
	const char *called;
	int rc;

	/* where calls and jumps go is of no use but for the names */
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (span_skip(&line, keys[i].key))
			return read_name(r, keys[i].kind, line, &called);
	r->id = PARSED_NONE;
	if (span_skip(&line, "ob="))
		return read_name(r, NAMES_OB, line, &r->object);
	if (span_skip(&line, "fl=") || span_skip(&line, "fi=") || span_skip(&line, "fe="))
		return read_name(r, NAMES_FL, line, &r->file);
	if (!span_skip(&line, "fn="))
		return 1;
	rc = read_name(r, NAMES_FN, line, &r->function);
	r->declared = r->file;
	return rc;
}

/* ---- costs ------------------------------------------------------------------------- */

/* Read a position: a number, or the difference to the last one. */
static bool read_position(struct span *s, uint64_t *position)
{
	uint64_t value;

	if (span_skip(s, "*"))
		return true;
	if (span_skip(s, "+")) {
		if (!span_number(s, &value) || value > UINT64_MAX - *position)
			return false;
		*position += value;
		return true;
	}
	if (span_skip(s, "-")) {
		if (!span_number(s, &value) || value > *position)
			return false;
		*position -= value;
		return true;
	}
	return span_number(s, position);
}

static int find_function(struct callgrind_reader *r)
{
	struct parsed_function f = {.name = r->function,
				    .file = r->file,
				    .declared = r->declared ? r->declared : r->p->empty,
				    .module = PARSED_UNKNOWN_MODULE};

	if (r->id != PARSED_NONE)
		return 0;
	if (r->object)
		f.module = parsed_module(r->p, r->object, r->p->empty);
	r->id = f.module == PARSED_NONE ? PARSED_NONE : parsed_function(r->p, &f);
	return r->id == PARSED_NONE ? out_of_memory(r) : 0;
}

static int add_costs(struct callgrind_reader *r, struct span s, struct span line)
{
	struct parsed_node at = {.parent = PARSED_PARTIAL_ROOT,
				 .line =
				     r->has_line && r->line <= UINT32_MAX ? (uint32_t)r->line : 0};
	struct parsed_value v = {.thread = r->thread};
	int rc = find_function(r);

	if (rc != 0)
		return rc;
	at.function = r->id;
	v.node = parsed_node(r->p, &at);
	if (v.node == PARSED_NONE)
		return out_of_memory(r);
	for (size_t i = 0; s.n; i++) {
		struct span word;
		span_word(&s, &word);
		if (i >= r->events.len)
			return expected(r, "no more costs than there are events", line);
		if (!span_number(&word, &v.events) || word.n)
			return expected(r, "a whole number below 2^64", line);
		v.metric = r->events.at[i];
		v.samples = v.events;
		if (!parsed_add(r->p, &v))
			return out_of_memory(r);
	}
	return 0;
}

/* Read "POSITION... COST...". */
static int read_costs(struct callgrind_reader *r, struct span line)
{
	struct span s = line, word;

	for (int i = 0; i < 2; i++) {
		if (!(i ? r->has_line : r->has_instr))
			continue;
		if (!span_word(&s, &word) || !read_position(&word, i ? &r->line : &r->instr) ||
		    word.n)
			return expected(r, "a position and costs, or a line of the header", line);
	}
	if (r->is_call) {
		r->is_call = false;
		return 0;
	}
	if (!r->events.len && s.n)
		return expected(r, "a line 'events:' before the costs", line);
	return s.n ? add_costs(r, s, line) : 0;
}

/* ---- the header -------------------------------------------------------------------- */

/* The metric of an event, which a part before this one may have had, too. */
static int find_event(struct callgrind_reader *r, struct span name, uint32_t *out)
{
	struct parsed_metric metric = {.unit = ""};

	for (*out = 0; *out < r->p->metrics.len; ++*out)
		if (span_is(name, r->p->metrics.at[*out].name))
			return 0;
	if (*out == PARSED_METRICS_MOST)
		return expected(r, "no more than 100 different events", name);
	metric.name = parsed_span(r->p, name);
	*out = metric.name ? parsed_metric(r->p, &metric) : PARSED_NONE;
	return *out == PARSED_NONE ? out_of_memory(r) : 0;
}

static int read_events(struct callgrind_reader *r, struct span s)
{
	struct span word;
	uint32_t id;

	r->events.len = 0;
	while (span_word(&s, &word)) {
		if (find_event(r, word, &id) != 0)
			return -1;
		if (r->events.len == PARSED_METRICS_MOST)
			return expected(r, "no more than 100 events", word);
		if (!vec_push(&r->events, id))
			return out_of_memory(r);
	}
	return 0;
}

/* Read "NAME : LONG NAME (UNIT)": only units that hpcprof has mean something. */
static int read_event(struct callgrind_reader *r, struct span s)
{
	struct span name;
	uint32_t id;

	if (!span_word(&s, &name))
		return 0;
	if (!span_drop(&s, " (ns)") && !span_drop(&s, " (bytes)"))
		return 0;
	if (find_event(r, name, &id) != 0)
		return -1;
	r->p->metrics.at[id].unit = s.at[s.n + 2] == 'n' ? "ns" : "bytes";
	return 0;
}

static int read_positions(struct callgrind_reader *r, struct span s)
{
	struct span all = s, word;

	r->has_instr = r->has_line = false;
	while (span_word(&s, &word))
		if (span_is(word, "instr"))
			r->has_instr = true;
		else if (span_is(word, "line") && !r->has_line)
			r->has_line = true;
		else
			return expected(r, "'positions: instr line', or one of them", all);
	return 0;
}

static int read_process(struct callgrind_reader *r, struct span s)
{
	uint64_t pid;

	s = span_trim(s);
	if (!span_number(&s, &pid) || s.n)
		return expected(r, "a process number", s);
	r->process = parsed_process(r->p, pid);
	r->thread = PARSED_NONE;
	return r->process == PARSED_NONE ? out_of_memory(r) : 0;
}

static int read_thread(struct callgrind_reader *r, struct span s)
{
	uint64_t tid;

	s = span_trim(s);
	if (!span_number(&s, &tid) || s.n)
		return expected(r, "a thread number", s);
	r->thread = parsed_thread(r->p, r->process, tid);
	return r->thread == PARSED_NONE ? out_of_memory(r) : 0;
}

static int read_command(struct callgrind_reader *r, struct span s)
{
	const char *command = parsed_span(r->p, span_trim(s));

	if (command)
		r->p->processes.at[r->process].command = command;
	return command ? 0 : out_of_memory(r);
}

static int read_creator(struct callgrind_reader *r, struct span s)
{
	const char *tool = parsed_span(r->p, span_trim(s));

	if (tool && tool[0])
		r->p->tool = tool;
	return tool ? 0 : out_of_memory(r);
}

static int read_version(struct callgrind_reader *r, struct span s)
{
	return span_is(span_trim(s), "1") ? 0 : expected(r, "version 1 of the format", s);
}

/* It says how large the costs should be, or nothing of use. */
static int read_nothing(struct callgrind_reader *r, struct span s)
{
	(void)r;
	(void)s;
	return 0;
}

/* A number of calls, which the costs in total follow. */
static int read_calls(struct callgrind_reader *r, struct span s)
{
	(void)s;
	r->is_call = true;
	return 0;
}

static const struct callgrind_key {
	const char *key;
	int (*read)(struct callgrind_reader *r, struct span s);
} keys[] = {
    {"events:", read_events},   {"event:", read_event},     {"positions:", read_positions},
    {"version:", read_version}, {"creator:", read_creator}, {"pid:", read_process},
    {"cmd:", read_command},     {"thread:", read_thread},   {"part:", read_nothing},
    {"desc:", read_nothing},    {"summary:", read_nothing}, {"totals:", read_nothing},
    {"calls=", read_calls},     {"jump=", read_nothing},    {"jcnd=", read_nothing},
    {"rcalls=", read_nothing},
};

static const struct callgrind_key *key_of(struct span line)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (span_begins(line, keys[i].key))
			return &keys[i];
	return NULL;
}

static int read_one(struct callgrind_reader *r, struct span line)
{
	const struct callgrind_key *key;
	int rc;

	line = span_trim(line);
	if (!line.n || line.at[0] == '#')
		return 0;
	if (strchr("0123456789+-*", line.at[0]))
		return read_costs(r, line);
	if (r->is_call)
		return expected(r, "the costs of a call", line);
	rc = read_place(r, line);
	if (rc <= 0)
		return rc;
	key = key_of(line);
	if (!key)
		return expected(r, "a line of callgrind's format", line);
	span_skip(&line, key->key);
	return key->read(r, line);
}

static int read_callgrind(struct parsed *p, const void *at, size_t n, struct error *e)
{
	struct callgrind_reader r = {.p = p,
				     .lines = lines_of(at, n),
				     .e = e,
				     .has_line = true,
				     .thread = PARSED_NONE,
				     .id = PARSED_NONE};
	struct span line = {"", 0};
	int rc = 0;

	while (rc == 0 && lines_next(&r.lines, &line))
		rc = read_one(&r, line);
	if (rc == 0 && r.is_call)
		rc = expected(&r, "the costs of a call", line);
	for (int i = 0; i < NAMES; i++) {
		interner_deinit(&r.names[i].numbers);
		vec_free(&r.names[i].names);
	}
	vec_free(&r.events);
	p->flat = true;
	p->lost |= PARSED_LOST_CALLS;
	return rc;
}

/* It begins with the mark, or with a line of the header, and its events are near. */
static bool is(const void *at, size_t n, bool whole)
{
	struct lines l = lines_of(at, n);
	bool first = true;
	struct span line;

	(void)whole;
	while (lines_next(&l, &line)) {
		line = span_trim(line);
		if (span_is(line, "# callgrind format"))
			return true;
		if (!line.n || line.at[0] == '#')
			continue;
		if (first && !key_of(line))
			return false;
		first = false;
		if (span_begins(line, "events:"))
			return true;
	}
	return false;
}

const struct import_format import_callgrind = {"callgrind", is, read_callgrind};
