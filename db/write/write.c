#include "db/write/sums_table.h"
#include "db/write/write.h"

#include <stdlib.h>
#include <string.h>

int db_create(sqlite3 *db, struct error *e)
{
	char head[80];

	sqlite3_snprintf(sizeof head, head, "PRAGMA application_id = %d; PRAGMA user_version = %d",
			 DB_APPLICATION, DB_VERSION);
	return db_exec(db, head, e) == 0 ? db_exec(db, db_schema_sql, e) : -1;
}

int db_finish(sqlite3 *db, struct error *e)
{
	int64_t views;

	if (db_number(db, &views, e, "SELECT count(*) FROM sqlite_schema WHERE type = 'view'") !=
		0 ||
	    (!views && db_exec(db, db_views_sql, e) != 0))
		return -1;
	/* analyze a few rows of each index: the planner then knows that there are few metrics, and
	 * finds a context's values without a condition on the metric */
	return db_exec(db, "PRAGMA analysis_limit = 1000; ANALYZE", e);
}

static const struct model_process *first_process(const struct model *m)
{
	const struct model_process *first = NULL;

	for (size_t i = 0; i < m->processes.len; i++) {
		const struct model_process *p = &m->processes.at[i];
		if (p->has_start && (!first || p->start_ns < first->start_ns))
			first = p;
	}
	return first;
}

static int first_ids(struct db_writing *w, struct error *e)
{
	const struct {
		const char *table;
		int64_t *id;
	} tables[] = {{"measurement", &w->measurement},
		      {"process", &w->process},
		      {"thread_group", &w->thread_group},
		      {"profile", &w->profile},
		      {"metric", &w->metric},
		      {"module", &w->module},
		      {"file", &w->file},
		      {"function", &w->function},
		      {"line", &w->line},
		      {"context", &w->context},
		      {"call", &w->call},
		      {"instruction_value", &w->value},
		      {"label", &w->label},
		      {"label_set", &w->label_set}};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (db_number(w->db, tables[i].id, e, "SELECT coalesce(max(id), %d) + 1 FROM %s",
			      tables[i].id == &w->metric ? -1 : 0, tables[i].table) != 0)
			return -1;
	return 0;
}

/* The PROFILE arguments. */
static const char *name_of(struct db_writing *w)
{
	size_t n = 1;
	char *name, *to;

	for (size_t i = 0; i < w->o->num_profiles; i++)
		n += strlen(w->o->profiles[i]) + 1;
	name = to = arena_alloc(&w->arena, n);
	for (size_t i = 0; name && i < w->o->num_profiles; i++) {
		to = stpcpy(to, i ? " " : "");
		to = stpcpy(to, w->o->profiles[i]);
	}
	return name ? db_text(&w->arena, name) : NULL;
}

static int write_measurement(struct db_writing *w, struct error *e)
{
	const struct model_process *first = first_process(w->p->model);
	struct bulk b;

	if (bulk_begin(&b, w->db, "measurement", 8, e) != 0)
		return bulk_end(&b, e);
	bulk_int(&b, w->measurement);
	bulk_text(&b, name_of(w));
	bulk_text(&b, first && first->command[0] ? db_text(&w->arena, first->command) : NULL);
	if (first)
		bulk_sum(&b, first->start_ns);
	else
		bulk_null(&b);
	bulk_text(&b, "hpcprof " HPC_VERSION);
	bulk_int(&b, w->context);
	bulk_int(&b, w->context + w->tree.partial);
	bulk_int(&b, w->context + w->tree.len - 1);
	return bulk_end(&b, e);
}

static int write_losses(struct db_writing *w, struct error *e)
{
	struct bulk b;

	bulk_begin(&b, w->db, "loss", 4, e);
	for (size_t i = 0; i < w->p->losses.len; i++) {
		const struct profile_loss *l = &w->p->losses.at[i];
		bulk_int(&b, w->measurement);
		bulk_text(&b, db_text(&w->arena, l->path));
		bulk_text(&b, db_text(&w->arena, l->text));
		bulk_int(&b, l->read);
	}
	return bulk_end(&b, e);
}

static void text_or_null(struct db_writing *w, struct bulk *b, const char *s)
{
	bulk_text(b, s[0] ? db_text(&w->arena, s) : NULL);
}

static void number_or_null(struct bulk *b, bool known, uint64_t v)
{
	if (known)
		bulk_sum(b, v);
	else
		bulk_null(b);
}

static void write_process(struct db_writing *w, struct bulk *b, size_t i)
{
	const struct model_process *p = &w->p->model->processes.at[i];

	bulk_int(b, w->process + (int64_t)i);
	bulk_int(b, w->measurement);
	bulk_text(b, db_text(&w->arena, p->path));
	text_or_null(w, b, p->command);
	text_or_null(w, b, p->executable);
	text_or_null(w, b, p->host);
	number_or_null(b, p->has_pid, p->pid);
	number_or_null(b, p->has_pid, p->ppid);
	number_or_null(b, p->has_rank, p->rank);
	number_or_null(b, p->ranks, p->ranks);
	number_or_null(b, p->has_start, p->start_ns);
	number_or_null(b, p->has_wall, p->wall_ns);
	number_or_null(b, p->has_cpu, p->cpu_ns);
	bulk_int(b, p->threads);
	text_or_null(w, b, p->end);
	text_or_null(w, b, p->tool);
	text_or_null(w, b, p->unmarked);
	text_or_null(w, b, p->uninterpreted);
	bulk_sum(b, p->marks_lost);
	bulk_sum(b, p->uncounted);
	bulk_sum(b, p->tramp_samples);
	bulk_int(b, p->has_ended);
	bulk_int(b, p->has_trailer);
	bulk_sum(b, p->outside_ns);
	bulk_sum(b, p->process_ns);
	bulk_sum(b, p->waited_ns);
	bulk_int(b, p->estimated);
	bulk_int(b, p->flat);
	bulk_int(b, p->foreign);
}

static int write_processes(struct db_writing *w, struct error *e)
{
	const struct model *m = w->p->model;
	struct sums_table values = {0};
	bool ok = true;
	struct bulk b;

	bulk_begin(&b, w->db, "process", 29, e);
	for (size_t i = 0; i < m->processes.len; i++)
		write_process(w, &b, i);
	if (bulk_end(&b, e) != 0)
		return -1;
	for (size_t i = 0; ok && i < m->processes.len; i++)
		ok = sums_table_add(&values, (uint32_t)i, &m->processes.at[i].sums);
	return sums_table_write(&values, ok, w->db, "process_value", w->metric, w->process, e);
}

static const char *joined(struct db_writing *w, const model_texts *list)
{
	size_t n = 1;
	char *text, *to;

	for (size_t i = 0; i < list->len; i++)
		n += strlen(list->at[i]) + 2;
	text = to = arena_alloc(&w->arena, n);
	for (size_t i = 0; text && i < list->len; i++) {
		to = stpcpy(to, i ? ", " : "");
		to = stpcpy(to, list->at[i]);
	}
	return text ? db_text(&w->arena, text) : NULL;
}

static void write_metric(struct db_writing *w, struct bulk *b, size_t i)
{
	static const char *const kernel[] = {
	    [KERNEL_YES] = "yes", [KERNEL_NO] = "no", [KERNEL_MIXED] = "mixed"};
	const struct model_metric *k = &w->p->model->metrics.at[i];

	bulk_int(b, w->metric + (int64_t)i);
	bulk_int(b, w->measurement);
	bulk_text(b, db_text(&w->arena, k->name));
	bulk_text(b, db_text(&w->arena, k->unit));
	bulk_sum(b, k->flags);
	bulk_int(b, (k->flags & CSP_METRIC_ASYNC) != 0);
	bulk_sum(b, k->total.events);
	bulk_sum(b, k->total.samples);
	bulk_sum(b, k->interval);
	bulk_int(b, k->position);
	bulk_text(b, kernel[k->kernel]);
	bulk_text(b, joined(w, &k->sources));
	bulk_text(b, joined(w, &k->requested));
	bulk_text(b, joined(w, &k->achieved));
	bulk_int(b, k->has_account);
	bulk_sum(b, k->unaccounted.events);
	bulk_sum(b, k->unaccounted.samples);
	bulk_text(b, joined(w, &k->jitters));
	bulk_sum(b, k->cost);
	bulk_sum(b, k->enabled);
	bulk_sum(b, k->running);
}

static int write_metrics(struct db_writing *w, struct error *e)
{
	const struct model *m = w->p->model;
	struct bulk b;

	bulk_begin(&b, w->db, "metric", 21, e);
	for (size_t i = 0; i < m->metrics.len; i++)
		write_metric(w, &b, i);
	if (bulk_end(&b, e) != 0)
		return -1;
	bulk_begin(&b, w->db, "account", 5, e);
	for (size_t i = 0; i < m->metrics.len; i++)
		for (size_t k = 0; k < m->metrics.at[i].account.len; k++) {
			const struct model_account *a = &m->metrics.at[i].account.at[k];
			bulk_int(&b, w->metric + (int64_t)i);
			bulk_int(&b, (int64_t)k);
			bulk_text(&b, db_text(&w->arena, a->disposition));
			bulk_sum(&b, a->samples);
			bulk_sum(&b, a->weight);
		}
	return bulk_end(&b, e);
}

/* Write the large tables without SQL, if they are empty and the database is a file. */
static int write_pages(struct db_writing *w, struct error *e)
{
	struct pages pages;
	/* after it releases its lock, SQLite reads the file again */
	int rc = db_exec(w->db, "PRAGMA locking_mode = NORMAL", e);

	if (rc == 0)
		rc = pages_open(&pages, w->db, e);
	if (rc != 0)
		return rc;
	w->pages = &pages;
	rc = db_write_contexts(w, e);
	w->pages = NULL;
	if (rc == 0)
		rc = pages_save(&pages, e);
	pages_close(&pages);
	return rc;
}

static int write_all(struct db_writing *w, struct error *e)
{
	bool paged;

	if (db_ranks_make(&w->ranks, w->p, e) != 0 ||
	    db_tree_make(&w->tree, w->p, &w->ranks, e) != 0 || first_ids(w, e) != 0)
		return -1;
	paged = w->context == 1 && pages_suit(w->db);
	if ((paged && write_pages(w, e) != 0) || db_exec(w->db, "BEGIN", e) != 0 ||
	    write_measurement(w, e) != 0 || write_losses(w, e) != 0 || write_metrics(w, e) != 0 ||
	    write_processes(w, e) != 0 || db_write_threads(w, e) != 0 || db_write_code(w, e) != 0 ||
	    (!paged && db_write_contexts(w, e) != 0) || db_write_hottest(w, e) != 0 ||
	    db_write_waits(w, e) != 0 || db_write_instructions(w, e) != 0 ||
	    db_write_values(w, e) != 0 || db_write_profiles(w, e) != 0 ||
	    db_write_labels(w, e) != 0)
		return -1;
	diag_progress(w->d, "writing: indexes");
	return db_finish(w->db, e) == 0 ? db_exec(w->db, "COMMIT", e) : -1;
}

int db_write(struct db_writing *w, sqlite3 *db, struct error *e)
{
	int rc;

	w->db = db;
	rc = write_all(w, e);
	diag_progress_end(w->d);
	db_ranks_deinit(&w->ranks);
	db_tree_deinit(&w->tree);
	free(w->files);
	vec_free(&w->names);
	arena_deinit(&w->arena);
	return rc;
}
