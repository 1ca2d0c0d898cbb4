/* Writes labels, and what was recorded with each set of them. The files that have any are read a
 * second time, into a model whose paths begin with their labels. Below these, its contexts are the
 * profile's. */
#include "db/write/reading_again.h"
#include "db/write/write.h"

#include "formats/base/id_sets.h"
#include "hpcprof/load/datafile_source.h"
#include "hpcprof/load/importers.h"
#include "hpcprof/load/load.h"
#include "hpcprof/model/labels.h"
#include "hpcprof/model/match.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

struct ranked_label {
	struct model_label label;
	uint32_t number; /* before they were sorted */
};

struct ranked_set {
	const uint32_t *labels; /* ranks */
	uint32_t n, number;
};

struct label_value {
	uint32_t set, context; /* rank; number in the tree */
	uint64_t events, samples;
};

struct labels {
	struct db_writing *w;
	const struct model *m;         /* of labelled paths */
	struct match match;            /* with the profile's */
	struct interner label_numbers; /* by function << 1 | number */
	VEC(struct ranked_label) labels;
	struct id_sets sets; /* of labels, in the order of their keys */
	uint32_t *set_of;    /* [contexts] */
	uint32_t *label_ranks, *set_ranks;
	struct ranked_set *ranked;
	VEC(struct label_value) values; /* of one metric */
	struct error *e;
};

/* ---- the files ------------------------------------------------------------------------------ */

typedef VEC(struct load_file) load_file_list;

/* Whether the file has names of labels or regions. A running program has recorded more since the
 * first reading, so omit its values. */
static int has_names(const struct scan_file *f, bool *has, struct error *e)
{
	struct datafile_source source;

	const struct importer *importer = importers_of(f->path);

	*has = importer && importer->add_labelled;
	if (importer)
		return 0;
	if (datafile_source_open(&source, f->path, f->datafile, e) != 0)
		return e->kind == ERROR_MEMORY ? -1 : db_file_changed(e);
	*has = source.kind != SOURCE_RUNNING && reader_num_names(source.reader);
	datafile_source_close(&source);
	return 0;
}

static int choose_files(const struct db_writing *w, const struct scan *s, load_file_list *to,
			struct error *e)
{
	for (size_t i = 0; i < s->files.len; i++) {
		const struct scan_file *f = &s->files.at[i];
		bool has;
		if (!db_file_was_read(w, f->path))
			continue;
		if (has_names(f, &has, e) != 0)
			return -1;
		if (has && !vec_push(to, (struct load_file){f->path, f->datafile}))
			return error_memory(e, sizeof *to->at);
	}
	return 0;
}

/* ---- labels and sets of them ---------------------------------------------------------------- */

/* The set with a label more; ID_SETS_NONE if memory ran out. */
static uint32_t with_label(struct labels *l, uint32_t outer, const struct model_label *label)
{
	uint32_t id = interner_add(&l->label_numbers,
				   (uint64_t)label->function << 1 | (uint64_t)label->number);

	if (id == l->labels.len && !vec_push(&l->labels, (struct ranked_label){*label, id}))
		return ID_SETS_NONE;
	return id == INTERNER_NONE ? ID_SETS_NONE : id_sets_with(&l->sets, outer, id);
}

/* Find the set of each context. Parents are before their children. */
static int find_sets(struct labels *l)
{
	uint32_t n = model_num_contexts(l->m);

	l->set_of = calloc(n, sizeof *l->set_of);
	if (!l->set_of)
		return error_memory(l->e, n * sizeof *l->set_of);
	for (uint32_t c = MODEL_ROOTS; c < n; c++) {
		struct model_label label;
		l->set_of[c] = l->set_of[model_parent(l->m, c)];
		if (model_frame_label(l->m, model_frame_of(l->m, c), &label))
			l->set_of[c] = with_label(l, l->set_of[c], &label);
		if (l->set_of[c] == ID_SETS_NONE)
			return error_memory(l->e, sizeof(uint64_t));
	}
	return 0;
}

/* By key, numbers before texts, numbers by their value. */
static int compare_labels(const struct model_label *a, const struct model_label *b)
{
	size_t n = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;
	int c = memcmp(a->key, b->key, n);

	if (c || a->key_bytes != b->key_bytes)
		return c ? c : a->key_bytes < b->key_bytes ? -1 : 1;
	if (a->number != b->number)
		return a->number ? -1 : 1;
	if (a->number) {
		long long va = strtoll(a->value, NULL, 10), vb = strtoll(b->value, NULL, 10);
		if (va != vb)
			return va < vb ? -1 : 1;
	}
	return strcmp(a->value, b->value);
}

static int by_label(const void *pa, const void *pb)
{
	const struct ranked_label *a = pa, *b = pb;
	return compare_labels(&a->label, &b->label);
}

static int by_labels(const void *pa, const void *pb)
{
	const struct ranked_set *a = pa, *b = pb;
	uint32_t n = a->n < b->n ? a->n : b->n;

	for (uint32_t i = 0; i < n; i++)
		if (a->labels[i] != b->labels[i])
			return a->labels[i] < b->labels[i] ? -1 : 1;
	return (a->n > b->n) - (a->n < b->n);
}

static int rank_labels(struct labels *l)
{
	l->label_ranks = calloc(l->labels.len + 1, sizeof *l->label_ranks);
	if (!l->label_ranks)
		return error_memory(l->e, l->labels.len * sizeof *l->label_ranks);
	if (l->labels.len)
		qsort(l->labels.at, l->labels.len, sizeof *l->labels.at, by_label);
	for (uint32_t i = 0; i < l->labels.len; i++)
		l->label_ranks[l->labels.at[i].number] = i;
	return 0;
}

/* The ranks of a set's labels. */
static bool expand(struct labels *l, uint32_t number, struct ranked_set *to)
{
	uint32_t n = 0, *labels;

	for (uint32_t set = number; set != ID_SETS_EMPTY; set = id_sets_without_last(&l->sets, set))
		n++;
	*to = (struct ranked_set){.n = n, .number = number};
	labels = arena_alloc(&l->w->arena, n * sizeof *labels);
	to->labels = labels;
	for (uint32_t set = number; labels && n; set = id_sets_without_last(&l->sets, set))
		labels[--n] = l->label_ranks[id_sets_last(&l->sets, set)];
	return labels;
}

static int rank_sets(struct labels *l)
{
	uint32_t n = id_sets_count(&l->sets);

	l->set_ranks = calloc(n + (size_t)1, sizeof *l->set_ranks);
	l->ranked = calloc(n + (size_t)1, sizeof *l->ranked);
	for (uint32_t i = 0; i < n; i++)
		if (!l->set_ranks || !l->ranked || !expand(l, i + 1, &l->ranked[i]))
			return error_memory(l->e, n * sizeof *l->ranked);
	if (n)
		qsort(l->ranked, n, sizeof *l->ranked, by_labels);
	for (uint32_t i = 0; i < n; i++)
		l->set_ranks[l->ranked[i].number] = i;
	return 0;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static int write_labels(const struct labels *l)
{
	struct arena *a = &l->w->arena;
	struct bulk b;

	bulk_begin(&b, l->w->db, "label", 5, l->e);
	for (size_t i = 0; i < l->labels.len; i++) {
		const struct model_label *k = &l->labels.at[i].label;
		bulk_int(&b, l->w->label + (int64_t)i);
		bulk_int(&b, l->w->measurement);
		bulk_text(&b, db_text(a, arena_strndup(a, k->key, k->key_bytes)));
		bulk_text(&b, db_text(a, k->value));
		bulk_int_or_null(&b, k->number, k->number ? strtoll(k->value, NULL, 10) : 0);
	}
	return bulk_end(&b, l->e);
}

static int write_sets(const struct labels *l)
{
	struct bulk b;

	bulk_begin(&b, l->w->db, "label_set", 2, l->e);
	for (uint32_t i = 0; i < id_sets_count(&l->sets); i++)
		for (uint32_t k = 0; k < l->ranked[i].n; k++) {
			bulk_int(&b, l->w->label_set + (int64_t)i);
			bulk_int(&b, l->w->label + l->ranked[i].labels[k]);
		}
	return bulk_end(&b, l->e);
}

static int by_place(const void *pa, const void *pb)
{
	const struct label_value *a = pa, *b = pb;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	return (a->context > b->context) - (a->context < b->context);
}

/* The values of a metric, each context of the tree once. */
static int find_values(struct labels *l, const struct model_metric *k)
{
	uint32_t n = model_num_contexts(l->m);

	l->values.len = 0;
	for (uint32_t c = MODEL_ROOTS; c < n; c++) {
		struct label_value v = {.events = k->events[c], .samples = k->samples[c]};
		uint32_t to = l->match.contexts.at[c];
		if ((!v.events && !v.samples) || l->set_of[c] == ID_SETS_EMPTY)
			continue;
		if (to == MATCH_NONE)
			return db_file_changed(l->e);
		v.set = l->set_ranks[l->set_of[c]];
		v.context = l->w->tree.numbers[to];
		if (!vec_push(&l->values, v))
			return error_memory(l->e, sizeof v);
	}
	if (l->values.len)
		qsort(l->values.at, l->values.len, sizeof *l->values.at, by_place);
	return 0;
}

static void put_values(struct labels *l, struct bulk *b, uint32_t metric)
{
	bool saturated = false;

	for (size_t i = 0; i < l->values.len; i++) {
		struct label_value v = l->values.at[i];
		for (; i + 1 < l->values.len && by_place(&v, &l->values.at[i + 1]) == 0; i++) {
			v.events = sum_add(v.events, l->values.at[i + 1].events, &saturated);
			v.samples = sum_add(v.samples, l->values.at[i + 1].samples, &saturated);
		}
		bulk_int(b, l->w->metric + metric);
		bulk_int(b, l->w->label_set + v.set);
		bulk_int(b, l->w->context + v.context);
		bulk_sum(b, v.events);
		bulk_sum(b, v.samples);
	}
}

static int write_values(struct labels *l)
{
	const struct model *all = l->w->p->model;
	struct bulk b;
	int rc = 0, ended;

	bulk_begin(&b, l->w->db, "label_value", 5, l->e);
	for (uint32_t metric = 0; rc == 0 && metric < all->metrics.len; metric++)
		for (size_t i = 0; rc == 0 && i < l->m->metrics.len; i++) {
			const struct model_metric *k = &l->m->metrics.at[i];
			if (db_find_metric(l->w, k) != metric)
				continue;
			rc = find_values(l, k);
			if (rc == 0)
				put_values(l, &b, metric);
		}
	ended = bulk_end(&b, rc == 0 ? l->e : NULL);
	return rc == 0 ? ended : rc;
}

static int write_model(struct db_writing *w, const struct model *m, struct error *e)
{
	struct labels l = {.w = w, .m = m, .match = {.through_labels = true}, .e = e};
	struct match_index index;
	int rc = match_index_create(&index, w->p->model, e);

	if (rc != 0)
		return rc;
	l.match.index = &index;
	if (!match_extend(&l.match, m))
		rc = error_memory(e, model_num_contexts(m) * sizeof(uint32_t));
	if (rc == 0)
		rc = find_sets(&l);
	if (rc == 0)
		rc = rank_labels(&l);
	if (rc == 0)
		rc = rank_sets(&l);
	if (rc == 0)
		rc = write_labels(&l);
	if (rc == 0)
		rc = write_sets(&l);
	if (rc == 0)
		rc = write_values(&l);
	match_deinit(&l.match);
	match_index_deinit(&index);
	interner_deinit(&l.label_numbers);
	id_sets_deinit(&l.sets);
	vec_free(&l.labels);
	vec_free(&l.values);
	free(l.set_of);
	free(l.label_ranks);
	free(l.set_ranks);
	free(l.ranked);
	return rc;
}

/* All of them could be read the first time. */
static int check_problems(const struct load *load, struct error *e)
{
	for (size_t i = 0; i < load->problems.len; i++)
		if (load->problems.at[i].kind != ERROR_NONE)
			return db_file_changed(e);
	return 0;
}

static void was_read(void *context, size_t done, size_t total)
{
	diag_progress(context, "labels: %zu of %zu profiles", done, total);
}

int db_write_labels(struct db_writing *w, struct error *e)
{
	struct load load = {.threads = w->o->threads,
			    .ingest = db_reading_options(w),
			    .progress = was_read,
			    .context = w->d};
	load_file_list files = {0};
	struct scan scan = {0};
	int rc;

	if (!w->p->model->has_labels)
		return 0;
	rc = db_files_again(&scan, w, e);
	load.ingest.every_label = true;
	if (rc == 0)
		rc = choose_files(w, &scan, &files, e);
	load.files = files.at;
	load.num_files = files.len;
	if (rc == 0 && files.len) {
		rc = load_files(&load, e);
		if (rc == 0)
			rc = check_problems(&load, e);
		if (rc == 0)
			rc = write_model(w, load.model, e);
		load_deinit(&load);
	}
	vec_free(&files);
	scan_deinit(&scan);
	return rc;
}
