/* Collapsed stacks, as stackcollapse-perf.pl of FlameGraph writes them: a line for each call path,
 * "outermost;...;innermost VALUE".
 *
 * A name may end in "_[k]" (the kernel's), "_[i]" (inlined) or "_[j]" (compiled at run time), or
 * begin with "MODULE`", as from DTrace, or end in " (FILE:LINE)", as from py-spy. */
#include "formats/identity/kernel.h"
#include "hpcprof/import/import.h"

#include <string.h>

/* The module of code that was compiled at run time. */
#define JIT_MODULE "[jit]"

struct folded {
	struct parsed *p;
	struct lines lines;
	struct error *e;
	uint64_t with_two; /* lines that end in two numbers */
};

static int out_of_memory(const struct folded *s)
{
	return error_memory(s->e, 0);
}

/* Split off the value. False: there is none. */
static bool split_value(struct span *line, uint64_t *value)
{
	struct span number;
	size_t blank;

	*line = span_trim(*line);
	blank = span_last(*line, ' ');
	if (blank == SIZE_MAX)
		return false;
	number = (struct span){line->at + blank + 1, line->n - blank - 1};
	if (!span_is_digits(number) || !span_number(&number, value))
		return false;
	*line = span_trim((struct span){line->at, blank});
	return line->n > 0;
}

/* Split " (FILE:LINE)" off. */
static bool split_place(struct span *name, struct span *file, uint64_t *line)
{
	struct span all = *name, number;
	size_t colon, open;

	if (!span_drop(&all, ")") || (colon = span_last(all, ':')) == SIZE_MAX)
		return false;
	number = (struct span){all.at + colon + 1, all.n - colon - 1};
	all.n = colon;
	open = span_last(all, '(');
	if (!span_is_digits(number) || !span_number(&number, line) || *line > UINT32_MAX ||
	    open == SIZE_MAX || open < 2 || all.at[open - 1] != ' ' || open + 1 == all.n)
		return false;
	*file = (struct span){all.at + open + 1, all.n - open - 1};
	name->n = open - 1;
	return true;
}

static uint32_t module_named(struct folded *s, struct span name)
{
	const char *text = parsed_span(s->p, name);

	return text ? parsed_module(s->p, text, s->p->empty) : PARSED_NONE;
}

static uint32_t module_of(struct folded *s, struct span *name, bool *inlined)
{
	const char *mark = memchr(name->at, '`', name->n);
	struct span module = {name->at, mark ? (size_t)(mark - name->at) : 0};

	*inlined = span_drop(name, "_[i]");
	if (span_drop(name, "_[k]"))
		return module_named(s, span_of(CSP_MODULE_KERNEL));
	if (span_drop(name, "_[j]"))
		return module_named(s, span_of(JIT_MODULE));
	if (!module.n || module.n + 1 >= name->n)
		return PARSED_UNKNOWN_MODULE;
	name->at += module.n + 1;
	name->n -= module.n + 1;
	return module_named(s, module);
}

/* Move *node to its child for a frame. */
static int enter(struct folded *s, struct span name, uint32_t *node)
{
	struct parsed_node child = {.parent = *node};
	struct parsed_function f = {.module = module_of(s, &name, &child.inlined)};
	struct span file;
	uint64_t line = 0;

	if (split_place(&name, &file, &line)) {
		f.file = parsed_span(s->p, file);
		if (!f.file)
			return out_of_memory(s);
	}
	if (name.n && !span_is(name, "[unknown]") && !span_is(name, MODEL_UNKNOWN_FUNCTION)) {
		f.name = parsed_span(s->p, name);
		if (!f.name)
			return out_of_memory(s);
	}
	child.function = f.module == PARSED_NONE ? PARSED_NONE : parsed_function(s->p, &f);
	child.line = (uint32_t)line;
	*node = child.function == PARSED_NONE ? PARSED_NONE : parsed_node(s->p, &child);
	return *node == PARSED_NONE ? out_of_memory(s) : 0;
}

static int read_line(struct folded *s, struct span line)
{
	struct parsed_value v = {.node = PARSED_ROOT, .thread = PARSED_NONE};
	struct span path = line, twice;
	uint64_t other;
	int rc = 0;

	if (!span_trim(line).n)
		return 0;
	if (!split_value(&path, &v.events))
		return lines_error(&s->lines, s->e,
				   "a call path and a whole number below 2^64 ('main;work 12')",
				   line);
	twice = path;
	s->with_two += split_value(&twice, &other);
	v.samples = v.events;
	for (bool last = false; rc == 0 && !last;) {
		const char *end = memchr(path.at, ';', path.n);
		struct span name = {path.at, end ? (size_t)(end - path.at) : path.n};
		last = !end;
		path.at += last ? name.n : name.n + 1;
		path.n -= last ? name.n : name.n + 1;
		if (v.node == PARSED_ROOT && span_is(name, MODEL_PARTIAL_PATHS))
			v.node = PARSED_PARTIAL_ROOT;
		else
			rc = enter(s, name, &v.node);
	}
	if (rc == 0 && v.node < PARSED_ROOTS)
		rc = enter(s, (struct span){"", 0}, &v.node);
	if (rc == 0 && !parsed_add(s->p, &v))
		rc = out_of_memory(s);
	return rc;
}

static int read_folded(struct parsed *p, const void *at, size_t n, struct error *e)
{
	static const struct parsed_metric metric = {.name = "value", .unit = "", .sampled = true};
	struct folded s = {.p = p, .lines = lines_of(at, n), .e = e};
	struct span line;
	int rc = parsed_metric(p, &metric) == PARSED_NONE ? out_of_memory(&s) : 0;

	while (rc == 0 && lines_next(&s.lines, &line))
		rc = read_line(&s, line);
	if (rc == 0 && s.with_two == s.lines.number)
		rc = error_set(e, ERROR_FORMAT,
			       "each line ends in two numbers, as the difference of two profiles "
			       "does (give 'hpcprof diff' the two profiles)");
	return rc;
}

static bool has_controls(struct span line)
{
	for (size_t i = 0; i < line.n; i++)
		if ((unsigned char)line.at[i] < ' ' && line.at[i] != '\t')
			return true;
	return false;
}

/* All lines are a path and a number, and at least half of the paths have several frames. */
static bool is(const void *at, size_t n, bool whole)
{
	struct lines l = lines_of(at, n);
	uint64_t all = 0, deep = 0, value;
	struct span line;

	while (lines_next(&l, &line)) {
		if (!whole && !cursor_left(&l.c))
			break; /* it may be cut */
		if (!span_trim(line).n)
			continue;
		if (has_controls(line) || !split_value(&line, &value))
			return false;
		all++;
		deep += memchr(line.at, ';', line.n) != NULL;
	}
	return all && deep >= all - deep;
}

const struct import_format import_folded = {"collapsed stacks", is, read_folded};
