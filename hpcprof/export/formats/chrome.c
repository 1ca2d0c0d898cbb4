/* The trace event format of Chrome: each frame of the call tree is a complete event ("X"). Each
 * metric is a process there, and each part a thread. The time axis has events of the metric, of
 * which 1000 are a microsecond if they are nanoseconds, else one is. */
#include "hpcprof/export/formats/formats.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NS_PER_US = 1000 };

struct chrome {
	struct export_data *x;
	uint64_t *begin; /* [nodes] where the next child begins */
	bool any;        /* an event was printed */
};

/* Print a number of events as microseconds, exactly. */
static void put_time(const struct chrome *s, const char *name, uint64_t events, size_t column)
{
	FILE *out = s->x->out;

	if (strcmp(s->x->columns.at[column].unit, "ns") == 0)
		fprintf(out, ",\"%s\":%" PRIu64 ".%03u", name, events / NS_PER_US,
			(unsigned)(events % NS_PER_US));
	else
		fprintf(out, ",\"%s\":%" PRIu64, name, events);
}

static void begin_event(struct chrome *s, char type, size_t column, size_t part)
{
	fprintf(s->x->out, "%s{\"ph\":\"%c\",\"pid\":%zu,\"tid\":%zu,", s->any ? ",\n" : "\n", type,
		column + 1, part + 1);
	s->any = true;
}

static void put_title(struct chrome *s, const char *kind, const char *name, size_t column,
		      size_t part)
{
	begin_event(s, 'M', column, part);
	fprintf(s->x->out, "\"name\":\"%s\",\"args\":{", kind);
	json_member(s->x->out, "name", name);
	fputs("}}", s->x->out);
}

static bool put_frame(struct chrome *s, uint32_t node, const struct export_part *values,
		      size_t column, size_t part)
{
	struct export_data *x = s->x;
	struct export_frame f = export_frame_of(x, node);
	const char *name = export_marked_name(x, node);
	size_t at = node * x->tree.num_columns + column;

	if (!name)
		return false;
	begin_event(s, 'X', column, part);
	json_member(x->out, "name", name);
	put_time(s, "ts", s->begin[node], column);
	put_time(s, "dur", values->inclusive[at], column);
	fprintf(x->out, ",\"args\":{\"self\":%" PRIu64, values->exclusive[at]);
	if (f.module) {
		fputc(',', x->out);
		json_member(x->out, "module", f.module);
	}
	if (f.file) {
		fputc(',', x->out);
		json_member(x->out, "file", f.file);
	}
	if (f.file && f.line)
		fprintf(x->out, ",\"line\":%" PRIu32, f.line);
	fputs("}}", x->out);
	return true;
}

/* Children follow each other from the beginning of their parent. */
static bool put_frames(struct chrome *s, const struct export_part *values, size_t column,
		       size_t part)
{
	const struct path_tree *t = &s->x->tree;
	bool saturated = false;

	s->begin[PATH_TREE_ROOT] = 0;
	for (uint32_t i = 0; i < t->num_order; i++) {
		uint32_t node = t->order[i], up = path_tree_parent(t, node);
		uint64_t value = values->inclusive[node * t->num_columns + column];
		if (!value)
			continue;
		s->begin[node] = s->begin[up];
		if (!put_frame(s, node, values, column, part))
			return false;
		s->begin[up] = sum_add(s->begin[up], value, &saturated);
	}
	return true;
}

static int put_parts(struct chrome *s, struct error *e)
{
	const struct export_data *x = s->x;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->num_parts; i++) {
		struct export_part part;
		rc = export_part_init(&part, x, i, e);
		for (size_t k = 0; rc == 0 && k < x->num_metrics; k++) {
			if (part.name)
				put_title(s, "thread_name", part.name, k, i);
			if (!put_frames(s, &part, k, i))
				rc = error_memory(e, 0);
		}
		export_part_deinit(&part);
	}
	return rc;
}

static int emit(struct export_data *x, struct error *e)
{
	struct chrome s = {.x = x};
	int rc;

	s.begin = calloc(x->tree.num_nodes + (size_t)1, sizeof *s.begin);
	if (!s.begin)
		return error_memory(e, x->tree.num_nodes * sizeof *s.begin);
	fputs("{\"otherData\":{", x->out);
	json_member(x->out, "program", export_program(x->m));
	fputs(",\"exporter\":\"hpcprof " HPC_VERSION "\"},\n\"traceEvents\":[", x->out);
	for (size_t k = 0; k < x->num_metrics; k++)
		put_title(&s, "process_name", x->columns.at[k].metric_name, k, 0);
	rc = put_parts(&s, e);
	fputs("]}\n", x->out);
	free(s.begin);
	return rc;
}

const struct export_format export_chrome = {
    .name = "chrome",
    .shape = PATH_TREE_FUNCTIONS,
    .parts = true,
    .most = EXPORT_MOST_DOUBLE,
    .lost = "when something ran: its time axis is the call tree, heaviest first",
    .write = emit,
};
