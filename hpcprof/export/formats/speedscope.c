/* speedscope's file format, with one "evented" profile for each metric and part: the frames of the
 * tree open and close along an axis of events, so the size does not depend on the depth of paths.
 */
#include "hpcprof/export/formats/formats.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct speedscope {
	struct export_data *x;
	struct interner frames; /* function << 1 | inlined, from 2 on; 0: above partial paths */
	uint32_t *frame;        /* [nodes] */
	uint32_t *open;         /* [depth] the nodes that are open */
	uint32_t depth;
	uint64_t at; /* the position on the axis */
	bool any;    /* an event of the profile was printed */
};

static uint64_t key_of(const struct path_tree *t, uint32_t node)
{
	if (node == PATH_TREE_PARTIAL_ROOT)
		return 0;
	return ((uint64_t)path_tree_function(t, node) + 1) << 1 | path_tree_inlined(t, node);
}

/* Print the list of frames, each when it first occurs. */
static bool put_frames(struct speedscope *s)
{
	struct export_data *x = s->x;
	const struct path_tree *t = &x->tree;

	fputs("\"shared\":{\"frames\":[", x->out);
	for (uint32_t i = 0; i < t->num_order; i++) {
		uint32_t node = t->order[i], before = s->frames.len;
		struct export_frame f = export_frame_of(x, node);
		const char *name = export_marked_name(x, node);
		s->frame[node] = interner_add(&s->frames, key_of(t, node));
		if (s->frame[node] == INTERNER_NONE || !name)
			return false;
		if (s->frame[node] < before)
			continue;
		fputs(before ? ",\n{" : "\n{", x->out);
		json_member(x->out, "name", name);
		if (f.file) {
			fputc(',', x->out);
			json_member(x->out, "file", f.file);
		}
		if (f.file && f.line)
			fprintf(x->out, ",\"line\":%" PRIu32, f.line);
		fputc('}', x->out);
	}
	fputs("]}", x->out);
	return true;
}

static void put_event(struct speedscope *s, char type, uint32_t node)
{
	fprintf(s->x->out, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
		s->any ? ",\n" : "\n", type, s->frame[node], s->at);
	s->any = true;
}

/* Close frames down to a depth. What is recorded in a frame itself comes after what is recorded
 * below it. */
static void close_frames(struct speedscope *s, const struct export_part *part, size_t column,
			 uint32_t to)
{
	const struct path_tree *t = &s->x->tree;
	bool saturated = false;

	while (s->depth > to) {
		uint32_t node = s->open[--s->depth];
		s->at = sum_add(s->at, part->exclusive[node * t->num_columns + column], &saturated);
		put_event(s, 'C', node);
	}
}

static void put_events(struct speedscope *s, const struct export_part *part, size_t column)
{
	const struct path_tree *t = &s->x->tree;

	s->at = 0;
	s->any = false;
	for (uint32_t i = 0; i < t->num_order; i++) {
		uint32_t node = t->order[i];
		if (!part->inclusive[node * t->num_columns + column])
			continue;
		close_frames(s, part, column, t->depth[node]);
		put_event(s, 'O', node);
		s->open[s->depth++] = node;
	}
	close_frames(s, part, column, 0);
}

/* All of the part. */
static uint64_t total_of(const struct path_tree *t, const struct export_part *part, size_t column)
{
	bool saturated = false;

	return sum_add(part->inclusive[PATH_TREE_ROOT * t->num_columns + column],
		       part->inclusive[PATH_TREE_PARTIAL_ROOT * t->num_columns + column],
		       &saturated);
}

static const char *unit_of(const char *unit)
{
	if (strcmp(unit, "ns") == 0)
		return "nanoseconds";
	return strcmp(unit, "bytes") == 0 ? "bytes" : "none";
}

/* False if memory ran out. */
static bool put_profile(struct speedscope *s, const struct export_part *part, size_t column)
{
	const char *name = export_part_title(s->x, part, column);
	const struct shown_metric *c = &s->x->columns.at[column];
	FILE *out = s->x->out;

	fputs("{\"type\":\"evented\",", out);
	json_member(out, "name", name);
	fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"events\":[",
		unit_of(c->unit), total_of(&s->x->tree, part, column));
	put_events(s, part, column);
	fputs("]}", out);
	return name != NULL;
}

static int put_profiles(struct speedscope *s, struct error *e)
{
	struct export_data *x = s->x;
	bool first = true;
	int rc = 0;

	fputs(",\n\"profiles\":[", x->out);
	for (size_t i = 0; rc == 0 && i < x->num_parts; i++) {
		struct export_part part;
		rc = export_part_init(&part, x, i, e);
		for (size_t k = 0; rc == 0 && k < x->num_metrics; k++) {
			/* a thread that recorded nothing has nothing to show */
			if (part.name && !total_of(&x->tree, &part, k))
				continue;
			fputs(first ? "\n" : ",\n", x->out);
			first = false;
			if (!put_profile(s, &part, k))
				rc = error_memory(e, 0);
		}
		export_part_deinit(&part);
	}
	fputs("]}\n", x->out);
	return rc;
}

static int emit(struct export_data *x, struct error *e)
{
	struct speedscope s = {.x = x};
	int rc = -1;

	s.frame = calloc(x->tree.num_nodes, sizeof *s.frame);
	s.open = calloc(x->tree.num_nodes, sizeof *s.open);
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n", x->out);
	fputs("\"exporter\":\"hpcprof " HPC_VERSION "\",\n", x->out);
	json_member(x->out, "name", export_program(x->m));
	fputs(",\n", x->out);
	if (s.frame && s.open && put_frames(&s))
		rc = put_profiles(&s, e);
	else
		error_memory(e, x->tree.num_nodes * sizeof *s.frame);
	interner_deinit(&s.frames);
	free(s.frame);
	free(s.open);
	return rc;
}

const struct export_format export_speedscope = {
    .name = "speedscope",
    .shape = PATH_TREE_FUNCTIONS,
    .parts = true,
    .most = EXPORT_MOST_DOUBLE,
    .lost = "load modules, or when something ran: its time axis is the call tree, heaviest first",
    .write = emit,
};
