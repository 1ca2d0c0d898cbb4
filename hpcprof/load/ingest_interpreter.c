/* Folds the native frames of an interpreter in a tree's paths (formats/identity/sources.h):
 *
 *     _start - main - Py_RunMain - eval - script - eval - f - PyObject_Call - fast.so - [kernel]
 *     _start - script - f - fast.so - [kernel]
 *
 * A path is folded if it has a frame of the interpreter: a Python frame. The frames that are left
 * out are those outside of its outermost Python frame that are of the same module as the native
 * frame that runs this one, and those inside that are of the module of any such frame further out.
 * The outermost of all remains, unless it is that frame: other paths of the thread begin there,
 * too. What a frame has that was left out belongs to the next frame outside of it that was not. So
 * it is always a path alone that says how it is folded, and not the other paths of the file.
 *
 * Paths without a Python frame are copied. The frames outside of the outermost Python frame may be
 * on both kinds of paths, and then have a row for each. */
#include "hpcprof/load/ingest_internal.h"
#include "hpcprof/load/new_rows.h"

#include <stdlib.h>

enum {
	HAS_PYTHON = 1, /* the row or one outside of it is a Python frame */
	HAS_CALLEE = 2, /* it has children */
};

struct left_out {
	struct ingest *in;
	const struct reader_rows *from;
	struct epoch_index *place;
	struct new_rows to;
	uint8_t *flags;           /* [from->n], all of these: */
	uint8_t *own;             /* the bit of the interpreter whose frame it is, or 0 */
	uint8_t *running;         /* of the interpreters that run Python frames of its path */
	uint64_t *frames;         /* itself, or if it is a note the frame that has it */
	uint64_t *kept;           /* the innermost frame of its path that remains */
	uint64_t *images;         /* the row in to of what is kept of its path */
	struct rows_made outside; /* by row and interpreter: of paths that will be folded */
	VEC(uint64_t) missing;    /* rows outside that are still to be made */
};

static uint64_t ip_at(const struct left_out *w, uint64_t row)
{
	return reader_row_word(w->from, row, ROW_IP);
}

static uint64_t parent_of(const struct left_out *w, uint64_t row)
{
	return reader_row_word(w->from, row, ROW_PARENT);
}

static bool is_python(const struct left_out *w, uint64_t row)
{
	return row && epoch_index_is_source(ip_at(w, row));
}

/* The address of the code. */
static uint64_t address_of(const struct left_out *w, uint64_t row)
{
	return ip_at(w, row) - (w->flags[row] / HAS_CALLEE & 1);
}

/* The native frame that runs a Python frame; 0: not known. What the interpreter does in place of a
 * function may also be called by others. */
static uint64_t runner_of(const struct left_out *w, uint64_t row)
{
	uint64_t frame = w->frames[parent_of(w, row)];

	return is_python(w, frame) || epoch_index_is_pseudo(w->place, ip_at(w, row)) ? 0 : frame;
}

static bool has_python(const struct reader_rows *rows)
{
	bool any = false;

	for (uint64_t k = 1; k < rows->n && !any; k++)
		any = epoch_index_is_source(reader_row_word(rows, k, ROW_IP));
	return any;
}

/* Find the interpreters. False if memory ran out. */
static bool look_at_rows(struct left_out *w)
{
	for (uint64_t k = 1; k < w->from->n; k++) {
		uint64_t parent = parent_of(w, k);
		w->flags[parent] |= HAS_CALLEE;
		w->frames[k] = ingest_is_note(ip_at(w, k)) ? w->frames[parent] : k;
	}
	for (uint64_t k = 1; k < w->from->n; k++) {
		uint64_t runner = is_python(w, k) ? runner_of(w, k) : 0;
		if (runner && !interpreters_add(&w->place->interpreters, &w->place->relocator,
						address_of(w, runner)))
			return false;
	}
	return true;
}

/* The key of a row that is outside of a Python frame, which it runs or not. */
static uint64_t key_outside(uint64_t row, bool runs, uint8_t bit)
{
	return row << 9 | (uint64_t)runs << 8 | bit;
}

/* The row of the frames up to `row`, which runs a Python frame and is none, on a path that is
 * folded. */
static uint64_t row_outside(struct left_out *w, uint64_t row, uint8_t bit)
{
	uint64_t at = 0, runner = row;

	w->missing.len = 0;
	for (; row; row = parent_of(w, row)) {
		at = rows_made_find(&w->outside, key_outside(row, row == runner, bit));
		if (at != UINT64_MAX)
			break;
		if (!vec_push(&w->missing, row))
			return UINT64_MAX;
	}
	if (!row)
		at = 0;
	for (size_t i = w->missing.len; at != UINT64_MAX && i > 0; i--) {
		uint64_t outside = w->missing.at[i - 1];
		bool outermost = outside != runner && !parent_of(w, outside);
		uint64_t key = key_outside(outside, outside == runner, bit);
		if (!(w->own[outside] & bit) || outermost)
			at = rows_made_add(&w->outside, &w->to, key, at, ip_at(w, outside));
		else if (!rows_made_set(&w->outside, key, at))
			return UINT64_MAX;
	}
	return at;
}

/* Whether the row's own values need that its image is a call, and it may have no child there. */
static bool stays_a_call(const struct left_out *w, uint64_t row)
{
	bool any = false;

	for (uint32_t i = 0; w->in->calls && i < w->in->num_metrics; i++)
		any |= w->in->columns[i].activation &&
		       reader_row_word(w->from, row, ROW_METRICS + i) != 0;
	return any && w->flags[row] & HAS_CALLEE;
}

static bool add_child(struct left_out *w, uint64_t row)
{
	return new_rows_append(&w->to, row, new_rows_word(&w->to, row, ROW_IP)) != UINT64_MAX;
}

/* Copy the row, with its values, below the row `above`. */
static bool copy(struct left_out *w, uint64_t row, uint64_t above)
{
	w->kept[row] = w->frames[row];
	w->images[row] = new_rows_append(&w->to, above, ip_at(w, row));
	if (w->images[row] == UINT64_MAX)
		return false;
	for (uint32_t i = 0; i < w->in->num_metrics; i++)
		new_rows_add(&w->to, w->images[row], i,
			     reader_row_word(w->from, row, ROW_METRICS + i));
	return !row || !stays_a_call(w, row) || add_child(w, w->images[row]);
}

/* Leave the row out, which is inside of the image of its parent: that is of a frame that called
 * something, or of a note of one. */
static bool fold(struct left_out *w, uint64_t row)
{
	uint64_t parent = parent_of(w, row), at = w->images[parent], call = at;
	uint64_t ip = ip_at(w, w->kept[parent]), above = at;

	w->kept[row] = w->kept[parent];
	w->images[row] = at;
	if (!ingest_is_note(new_rows_word(&w->to, at, ROW_IP)))
		above = new_rows_word(&w->to, at, ROW_PARENT);
	for (uint32_t i = 0; i < w->in->num_metrics; i++) {
		uint64_t value = reader_row_word(w->from, row, ROW_METRICS + i), to;
		if (!value)
			continue;
		if (w->in->columns[i].at_point)
			to = new_rows_leaf(&w->to, above, ip - 1);
		else
			to = call = above == at ? new_rows_leaf(&w->to, at, ip) : at;
		if (to == UINT64_MAX)
			return false;
		new_rows_add(&w->to, to, i, value);
	}
	return !stays_a_call(w, row) || add_child(w, call);
}

/* Put a Python frame below what is kept outside of it. */
static bool put_python(struct left_out *w, uint64_t row)
{
	uint64_t parent = parent_of(w, row), runner = runner_of(w, row), above = w->images[parent];
	uint8_t bit = runner ? w->own[runner] : 0;

	if (!(w->flags[parent] & HAS_PYTHON) && bit)
		above = row_outside(w, parent, bit);
	w->running[row] = w->running[parent] | bit;
	return above != UINT64_MAX && copy(w, row, above);
}

static bool rewrite(struct left_out *w)
{
	bool ok = look_at_rows(w) && copy(w, 0, 0);

	for (uint64_t k = 1; ok && k < w->from->n; k++) {
		uint64_t parent = parent_of(w, k);
		if (is_python(w, k)) {
			w->flags[k] |= HAS_PYTHON;
			ok = put_python(w, k);
			continue;
		}
		w->flags[k] |= w->flags[parent] & HAS_PYTHON;
		w->running[k] = w->running[parent];
		if (w->frames[k] == k)
			w->own[k] = interpreters_bit(&w->place->interpreters, &w->place->relocator,
						     address_of(w, k));
		ok = w->own[k] & w->running[k] ? fold(w, k) : copy(w, k, w->images[parent]);
	}
	return ok;
}

static void left_out_deinit(struct left_out *w)
{
	new_rows_deinit(&w->to);
	free(w->flags);
	free(w->own);
	free(w->running);
	free(w->frames);
	free(w->kept);
	free(w->images);
	rows_made_deinit(&w->outside);
	vec_free(&w->missing);
}

int ingest_interpreter(struct ingest *in, struct epoch_index *place, struct reader_rows *rows,
		       uint64_t **images)
{
	struct left_out w = {
	    .in = in, .from = rows, .place = place, .to.words = ROW_METRICS + in->num_metrics};
	uint64_t n = rows->n;
	bool ok;

	if (!has_python(rows))
		return 0;
	w.flags = calloc(n, sizeof *w.flags);
	w.own = calloc(n, sizeof *w.own);
	w.running = calloc(n, sizeof *w.running);
	w.frames = calloc(n, sizeof *w.frames);
	w.kept = calloc(n, sizeof *w.kept);
	w.images = calloc(n, sizeof *w.images);
	ok = w.flags && w.own && w.running && w.frames && w.kept && w.images && n < UINT32_MAX &&
	     rewrite(&w);
	if (ok) {
		new_rows_give(&w.to, rows);
		if (images) {
			*images = w.images;
			w.images = NULL;
		}
	}
	left_out_deinit(&w);
	return ok ? 0 : ingest_out_of_memory(in, n * sizeof(uint64_t));
}
