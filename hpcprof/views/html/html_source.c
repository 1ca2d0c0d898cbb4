/* Source lines and the text of source files: the columns `lines` and `source-F`. */
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/terminal/layout.h"
#include "hpcprof/views/html/html.h"

#include <stdlib.h>
#include <string.h>

/* The most bytes of sources in a page, before they are compressed. Files with the most samples come
 * first. */
enum { SOURCES_MOST = 16 << 20 };

/* A line with values: of each column, side by side. */
struct shown_line {
	const struct code_line *line;
	const uint64_t *exclusive, *inclusive;
	const struct html_line *compared;
	uint32_t id, file; /* the page's number of the file */
};

struct source {
	struct html *h;
	struct attribution a;
	VEC(struct shown_line) lines;
};

/* By file and line; lines of unknown number are first. */
static int by_place(const void *pa, const void *pb)
{
	const struct shown_line *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line->line != b->line->line)
		return a->line->line < b->line->line ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static bool add_line(struct source *s, struct shown_line l)
{
	const char *name = s->h->c->files.at[l.line->file].name;
	bool has = false;

	for (size_t k = 0; k < s->h->columns.len; k++)
		has |= l.inclusive[k] != 0;
	if (!name || !has)
		return true;
	l.file = html_file(s->h, name);
	return l.file != HTML_NO_NUMBER && vec_push(&s->lines, l);
}

static bool find_lines(struct source *s)
{
	const struct symbolized *c = s->h->c;
	size_t n = s->h->columns.len;
	bool ok = true;

	for (uint32_t i = 0; ok && i < c->lines.len; i++)
		ok = add_line(s, (struct shown_line){
				     .line = &c->lines.at[i],
				     .exclusive = &s->a.by[BY_LINE].exclusive[i * n],
				     .inclusive = &s->a.by[BY_LINE].inclusive[i * n],
				     .id = i,
				 });
	return ok;
}

/* Those of a comparison. Their values stand in the order of the columns. */
static bool take_lines(struct source *s, const struct html_compare *c)
{
	bool ok = true;

	for (size_t i = 0; ok && i < c->num_lines; i++)
		ok = add_line(s, (struct shown_line){
				     .line = &s->h->c->lines.at[c->lines[i].line],
				     .exclusive = c->lines[i].sums[HTML_SELF],
				     .inclusive = c->lines[i].sums[HTML_TOTAL],
				     .compared = &c->lines[i],
				     .id = c->lines[i].line,
				 });
	return ok;
}

static bool put_line(const struct source *s, html_bytes *b, const struct shown_line *l,
		     const struct shown_line *before)
{
	uint32_t file = before ? before->file : 0, line = before ? before->line->line : 0;
	uint32_t function = l->line->several ? HTML_NO_NUMBER
					     : s->h->number[html_function(s->h, l->line->function)];

	return html_varint(b, l->file - file) &&
	       html_varint(b, l->file == file ? l->line->line - line : l->line->line) &&
	       html_varint(b, function + 1) && /* 0: none */
	       html_put_values(s->h, b, l->exclusive) && html_put_values(s->h, b, l->inclusive);
}

static int put_lines(const struct source *s, struct error *e)
{
	html_bytes b = {0};
	bool ok = html_varint(&b, s->lines.len);
	int rc;

	for (size_t i = 0; ok && i < s->lines.len; i++)
		ok = put_line(s, &b, &s->lines.at[i], i ? &s->lines.at[i - 1] : NULL);
	rc = ok ? html_put_column(s->h->out, "lines", &b, e) : error_memory(e, b.len);
	vec_free(&b);
	return rc;
}

/* What they were before and after, and what was found of them. */
static int put_compared_lines(const struct source *s, struct error *e)
{
	html_bytes b = {0};
	bool ok = true;
	int rc;

	for (size_t i = 0; ok && i < s->lines.len; i++) {
		const struct html_line *l = s->lines.at[i].compared;
		for (int kind = 0; ok && kind < HTML_KINDS; kind++)
			for (int side = 0; ok && side < HTML_SIDES; side++)
				ok = html_varint(&b, l->means[side][kind]);
		ok = ok && html_varint(&b, l->marks);
	}
	rc = ok ? html_put_column(s->h->out, "compare-lines", &b, e) : error_memory(e, b.len);
	vec_free(&b);
	return rc;
}

/* ---- texts ----------------------------------------------------------------------------- */

/* A file and the samples, or events, of its lines. */
struct source_weight {
	uint64_t weight;
	uint32_t file;
};

static int by_weight(const void *pa, const void *pb)
{
	const struct source_weight *a = pa, *b = pb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->file < b->file ? -1 : a->file > b->file;
}

/* The files of the lines, those with the highest own values first. NULL if memory ran out. */
static struct source_weight *weigh_files(const struct source *s, size_t *len)
{
	struct source_weight *out = calloc(s->lines.len + 1, sizeof *out);
	size_t n = 0;

	for (size_t i = 0; out && i < s->lines.len; i++) {
		const struct shown_line *l = &s->lines.at[i];
		if (!i || l[-1].file != l->file)
			out[n++].file = l->file;
		out[n - 1].weight += l->exclusive[0];
	}
	if (n)
		qsort(out, n, sizeof *out, by_weight);
	*len = n;
	return out;
}

/* The text of a file, with an LF after each line. */
static bool join_lines(const struct source_text *t, html_bytes *b)
{
	for (size_t i = 0; i < t->lines.len; i++) {
		for (const char *at = t->text + t->lines.at[i]; *at; at++)
			if (!vec_push(b, (uint8_t)*at))
				return false;
		if (!vec_push(b, '\n'))
			return false;
	}
	return true;
}

static int put_text(const struct source *s, uint32_t file, const struct source_text *t,
		    struct error *e)
{
	html_bytes b = {0};
	char id[30];
	int rc;

	snprintf(id, sizeof id, "source-%u", file);
	rc = join_lines(t, &b) ? html_put_column(s->h->out, id, &b, e) : error_memory(e, b.len);
	vec_free(&b);
	return rc;
}

/* Embed the sources that can be found, and say which. */
static int put_texts(const struct source *s, struct error *e)
{
	struct diag *d = s->h->p->diag;
	size_t n = 0, taken = 0, missing = 0, bytes = 0;
	struct source_weight *files = weigh_files(s, &n);
	int rc = files ? 0 : error_memory(e, s->lines.len * sizeof *files);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		const char *name = html_file_name(s->h, files[i].file);
		struct source_text t;
		struct error why;
		size_t size;
		if (source_text_read(&t, name, &s->h->extras->places, &why) != 0) {
			missing++;
			continue;
		}
		size = t.lines.len ? t.lines.at[t.lines.len - 1] : 0;
		if (bytes + size <= SOURCES_MOST) {
			rc = put_text(s, files[i].file, &t, e);
			bytes += size;
			taken++;
			diag_notice(d, t.path, "in the page");
		} else {
			diag_notice(d, t.path,
				    "left out of the page: the sources have more than %d MiB",
				    SOURCES_MOST >> 20);
		}
		source_text_free(&t);
	}
	if (rc == 0)
		diag_notice(d, NULL, "%zu source files are in the page, %zu were not found", taken,
			    missing);
	free(files);
	return rc;
}

/* ---- instructions ---------------------------------------------------------------------- */

int html_by_place(const void *pa, const void *pb)
{
	const struct html_place *a = pa, *b = pb;
	int c = strcmp(a->file, b->file);

	return c ? c : a->line < b->line ? -1 : a->line > b->line;
}

static int put_instructions(const struct source *s, struct error *e)
{
	struct html_place *places = calloc(s->lines.len + 1, sizeof *places);
	size_t n = 0;
	int rc;

	if (!places)
		return error_memory(e, s->lines.len * sizeof *places);
	for (uint32_t i = 0; i < s->lines.len; i++) {
		const struct shown_line *l = &s->lines.at[i];
		struct html_place place = {
		    .file = html_file_name(s->h, l->file), .line = l->line->line, .number = i};
		for (size_t k = 0; k < s->h->columns.len; k++)
			place.own |= l->exclusive[k] != 0;
		places[n++] = place;
	}
	qsort(places, n, sizeof *places, html_by_place);
	rc = html_put_instructions(s->h, places, n, e);
	free(places);
	return rc;
}

/* ---- the whole ------------------------------------------------------------------------- */

/* Read the lines, in the order of the page. */
static int collect_lines(struct source *s, struct error *e)
{
	struct html *h = s->h;
	bool ok;

	if (h->compare) {
		ok = take_lines(s, h->compare);
	} else {
		if (attribute(h->m, h->c, ATTRIBUTE(BY_LINE), h->columns.values, h->columns.len,
			      &s->a, e) != 0)
			return -1;
		ok = find_lines(s);
	}
	if (!ok)
		return error_memory(e, h->c->lines.len * sizeof(struct shown_line));
	if (s->lines.len)
		qsort(s->lines.at, s->lines.len, sizeof *s->lines.at, by_place);
	return 0;
}

int html_put_source(struct html *h, struct error *e)
{
	struct source s = {.h = h};
	int rc = collect_lines(&s, e);

	if (rc == 0)
		rc = put_lines(&s, e);
	if (rc == 0 && h->compare)
		rc = put_compared_lines(&s, e);
	if (rc == 0 && h->extras->sources)
		rc = put_texts(&s, e);
	if (rc == 0 && h->extras->instructions)
		rc = put_instructions(&s, e);
	vec_free(&s.lines);
	attribute_deinit(&s.a);
	return rc;
}
