/* Regions in a tree: from nodes below a path, as the runtime writes them
 * (formats/identity/notes.h), to frames within it.
 *
 *     main - solve - kernel - (region assembly of solve)
 *     main - solve - (region assembly) - kernel
 *
 * What the function itself does in its region is below the region, too:
 *
 *     main - solve - (region assembly of solve)
 *     main - solve - (region assembly) - solve
 *
 * All other nodes are copied. A path with regions gets nodes of its own; ingesting makes one
 * context of nodes with the same path. */
#include "formats/base/interner.h"
#include "hpcprof/load/ingest_internal.h"

#include <stdlib.h>
#include <string.h>

struct rewriting {
	const struct reader_rows *from;
	uint32_t words;   /* of a row */
	VEC(uint64_t) to; /* rows */
	uint64_t *copies; /* [from->n]: their rows in to */
	/* of the path at hand: its nodes and its notes, innermost first */
	VEC(uint64_t) path;
	VEC(uint64_t) notes;
	/* rows that were made: by the id of (parent row, ip) */
	struct interner ips, made;
	VEC(uint64_t) rows;
};

static bool is_note(uint64_t ip)
{
	return ip - CSP_REGION_BASE < CSP_NOTE_EXTENT;
}

static uint64_t depth_of(uint64_t note)
{
	return note & CSP_NOTE_DEPTH;
}

static uint64_t ip_at(const struct rewriting *w, uint64_t row)
{
	return reader_row_word(w->from, row, ROW_IP);
}

/* Append a row without values; its number, or UINT64_MAX if memory ran out. */
static uint64_t append(struct rewriting *w, uint64_t parent, uint64_t ip)
{
	uint64_t row = w->to.len / w->words;

	if (!vec_reserve(&w->to, w->to.len + w->words))
		return UINT64_MAX;
	memset(w->to.at + w->to.len, 0, w->words * sizeof *w->to.at);
	w->to.at[w->to.len + ROW_ID] = row;
	w->to.at[w->to.len + ROW_PARENT] = parent;
	w->to.at[w->to.len + ROW_IP] = ip;
	w->to.len += w->words;
	return row;
}

/* The row of a frame below another one, both of paths with regions. */
static uint64_t row_of(struct rewriting *w, uint64_t parent, uint64_t ip)
{
	uint32_t at = interner_add(&w->ips, ip), id = INTERNER_NONE;

	if (at != INTERNER_NONE && parent <= UINT32_MAX)
		id = interner_add(&w->made, parent << 32 | at);
	if (id == INTERNER_NONE)
		return UINT64_MAX;
	if (id == w->rows.len && !vec_push(&w->rows, append(w, parent, ip)))
		return UINT64_MAX;
	return w->rows.at[id];
}

static bool copy(struct rewriting *w)
{
	for (uint64_t k = 0; k < w->from->n; k++) {
		uint64_t ip = ip_at(w, k), parent = reader_row_word(w->from, k, ROW_PARENT);
		if (is_note(ip))
			continue;
		w->copies[k] = append(w, k ? w->copies[parent] : 0, ip);
		if (w->copies[k] == UINT64_MAX)
			return false;
		memcpy(w->to.at + w->to.len - w->words, w->from->at + k * w->from->bytes,
		       w->from->bytes);
		w->to.at[w->to.len - w->words + ROW_ID] = w->copies[k];
		w->to.at[w->to.len - w->words + ROW_PARENT] = k ? w->copies[parent] : 0;
	}
	return true;
}

/* The path of a note: the nodes of its frames, and all its notes. */
static bool collect(struct rewriting *w, uint64_t row)
{
	w->path.len = w->notes.len = 0;
	for (; row; row = reader_row_word(w->from, row, ROW_PARENT)) {
		uint64_t ip = ip_at(w, row);
		if (is_note(ip) ? !vec_push(&w->notes, ip) : !vec_push(&w->path, ip))
			return false;
	}
	return true;
}

/* The row where the values of such a path go. Its innermost frame is a call there, as it has a
 * child: if it was interrupted, its ip is 1 less. */
static uint64_t place(struct rewriting *w, bool interrupted)
{
	uint64_t at = 0, depth = 0, frames = w->path.len;

	for (size_t i = w->notes.len; at != UINT64_MAX && i > 0; i--) {
		uint64_t note = w->notes.at[i - 1];
		uint64_t outside = depth_of(note) < frames ? depth_of(note) : frames;
		for (; at != UINT64_MAX && depth < outside; depth++)
			at = row_of(w, at, w->path.at[frames - 1 - depth]);
		if (at != UINT64_MAX)
			at = row_of(w, at, note & ~(uint64_t)CSP_NOTE_DEPTH);
	}
	if (frames == 0)
		return at;
	for (; at != UINT64_MAX && depth + 1 < frames; depth++)
		at = row_of(w, at, w->path.at[frames - 1 - depth]);
	return at == UINT64_MAX ? at : row_of(w, at, w->path.at[0] - interrupted);
}

static void add_values(struct rewriting *w, uint64_t row, uint64_t from)
{
	uint64_t *to = w->to.at + row * w->words + ROW_METRICS;

	for (unsigned i = 0; i + ROW_METRICS < w->words; i++) {
		uint64_t value = reader_row_word(w->from, from, ROW_METRICS + i);
		to[i] += value;
		to[i] |= -(uint64_t)(to[i] < value); /* saturate */
	}
}

/* Whether the node's values are of samples; false also if it has none. */
static bool has_values(const struct ingest *in, const struct rewriting *w, uint64_t row,
		       bool *sampled)
{
	bool any = false;

	*sampled = false;
	for (uint32_t i = 0; i < in->num_metrics; i++)
		if (reader_row_word(w->from, row, ROW_METRICS + i)) {
			any = true;
			*sampled |= in->columns[i].at_point;
		}
	return any;
}

static bool rewrite(const struct ingest *in, struct rewriting *w)
{
	if (!copy(w))
		return false;
	for (uint64_t k = 1; k < w->from->n; k++) {
		bool sampled;
		uint64_t row;
		if (!is_note(ip_at(w, k)) || !has_values(in, w, k, &sampled))
			continue;
		if (!collect(w, k))
			return false;
		row = place(w, sampled);
		if (row == UINT64_MAX)
			return false;
		add_values(w, row, k);
	}
	return true;
}

static bool has_notes(const struct reader_rows *rows)
{
	for (uint64_t k = 1; k < rows->n; k++)
		if (is_note(reader_row_word(rows, k, ROW_IP)))
			return true;
	return false;
}

int ingest_notes(struct ingest *in, struct reader_rows *rows)
{
	struct rewriting w = {.from = rows, .words = ROW_METRICS + in->num_metrics};
	bool ok;

	if (!reader_num_names(in->r) || !has_notes(rows))
		return 0;
	w.copies = malloc(rows->n * sizeof *w.copies);
	ok = w.copies && rewrite(in, &w);
	if (ok) {
		uint64_t n = w.to.len / w.words;
		size_t bytes = rows->bytes;
		reader_rows_end(rows);
		*rows = (struct reader_rows){
		    .at = (const uint8_t *)w.to.at, .n = n, .bytes = bytes, .copy = w.to.at};
		w.to.at = NULL;
	}
	free(w.to.at);
	free(w.copies);
	vec_free(&w.path);
	vec_free(&w.notes);
	vec_free(&w.rows);
	interner_deinit(&w.ips);
	interner_deinit(&w.made);
	return ok ? 0 : ingest_out_of_memory(in, rows->n * sizeof(uint64_t));
}
