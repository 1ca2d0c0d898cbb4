/* Values with labels: below frames of those that are grouped by, or alone. */
#include "db/import/import_internal.h"

#include "formats/identity/notes.h"
#include "hpcprof/load/choice.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

struct label_row {
	struct reader_text key, value; /* end in a NUL */
	bool number;
	uint32_t frame; /* of the model, once it was needed; else UINT32_MAX */
};

/* The frames of a set are labels[first .. first + n). */
struct label_set {
	size_t first, n;
	bool wanted;
};

struct label_import {
	struct import *in;
	const struct ingest_options *o;
	struct interner label_rows, set_rows;
	VEC(struct label_row) rows;
	VEC(struct label_set) sets;
	VEC(uint32_t) labels;  /* of the sets */
	VEC(uint32_t) current; /* labels of the set that is read */
	int64_t set;           /* its id */
	/* contexts of the model, as calls, by set << 32 | place */
	struct interner below;
	VEC(uint32_t) contexts;
	VEC(uint32_t) steps; /* places on the way up */
};

/* ---- labels and sets ------------------------------------------------------------------------ */

static int take_label(struct import *in, sqlite3_stmt *s)
{
	struct label_import *l = in->labels;
	bool ok = true;
	const char *key = import_text(in, s, 1, &ok), *value = import_text(in, s, 2, &ok);
	struct label_row row = {.number = import_known(s, 3), .frame = UINT32_MAX};

	if (ok && (!key || !value))
		return import_damaged(in, "label", sqlite3_column_int64(s, 0));
	if (!ok || interner_add(&l->label_rows, import_number(s, 0)) != l->rows.len)
		return import_not_added(in, &l->label_rows, "label", s);
	row.key = (struct reader_text){key, (uint32_t)strlen(key)};
	row.value = (struct reader_text){value, (uint32_t)strlen(value)};
	return vec_push(&l->rows, row) ? 0 : import_out_of_memory(in);
}

static bool is_wanted(const struct label_import *l)
{
	struct choice_label labels[CHOICE_LABELS];
	size_t n = 0;

	for (; n < l->current.len && n < CHOICE_LABELS; n++) {
		const struct label_row *r = &l->rows.at[l->current.at[n]];
		labels[n] = (struct choice_label){r->key, r->value};
	}
	return !choice_has_labels(l->o->choice) || choice_labels(l->o->choice, labels, n);
}

/* Whether it is the key that the user names. In a database each '=' of a key is a '_', as in
 * views. */
static bool is_key(const char *key, const char *named)
{
	for (; *key && (*key == *named || (*key == '_' && *named == '=')); key++)
		named++;
	return !*key && !*named;
}

/* The labels of the current set that are grouped by, in the order of the keys that the user gave;
 * or all, which are sorted. */
static bool put_frames(struct label_import *l)
{
	const option_strings_field *keys = l->o->group_by;
	bool ok = true;

	for (size_t i = 0; l->o->every_label && ok && i < l->current.len; i++)
		ok = vec_push(&l->labels, l->current.at[i]);
	for (size_t k = 0; !l->o->every_label && keys && k < keys->len; k++)
		for (size_t i = 0; ok && i < l->current.len; i++)
			if (is_key(l->rows.at[l->current.at[i]].key.at, keys->at[k])) {
				ok = vec_push(&l->labels, l->current.at[i]);
				break;
			}
	return ok;
}

/* All labels of the current set were read. */
static int end_set(struct label_import *l)
{
	struct label_set set = {.first = l->labels.len, .wanted = is_wanted(l)};
	bool ok;

	if (!l->current.len)
		return 0;
	ok = put_frames(l);
	set.n = l->labels.len - set.first;
	l->current.len = 0;
	if (ok && interner_find(&l->set_rows, (uint64_t)l->set) != INTERNER_NONE)
		return import_damaged(l->in, "label_set", l->set);
	if (!ok || interner_add(&l->set_rows, (uint64_t)l->set) != l->sets.len ||
	    !vec_push(&l->sets, set))
		return import_out_of_memory(l->in);
	return 0;
}

static int take_set_label(struct import *in, sqlite3_stmt *s)
{
	struct label_import *l = in->labels;
	uint32_t label = interner_find(&l->label_rows, import_number(s, 1));

	if (label == INTERNER_NONE)
		return import_damaged(l->in, "label_set", sqlite3_column_int64(s, 0));
	if (sqlite3_column_int64(s, 0) != l->set && end_set(l) != 0)
		return -1;
	l->set = sqlite3_column_int64(s, 0);
	return vec_push(&l->current, label) ? 0 : import_out_of_memory(l->in);
}

/* ---- contexts ------------------------------------------------------------------------------- */

/* Make its frame, as load/epoch_index.c does. UINT32_MAX if memory ran out. */
static uint32_t make_frame(struct label_import *l, const struct label_row *r)
{
	static const struct reader_text module = {CSP_MODULE_LABEL, sizeof CSP_MODULE_LABEL - 1},
					none = {"", 0};
	struct model *m = l->in->m;
	struct model_function f = {.module = model_module(m, module, none)};
	uint32_t id;
	char *name;

	if (f.module == UINT32_MAX ||
	    asprintf(&name, CSP_MODULE_LABEL " %s=%s", r->key.at, r->value.at) < 0)
		return UINT32_MAX;
	m->modules.at[f.module].has_names = true;
	f.name = model_text(m, name, strlen(name));
	free(name);
	id = f.name ? model_function(m, &f) : UINT32_MAX;
	return id == UINT32_MAX
		   ? id
		   : model_named_frame(m, id, l->o->every_label && r->number, FRAME_NAMED_CALL);
}

static uint32_t label_frame(struct label_import *l, struct label_row *r)
{
	if (r->frame == UINT32_MAX)
		r->frame = make_frame(l, r);
	return r->frame;
}

/* The innermost label of a set, below a root. UINT32_MAX if memory ran out. */
static uint32_t label_context(struct label_import *l, const struct label_set *set, uint32_t root)
{
	uint32_t context = root;

	for (size_t i = 0; context != UINT32_MAX && i < set->n; i++) {
		uint32_t frame = label_frame(l, &l->rows.at[l->labels.at[set->first + i]]);
		context = frame == UINT32_MAX ? frame : model_context(l->in->m, context, frame);
	}
	return context;
}

/* The context of a place as a call, below the labels of a set; UINT32_MAX if memory ran out or
 * there are too many. It is found from the inside outwards, up to one that was made. */
static uint32_t call_below(struct label_import *l, uint32_t set, uint32_t place)
{
	struct import *in = l->in;
	uint32_t context = UINT32_MAX;

	l->steps.len = 0;
	for (; place != IMPORT_NO_PLACE; place = in->places.at[place].up) {
		uint32_t made = interner_find(&l->below, (uint64_t)set << 32 | place);
		if (made != INTERNER_NONE) {
			context = l->contexts.at[made];
			break;
		}
		if (!vec_push(&l->steps, place))
			return UINT32_MAX;
	}
	for (size_t i = l->steps.len; i > 0; i--) {
		const struct import_place *p = &in->places.at[l->steps.at[i - 1]];
		uint32_t frame = MODEL_NO_FRAME;
		if (p->up == IMPORT_NO_PLACE)
			context = label_context(l, &l->sets.at[set], p->call);
		else
			frame = import_frame(in, p, true);
		if (frame != MODEL_NO_FRAME)
			context = model_context(in->m, context, frame);
		else if (p->up != IMPORT_NO_PLACE)
			context = UINT32_MAX;
		if (context == UINT32_MAX || l->contexts.len > in->contexts ||
		    interner_add(&l->below, (uint64_t)set << 32 | l->steps.at[i - 1]) !=
			l->contexts.len ||
		    !vec_push(&l->contexts, context))
			return UINT32_MAX;
	}
	return context;
}

/* The context of a place for the metric's values, below the labels of a set. */
static uint32_t context_below(struct label_import *l, uint32_t set, const struct import_place *p,
			      const struct model_metric *k)
{
	uint32_t parent = call_below(l, set, p->up), frame;

	if (parent == UINT32_MAX)
		return UINT32_MAX;
	frame = import_frame(l->in, p, import_is_of_calls(k));
	return frame == UINT32_MAX ? frame : model_context(l->in->m, parent, frame);
}

/* ---- values --------------------------------------------------------------------------------- */

/* Take values away that were read with the others. False if there are not as many. */
static bool take_away(struct model_metric *k, uint32_t context, uint64_t events, uint64_t samples)
{
	if (context >= k->capacity || k->events[context] < events || k->samples[context] < samples)
		return false;
	k->events[context] -= events;
	k->samples[context] -= samples;
	return true;
}

static int take_label_value(struct import *in, sqlite3_stmt *s)
{
	struct label_import *l = in->labels;
	uint32_t metric = ids_get(&in->metrics, import_number(s, 0)), context = UINT32_MAX;
	uint32_t set = interner_find(&l->set_rows, import_number(s, 1));
	uint32_t at = interner_find(&in->place_rows, import_number(s, 2));
	uint64_t events = import_number(s, 3), samples = import_number(s, 4);
	struct model_metric *k;
	struct import_place *p;

	if (metric == UINT32_MAX || set >= l->sets.len || at >= in->places.len ||
	    (events | samples) >> 63 || in->places.at[at].up == IMPORT_NO_PLACE)
		return import_damaged(in, "label_value", sqlite3_column_int64(s, 2));
	k = &in->m->metrics.at[metric];
	p = &in->places.at[at];
	if (in->labels_alone ? !l->sets.at[set].wanted : !l->sets.at[set].n)
		return 0;
	if (!(in->labels_alone && l->sets.at[set].n) &&
	    import_place_context(in, p, k, &context) != 0)
		return -1;
	if (!in->labels_alone && !take_away(k, context, events, samples))
		return import_damaged(in, "label_value", sqlite3_column_int64(s, 2));
	if (l->sets.at[set].n)
		context = context_below(l, set, p, k);
	if (context == UINT32_MAX)
		return l->contexts.len > in->contexts ? import_refuse_contexts(in)
						      : import_out_of_memory(in);
	if (in->labels_alone) {
		k->total.events = sum_add(k->total.events, events, &in->m->saturated);
		k->total.samples = sum_add(k->total.samples, samples, &in->m->saturated);
	}
	return import_add(in, k, context, events, samples);
}

int import_labels(struct import *in, const struct ingest_options *o)
{
	struct label_import l = {.in = in, .o = o};
	int rc;

	in->labels = &l;
	rc = import_each(in, "SELECT id, key, value, number FROM label ORDER BY id", take_label);
	for (size_t i = 0; in->labels_alone && i < in->m->metrics.len; i++)
		in->m->metrics.at[i].total = (struct model_sum){0};
	if (rc == 0)
		rc = import_each(in, "SELECT id, label FROM label_set ORDER BY id, label",
				 take_set_label);
	if (rc == 0)
		rc = end_set(&l);
	if (rc == 0)
		rc = import_each(
		    in,
		    "SELECT metric, label_set, context, events, samples FROM label_value "
		    "ORDER BY metric, label_set, context",
		    take_label_value);
	interner_deinit(&l.label_rows);
	interner_deinit(&l.set_rows);
	interner_deinit(&l.below);
	vec_free(&l.rows);
	vec_free(&l.sets);
	vec_free(&l.labels);
	vec_free(&l.current);
	vec_free(&l.contexts);
	vec_free(&l.steps);
	in->labels = NULL;
	return rc;
}
