/* Merges a profile database into the model: all its measurements. Contexts become named frames
 * (model.h), with their marks for inlined code; a database has no addresses.
 *
 * The database is read into a separate model, which is joined to the given one if there was no
 * error. */
#include "db/base/database.h"
#include "db/base/tree.h"
#include "db/import/import.h"
#include "db/import/import_internal.h"

#include "hpcprof/load/choice.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/model/threads.h"
#include "reader/xml_name.h"

#include <stdlib.h>
#include <string.h>

/* Positions of an account's rows: there are below 40 dispositions (formats/datafile.h). */
enum { DISPOSITIONS_MOST = 1000 };

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

/* ---- metrics --------------------------------------------------------------------------- */

/* Split a list at ", ". */
static bool split(struct import *in, uint32_t metric, enum import_list list, const char *joined)
{
	struct import_entry entry = {.metric = metric, .list = list};

	for (const char *at = joined, *end; *at; at = *end ? end + 2 : end) {
		end = strstr(at, ", ");
		if (!end)
			end = at + strlen(at);
		entry.text = model_text(in->m, at, (size_t)(end - at));
		if (!entry.text || (entry.text[0] && !vec_push(&in->entries, entry)))
			return false;
	}
	return true;
}

static int by_place(const void *pa, const void *pb)
{
	const struct import_entry *a = pa, *b = pb;

	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	return a->list != b->list ? (int)a->list - (int)b->list : strcmp(a->text, b->text);
}

/* Put the entries of all lists in order, each once. */
static int end_metrics(struct import *in)
{
	if (in->entries.len)
		qsort(in->entries.at, in->entries.len, sizeof *in->entries.at, by_place);
	for (size_t i = 0; i < in->entries.len; i++) {
		const struct import_entry *entry = &in->entries.at[i];
		struct model_metric *k = &in->m->metrics.at[entry->metric];
		model_texts *lists[] = {[IMPORT_SOURCES] = &k->sources,
					[IMPORT_REQUESTED] = &k->requested,
					[IMPORT_ACHIEVED] = &k->achieved,
					[IMPORT_JITTERS] = &k->jitters};
		if ((i == 0 || by_place(entry - 1, entry) != 0) &&
		    !vec_push(lists[entry->list], entry->text))
			return import_out_of_memory(in);
	}
	return 0;
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
		return import_not_added(in, &in->metrics.rows, "metric", s);
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
	ok = split(in, id, IMPORT_SOURCES, sources) && split(in, id, IMPORT_REQUESTED, requested) &&
	     split(in, id, IMPORT_ACHIEVED, achieved) && split(in, id, IMPORT_JITTERS, jitter);
	return ok ? 0 : import_out_of_memory(in);
}

static int take_account(struct import *in, sqlite3_stmt *s)
{
	uint32_t metric = ids_get(&in->metrics, import_number(s, 0));
	bool ok = true;
	const char *disposition = some_text(in, s, 1, &ok);
	struct model_account *row;

	if (metric == UINT32_MAX || import_number(s, 4) >= DISPOSITIONS_MOST)
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
				  .foreign = import_number(s, 26) != 0,
				  .uninterpreted = some_text(in, s, 27, &ok)};

	p.has_sums = !in->labels_alone && in->m->metrics.len;
	p.path =
	    ok ? arena_strndup(&in->m->arena, p.path, strlen(p.path)) : NULL; /* not interned */
	if (!p.path)
		return import_out_of_memory(in);
	if (!ids_add(&in->processes, sqlite3_column_int64(s, 0), (uint32_t)in->m->processes.len))
		return import_not_added(in, &in->processes.rows, "process", s);
	return vec_push(&in->m->processes, p) ? 0 : import_out_of_memory(in);
}

/* Set the sums of a row for a metric. Rows: metric, the row, events, samples. */
static int take_sum(struct import *in, sqlite3_stmt *s, struct metric_sums *sums)
{
	uint32_t metric = ids_get(&in->metrics, import_number(s, 0));
	struct model_sum sum = {import_number(s, 2), import_number(s, 3)};

	return metric == UINT32_MAX || metric_sums_set(sums, &in->m->arena, metric, sum)
		   ? 0
		   : import_out_of_memory(in);
}

static int take_process_value(struct import *in, sqlite3_stmt *s)
{
	uint32_t at = ids_get(&in->processes, import_number(s, 1));

	return at == UINT32_MAX ? import_damaged(in, "process_value", sqlite3_column_int64(s, 1))
				: take_sum(in, s, &in->m->processes.at[at].sums);
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
	if (!ids_add(&in->group_rows, sqlite3_column_int64(s, 0), (uint32_t)in->groups.len))
		return import_not_added(in, &in->group_rows.rows, "thread_group", s);
	return vec_push(&in->groups, g) ? 0 : import_out_of_memory(in);
}

static int take_group_value(struct import *in, sqlite3_stmt *s)
{
	uint32_t at = ids_get(&in->group_rows, import_number(s, 1));

	return at == UINT32_MAX
		   ? import_damaged(in, "thread_group_value", sqlite3_column_int64(s, 1))
		   : take_sum(in, s, &in->groups.at[at].sums);
}

/* All groups and their sums were read. */
static int end_groups(struct import *in)
{
	for (size_t i = 0; i < in->groups.len; i++)
		if (!model_add_threads(in->m, &in->groups.at[i]))
			return import_out_of_memory(in);
	return 0;
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
		return import_not_added(in, &in->modules.rows, "module", s);
	mod = &in->m->modules.at[id];
	mod->assumed |= import_number(s, 3) != 0;
	mod->stale |= import_number(s, 5) != 0;
	mod->why = import_text(in, s, 6, &ok);
	if (!mod->has_names || source < mod->best)
		mod->best = source;
	mod->has_names = true;
	return ok ? 0 : import_out_of_memory(in);
}

static int take_file(struct import *in, sqlite3_stmt *s)
{
	bool ok = true;
	const char *name = import_text(in, s, 1, &ok);

	if (!ok || !ids_add(&in->files, sqlite3_column_int64(s, 0), (uint32_t)in->file_names.len))
		return import_not_added(in, &in->files.rows, "file", s);
	return vec_push(&in->file_names, name) ? 0 : import_out_of_memory(in);
}

/* The name of the file in a cell; NULL if it has none. False if there is no such file. */
static bool file_of(struct import *in, sqlite3_stmt *s, int i, const char **out)
{
	uint32_t at = ids_get(&in->files, import_number(s, i));

	*out = at == UINT32_MAX ? NULL : in->file_names.at[at];
	return at != UINT32_MAX;
}

static int take_function(struct import *in, sqlite3_stmt *s)
{
	bool ok = true;
	struct model_function f = {.name = import_text(in, s, 2, &ok),
				   .linkage_name = import_text(in, s, 3, &ok),
				   .line = (uint32_t)import_number(s, 4),
				   .module = ids_get(&in->modules, import_number(s, 1)),
				   .low = import_number(s, 6),
				   .source = source_of((const char *)sqlite3_column_text(s, 5))};

	if (f.module == UINT32_MAX || (import_known(s, 7) && !file_of(in, s, 7, &f.declared)))
		return import_damaged(in, "function", sqlite3_column_int64(s, 0));
	if (!f.declared)
		f.declared = model_text(in->m, "", 0);
	if (f.name && strcmp(f.name, MODEL_UNKNOWN_FUNCTION) == 0)
		f.name = NULL;
	if (!ok || !f.declared ||
	    interner_add(&in->function_rows, import_number(s, 0)) != in->functions.len)
		return import_not_added(in, &in->function_rows, "function", s);
	return vec_push(&in->functions, f) ? 0 : import_out_of_memory(in);
}

static int take_line(struct import *in, sqlite3_stmt *s)
{
	struct import_line l = {.number = (uint32_t)import_number(s, 2)};

	if (!file_of(in, s, 1, &l.file))
		return import_damaged(in, "line", sqlite3_column_int64(s, 0));
	if (interner_add(&in->line_rows, import_number(s, 0)) != in->lines.len)
		return import_not_added(in, &in->line_rows, "line", s);
	return vec_push(&in->lines, l) ? 0 : import_out_of_memory(in);
}

/* ---- the whole database ------------------------------------------------------------ */

/* The contexts of a part's values and those above them. */
#define USED                                                                                       \
	"WITH RECURSIVE used (id) AS (SELECT context FROM profile_value WHERE profile = ?1 "       \
	"UNION SELECT c.parent FROM used JOIN context c ON c.id = used.id WHERE c.parent) "

/* Each row of a table is read at most once, and of a part only what it needs. */
static const struct table {
	const char *sql;
	import_take_fn *take;
	const char *of_part;           /* the same for a part; NULL: sql; "": nothing */
	int (*end)(struct import *in); /* after all rows; or NULL */
} tables[] = {
    {"SELECT id, name, unit, flags, events, samples, interval, position, kernel, sources, "
     "requested, achieved, has_account, unaccounted_events, unaccounted_samples, jitter, cost_ns, "
     "enabled_ns, running_ns FROM metric ORDER BY id",
     take_metric, NULL, end_metrics},
    {"SELECT metric, disposition, samples, events, position FROM account "
     "ORDER BY metric, position",
     take_account, "", NULL},
    {"SELECT id, path, command, executable, host, pid, ppid, rank, ranks, start_ns, wall_ns, "
     "cpu_ns, threads, \"end\", tool, unmarked, marks_lost, uncounted, tramp_samples, has_ended, "
     "has_trailer, outside_ns, process_ns, waited_ns, estimated, flat, imported, "
     "uninterpreted FROM process ORDER BY id",
     take_process, "", NULL},
    {"SELECT metric, process, events, samples FROM process_value ORDER BY metric, process",
     take_process_value, "", NULL},
    {"SELECT id, kind, first_name, last_name, creator, threads FROM thread_group ORDER BY id",
     take_thread_group, "", NULL},
    {"SELECT metric, thread_group, events, samples FROM thread_group_value "
     "ORDER BY metric, thread_group",
     take_group_value, "", end_groups},
    {"SELECT id, name, build_id, assumed, symbols, stale, note FROM module ORDER BY id",
     take_module,
     USED "SELECT id, name, build_id, assumed, symbols, stale, note FROM module WHERE id IN "
	  "(SELECT f.module FROM used JOIN context c ON c.id = used.id "
	  "JOIN function f ON f.id = c.function) ORDER BY id",
     NULL},
    {"SELECT id, name FROM file ORDER BY id", take_file,
     USED "SELECT id, name FROM file WHERE id IN "
	  "(SELECT l.file FROM used JOIN context c ON c.id = used.id JOIN line l ON l.id = c.line "
	  "UNION SELECT f.file FROM used JOIN context c ON c.id = used.id "
	  "JOIN function f ON f.id = c.function) ORDER BY id",
     NULL},
    {"SELECT id, module, name, linkage_name, line, symbol, address, file FROM function ORDER BY id",
     take_function,
     USED "SELECT id, module, name, linkage_name, line, symbol, address, file FROM function "
	  "WHERE id IN (SELECT c.function FROM used JOIN context c ON c.id = used.id) ORDER BY id",
     NULL},
    {"SELECT id, file, number FROM line ORDER BY id", take_line,
     USED "SELECT id, file, number FROM line WHERE id IN "
	  "(SELECT c.line FROM used JOIN context c ON c.id = used.id) ORDER BY id",
     NULL},
    {"SELECT id, depth, last, function, line, inlined, "
     "depth = 0 AND id IN (SELECT partial_context FROM measurement) FROM context ORDER BY id",
     import_context,
     USED "SELECT c.id, c.depth, c.last, c.function, c.line, c.inlined, "
	  "c.depth = 0 AND c.id IN (SELECT partial_context FROM measurement) FROM used "
	  "JOIN context c ON c.id = used.id ORDER BY c.id",
     import_check_contexts},
    {"SELECT metric, context, events, samples FROM exclusive ORDER BY metric, context",
     import_exclusive,
     "SELECT metric, context, events, samples FROM profile_value WHERE profile = ?1 "
     "ORDER BY metric, context",
     NULL},
};

static void import_deinit(struct import *in)
{
	database_close(&in->file);
	ids_deinit(&in->files);
	ids_deinit(&in->modules);
	ids_deinit(&in->metrics);
	ids_deinit(&in->processes);
	ids_deinit(&in->group_rows);
	interner_deinit(&in->function_rows);
	interner_deinit(&in->line_rows);
	interner_deinit(&in->place_rows);
	vec_free(&in->entries);
	vec_free(&in->groups);
	vec_free(&in->file_names);
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
	return t->take == import_exclusive || t->take == take_thread_group ||
	       t->take == take_process_value || t->take == take_group_value;
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
	int rc = in.m ? import_open(&in, path) : error_memory(e, 0);

	for (size_t i = 0; rc == 0 && i < sizeof tables / sizeof *tables; i++) {
		const struct table *t = &tables[i];
		const char *sql = part && t->of_part ? t->of_part : t->sql;
		if (sql[0] && !(in.labels_alone && is_of_all(t)))
			rc = import_each(&in, sql, t->take);
		if (rc == 0 && t->end)
			rc = t->end(&in);
	}
	if (rc == 0)
		rc = import_each(&in, "SELECT 1 FROM label LIMIT 1", note_labels);
	if (rc == 0 && labels)
		rc = import_labels(&in, labels);
	if (rc == 0 && !part)
		rc = import_values(&in);
	if (database_check_cut(&in.file, e) != 0)
		rc = -1;
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

/* ---- the importer --------------------------------------------------------------------------- */

struct importer db_importer = {.is = database_is,
			       .add = add,
			       .add_labelled = add_labelled,
			       .parts = import_parts,
			       .add_part = add_part};
