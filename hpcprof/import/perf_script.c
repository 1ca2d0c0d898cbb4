/* The output of perf script, with its default fields or more:
 *
 *     COMM PID/TID [CPU] TIME: PERIOD EVENT:
 *             ADDRESS SYMBOL+0xOFFSET (MODULE)
 *             ...
 *
 * innermost first, and an empty line; or, without call chains, the one frame in the first line.
 * PID, CPU, PERIOD and offsets may be missing. A frame that was inlined has "(inlined)" for its
 * module, and is before the one that it was inlined into. With the field srcline, "  FILE:LINE"
 * follows a frame. */
#include "formats/identity/kernel.h"
#include "hpcprof/import/import.h"

#include <ctype.h>
#include <string.h>

/* A sample's first line. */
struct perf_head {
	struct span comm, event, rest;
	uint64_t pid, tid, period;
	bool has_pid, has_period;
};

struct perf_frame {
	uint64_t address;
	uint32_t function, line;
	bool inlined;
};

struct perf_script {
	struct parsed *p;
	struct lines lines;
	struct error *e;
	struct interner events; /* of names, as text ids */
	/* the sample that is being read */
	bool open;
	uint32_t thread, metric;
	uint64_t period;
	VEC(struct perf_frame) frames; /* innermost first */
};

static int out_of_memory(const struct perf_script *s)
{
	return error_memory(s->e, 0);
}

/* ---- the first line of a sample ---------------------------------------------------- */

/* Take "1234" or "1234/1234" from the beginning of s. */
static bool take_ids(struct span *s, struct perf_head *h)
{
	bool ended;

	h->has_pid = false;
	if (!s->n || !isdigit((unsigned char)s->at[0]) || !span_number(s, &h->tid))
		return false;
	if (span_skip(s, "/")) {
		h->pid = h->tid;
		h->has_pid = true;
		if (!s->n || !isdigit((unsigned char)s->at[0]) || !span_number(s, &h->tid))
			return false;
	}
	ended = s->n && (s->at[0] == ' ' || s->at[0] == '\t');
	*s = span_trim(*s);
	return ended;
}

/* Take "[001]", if it is there. False: there is something else in brackets. */
static bool take_cpu(struct span *s)
{
	uint64_t cpu;

	if (!span_skip(s, "["))
		return true;
	if (!span_number(s, &cpu) || !span_skip(s, "]"))
		return false;
	*s = span_trim(*s);
	return true;
}

/* Take "123.456789:". */
static bool take_time(struct span *s)
{
	uint64_t whole, part;

	if (!span_number(s, &whole) || !span_skip(s, ".") || !span_number(s, &part) ||
	    !span_skip(s, ":"))
		return false;
	*s = span_trim(*s);
	return true;
}

/* Take "250000 cpu-clock:" or "cpu-clock:u:". */
static bool take_event(struct span *s, struct perf_head *h)
{
	struct span word, rest = *s;

	h->period = 1;
	h->has_period = false;
	if (!span_word(&rest, &word))
		return false;
	if (span_is_digits(word)) {
		h->has_period = true;
		if (!span_number(&word, &h->period) || !span_word(&rest, &word))
			return false;
	}
	if (!span_drop(&word, ":") || !word.n)
		return false;
	h->event = word;
	h->rest = rest;
	return true;
}

/* Names of threads may contain blanks and numbers, so the first place is taken from which on all
 * fits. */
static bool parse_head(struct span line, struct perf_head *h)
{
	struct span at = span_trim(line);
	const char *begin = at.at, *end = at.at + at.n;

	for (struct span word; span_word(&at, &word);) {
		struct span rest = {word.at, (size_t)(end - word.at)};
		if (!isdigit((unsigned char)word.at[0]) || word.at == begin)
			continue;
		if (take_ids(&rest, h) && take_cpu(&rest) && take_time(&rest) &&
		    take_event(&rest, h)) {
			h->comm = span_trim((struct span){begin, (size_t)(word.at - begin)});
			return true;
		}
	}
	return false;
}

/* ---- frames ------------------------------------------------------------------------ */

/* Where the "+0x12 (" or, without an offset, the " (" before the module is; false: nowhere. */
static bool split_module(struct span s, struct span *symbol, struct span *module)
{
	if (!s.n || s.at[s.n - 1] != ')')
		return false;
	for (size_t i = s.n; i-- > 3;) {
		struct span offset = {s.at + i, s.n - i};
		uint64_t value;
		if (s.at[i] != '+' || !span_skip(&offset, "+0x") || !span_hex(&offset, &value) ||
		    !span_skip(&offset, " ("))
			continue;
		*symbol = (struct span){s.at, i};
		*module = (struct span){offset.at, offset.n - 1};
		return true;
	}
	*module = s;
	if (span_skip(module, "[unknown] (")) {
		*symbol = (struct span){s.at, strlen("[unknown]")};
		module->n--;
		return true;
	}
	for (size_t i = s.n - 1; i-- > 0;)
		if (s.at[i] == ' ' && s.at[i + 1] == '(') {
			*symbol = (struct span){s.at, i};
			*module = (struct span){s.at + i + 2, s.n - i - 3};
			return true;
		}
	return false;
}

/* Remove "+0x12" from the end. */
static struct span without_offset(struct span s)
{
	size_t plus = span_last(s, '+');
	struct span offset;
	uint64_t value;

	if (plus == SIZE_MAX)
		return s;
	offset = (struct span){s.at + plus, s.n - plus};
	if (span_skip(&offset, "+0x") && span_hex(&offset, &value) && !offset.n)
		s.n = plus;
	return s;
}

static uint32_t module_of(struct perf_script *s, struct span name)
{
	const char *text;

	if (span_begins(name, "[kernel.kallsyms]") || span_begins(name, "[kernel.vmlinux]") ||
	    span_is(name, "[kernel]"))
		name = span_of(CSP_MODULE_KERNEL);
	if (!name.n || span_is(name, "[unknown]"))
		return PARSED_UNKNOWN_MODULE;
	span_drop(&name, " (deleted)");
	text = parsed_span(s->p, name);
	return text ? parsed_module(s->p, text, s->p->empty) : PARSED_NONE;
}

/* A frame that was inlined is in the module of the one with the same address that follows, which
 * sets it. */
static int add_frame(struct perf_script *s, uint64_t address, struct span symbol,
		     struct span module, bool inlined)
{
	struct parsed_function f = {0};
	struct perf_frame frame = {.address = address, .inlined = inlined};

	f.module = module_of(s, module);
	if (!span_is(symbol, "[unknown]") && symbol.n) {
		f.name = parsed_span(s->p, symbol);
		if (!f.name)
			return out_of_memory(s);
	}
	frame.function = f.module == PARSED_NONE ? PARSED_NONE : parsed_function(s->p, &f);
	for (size_t i = s->frames.len; !inlined && i-- > 0 && s->frames.at[i].inlined;) {
		struct parsed_function inner = s->p->functions.at[s->frames.at[i].function];
		if (inner.module != PARSED_UNKNOWN_MODULE || s->frames.at[i].address != address)
			break;
		inner.module = f.module;
		s->frames.at[i].function = parsed_function(s->p, &inner);
		if (s->frames.at[i].function == PARSED_NONE)
			return out_of_memory(s);
	}
	return frame.function != PARSED_NONE && vec_push(&s->frames, frame) ? 0 : out_of_memory(s);
}

/* Read "ADDRESS SYMBOL+0x12 (MODULE)". 1: it is something else. */
static int read_frame(struct perf_script *s, struct span line)
{
	struct span at = span_trim(line), symbol, module;
	uint64_t address;

	if (!span_hex(&at, &address) || !at.n || (at.at[0] != ' ' && at.at[0] != '\t'))
		return 1;
	at = span_trim(at);
	if (span_drop(&at, " (inlined)"))
		return add_frame(s, address, without_offset(at), (struct span){"", 0}, true);
	if (split_module(at, &symbol, &module))
		return add_frame(s, address, symbol, module, false);
	/* with the field srcline, "(inlined)" is behind the line */
	symbol = without_offset(at);
	return symbol.n < at.n ? add_frame(s, address, symbol, (struct span){"", 0}, true) : 1;
}

/* Read "  FILE:LINE" of the last frame, which there is. 1: it is something else. */
static int read_line(struct perf_script *s, struct span line)
{
	struct span file = span_trim(line), number;
	size_t colon;
	struct perf_frame *frame = &s->frames.at[s->frames.len - 1];
	struct parsed_function f;
	uint64_t value;

	span_drop(&file, " (inlined)");
	colon = span_last(file, ':');
	if (!colon || colon == SIZE_MAX)
		return 1;
	number = (struct span){file.at + colon + 1, file.n - colon - 1};
	if (!span_is_digits(number) || !span_number(&number, &value) || value > UINT32_MAX)
		return 1;
	file.n = colon;
	f = s->p->functions.at[frame->function];
	f.file = parsed_span(s->p, file);
	if (!f.file)
		return out_of_memory(s);
	frame->function = parsed_function(s->p, &f);
	frame->line = (uint32_t)value;
	return frame->function == PARSED_NONE ? out_of_memory(s) : 0;
}

/* ---- samples ----------------------------------------------------------------------- */

/* The unit of a software clock is known; other events are counted. */
static const char *unit_of(struct span event)
{
	static const char *const clocks[] = {"cpu-clock", "task-clock"};

	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
		if (span_is(event, clocks[i]) ||
		    (span_begins(event, clocks[i]) && event.at[strlen(clocks[i])] == ':'))
			return "ns";
	return "";
}

static int find_metric(struct perf_script *s, const struct perf_head *h)
{
	const char *name = parsed_span(s->p, h->event);
	struct parsed_metric metric = {
	    .name = name, .unit = unit_of(h->event), .sampled = true, .counted = true};

	if (!name)
		return out_of_memory(s);
	s->metric = interner_add(&s->events, (uint64_t)(uintptr_t)name);
	if (s->metric == INTERNER_NONE)
		return out_of_memory(s);
	if (s->metric == PARSED_METRICS_MOST)
		return lines_error(&s->lines, s->e, "no more than 100 different events", h->event);
	if (s->metric == s->p->metrics.len) {
		metric.period = h->has_period ? h->period : 0;
		if (parsed_metric(s->p, &metric) == PARSED_NONE)
			return out_of_memory(s);
	} else if (h->period != s->p->metrics.at[s->metric].period) {
		s->p->metrics.at[s->metric].period = 0; /* it varied */
	}
	return 0;
}

static int find_thread(struct perf_script *s, const struct perf_head *h)
{
	uint32_t process = h->has_pid ? parsed_process(s->p, h->pid) : 0;
	struct parsed_thread *t;

	if (process == PARSED_NONE)
		return out_of_memory(s);
	s->thread = parsed_thread(s->p, process, h->tid);
	if (s->thread == PARSED_NONE)
		return out_of_memory(s);
	t = &s->p->threads.at[s->thread];
	t->main = h->has_pid && h->pid == h->tid;
	if (span_is(h->comm, t->name))
		return 0;
	t->name = parsed_span(s->p, h->comm); /* the last one stays, as after exec */
	if (!t->name)
		return out_of_memory(s);
	if (t->main || (!h->has_pid && !s->p->processes.at[process].command[0]))
		s->p->processes.at[process].command = t->name;
	return 0;
}

static int end_sample(struct perf_script *s)
{
	struct parsed_value v = {PARSED_ROOT, s->thread, s->metric, s->period, 1};
	struct parsed_function unknown = {0};
	uint64_t outer = UINT64_MAX;

	if (!s->open)
		return 0;
	s->open = false;
	if (!s->frames.len) {
		unknown.module = PARSED_UNKNOWN_MODULE;
		v.node = parsed_function(s->p, &unknown);
		if (v.node == PARSED_NONE ||
		    !vec_push(&s->frames, (struct perf_frame){.function = v.node}))
			return out_of_memory(s);
		v.node = PARSED_ROOT;
	}
	while (s->frames.len) {
		const struct perf_frame *f = &s->frames.at[--s->frames.len];
		/* perf marks a function as inlined if it has another name in its debug information;
		 * then nothing with the same address follows */
		struct parsed_node n = {v.node, f->function, f->line,
					f->inlined && f->address == outer};
		outer = f->address;
		v.node = parsed_node(s->p, &n);
		if (v.node == PARSED_NONE)
			return out_of_memory(s);
	}
	return parsed_add(s->p, &v) ? 0 : out_of_memory(s);
}

static int begin_sample(struct perf_script *s, const struct perf_head *h)
{
	int rc = find_metric(s, h);

	if (rc == 0)
		rc = find_thread(s, h);
	s->period = h->period;
	s->open = true;
	/* the rest of the line may be what a tracepoint says */
	if (rc == 0 && h->rest.n)
		rc = read_frame(s, h->rest);
	return rc > 0 ? 0 : rc;
}

static bool is_comment(struct span line)
{
	return line.n && line.at[0] == '#';
}

static int read_one(struct perf_script *s, struct span line)
{
	struct perf_head h;
	int rc;

	if (is_comment(line))
		return 0;
	if (!span_trim(line).n)
		return end_sample(s);
	/* first, as a thread's name may be a hexadecimal number, such as dd */
	if (parse_head(line, &h)) {
		rc = end_sample(s);
		return rc == 0 ? begin_sample(s, &h) : rc;
	}
	rc = s->open ? read_frame(s, line) : 1;
	if (rc > 0 && s->open && s->frames.len)
		rc = read_line(s, line);
	if (rc > 0)
		return lines_error(&s->lines, s->e,
				   s->open ? "a frame ('ADDRESS SYMBOL (MODULE)') or a sample "
					     "('COMM PID TIME: EVENT:', of perf script without -F)"
					   : "a sample ('COMM PID TIME: EVENT:', of perf script "
					     "without -F)",
				   line);
	return rc;
}

static int read_script(struct parsed *p, const void *at, size_t n, struct error *e)
{
	struct perf_script s = {.p = p, .lines = lines_of(at, n), .e = e};
	struct span line;
	int rc = 0;

	while (rc == 0 && lines_next(&s.lines, &line))
		rc = read_one(&s, line);
	if (rc == 0)
		rc = end_sample(&s);
	interner_deinit(&s.events);
	vec_free(&s.frames);
	return rc;
}

/* The first line that is no comment is that of a sample. */
static bool is(const void *at, size_t n, bool whole)
{
	struct lines l = lines_of(at, n);
	struct perf_head h;
	struct span line;

	do {
		if (!lines_next(&l, &line))
			return false;
	} while (is_comment(line) || !span_trim(line).n);
	return (whole || cursor_left(&l.c)) && parse_head(line, &h);
}

const struct import_format import_perf_script = {"perf script", is, read_script};
