/* A processed profile of the Firefox Profiler. Each metric and part is a thread there, with tables
 * of its own: strings, functions, frames, stacks and samples. A node of the tree is a stack, and a
 * stack with a value is a sample. */
#include "hpcprof/export/formats/firefox.h"

#include "formats/base/path.h"
#include "hpcprof/terminal/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_VERSION = 54, GECKO_VERSION = 24, LIBRARY_RESOURCE = 1 };
enum { NS_PER_MS = 1000000 };

/* ---- stacks and samples ------------------------------------------------------------ */

static uint64_t value_of(const struct firefox *s, uint32_t node)
{
	return s->part.exclusive[node * s->x->tree.num_columns + s->column];
}

static void put_prefix(struct firefox *s, uint32_t i)
{
	uint32_t up = path_tree_parent(&s->x->tree, s->nodes[i]);

	if (up == PATH_TREE_ROOT)
		fputs("null", s->x->out);
	else
		fprintf(s->x->out, "%" PRIu32, s->stacks[up]);
}

static void put_stack_frame(struct firefox *s, uint32_t i)
{
	fprintf(s->x->out, "%" PRIu32, s->frames[i]);
}

static bool is_time(const struct firefox *s)
{
	return strcmp(s->x->columns.at[s->column].unit, "ns") == 0;
}

/* Print a number of events, exactly: nanoseconds as milliseconds. */
static void put_amount(const struct firefox *s, uint64_t events)
{
	if (is_time(s))
		fprintf(s->x->out, "%" PRIu64 ".%06u", events / NS_PER_MS,
			(unsigned)(events % NS_PER_MS));
	else
		fprintf(s->x->out, "%" PRIu64, events);
}

/* A column of the samples: of the stacks with a value. */
enum sample_column { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_WEIGHT };

static void put_sample_column(struct firefox *s, const char *name, enum sample_column column)
{
	FILE *out = s->x->out;
	uint64_t last = 0;
	bool any = false;

	fprintf(out, ",\"%s\":[", name);
	for (uint32_t i = 0; i < s->num_stacks; i++) {
		uint64_t value = value_of(s, s->nodes[i]);
		if (!value)
			continue;
		if (any)
			fputc(',', out);
		any = true;
		if (column == SAMPLE_STACK)
			fprintf(out, "%" PRIu32, i);
		else
			put_amount(s, column == SAMPLE_TIME ? last : value);
		last = value;
	}
	fputc(']', out);
}

/* The time from one sample to the next is the value of the first. */
static void put_samples(struct firefox *s)
{
	const char *unit = s->x->columns.at[s->column].unit;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->num_stacks; i++)
		n += value_of(s, s->nodes[i]) != 0;
	fprintf(s->x->out, ",\n\"samples\":{\"length\":%" PRIu32 ",\"weightType\":\"%s\"", n,
		is_time(s)                   ? "tracing-ms"
		: strcmp(unit, "bytes") == 0 ? "bytes"
					     : "samples");
	put_sample_column(s, "stack", SAMPLE_STACK);
	put_sample_column(s, "timeDeltas", SAMPLE_TIME);
	put_sample_column(s, "weight", SAMPLE_WEIGHT);
	fputc('}', s->x->out);
}

/* ---- a thread ---------------------------------------------------------------------- */

/* Find the symbol that contains the code of a node, after its parent's. False if memory ran out. */
static bool find_symbol(struct firefox *s, uint32_t node)
{
	const struct path_tree *t = &s->x->tree;
	uint32_t up = path_tree_parent(t, node), function;

	s->depths[node] = 0;
	s->within[node] = FIREFOX_NO_SYMBOL;
	if (node == PATH_TREE_PARTIAL_ROOT)
		return true;
	function = path_tree_function(t, node);
	if (path_tree_inlined(t, node)) {
		s->depths[node] = s->depths[up] + 1;
		s->within[node] = s->within[up];
	} else if (s->x->c->functions.at[function].low) {
		s->within[node] = interner_add(&s->symbols, function);
		return s->within[node] != INTERNER_NONE;
	}
	return true;
}

/* Add the frame of a stack. False if memory ran out. */
static bool add_frame(struct firefox *s, uint32_t node)
{
	const struct path_tree *t = &s->x->tree;
	uint32_t line = 0, function, place, level, frame;
	uint64_t key = UINT64_MAX;

	if (!find_symbol(s, node))
		return false;
	if (node != PATH_TREE_PARTIAL_ROOT) {
		const struct code_line *l = &s->x->c->lines.at[path_tree_line(t, node)];
		key = (uint64_t)path_tree_function(t, node) << 32 | l->file;
		line = l->line;
	}
	function = interner_add(&s->functions, key);
	place = interner_add(&s->places, (uint64_t)function << 32 | line);
	level = interner_add(&s->levels, (uint64_t)place << 32 | s->depths[node]);
	frame = interner_add(&s->frame_keys, (uint64_t)level << 32 | s->within[node]);
	s->frames[s->num_stacks] = frame;
	return function != INTERNER_NONE && place != INTERNER_NONE && level != INTERNER_NONE &&
	       frame != INTERNER_NONE;
}

static bool make_stacks(struct firefox *s)
{
	const struct path_tree *t = &s->x->tree;

	s->num_stacks = 0;
	for (uint32_t i = 0; i < t->num_order; i++) {
		uint32_t node = t->order[i];
		if (!s->part.inclusive[node * t->num_columns + s->column])
			continue;
		if (!add_frame(s, node))
			return false;
		s->nodes[s->num_stacks] = node;
		s->stacks[node] = s->num_stacks++;
	}
	return true;
}

/* The resources are the load modules. */
static void put_resources(struct firefox *s)
{
	FILE *out = s->x->out;
	size_t n = s->x->m->modules.len;

	fprintf(out, ",\n\"resourceTable\":{\"length\":%zu,\"lib\":[", n);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%zu", i ? "," : "", i);
	fputs("],\"name\":[", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "",
			firefox_string(s, path_basename(s->x->modules[i])));
	fputs("],\"host\":[", out);
	for (size_t i = 0; i < n; i++)
		fputs(i ? ",null" : "null", out);
	fputs("],\"type\":[", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%d", i ? "," : "", LIBRARY_RESOURCE);
	fputs("]}", out);
}

static void put_strings(struct firefox *s)
{
	fputs(",\n\"stringArray\":[", s->x->out);
	for (uint32_t i = 0; i < s->num_strings; i++) {
		const char *text = strings_get(s->strings, i);
		fputs(i ? ",\n" : "\n", s->x->out);
		json_string(s->x->out, text, strlen(text));
	}
	fputc(']', s->x->out);
}

static void put_thread_name(struct firefox *s)
{
	const char *name = export_part_title(s->x, &s->part, s->column);

	json_member(s->x->out, "name", name);
	s->starved |= !name;
}

static void put_thread(struct firefox *s, size_t number)
{
	FILE *out = s->x->out;

	fputs(s->any ? ",\n{" : "\n{", out);
	put_thread_name(s);
	fprintf(out,
		",\"isMainThread\":%s,\"pid\":\"1\",\"tid\":\"%zu\",\"processType\":\"default\",",
		s->any ? "false" : "true", number);
	s->any = true;
	json_member(out, "processName", path_basename(export_program(s->x->m)));
	fputs(",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
	      "\"unregisterTime\":null,\"pausedRanges\":[],\"showMarkersInTimeline\":false,\n"
	      "\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],\"name\":[],"
	      "\"phase\":[],\"startTime\":[]}",
	      out);
	put_samples(s);
	fprintf(out, ",\n\"stackTable\":{\"length\":%" PRIu32, s->num_stacks);
	firefox_put_column(s, "prefix", s->num_stacks, put_prefix);
	firefox_put_column(s, "frame", s->num_stacks, put_stack_frame);
	fputc('}', out);
	firefox_put_frames(s);
	firefox_put_functions(s);
	firefox_put_symbols(s);
	put_resources(s);
	put_strings(s);
	fputc('}', out);
}

static int add_thread(struct firefox *s, size_t number, struct error *e)
{
	s->strings = strings_create();
	s->num_strings = 0;
	if (s->strings && make_stacks(s))
		put_thread(s, number);
	else
		s->starved = true;
	strings_destroy(s->strings);
	interner_deinit(&s->functions);
	interner_deinit(&s->places);
	interner_deinit(&s->levels);
	interner_deinit(&s->symbols);
	interner_deinit(&s->frame_keys);
	return s->starved ? error_memory(e, 0) : 0;
}

/* ---- the profile ------------------------------------------------------------------- */

static uint64_t start_ms(const struct model *m)
{
	uint64_t first = 0;

	for (size_t i = 0; i < m->processes.len; i++)
		if (m->processes.at[i].has_start && (!first || m->processes.at[i].start_ns < first))
			first = m->processes.at[i].start_ns;
	return first / NS_PER_MS;
}

static void put_meta(const struct export_data *x)
{
	uint64_t interval = 0;

	for (size_t k = 0; k < x->num_metrics && !interval; k++)
		if (strcmp(x->columns.at[k].unit, "ns") == 0)
			interval = x->columns.at[k].metric->interval;
	fprintf(x->out, "{\"meta\":{\"version\":%d,\"preprocessedProfileVersion\":%d,",
		GECKO_VERSION, FORMAT_VERSION);
	json_member(x->out, "product", path_basename(export_program(x->m)));
	fprintf(x->out, ",\"startTime\":%" PRIu64 ",\"interval\":%" PRIu64 ".%06u", start_ms(x->m),
		(interval ? interval : NS_PER_MS) / NS_PER_MS, (unsigned)(interval % NS_PER_MS));
	fputs(
	    ",\"importedFrom\":\"hpcprof " HPC_VERSION "\",\"symbolicated\":true,\"debug\":false,"
	    "\"processType\":0,\"usesOnlyOneStackType\":true,"
	    "\"sourceCodeIsNotOnSearchfox\":true,\"pausedRanges\":[],\"markerSchema\":[],\n"
	    "\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},\n"
	    "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},\n"
	    "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
	    "{\"name\":\"Native\",\"color\":\"blue\",\"subcategories\":[\"Other\"]}]},\n",
	    x->out);
}

static void put_libraries(const struct export_data *x)
{
	fputs("\"libs\":[", x->out);
	for (size_t i = 0; i < x->m->modules.len; i++) {
		const char *path = x->modules[i], *id = x->m->modules.at[i].build_id;
		fputs(i ? ",\n{" : "\n{", x->out);
		json_member(x->out, "name", path_basename(path));
		fputc(',', x->out);
		json_member(x->out, "path", path);
		fputc(',', x->out);
		json_member(x->out, "debugName", path_basename(path));
		fputc(',', x->out);
		json_member(x->out, "debugPath", path);
		fputs(",\"breakpadId\":\"\",", x->out);
		json_member(x->out, "codeId", id);
		fputs(",\"arch\":null}", x->out);
	}
	fputs("],\n\"pages\":[],\"profilerOverhead\":[],\"counters\":[],\n", x->out);
}

static int put_threads(struct firefox *s, struct error *e)
{
	struct export_data *x = s->x;
	size_t number = 0;
	int rc = 0;

	fputs("\"threads\":[", x->out);
	for (size_t i = 0; rc == 0 && i < x->num_parts; i++) {
		rc = export_part_init(&s->part, x, i, e);
		for (size_t k = 0; rc == 0 && k < x->num_metrics; k++) {
			s->column = k;
			rc = add_thread(s, ++number, e);
		}
		export_part_deinit(&s->part);
	}
	fputs("]}\n", x->out);
	return rc;
}

static int emit(struct export_data *x, struct error *e)
{
	struct firefox s = {.x = x};
	size_t n = x->tree.num_nodes + (size_t)1;
	int rc;

	s.stacks = calloc(n, sizeof *s.stacks);
	s.nodes = calloc(n, sizeof *s.nodes);
	s.frames = calloc(n, sizeof *s.frames);
	s.depths = calloc(n, sizeof *s.depths);
	s.within = calloc(n, sizeof *s.within);
	if (s.stacks && s.nodes && s.frames && s.depths && s.within) {
		put_meta(x);
		put_libraries(x);
		rc = put_threads(&s, e);
	} else {
		rc = error_memory(e, n * sizeof *s.stacks);
	}
	free(s.stacks);
	free(s.nodes);
	free(s.frames);
	free(s.depths);
	free(s.within);
	return rc;
}

const struct export_format export_firefox = {
    .name = "firefox",
    .shape = PATH_TREE_LINES,
    .parts = true,
    .most = EXPORT_MOST_DOUBLE,
    .lost = "when something ran: its time axis is the call tree, heaviest first",
    .write = emit,
};
