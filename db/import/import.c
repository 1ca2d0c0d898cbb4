/* Merges a profile database into the model: all its measurements. Contexts become named frames
 * (model.h), with their marks for inlined code; a database has no addresses.
 *
 * The database is read into a separate model, which is joined to the given one if there was no
 * error. */
#include "db/base/database.h"
#include "db/base/tree.h"
#include "db/import/import.h"
#include "db/import/import_internal.h"
#include "db/import/import_values.h"

#include "hpcprof/load/choice.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/model/threads.h"
#include "reader/xml_name.h"

#include <stdlib.h>
#include <string.h>

int import_out_of_memory(struct import *in)
{
	return error_memory(in->e, 0);
}

int import_damaged(struct import *in, const char *table, int64_t row)
{
	return error_set(in->e, ERROR_FORMAT, "row %lld of %s of the database is damaged",
			 (long long)row, table);
}

/* ---- cells --------------------------------------------------------------------------- */

const char *import_text(struct import *in, sqlite3_stmt *s, int i, bool *ok)
{
	const char *at = (const char *)sqlite3_column_text(s, i), *out = NULL;
	char *copy = at ? strdup(at) : NULL;

	if (copy) {
		reader_xml_decode_name(copy);
		out = model_text(in->m, copy, strlen(copy));
	}
	free(copy);
	*ok &= (at || !import_known(s, i)) && (!at || out);
	return out;
}

/* The same, with "" for NULL. */
static const char *some_text(struct import *in, sqlite3_stmt *s, int i, bool *ok)
{
	const char *t = import_text(in, s, i, ok);

	if (!t)
		t = model_text(in->m, "", 0);
	*ok &= t != NULL;
	return t;
}

static struct reader_text as_text(const char *s)
{
	return (struct reader_text){s ? s : "", s ? (uint32_t)strlen(s) : 0};
}

int import_each(struct import *in, const char *sql, import_take_fn *take)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(in->db, sql, -1, &s, NULL), taken = 0;

	if (rc == SQLITE_OK && in->part && sqlite3_bind_parameter_count(s))
		rc = sqlite3_bind_int64(s, 1, in->part->id);
	while (rc == SQLITE_OK && taken == 0 && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		taken = take(in, s);
		rc = SQLITE_OK;
	}
	if (taken == 0 && rc != SQLITE_DONE)
		taken = db_error(in->db, in->e);
	sqlite3_finalize(s);
	return taken;
}

/* ---- metrics --------------------------------------------------------------------------- */

/* Split a list at ", ". */
static bool split(struct import *in, model_texts *list, const char *joined)
{
	for (const char *at = joined, *end; at && *at; at = *end ? end + 2 : end) {
		end = strstr(at, ", ");
		if (!end)
			end = at + strlen(at);
		if (!model_list_text(list, model_text(in->m, at, (size_t)(end - at))))
			return false;
	}
	return true;
}

static int take_metric(struct import *in, sqlite3_stmt *s)
{
	bool ok = true;
	const char *name = some_text(in, s, 1, &ok), *unit = some_text(in, s, 2, &ok);
	const char *kernel = some_text(in, s, 8, &ok), *sources = some_text(in, s, 9, &ok);
	const char *requested = some_text(in, s, 10, &ok), *achieved = some_text(in, s, 11, &ok);
	const char *jitter = some_text(in, s, 15, &ok);
	struct model_metric *k;
	bool *saturated = &in->m->saturated;
	uint32_t id;

	id = ok ? model_metric(in->m, as_text(name), as_text(unit), import_number(s, 3))
		: UINT32_MAX;
	if (id == UINT32_MAX || !ids_add(&in->metrics, sqlite3_column_int64(s, 0), id))
		return import_out_of_memory(in);
	k = &in->m->metrics.at[id];
	k->total.events = sum_add(k->total.events, import_number(s, 4), saturated);
	k->total.samples = sum_add(k->total.samples, import_number(s, 5), saturated);
	if (import_number(s, 6) > k->interval)
		k->interval = import_number(s, 6);
	if (import_number(s, 7) < k->position)
		k->position = (uint32_t)import_number(s, 7);
	k->kernel |= strcmp(kernel, "yes") == 0     ? KERNEL_YES
		     : strcmp(kernel, "no") == 0    ? KERNEL_NO
		     : strcmp(kernel, "mixed") == 0 ? KERNEL_MIXED
						    : KERNEL_NOT_SAID;
	k->cost = sum_add(k->cost, import_number(s, 16), saturated);
	k->enabled = sum_add(k->enabled, import_number(s, 17), saturated);
	k->running = sum_add(k->running, import_number(s, 18), saturated);
	k->has_account |= import_number(s, 12) != 0;
	k->unaccounted.events = sum_add(k->unaccounted.events, import_number(s, 13), saturated);
	k->unaccounted.samples = sum_add(k->unaccounted.samples, import_number(s, 14), saturated);
	ok = split(in, &k->sources, sources) && split(in, &k->requested, requested) &&
	     split(in, &k->achieved, achieved) && split(in, &k->jitters, jitter);
	return ok ? 0 : import_out_of_memory(in);
}

static int take_account(struct import *in, sqlite3_stmt *s)
{
	uint32_t metric = ids_get(&in->metrics, import_number(s, 0));
	bool ok = true;
	const char *disposition = some_text(in, s, 1, &ok);
	struct model_account *row;

	if (metric == UINT32_MAX)
		return import_damaged(in, "account", sqlite3_column_int64(s, 0));
	row =
	    ok ? model_account_row(in->m, &in->m->metrics.at[metric], as_text(disposition)) : NULL;
	if (!row)
		return import_out_of_memory(in);
	row->samples = sum_add(row->samples, import_number(s, 2), &in->m->saturated);
	row->weight = sum_add(row->weight, import_number(s, 3), &in->m->saturated);
	return 0;
}

/* ---- processes --------------------------------------------------------------------------- */

/* Set the sums by metric of a row, by a statement with its id as parameter. */
static int take_sums(struct import *in, const char *sql, int64_t row, struct metric_sums *sums)
{
	sqlite3_stmt *s = NULL;
	bool ok = true;

	if (sqlite3_prepare_v2(in->db, sql, -1, &s, NULL) != SQLITE_OK)
		return db_error(in->db, in->e);
	sqlite3_bind_int64(s, 1, row);
	while (ok && sqlite3_step(s) == SQLITE_ROW) {
		uint32_t metric = ids_get(&in->metrics, import_number(s, 0));
		struct model_sum sum = {import_number(s, 1), import_number(s, 2)};
		ok = metric == UINT32_MAX || metric_sums_set(sums, &in->m->arena, metric, sum);
	}
	if (!ok) {
		sqlite3_finalize(s);
		return import_out_of_memory(in);
	}
	return sqlite3_finalize(s) == SQLITE_OK ? 0 : db_error(in->db, in->e);
}

static int take_process(struct import *in, sqlite3_stmt *s)
{
	bool ok = true;
	struct model_process p = {.path = some_text(in, s, 1, &ok),
				  .command = some_text(in, s, 2, &ok),
				  .executable = some_text(in, s, 3, &ok),
				  .host = some_text(in, s, 4, &ok),
				  .has_pid = import_known(s, 5),
				  .pid = import_number(s, 5),
				  .ppid = import_number(s, 6),
				  .has_rank = import_known(s, 7),
				  .rank = (uint32_t)import_number(s, 7),
				  .ranks = (uint32_t)import_number(s, 8),
				  .has_start = import_known(s, 9),
				  .start_ns = import_number(s, 9),
				  .has_wall = import_known(s, 10),
				  .wall_ns = import_number(s, 10),
				  .has_cpu = import_known(s, 11),
				  .cpu_ns = import_number(s, 11),
				  .threads = (uint32_t)import_number(s, 12),
				  .end = some_text(in, s, 13, &ok),
				  .tool = some_text(in, s, 14, &ok),
				  .unmarked = some_text(in, s, 15, &ok),
				  .marks_lost = import_number(s, 16),
				  .uncounted = import_number(s, 17),
				  .tramp_samples = import_number(s, 18),
				  .has_ended = import_number(s, 19) != 0,
				  .has_trailer = import_number(s, 20) != 0,
				  .outside_ns = import_number(s, 21),
				  .process_ns = import_number(s, 22),
				  .waited_ns = import_number(s, 23),
				  .estimated = import_number(s, 24) != 0,
				  .flat = import_number(s, 25) != 0,
				  .foreign = import_number(s, 26) != 0};
	int64_t row = sqlite3_column_int64(s, 0);

	p.has_sums = !in->labels_alone && in->m->metrics.len;
	p.path =
	    ok ? arena_strndup(&in->m->arena, p.path, strlen(p.path)) : NULL; /* not interned */
	if (!p.path)
		return import_out_of_memory(in);
	if (!in->labels_alone &&
	    take_sums(in, "SELECT metric, events, samples FROM process_value WHERE process = ?1",
		      row, &p.sums) != 0)
		return -1;
	return vec_push(&in->m->processes, p) ? 0 : import_out_of_memory(in);
}

static int take_thread_group(struct import *in, sqlite3_stmt *s)
{
	bool ok = true;
	const char *kind = (const char *)sqlite3_column_text(s, 1);
	struct model_threads g = {.first = some_text(in, s, 2, &ok),
				  .last = some_text(in, s, 3, &ok),
				  .creator = import_text(in, s, 4, &ok),
				  .threads = import_number(s, 5)};
	int i = 0;

	while (i < DB_THREAD_KINDS && (!kind || strcmp(kind, db_thread_kinds[i]) != 0))
		i++;
	if (i == DB_THREAD_KINDS)
		return import_damaged(in, "thread_group", sqlite3_column_int64(s, 0));
	g.kind = (enum thread_kind)i;
	g.pattern = ok ? model_thread_pattern(in->m, g.first) : NULL;
	if (!g.pattern)
		return import_out_of_memory(in);
	if (take_sums(in,
		      "SELECT metric, events, samples FROM thread_group_value "
		      "WHERE thread_group = ?1",
		      sqlite3_column_int64(s, 0), &g.sums) != 0)
		return -1;
	return model_add_threads(in->m, &g) ? 0 : import_out_of_memory(in);
}

/* ---- code --------------------------------------------------------------------------------- */

static enum symbol_source source_of(const char *text)
{
	int i = 0;

	while (i < SYMBOL_NONE && (!text || strcmp(text, db_sources[i]) != 0))
		i++;
	return (enum symbol_source)i;
}

static int take_module(struct import *in, sqlite3_stmt *s)
{
	bool ok = true;
	const char *name = some_text(in, s, 1, &ok), *build_id = some_text(in, s, 2, &ok);
	enum symbol_source source = source_of((const char *)sqlite3_column_text(s, 4));
	struct model_module *mod;
	uint32_t id = ok ? model_module(in->m, as_text(name), as_text(build_id)) : UINT32_MAX;

	if (id == UINT32_MAX || !ids_add(&in->modules, sqlite3_column_int64(s, 0), id))
		return import_out_of_memory(in);
	mod = &in->m->modules.at[id];
	mod->assumed |= import_number(s, 3) != 0;
	mod->stale |= import_number(s, 5) != 0;
	mod->why = import_text(in, s, 6, &ok);
	if (!mod->has_names || source < mod->best)
		mod->best = source;
	mod->has_names = true;
	return ok ? 0 : import_out_of_memory(in);
}

static int take_function(struct import *in, sqlite3_stmt *s)
{
	bool ok = true;
	struct model_function f = {.name = import_text(in, s, 2, &ok),
				   .linkage_name = import_text(in, s, 3, &ok),
				   .line = (uint32_t)import_number(s, 4),
				   .module = ids_get(&in->modules, import_number(s, 1)),
				   .declared = some_text(in, s, 7, &ok),
				   .low = import_number(s, 6),
				   .source = source_of((const char *)sqlite3_column_text(s, 5))};

	if (f.module == UINT32_MAX)
		return import_damaged(in, "function", sqlite3_column_int64(s, 0));
	if (f.name && strcmp(f.name, MODEL_UNKNOWN_FUNCTION) == 0)
		f.name = NULL;
	if (!ok || interner_add(&in->function_rows, import_number(s, 0)) != in->functions.len ||
	    !vec_push(&in->functions, f))
		return import_out_of_memory(in);
	return 0;
}

static int take_line(struct import *in, sqlite3_stmt *s)
{
	bool ok = true;
	struct import_line l = {.file = import_text(in, s, 1, &ok),
				.number = (uint32_t)import_number(s, 2)};

	if (!ok || interner_add(&in->line_rows, import_number(s, 0)) != in->lines.len ||
	    !vec_push(&in->lines, l))
		return import_out_of_memory(in);
	return 0;
}

/* ---- the whole database ------------------------------------------------------------ */

static const struct table {
	const char *sql;
	import_take_fn *take;
	const char *of_part; /* the same for a part; NULL: sql; "": nothing */
} tables[] = {
    {"SELECT id, name, unit, flags, events, samples, interval, position, kernel, sources, "
     "requested, "
     "achieved, has_account, unaccounted_events, unaccounted_samples, jitter, cost_ns, "
     "enabled_ns, running_ns FROM metric "
     "ORDER BY "
     "id",
     take_metric, NULL},
    {"SELECT metric, disposition, samples, events FROM account ORDER BY metric, position",
     take_account, ""},
    {"SELECT id, path, command, executable, host, pid, ppid, rank, ranks, start_ns, wall_ns, "
     "cpu_ns, "
     "threads, \"end\", tool, unmarked, marks_lost, uncounted, tramp_samples, has_ended, "
     "has_trailer, "
     "outside_ns, process_ns, "
     "waited_ns, estimated, flat, "
     "imported FROM process ORDER "
     "BY id",
     take_process, ""},
    {"SELECT id, kind, first_name, last_name, creator, threads FROM thread_group ORDER BY id",
     take_thread_group, ""},
    {"SELECT id, name, build_id, assumed, symbols, stale, note FROM module ORDER BY id",
     take_module, NULL},
    {"SELECT f.id, f.module, f.name, f.linkage_name, f.line, f.symbol, f.address, s.name "
     "FROM function f LEFT JOIN file s ON s.id = f.file ORDER BY f.id",
     take_function, NULL},
    {"SELECT l.id, f.name, l.number FROM line l JOIN file f ON f.id = l.file ORDER BY l.id",
     take_line, NULL},
    {"SELECT id, depth, last, function, line, inlined, "
     "depth = 0 AND id IN (SELECT partial_context FROM measurement) FROM context ORDER BY id",
     import_context,
     "WITH RECURSIVE used (id) AS (SELECT context FROM profile_value WHERE profile = ?1 "
     "UNION SELECT c.parent FROM used JOIN context c ON c.id = used.id WHERE c.parent) "
     "SELECT c.id, c.depth, c.last, c.function, c.line, c.inlined, "
     "c.depth = 0 AND c.id IN (SELECT partial_context FROM measurement) FROM used "
     "JOIN context c ON c.id = used.id ORDER BY c.id"},
    {"SELECT metric, context, events, samples FROM exclusive ORDER BY metric, context",
     import_exclusive,
     "SELECT metric, context, events, samples FROM profile_value WHERE profile = ?1 "
     "ORDER BY metric, context"},
};

static void import_deinit(struct import *in)
{
	ids_deinit(&in->modules);
	ids_deinit(&in->metrics);
	interner_deinit(&in->function_rows);
	interner_deinit(&in->line_rows);
	interner_deinit(&in->place_rows);
	vec_free(&in->functions);
	vec_free(&in->lines);
	vec_free(&in->places);
	vec_free(&in->stack);
}

static int note_labels(struct import *in, sqlite3_stmt *s)
{
	(void)s;
	in->m->has_labels = true;
	return 0;
}

/* Whether a table has values of all labels, without saying of which. */
static bool is_of_all(const struct table *t)
{
	return t->take == import_exclusive || t->take == take_thread_group;
}

/* labels: NULL, or how to read them; not of a part. */
static int add_database(struct model *m, const char *path, const struct importer_part *part,
			const struct ingest_options *labels, struct error *e)
{
	struct import in = {
	    .m = model_create(),
	    .e = e,
	    .part = part,
	    .labels_alone = labels && (labels->every_label || choice_has_labels(labels->choice))};
	int rc = in.m ? database_open(path, &in.db, e) : error_memory(e, 0);

	for (size_t i = 0; rc == 0 && i < sizeof tables / sizeof *tables; i++) {
		const struct table *t = &tables[i];
		const char *sql = part && t->of_part ? t->of_part : t->sql;
		if (sql[0] && !(in.labels_alone && is_of_all(t)))
			rc = import_each(&in, sql, t->take);
	}
	if (rc == 0)
		rc = import_each(&in, "SELECT 1 FROM label LIMIT 1", note_labels);
	if (rc == 0 && labels)
		rc = import_labels(&in, labels);
	if (rc == 0 && !part)
		rc = import_values(in.db, in.m, &in.modules, e);
	sqlite3_close_v2(in.db);
	import_deinit(&in);
	if (rc == 0)
		rc = model_join(m, in.m, e);
	else if (e->kind != ERROR_MEMORY)
		rc = 1;
	model_destroy(in.m);
	return rc;
}

static int add(struct model *m, const char *path, const char **lost, struct error *e)
{
	*lost = NULL;
	return add_database(m, path, NULL, NULL, e);
}

static int add_labelled(struct model *m, const char *path, const struct ingest_options *o,
			struct error *e)
{
	return add_database(m, path, NULL, o, e);
}

static int add_part(struct model *m, const char *path, const struct importer_part *part,
		    struct error *e)
{
	return add_database(m, path, part, NULL, e);
}

/* ---- parts --------------------------------------------------------------------------------- */

/* A text with escapes decoded. Clears *ok if memory ran out. */
static const char *part_text(struct arena *a, sqlite3_stmt *s, int i, bool *ok)
{
	const char *at = (const char *)sqlite3_column_text(s, i);
	char *copy = at ? arena_strndup(a, at, strlen(at)) : NULL;

	if (copy)
		reader_xml_decode_name(copy);
	*ok &= copy || !import_known(s, i);
	return copy;
}

static int read_parts(sqlite3 *db, struct importer_part *to, size_t n, struct arena *a,
		      struct error *e)
{
	sqlite3_stmt *s = NULL;
	bool ok = true;
	size_t i = 0;
	int rc = sqlite3_prepare_v2(
	    db,
	    "SELECT p.id, p.path, p.thread, p.tid, p.name, p.start_ns, p.end_ns, p.cpu_ns, "
	    "p.process IS NOT NULL, "
	    "EXISTS (SELECT 1 FROM profile_value v WHERE v.profile = p.id) FROM profile p "
	    "ORDER BY p.measurement, p.path, p.thread IS NULL, p.thread, p.id",
	    -1, &s, NULL);

	for (; rc == SQLITE_OK && ok && i < n && sqlite3_step(s) == SQLITE_ROW; i++) {
		to[i] = (struct importer_part){
		    .id = sqlite3_column_int64(s, 0),
		    .path = part_text(a, s, 1, &ok),
		    .thread = import_known(s, 2) ? (uint32_t)import_number(s, 2) : CSP_NONE,
		    .tid = import_number(s, 3),
		    .name = part_text(a, s, 4, &ok),
		    .start_ns = import_number(s, 5),
		    .end_ns = import_number(s, 6),
		    .cpu_ns = import_number(s, 7),
		    .has_process = import_number(s, 8) != 0,
		    .has_values = import_number(s, 9) != 0};
		ok &= to[i].path != NULL;
	}
	sqlite3_finalize(s);
	if (!ok)
		return error_memory(e, n * sizeof *to);
	return i == n ? 0 : db_error(db, e);
}

/* The parts of a database. There are none if something was recorded, but the database does not have
 * the profiles' values. */
static int parts(const char *path, struct importer_part **out, size_t *n, struct arena *a,
		 struct error *e)
{
	sqlite3 *db = NULL;
	int64_t count = 0, values = 0;
	int rc = database_open(path, &db, e);

	*n = 0;
	if (rc == 0)
		rc = db_number(db, &values, e,
			       "SELECT EXISTS (SELECT 1 FROM profile_value)"
			       " OR NOT EXISTS (SELECT 1 FROM exclusive)");
	if (rc == 0 && values)
		rc = db_number(db, &count, e, "SELECT count(*) FROM profile");
	if (rc == 0 && count) {
		*n = (size_t)count;
		*out = arena_alloc(a, *n * sizeof **out);
		rc = *out ? read_parts(db, *out, *n, a, e) : error_memory(e, *n * sizeof **out);
	}
	sqlite3_close_v2(db);
	return rc;
}

struct importer db_importer = {.is = database_is,
			       .add = add,
			       .add_labelled = add_labelled,
			       .parts = parts,
			       .add_part = add_part};
