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
 * Labels say which values are wanted. Those that the user groups by become the outermost frames:
 *
 *     main - solve - (label request=17)
 *     (label request=17) - main - solve
 *
 * All other nodes are copied. A path with regions gets nodes of its own; ingesting makes one
 * context of nodes with the same path. */
#include "formats/base/interner.h"
#include "hpcprof/load/choice.h"
#include "hpcprof/load/ingest_internal.h"
#include "hpcprof/load/new_rows.h"

#include <stdlib.h>
#include <string.h>

/* A region of the path at hand: it is inside of the first `depth` frames. chain is the number of
 * the chain of regions that it ends. */
struct region {
	uint64_t ip, depth;
	uint32_t chain;
};

/* A row that is still to be made on the way to the end of a path. */
struct step {
	struct rows_made *kind;
	uint64_t key, ip;
};

struct rewriting {
	const struct reader_rows *from;
	struct new_rows to;
	uint64_t *copies; /* [from->n]: their rows in to, of notes that of their parent */
	uint32_t *depths; /* [from->n]: how many frames their paths have */
	/* of the path at hand: its notes, the innermost first; its regions, the outermost first,
	 * after the labels that are grouped by */
	VEC(uint64_t) notes;
	VEC(struct region) regions;
	VEC(struct step) steps;
	struct interner chains;
	struct rows_made frames; /* by node and the chain of regions that it is in */
	struct rows_made
	    inside; /* the last region of a chain, by the node of the frame outside of it */
};

static uint64_t depth_of(uint64_t note)
{
	return ingest_is_region(note) ? note & CSP_NOTE_DEPTH : 0;
}

/* The ip of its frame. */
static uint64_t frame_of(uint64_t note)
{
	return note - depth_of(note);
}

static uint64_t ip_at(const struct rewriting *w, uint64_t row)
{
	return reader_row_word(w->from, row, ROW_IP);
}

/* The root is none, whatever its ip is. */
static bool is_note_at(const struct rewriting *w, uint64_t row)
{
	return row && ingest_is_note(ip_at(w, row));
}

/* The values of paths without labels are not wanted if some labels are. */
static bool want_labels(const struct ingest *in)
{
	return in->options.every_label || choice_has_labels(in->options.choice);
}

static bool copy(const struct ingest *in, struct rewriting *w)
{
	bool kept = !want_labels(in);

	for (uint64_t k = 0; k < w->from->n; k++) {
		uint64_t ip = ip_at(w, k), parent = reader_row_word(w->from, k, ROW_PARENT);
		bool note = is_note_at(w, k);
		w->depths[k] = k ? w->depths[parent] + !note : 0;
		uint64_t above = w->copies[k] = k ? w->copies[parent] : 0;
		if (note)
			continue;
		w->copies[k] = new_rows_append(&w->to, above, ip);
		if (w->copies[k] == UINT64_MAX)
			return false;
		for (uint32_t i = 0; kept && i < in->num_metrics; i++)
			new_rows_add(&w->to, w->copies[k], i,
				     reader_row_word(w->from, k, ROW_METRICS + i));
	}
	return true;
}

/* The node outside of this one, which is no note in a file that a runtime wrote. */
static uint64_t outer(const struct rewriting *w, uint64_t node)
{
	do
		node = reader_row_word(w->from, node, ROW_PARENT);
	while (is_note_at(w, node));
	return node;
}

/* Number the chains of regions, and find out where they are. */
static bool place_regions(struct rewriting *w, uint64_t frames)
{
	uint64_t outside = 0;
	uint32_t chain = 0;

	for (size_t i = 0; i < w->regions.len; i++) {
		struct region *r = &w->regions.at[i];
		uint64_t depth = depth_of(r->ip) < frames ? depth_of(r->ip) : frames;
		uint32_t ip = interner_add(&w->to.ips, r->ip), id = INTERNER_NONE;
		if (ip != INTERNER_NONE)
			id = interner_add(&w->chains, (uint64_t)chain << 32 | ip);
		if (id == INTERNER_NONE)
			return false;
		outside = depth > outside ? depth : outside;
		r->depth = outside;
		r->chain = chain = id + 1;
	}
	return true;
}

static struct reader_text name_at(const struct ingest *in, uint64_t number)
{
	return reader_name_of(in->r, (uint32_t)number & (uint32_t)(CSP_NAMES - 1));
}

/* Take the notes of a note's path. *node becomes its innermost frame. */
static bool collect(struct rewriting *w, uint64_t *node)
{
	w->notes.len = 0;
	for (; is_note_at(w, *node); *node = reader_row_word(w->from, *node, ROW_PARENT))
		if (!vec_push(&w->notes, ip_at(w, *node)))
			return false;
	return true;
}

static bool is_wanted(const struct ingest *in, const struct rewriting *w)
{
	struct choice_label labels[CHOICE_LABELS];
	size_t n = 0;

	if (!want_labels(in))
		return true;
	for (size_t i = 0; i < w->notes.len && n < CHOICE_LABELS; i++)
		if (ingest_is_label(w->notes.at[i]))
			labels[n++] =
			    (struct choice_label){name_at(in, w->notes.at[i] >> CSP_NOTE_SHIFT),
						  name_at(in, w->notes.at[i])};
	return n ? choice_labels(in->options.choice, labels, n)
		 : !in->options.every_label && choice_labels(in->options.choice, labels, 0);
}

static bool has_key(const struct ingest *in, uint64_t ip, const char *key)
{
	struct reader_text name;

	if (!ingest_is_label(ip))
		return false;
	name = name_at(in, ip >> CSP_NOTE_SHIFT);
	return name.n == strlen(key) && memcmp(name.at, key, name.n) == 0;
}

static int compare_keys(const struct ingest *in, uint64_t a, uint64_t b)
{
	struct reader_text ka = name_at(in, a >> CSP_NOTE_SHIFT),
			   kb = name_at(in, b >> CSP_NOTE_SHIFT);
	uint32_t n = ka.n < kb.n ? ka.n : kb.n;
	int c = n ? memcmp(ka.at, kb.at, n) : 0;

	return c ? c : (ka.n > kb.n) - (ka.n < kb.n);
}

/* All labels are outside of all frames, by key. Of several with one key, the outermost note
 * counts, as when they are grouped by. */
static bool put_every_label(const struct ingest *in, struct rewriting *w)
{
	for (size_t i = w->notes.len; i > 0; i--) {
		struct region r = {.ip = w->notes.at[i - 1]};
		size_t k = w->regions.len;
		if (!ingest_is_label(r.ip))
			continue;
		while (k > 0 && compare_keys(in, w->regions.at[k - 1].ip, r.ip) > 0)
			k--;
		if (k > 0 && compare_keys(in, w->regions.at[k - 1].ip, r.ip) == 0)
			continue;
		if (!vec_push(&w->regions, r))
			return false;
		memmove(&w->regions.at[k + 1], &w->regions.at[k],
			(w->regions.len - 1 - k) * sizeof r);
		w->regions.at[k] = r;
	}
	return true;
}

/* The labels that are grouped by, in the order of the keys that the user gave, are outside of all
 * frames. */
static bool put_labels(const struct ingest *in, struct rewriting *w)
{
	const option_strings_field *keys = in->options.group_by;

	for (size_t k = 0; keys && k < keys->len; k++)
		for (size_t i = w->notes.len; i > 0; i--)
			if (has_key(in, w->notes.at[i - 1], keys->at[k])) {
				struct region r = {.ip = w->notes.at[i - 1]};
				if (!vec_push(&w->regions, r))
					return false;
				break;
			}
	return true;
}

/* The regions of the path at hand, whose innermost frame is node. */
static bool find_regions(const struct ingest *in, struct rewriting *w, uint64_t node)
{
	w->regions.len = 0;
	if (!(in->options.every_label ? put_every_label(in, w) : put_labels(in, w)))
		return false;
	for (size_t i = w->notes.len; i > 0; i--)
		if (ingest_is_region(w->notes.at[i - 1])) {
			struct region r = {.ip = w->notes.at[i - 1]};
			if (!vec_push(&w->regions, r))
				return false;
		}
	return place_regions(w, w->depths[node]);
}

/* The row of the frame `node` in all regions, or of the innermost region if that is inside of this
 * frame. What is missing is found from the inside outwards, up to a row that was made, and is then
 * made. */
static uint64_t row_of(struct rewriting *w, uint64_t node)
{
	size_t regions = w->regions.len;
	uint64_t row;

	w->steps.len = 0;
	for (;;) {
		const struct region *last = regions ? &w->regions.at[regions - 1] : NULL;
		bool inside = last && last->depth == w->depths[node];
		struct step s = {.kind = inside ? &w->inside : &w->frames,
				 .key = node << 32 | (last ? last->chain : 0),
				 .ip = inside ? frame_of(last->ip) : ip_at(w, node)};
		row = last ? rows_made_find(s.kind, s.key) : w->copies[node];
		if (row != UINT64_MAX)
			break;
		if (!vec_push(&w->steps, s))
			return UINT64_MAX;
		if (inside)
			regions--;
		else
			node = outer(w, node);
	}
	for (size_t i = w->steps.len; row != UINT64_MAX && i > 0; i--) {
		const struct step *s = &w->steps.at[i - 1];
		row = rows_made_add(s->kind, &w->to, s->key, row, s->ip);
	}
	return row;
}

/* The row where the values of the notes at hand go, whose innermost frame is node. That one is a
 * call there, as it has a child: if it was interrupted, its ip is 1 less. */
static uint64_t place(const struct ingest *in, struct rewriting *w, uint64_t node, bool interrupted)
{
	uint64_t row, ip;

	if (!find_regions(in, w, node))
		return UINT64_MAX;
	if (!node) /* of the regions themselves */
		return row_of(w, node);
	ip = ip_at(w, node) - interrupted;
	if (!w->regions.len || w->regions.at[w->regions.len - 1].depth < w->depths[node])
		node = outer(w, node);
	row = row_of(w, node);
	return row == UINT64_MAX ? row : new_rows_leaf(&w->to, row, ip);
}

static void add_values(struct rewriting *w, uint64_t row, uint64_t from)
{
	for (uint32_t i = 0; i + ROW_METRICS < w->to.words; i++)
		new_rows_add(&w->to, row, i, reader_row_word(w->from, from, ROW_METRICS + i));
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
	if (!copy(in, w))
		return false;
	for (uint64_t k = 1; k < w->from->n; k++) {
		uint64_t row, node = k;
		bool sampled;
		if (!is_note_at(w, k) || !has_values(in, w, k, &sampled))
			continue;
		if (!collect(w, &node))
			return false;
		if (!is_wanted(in, w))
			continue;
		row = place(in, w, node, sampled);
		if (row == UINT64_MAX)
			return false;
		add_values(w, row, k);
	}
	return true;
}

static bool has_notes(struct model *m, const struct reader_rows *rows)
{
	bool any = false;

	for (uint64_t k = 1; k < rows->n; k++) {
		uint64_t ip = reader_row_word(rows, k, ROW_IP);
		any |= ingest_is_note(ip);
		m->has_labels |= ingest_is_label(ip);
	}
	return any;
}

int ingest_notes(struct ingest *in, struct reader_rows *rows)
{
	struct rewriting w = {.from = rows, .to.words = ROW_METRICS + in->num_metrics};
	bool ok;

	if (!(reader_num_names(in->r) && has_notes(in->m, rows)) && !want_labels(in))
		return 0;
	w.copies = malloc(rows->n * sizeof *w.copies);
	w.depths = malloc(rows->n * sizeof *w.depths);
	ok = w.copies && w.depths && rows->n < UINT32_MAX && rewrite(in, &w);
	if (ok)
		new_rows_give(&w.to, rows);
	new_rows_deinit(&w.to);
	free(w.copies);
	free(w.depths);
	vec_free(&w.notes);
	vec_free(&w.regions);
	vec_free(&w.steps);
	rows_made_deinit(&w.frames);
	rows_made_deinit(&w.inside);
	interner_deinit(&w.chains);
	return ok ? 0 : ingest_out_of_memory(in, rows->n * sizeof(uint64_t));
}
