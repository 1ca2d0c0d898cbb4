/* Writes what each thread of each datafile recorded. The files are read a second time, tree by
 * tree, and the contexts are looked up in the profile that was made of all files. */
#include "db/write/reading_again.h"
#include "db/write/write.h"

#include "hpcprof/load/datafile_source.h"
#include "hpcprof/load/importers.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/model/match.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

struct value {
	uint32_t number; /* of the context */
	uint64_t events, samples;
};

struct function_value {
	uint32_t metric, function, profile;
	uint64_t events, samples;
};

struct tree_of {
	uint32_t thread, tree;
};

#define NO_PROCESS UINT32_MAX

struct profiles {
	struct db_writing *w;
	struct match_index index; /* of the profile's contexts; if per_profile */
	uint32_t next;            /* profile */
	size_t last_process;      /* that a row was written of */
	VEC(struct value) values;
	VEC(struct function_value) functions;
	uint64_t *sums, *module_sums; /* [2 * functions], [2 * modules], zeros between uses */
	VEC(uint32_t) touched, touched_modules;
	VEC(struct tree_of) trees;
	VEC(uint32_t) process_of;       /* [next] index of the process, or NO_PROCESS */
	struct bulk rows, out, modules; /* profile, profile_value, profile_module */
	struct error *e;
};

/* ---- values of a profile ------------------------------------------------------------------ */

static int by_number(const void *pa, const void *pb)
{
	const struct value *a = pa, *b = pb;
	return (a->number > b->number) - (a->number < b->number);
}

static void add(uint64_t *to, uint64_t value)
{
	bool saturated = false;
	*to = sum_add(*to, value, &saturated);
}

/* Sum up the values of each context. */
static void join_values(struct profiles *s)
{
	size_t n = 0;

	if (s->values.len)
		qsort(s->values.at, s->values.len, sizeof *s->values.at, by_number);
	for (size_t i = 0; i < s->values.len; i++) {
		const struct value *v = &s->values.at[i];
		if (n && s->values.at[n - 1].number == v->number) {
			add(&s->values.at[n - 1].events, v->events);
			add(&s->values.at[n - 1].samples, v->samples);
		} else {
			s->values.at[n++] = *v;
		}
	}
	s->values.len = n;
}

static bool sum_functions(struct profiles *s, uint32_t metric)
{
	const struct db_tree *t = &s->w->tree;
	bool ok = true;

	s->touched.len = 0;
	for (size_t i = 0; ok && i < s->values.len; i++) {
		const struct value *v = &s->values.at[i];
		uint32_t f = s->w->ranks.functions[t->pieces.at[t->piece[v->number]].function];
		if (!s->sums[2 * f] && !s->sums[2 * f + 1])
			ok = vec_push(&s->touched, f);
		add(&s->sums[2 * f], v->events);
		add(&s->sums[2 * f + 1], v->samples);
	}
	for (size_t i = 0; ok && i < s->touched.len; i++) {
		uint32_t f = s->touched.at[i];
		ok = vec_push(&s->functions,
			      (struct function_value){metric, f, s->next, s->sums[2 * f],
						      s->sums[2 * f + 1]});
		s->sums[2 * f] = s->sums[2 * f + 1] = 0;
	}
	return ok;
}

static int by_id(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a < b ? -1 : a > b;
}

/* Write the values of the touched functions by module. False if memory ran out. */
static bool write_modules(struct profiles *s, uint32_t metric)
{
	const struct db_writing *w = s->w;
	const struct code_function *functions = w->p->code.functions.at;

	s->touched_modules.len = 0;
	for (size_t i = 0; i < s->touched.len; i++) {
		const struct function_value *v = &s->functions.at[s->functions.len - 1 - i];
		uint32_t module = functions[w->ranks.function_at[v->function]].module;
		uint64_t *sums = &s->module_sums[2 * (size_t)module];
		if (!sums[0] && !sums[1] && !vec_push(&s->touched_modules, module))
			return false;
		add(&sums[0], v->events);
		add(&sums[1], v->samples);
	}
	if (s->touched_modules.len)
		qsort(s->touched_modules.at, s->touched_modules.len, sizeof(uint32_t), by_id);
	for (size_t i = 0; i < s->touched_modules.len; i++) {
		uint32_t module = s->touched_modules.at[i];
		uint64_t *sums = &s->module_sums[2 * (size_t)module];
		bulk_int(&s->modules, w->profile + s->next);
		bulk_int(&s->modules, w->metric + metric);
		bulk_int(&s->modules, w->module + (int64_t)module);
		bulk_sum(&s->modules, sums[0]);
		bulk_sum(&s->modules, sums[1]);
		sums[0] = sums[1] = 0;
	}
	return true;
}

static int write_metric(struct profiles *s, const struct model_metric *k, const uint32_t *map,
			uint32_t contexts)
{
	uint32_t metric = db_find_metric(s->w, k);
	const struct db_writing *w = s->w;

	if (metric == UINT32_MAX)
		return db_file_changed(s->e);
	s->values.len = 0;
	for (uint32_t i = MODEL_ROOTS; i < contexts; i++) {
		if (!k->events[i] && !k->samples[i])
			continue;
		if (map[i] == MATCH_NONE)
			return db_file_changed(s->e);
		if (!vec_push(&s->values,
			      (struct value){w->tree.numbers[map[i]], k->events[i], k->samples[i]}))
			return error_memory(s->e, sizeof(struct value));
	}
	join_values(s);
	for (size_t i = 0; i < s->values.len; i++) {
		bulk_int(&s->out, w->profile + s->next);
		bulk_int(&s->out, w->metric + metric);
		bulk_int(&s->out, w->context + s->values.at[i].number);
		bulk_sum(&s->out, s->values.at[i].events);
		bulk_sum(&s->out, s->values.at[i].samples);
	}
	if (!sum_functions(s, metric) || !write_modules(s, metric))
		return error_memory(s->e, sizeof(struct function_value));
	return 0;
}

static int write_model(struct profiles *s, struct model *small)
{
	struct match match = {.index = &s->index};
	int rc = model_finish(small, s->e);

	if (rc == 0 && !match_extend(&match, small))
		rc = error_memory(s->e, model_num_contexts(small) * sizeof(uint32_t));
	/* metrics of a file have the same order in every model of it */
	for (size_t i = 0; rc == 0 && i < small->metrics.len; i++)
		rc = write_metric(s, &small->metrics.at[i], match.contexts.at,
				  model_num_contexts(small));
	match_deinit(&match);
	return rc;
}

/* The trees from .. end are those of a profile. */
static int write_values(struct profiles *s, const struct reader *r, const char *path, size_t from,
			size_t end)
{
	struct ingest_options o = db_reading_options(s->w);
	struct model *small = model_create();
	struct ingest *in = small ? ingest_create(small, &o) : NULL;
	int rc = in ? ingest_begin(in, r, path, s->e) : error_memory(s->e, sizeof *small);

	for (size_t i = from; rc == 0 && i < end; i++)
		rc = ingest_tree(in, s->trees.at[i].tree);
	if (in)
		ingest_end(in);
	ingest_destroy(in);
	if (rc == 0)
		rc = write_model(s, small);
	model_destroy(small);
	return rc;
}

/* ---- rows of profile ------------------------------------------------------------------------ */

/* The process whose file has this path, or more than there are. Rows of one file follow each other,
 * and mostly in the order of processes. */
static size_t find_process(struct profiles *s, const char *path)
{
	const struct model *m = s->w->p->model;
	size_t n = m->processes.len, i = 0;

	while (i < n && strcmp(m->processes.at[(s->last_process + i) % n].path, path) != 0)
		i++;
	if (i < n)
		s->last_process = (s->last_process + i) % n;
	return i < n ? s->last_process : n;
}

static int write_row(struct profiles *s, const struct importer_part *p)
{
	const struct model *m = s->w->p->model;
	struct arena *a = &s->w->arena;
	size_t process = find_process(s, p->path);

	bulk_int(&s->rows, s->w->profile + s->next);
	bulk_int(&s->rows, s->w->measurement);
	if (process >= m->processes.len || !p->has_process)
		process = NO_PROCESS;
	if (!vec_push(&s->process_of, (uint32_t)process))
		return error_memory(s->e, sizeof(uint32_t));
	bulk_int_or_null(&s->rows, process != NO_PROCESS, s->w->process + (int64_t)process);
	bulk_text(&s->rows, db_text(a, arena_strndup(a, p->path, strlen(p->path))));
	if (p->thread != CSP_NONE)
		bulk_int(&s->rows, p->thread);
	else
		bulk_null(&s->rows);
	if (p->name) {
		bulk_sum(&s->rows, p->tid);
		bulk_text(&s->rows, db_text(a, p->name));
		bulk_sum(&s->rows, p->start_ns);
		bulk_sum(&s->rows, p->end_ns);
		bulk_sum(&s->rows, p->cpu_ns);
	}
	for (int i = 0; i < 5 && !p->name; i++)
		bulk_null(&s->rows);
	return 0;
}

/* Write the row of a thread of a datafile. */
static int write_thread(struct profiles *s, const struct reader *r, const char *path,
			uint32_t thread)
{
	struct importer_part p = {
	    .path = path, .has_process = !reader_is_merged(r), .thread = thread};

	if (thread < reader_num_threads(r)) {
		const struct reader_thread *t = reader_thread(r, thread);
		p.name = arena_strndup(&s->w->arena, t->name.n ? t->name.at : "", t->name.n);
		p.tid = t->tid;
		p.start_ns = t->start_ns;
		p.end_ns = t->end_ns;
		p.cpu_ns = t->cpu_ns;
	}
	return write_row(s, &p);
}

/* ---- files -------------------------------------------------------------------------------- */

static int by_thread(const void *pa, const void *pb)
{
	const struct tree_of *a = pa, *b = pb;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->tree > b->tree) - (a->tree < b->tree);
}

/* Whether a row of THREADS without a tree is a thread that recorded nothing. This is not known if a
 * tree belongs to several threads. A row without a tid is not a single thread. */
static bool is_idle(const struct reader *r, uint32_t thread, bool shared)
{
	return !shared && thread < reader_num_threads(r) && reader_thread(r, thread)->tid;
}

/* Write the threads one by one, also those without trees. A file without threads is one profile. */
static int write_trees(struct profiles *s, const struct reader *r, const char *path, bool values)
{
	uint32_t n = reader_num_trees(r), threads = reader_num_threads(r), before = s->next;
	size_t from = 0, end;
	bool shared;
	int rc = 0;

	s->trees.len = 0;
	if (!vec_reserve(&s->trees, n + (size_t)1))
		return error_memory(s->e, n * sizeof *s->trees.at);
	for (uint32_t i = 0; i < n; i++)
		s->trees.at[s->trees.len++] = (struct tree_of){reader_tree(r, i)->thread, i};
	qsort(s->trees.at, n, sizeof *s->trees.at, by_thread);
	shared = n && s->trees.at[n - 1].thread == CSP_NONE;
	for (uint32_t row = 0; rc == 0 && (row < threads || from < n); row++, from = end) {
		uint32_t thread = row < threads ? row : s->trees.at[from].thread;
		for (end = from; end < n && s->trees.at[end].thread == thread; end++)
			;
		if (end == from && !is_idle(r, thread, shared))
			continue;
		rc = write_thread(s, r, path, thread);
		if (rc == 0 && values && end > from)
			rc = write_values(s, r, path, from, end);
		s->next++;
	}
	if (rc == 0 && s->next == before) {
		rc = write_thread(s, r, path, CSP_NONE);
		s->next++;
	}
	return rc;
}

/* Write the profiles of an existing database. */
static int write_parts(struct profiles *s, const struct importer *importer, const char *path,
		       const struct importer_part *parts, size_t n)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct model *small = model_create();
		if (!small)
			return error_memory(s->e, sizeof *small);
		rc = write_row(s, &parts[i]);
		if (rc == 0)
			rc = importer->add_part(small, path, &parts[i], s->e);
		if (rc == 0)
			rc = write_model(s, small);
		model_destroy(small);
		s->next++;
	}
	return rc == 0 ? 0 : -1;
}

static int write_imported(struct profiles *s, const struct importer *importer, const char *path)
{
	struct importer_part *parts = NULL;
	size_t n = 0;
	int rc;

	if (importer && importer->parts && s->w->per_profile &&
	    importer->parts(path, &parts, &n, &s->w->arena, s->e) != 0)
		return -1;
	if (n)
		return write_parts(s, importer, path, parts, n);
	rc = write_row(
	    s, &(struct importer_part){.path = path, .has_process = true, .thread = CSP_NONE});
	s->next++;
	return rc;
}

static int write_file(struct profiles *s, const struct scan_file *f)
{
	const struct importer *importer = importers_of(f->path);
	struct datafile_source source;
	struct error why;
	int rc;

	if (!db_file_was_read(s->w, f->path))
		return 0;
	if (importer || datafile_source_open(&source, f->path, f->datafile, &why) != 0) {
		if (!importer && why.kind == ERROR_MEMORY) {
			*s->e = why;
			return -1;
		}
		return write_imported(s, importer, f->path);
	}
	/* a running program has recorded more since the first reading, so omit its values */
	rc = write_trees(s, source.reader, f->path,
			 s->w->per_profile && source.kind != SOURCE_RUNNING);
	datafile_source_close(&source);
	return rc;
}

static int by_function(const void *pa, const void *pb)
{
	const struct function_value *a = pa, *b = pb;
	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->profile > b->profile) - (a->profile < b->profile);
}

static int write_functions(struct profiles *s)
{
	struct bulk b;

	if (s->functions.len)
		qsort(s->functions.at, s->functions.len, sizeof *s->functions.at, by_function);
	bulk_begin(&b, s->w->db, "profile_function", 5, s->e);
	for (size_t i = 0; i < s->functions.len; i++) {
		const struct function_value *v = &s->functions.at[i];
		bulk_int(&b, s->w->metric + v->metric);
		bulk_int(&b, s->w->function + v->function);
		bulk_int(&b, s->w->profile + v->profile);
		bulk_sum(&b, v->events);
		bulk_sum(&b, v->samples);
	}
	return bulk_end(&b, s->e);
}

/* ---- the hottest function of each process ------------------------------------------------- */

struct most {
	uint64_t sum, events; /* of the current function; of the hottest one so far */
	uint32_t function;
	bool any, open; /* there is a hottest one; sum is valid */
};

/* A function's sums are complete. Its values are from .. end. */
static void close_function(struct profiles *s, struct most *of, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		uint32_t process = s->process_of.at[s->functions.at[i].profile];
		struct most *m = process == NO_PROCESS ? NULL : &of[process];
		if (!m || !m->open)
			continue;
		if (!m->any || m->sum > m->events) {
			m->any = true;
			m->events = m->sum;
			m->function = s->functions.at[i].function;
		}
		m->open = false;
	}
}

static void write_metric_most(struct profiles *s, struct bulk *b, const struct most *of,
			      uint32_t metric)
{
	for (size_t i = 0; i < s->w->p->model->processes.len; i++) {
		if (!of[i].any)
			continue;
		bulk_int(b, s->w->metric + metric);
		bulk_int(b, s->w->process + (int64_t)i);
		bulk_int(b, s->w->function + of[i].function);
		bulk_sum(b, of[i].events);
	}
}

/* The values are sorted by metric, function and profile. */
static int write_most(struct profiles *s)
{
	size_t processes = s->w->p->model->processes.len, n = s->functions.len, from = 0;
	struct most *of = calloc(processes + 1, sizeof *of);
	const struct function_value *v = s->functions.at;
	struct bulk b;

	if (!of)
		return error_memory(s->e, processes * sizeof *of);
	bulk_begin(&b, s->w->db, "process_most", 4, s->e);
	for (size_t i = 0; i < n; i++) {
		uint32_t process = s->process_of.at[v[i].profile];
		if (process != NO_PROCESS) {
			of[process].sum = of[process].open ? of[process].sum : 0;
			of[process].open = true;
			add(&of[process].sum, v[i].events);
		}
		if (i + 1 == n || v[i + 1].function != v[i].function ||
		    v[i + 1].metric != v[i].metric) {
			close_function(s, of, from, i + 1);
			from = i + 1;
		}
		if (i + 1 == n || v[i + 1].metric != v[i].metric) {
			write_metric_most(s, &b, of, v[i].metric);
			memset(of, 0, (processes + 1) * sizeof *of);
		}
	}
	free(of);
	return bulk_end(&b, s->e);
}

/* ---- all files ---------------------------------------------------------------------------- */

static int write_files(struct profiles *s, const struct scan *files)
{
	int rc = 0, ended;

	bulk_begin(&s->rows, s->w->db, "profile", 10, s->e);
	bulk_begin(&s->out, s->w->db, "profile_value", 5, s->e);
	bulk_begin(&s->modules, s->w->db, "profile_module", 5, s->e);
	for (size_t i = 0; rc == 0 && i < files->files.len; i++) {
		rc = write_file(s, &files->files.at[i]);
		diag_progress(s->w->d, "writing: %zu of %zu profiles", i + 1, files->files.len);
	}
	ended = bulk_end(&s->rows, rc == 0 ? s->e : NULL);
	rc = rc == 0 ? ended : rc;
	ended = bulk_end(&s->out, rc == 0 ? s->e : NULL);
	rc = rc == 0 ? ended : rc;
	ended = bulk_end(&s->modules, rc == 0 ? s->e : NULL);
	return rc == 0 ? ended : rc;
}

/* Allocate what is needed to look contexts up. */
static int prepare(struct profiles *s)
{
	size_t functions = s->w->p->code.functions.len;

	s->sums = calloc(2 * functions + 1, sizeof *s->sums);
	s->module_sums = calloc(2 * s->w->p->model->modules.len + 1, sizeof *s->module_sums);
	if (!s->sums || !s->module_sums)
		return error_memory(s->e, 2 * functions * sizeof *s->sums);
	return s->w->per_profile ? match_index_create(&s->index, s->w->p->model, s->e) : 0;
}

int db_write_profiles(struct db_writing *w, struct error *e)
{
	struct profiles s = {.w = w, .e = e};
	struct scan files = {0};
	int rc = db_files_again(&files, w, e);

	if (rc == 0) {
		rc = prepare(&s);
		if (rc == 0)
			rc = write_files(&s, &files);
		if (rc == 0)
			rc = write_functions(&s);
		if (rc == 0)
			rc = write_most(&s);
		scan_deinit(&files);
	}
	match_index_deinit(&s.index);
	free(s.sums);
	free(s.module_sums);
	vec_free(&s.values);
	vec_free(&s.functions);
	vec_free(&s.touched);
	vec_free(&s.touched_modules);
	vec_free(&s.trees);
	vec_free(&s.process_of);
	return rc;
}
