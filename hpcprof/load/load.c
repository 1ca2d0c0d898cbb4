#include "hpcprof/load/load.h"

#include "formats/base/workers.h"
#include "hpcprof/load/choice.h"
#include "hpcprof/load/datafile_source.h"
#include "hpcprof/load/importers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct shared {
	struct load *load;
	pthread_mutex_t lock; /* protects all below and the load's problems */
	size_t next, done;
	struct error why; /* the first failure; its kind is ERROR_NONE while there is none */
};

struct load_worker {
	struct shared *shared;
	struct model *model;
	struct ingest *ingest;
	size_t file; /* the current one */
	bool memory; /* memory ran out while a problem was noted */
};

static void note(struct load_worker *w, const char *text, enum error_kind kind, bool trailer)
{
	struct load *l = w->shared->load;
	struct load_problem p = {.file = w->file, .kind = kind, .trailer = trailer};

	pthread_mutex_lock(&w->shared->lock);
	p.text = arena_strndup(&l->arena, text, strlen(text));
	if (!p.text || !vec_push(&l->problems, p))
		w->memory = true;
	pthread_mutex_unlock(&w->shared->lock);
}

static void note_lost(struct load_worker *w, const char *lost)
{
	struct load *l = w->shared->load;
	struct load_problem p = {.file = w->file, .text = lost};

	pthread_mutex_lock(&w->shared->lock);
	if (!vec_push(&l->notices, p))
		w->memory = true;
	pthread_mutex_unlock(&w->shared->lock);
}

static void complain(void *context, const char *text)
{
	note(context, text, ERROR_NONE, false);
}

static int load_datafile(struct load_worker *w, const struct load_file *f, struct error *e)
{
	struct load *l = w->shared->load;
	struct datafile_source s;
	int rc;

	if (datafile_source_open(&s, f->path, f->datafile, e) != 0) {
		note(w, e->text, e->kind, false);
		return 0;
	}
	if (reader_warning(s.reader))
		note(w, reader_warning(s.reader)->text, ERROR_NONE, true);
	if (choice_has_processes(l->ingest.choice) && reader_is_merged(s.reader)) {
		note(w, "a merged file: its processes cannot be chosen from", ERROR_USAGE, false);
		datafile_source_close(&s);
		return 0;
	}
	if (l->unwanted && !reader_is_merged(s.reader) &&
	    !choice_process(l->ingest.choice, s.reader)) {
		l->unwanted[w->file] = true;
		datafile_source_close(&s);
		return 0;
	}
	rc = ingest_file(w->ingest, s.reader, f->path, complain, w, e);
	pthread_mutex_lock(&w->shared->lock);
	l->chosen++;
	l->running += s.kind == SOURCE_RUNNING;
	l->killed += s.kind == SOURCE_KILLED;
	pthread_mutex_unlock(&w->shared->lock);
	datafile_source_close(&s);
	return rc;
}

/* Read a file that another program or hpcprof wrote. */
static int load_imported(struct load_worker *w, const struct importer *importer, const char *path,
			 struct error *e)
{
	const struct ingest_options *o = &w->shared->load->ingest;
	bool alone = o->every_label || choice_has_labels(o->choice);
	const char *lost = NULL;
	int rc;

	if (choice_has_processes(o->choice)) {
		note(w, "not a datafile: its processes cannot be chosen from", ERROR_USAGE, false);
		return 0;
	}
	if (alone && !importer->add_labelled) {
		note(w, "neither a datafile nor a database: it has no labels", ERROR_USAGE, false);
		return 0;
	}
	if (importer->add_labelled && (alone || (o->group_by && o->group_by->len)))
		rc = importer->add_labelled(w->model, path, o, e);
	else
		rc = importer->add(w->model, path, &lost, e);
	if (rc > 0) {
		note(w, e->text, e->kind, false);
		return 0;
	}
	if (rc == 0 && lost)
		note_lost(w, lost);
	if (rc == 0 && w->shared->load->unwanted) {
		pthread_mutex_lock(&w->shared->lock);
		w->shared->load->chosen++;
		pthread_mutex_unlock(&w->shared->lock);
	}
	return rc;
}

static int load_file(struct load_worker *w, struct error *e)
{
	const struct load_file *f = &w->shared->load->files[w->file];
	const struct importer *importer = importers_of(f->path);
	int rc = importer ? load_imported(w, importer, f->path, e) : load_datafile(w, f, e);

	if (rc == 0 && w->memory)
		rc = error_memory(e, sizeof(struct load_problem));
	return rc;
}

static void work_on(void *context)
{
	struct load_worker *w = context;
	struct shared *s = w->shared;
	struct load *l = s->load;
	struct error e;

	pthread_mutex_lock(&s->lock);
	while (s->why.kind == ERROR_NONE && s->next < l->num_files) {
		int rc;
		w->file = s->next++;
		pthread_mutex_unlock(&s->lock);
		rc = load_file(w, &e);
		pthread_mutex_lock(&s->lock);
		if (rc != 0 && s->why.kind == ERROR_NONE)
			s->why = e;
		s->done++;
		if (l->progress)
			l->progress(l->context, s->done, l->num_files);
	}
	pthread_mutex_unlock(&s->lock);
}

/* Read all files with n workers. */
static int work(struct shared *s, struct load_worker *workers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		workers[i].shared = s;
		workers[i].model = model_create();
		if (workers[i].model)
			workers[i].ingest = ingest_create(workers[i].model, &s->load->ingest);
		if (!workers[i].ingest)
			return error_memory(&s->why, sizeof(struct model));
	}
	workers_run(work_on, workers, sizeof *workers, n);
	return s->why.kind == ERROR_NONE ? 0 : -1;
}

static int finish(const struct load_worker *workers, size_t n, struct error *e)
{
	struct model **models = calloc(n, sizeof(struct model *));
	int rc;

	if (!models)
		return error_memory(e, n * sizeof(struct model *));
	for (size_t i = 0; i < n; i++)
		models[i] = workers[i].model;
	rc = model_finish_all(models, n, e);
	free(models);
	return rc;
}

/* Sort by file. Problems of one file keep their order, since one thread noted them. */
static void sort_problems(struct load_problem *at, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct load_problem p = at[i];
		size_t k = i;
		for (; k > 0 && at[k - 1].file > p.file; k--)
			at[k] = at[k - 1];
		at[k] = p;
	}
}

int load_files(struct load *l, struct error *e)
{
	size_t n = l->threads < l->num_files ? l->threads : l->num_files;
	struct shared s = {.load = l};
	struct load_worker *workers;
	int rc;

	n = n ? n : 1;
	if (l->ingest.choice && !(l->unwanted = calloc(l->num_files + 1, sizeof *l->unwanted)))
		return error_memory(e, l->num_files);
	workers = calloc(n, sizeof *workers);
	if (!workers)
		return error_memory(e, n * sizeof *workers);
	pthread_mutex_init(&s.lock, NULL);
	rc = work(&s, workers, n);
	pthread_mutex_destroy(&s.lock);
	for (size_t i = 0; i < n; i++)
		ingest_destroy(workers[i].ingest);
	if (rc == 0)
		rc = finish(workers, n, &s.why);
	for (size_t i = 1; i < n; i++)
		model_destroy(workers[i].model);
	l->model = workers[0].model;
	free(workers);
	if (rc != 0 && e)
		*e = s.why;
	sort_problems(l->problems.at, l->problems.len);
	sort_problems(l->notices.at, l->notices.len);
	return rc;
}

void load_deinit(struct load *l)
{
	if (!l)
		return;
	model_destroy(l->model);
	vec_free(&l->problems);
	vec_free(&l->notices);
	free(l->unwanted);
	arena_deinit(&l->arena);
	l->model = NULL;
}
