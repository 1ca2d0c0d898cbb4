#include "hpcprof/metrics/stats.h"

#include "formats/base/workers.h"
#include "hpcprof/load/datafile_source.h"
#include "hpcprof/load/choice.h"
#include "hpcprof/load/importers.h"
#include "hpcprof/metrics/stats_worker.h"
#include "hpcprof/terminal/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool stats_use(struct stats_rows *rows, uint32_t node, uint32_t row, bool inclusive)
{
	return vec_push(&rows->uses, (struct stats_use){node, row, inclusive});
}

/* ---- a file ---------------------------------------------------------------------------- */

static int note_problem(struct stats_worker *w, const char *path, const struct error *why)
{
	struct stats_problem p = {path, arena_strndup(&w->arena, why->text, strlen(why->text))};

	return p.text && vec_push(&w->problems, p) ? 0 : error_memory(w->e, sizeof p);
}

/* A tree and its thread. */
struct threaded {
	uint32_t thread, tree;
};

static int by_thread(const void *pa, const void *pb)
{
	const struct threaded *a = pa, *b = pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->tree < b->tree ? -1 : a->tree > b->tree;
}

/* name is NULL if nothing is known about the thread. */
static const char *thread_name(struct stats_worker *w, uint32_t thread, uint64_t tid,
			       const char *name, const char *process)
{
	if (thread == CSP_NONE)
		name = "several threads";
	else if (!name)
		name = layout_format(&w->arena, "thread %" PRIu32, thread + 1);
	else if (tid)
		name = layout_format(&w->arena, "thread %" PRIu64 "%s%s", tid, name[0] ? " " : "",
				     name);
	if (name && w->stats->profile->units.groups.len > 1)
		name = layout_format(&w->arena, "%s of %s", name, process);
	return name ? layout_clean(&w->arena, name) : NULL;
}

/* The name of a thread, from its row of THREADS if there is one. */
static const char *name_of(struct stats_worker *w, const struct reader *r, uint32_t thread,
			   const char *process)
{
	const struct reader_thread *t =
	    thread < reader_num_threads(r) ? reader_thread(r, thread) : NULL;
	const char *name = t ? arena_strndup(&w->arena, t->name.at, t->name.n) : NULL;

	return t && !name ? NULL : thread_name(w, thread, t ? t->tid : 0, name, process);
}

/* The unit of a thread in the datafile. False if memory ran out. */
static bool unit_of(struct stats_worker *w, const struct reader *r, uint32_t thread,
		    const char *path, struct stats_unit *out)
{
	const struct reader_thread *t =
	    thread < reader_num_threads(r) ? reader_thread(r, thread) : NULL;
	const char *name = t && t->name.n ? arena_strndup(&w->arena, t->name.at, t->name.n) : NULL;

	*out = (struct stats_unit){.path = arena_strndup(&w->arena, path, strlen(path)),
				   .thread = name ? layout_clean(&w->arena, name) : NULL,
				   .tid = t ? t->tid : 0};
	return out->path && !(t && t->name.n && !out->thread);
}

/* Whether the thread of a tree or a row of THREADS is read. */
static bool is_chosen(const struct stats_worker *w, const struct reader *r, uint32_t thread)
{
	const struct choice *c = w->stats->profile->choice;

	return !choice_has_threads(c) ||
	       (thread < reader_num_threads(r) && choice_thread(c, reader_thread(r, thread)));
}

/* Whether a row of THREADS without a tree is a thread that recorded nothing. This is not known if a
 * tree belongs to several threads. A row without a tid is not a single thread. */
static bool is_idle_thread(const struct reader *r, uint32_t thread, bool shared)
{
	return !shared && thread < reader_num_threads(r) && reader_thread(r, thread)->tid;
}

/* Read the file's trees thread by thread. A file without threads is one unit. */
static int read_threads(struct stats_worker *w, const struct reader *r, const char *path,
			const char *process)
{
	uint32_t trees = reader_num_trees(r), rows = reader_num_threads(r), k = 0;
	struct threaded *list = calloc(trees + (size_t)1, sizeof *list);
	size_t before = w->names.len;
	struct stats_unit unit;
	bool shared = false;
	int rc = 0;

	if (!list)
		return error_memory(w->e, trees * sizeof *list);
	for (uint32_t i = 0; i < trees; i++) {
		list[i] = (struct threaded){reader_tree(r, i)->thread, i};
		shared |= list[i].thread == CSP_NONE;
	}
	qsort(list, trees, sizeof *list, by_thread);
	for (uint32_t row = 0; rc == 0 && (row < rows || k < trees); row++) {
		uint32_t thread = row < rows ? row : list[k].thread, first = k;
		for (; rc == 0 && k < trees && list[k].thread == thread; k++)
			rc = ingest_tree(w->ingest, list[k].tree);
		if (rc == 0 && is_chosen(w, r, thread) &&
		    (k > first || is_idle_thread(r, thread, shared)))
			rc = unit_of(w, r, thread, path, &unit)
				 ? stats_worker_end_unit(w, name_of(w, r, thread, process), unit,
							 w->e)
				 : error_memory(w->e, sizeof unit);
	}
	if (rc == 0 && w->names.len == before)
		rc = unit_of(w, r, CSP_NONE, path, &unit)
			 ? stats_worker_end_unit(w, layout_clean(&w->arena, process), unit, w->e)
			 : error_memory(w->e, sizeof unit);
	free(list);
	return rc;
}

static int read_datafile(struct stats_worker *w, const struct load_file *f, const char *group)
{
	bool threads = w->stats->profile->units.kind == UNIT_THREAD;
	struct error why;
	struct datafile_source s;
	int rc;

	if (datafile_source_open(&s, f->path, f->datafile, &why) != 0)
		return note_problem(w, f->path, &why);
	rc = ingest_begin(w->ingest, s.reader, f->path, w->e);
	if (rc == 0 && threads)
		rc = read_threads(w, s.reader, f->path, group);
	for (uint32_t i = 0; rc == 0 && !threads && i < reader_num_trees(s.reader); i++)
		rc = ingest_tree(w->ingest, i);
	ingest_end(w->ingest);
	datafile_source_close(&s);
	return rc;
}

/* Import a file, or the part of it if part is not NULL. */
static int import_file(struct stats_worker *w, const struct importer *importer, const char *path,
		       const struct importer_part *part, const char *unit)
{
	const char *name = part && part->name && part->name[0] ? part->name : NULL;
	struct stats_unit from = {.path = part ? part->path : path,
				  .thread = name ? layout_clean(&w->arena, name) : NULL,
				  .tid = part ? part->tid : 0};
	const char *lost; /* it was told when the file was read first */
	struct error why;
	int rc = part ? importer->add_part(w->model, path, part, &why)
		      : importer->add(w->model, path, &lost, &why);

	if (rc > 0)
		rc = note_problem(w, path, &why);
	else if (rc < 0)
		*w->e = why;
	if (rc == 0)
		rc = stats_worker_watch_all(w, w->e);
	if (rc == 0 && w->stats->profile->units.kind == UNIT_THREAD)
		rc = name && !from.thread
			 ? error_memory(w->e, strlen(name))
			 : stats_worker_end_unit(w, layout_clean(&w->arena, unit), from, w->e);
	return rc;
}

static int import_parts(struct stats_worker *w, const struct importer *importer,
			const struct unit_file *f, const char *group)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < f->num_parts; i++) {
		const struct importer_part *p = &f->parts[i];
		const char *unit = p->thread == CSP_NONE && !p->has_values
				       ? group
				       : thread_name(w, p->thread, p->tid, p->name, group);
		rc = unit ? import_file(w, importer, f->file.path, p, unit)
			  : error_memory(w->e, sizeof *p);
	}
	return rc;
}

static int read_file(struct stats_worker *w, const struct unit_file *f, const char *group)
{
	const struct importer *importer = importers_of(f->file.path);
	int rc;

	if (!importer)
		rc = read_datafile(w, &f->file, group);
	else if (!f->parts)
		rc = import_file(w, importer, f->file.path, NULL, group);
	else
		rc = import_parts(w, importer, f, group);
	stats_worker_note_periods(w);
	return rc;
}

static void work_on(void *context)
{
	struct stats_worker *w = context;
	const struct units *u = &w->stats->profile->units;

	for (size_t g = w->first_group; w->rc == 0 && g < w->end_group; g++) {
		const struct unit_group *group = &u->groups.at[g];
		for (size_t i = 0; w->rc == 0 && i < group->num_files; i++)
			w->rc = read_file(w, &u->files.at[group->first + i], group->name);
		if (w->rc == 0 && u->kind != UNIT_THREAD) {
			struct stats_unit from = {.path = group->num_files == 1
							      ? u->files.at[group->first].file.path
							      : NULL};
			w->rc = stats_worker_end_unit(w, layout_clean(&w->arena, group->name), from,
						      w->e);
		}
	}
}

/* ---- all of them ----------------------------------------------------------------------- */

/* Index the rows that the values of each node count for. */
static bool index_uses(struct stats_rows *rows)
{
	uint32_t n = rows->num_nodes;

	rows->first = calloc(n + (size_t)2, sizeof *rows->first);
	rows->rows = malloc((rows->uses.len + 1) * sizeof *rows->rows);
	if (!rows->first || !rows->rows)
		return false;
	/* counts are two elements higher, so that filling moves each start to its final element */
	for (size_t i = 0; i < rows->uses.len; i++)
		if (rows->uses.at[i].node + 2 <= n)
			rows->first[rows->uses.at[i].node + 2]++;
	for (uint32_t i = 2; i <= n; i++)
		rows->first[i] += rows->first[i - 1];
	for (size_t i = 0; i < rows->uses.len; i++) {
		const struct stats_use *use = &rows->uses.at[i];
		rows->rows[rows->first[use->node + 1]++] = use->row << 1 | use->inclusive;
	}
	vec_free(&rows->uses);
	return true;
}

static uint64_t group_bytes(const struct units *u, const struct unit_group *group)
{
	uint64_t bytes = 1;
	struct stat st;

	for (size_t i = 0; i < group->num_files; i++)
		if (stat(u->files.at[group->first + i].file.path, &st) == 0)
			bytes += (uint64_t)st.st_size;
	return bytes;
}

/* Divide the groups among the workers. A worker gets adjacent groups: those whose middle is in its
 * part of all bytes. */
static void share_out(const struct units *u, struct stats_worker *workers, size_t n)
{
	uint64_t all = 0, before = 0;

	for (size_t g = 0; g < u->groups.len; g++)
		all += group_bytes(u, &u->groups.at[g]);
	for (size_t g = 0; g < u->groups.len; g++) {
		uint64_t bytes = group_bytes(u, &u->groups.at[g]);
		double middle = (double)before + (double)bytes / 2;
		size_t to = (size_t)(middle / (double)all * (double)n);
		before += bytes;
		/* a file may have grown since */
		for (size_t i = to < n ? to : n - 1; i < n; i++)
			workers[i].end_group = g + 1;
	}
	for (size_t i = 1; i < n; i++)
		workers[i].first_group = workers[i - 1].end_group;
}

static bool take_rows(struct stats *s, const struct stats_worker *w, size_t tree)
{
	struct stats_rows *rows = &s->rows[tree];
	const struct stats_scratch *x = &w->scratch[tree];
	size_t cells = (size_t)rows->num_rows * rows->num_columns * 2;
	size_t before = s->names.len * cells, n = w->names.len * cells;

	for (size_t i = 0; i < cells; i++)
		tally_join(&rows->tallies[i], (uint32_t)s->names.len, &x->tallies[i]);
	for (size_t i = 0; i < x->cells.len && rows->cells.len <= s->keep_cells; i++) {
		struct stats_cell cell = x->cells.at[i];
		cell.unit += (uint32_t)s->names.len;
		if (!vec_push(&rows->cells, cell))
			return false;
	}
	if (s->names.len + w->names.len < s->keep) {
		uint64_t *singles = realloc(rows->singles, (before + n + 1) * sizeof *singles);
		if (!singles)
			return false;
		if (n)
			memcpy(singles + before, x->singles.at, n * sizeof *singles);
		rows->singles = singles;
	}
	return true;
}

/* Append the results of a worker to those of the workers before it. False if memory ran out. */
static bool take(struct stats *s, struct stats_worker *w, uint64_t *least, uint64_t *most)
{
	struct diag *d = s->profile->diag;
	bool ok = s->names.len + w->names.len < UINT32_MAX;

	for (size_t i = 0; ok && i < s->num_trees; i++)
		ok = take_rows(s, w, i);
	for (size_t i = 0; i < w->names.len && ok; i++)
		ok = vec_push(&s->names, w->names.at[i]) && vec_push(&s->units, w->units.at[i]);
	for (size_t i = 0; i < s->columns->len; i++) {
		if (w->least_period[i] && (!least[i] || w->least_period[i] < least[i]))
			least[i] = w->least_period[i];
		if (w->most_period[i] > most[i])
			most[i] = w->most_period[i];
		s->mixed[i] = least[i] != most[i];
	}
	for (size_t i = 0; i < w->problems.len; i++)
		diag_problem(
		    d, w->problems.at[i].path,
		    "%s (it was read once, but cannot be read again; the statistics count it as 0)",
		    w->problems.at[i].text);
	arena_adopt(&s->arena, &w->arena);
	return ok;
}

static int join(struct stats *s, struct stats_worker *workers, size_t n, struct error *e)
{
	uint64_t *least = calloc(s->columns->len + 1, sizeof *least);
	uint64_t *most = calloc(s->columns->len + 1, sizeof *most);
	bool ok = least && most, lost = false;

	s->mixed = calloc(s->columns->len + 1, sizeof *s->mixed);
	ok = ok && s->mixed;
	for (size_t i = 0; ok && i < s->num_trees; i++) {
		struct stats_rows *rows = &s->rows[i];
		rows->tallies = calloc((size_t)rows->num_rows * rows->num_columns * 2 + 1,
				       sizeof *rows->tallies);
		ok = rows->tallies != NULL;
	}
	for (size_t i = 0; ok && i < n; i++) {
		ok = take(s, &workers[i], least, most);
		lost |= workers[i].lost;
	}
	for (size_t i = 0; ok && i < s->num_trees && s->names.len >= s->keep; i++) {
		free(s->rows[i].singles);
		s->rows[i].singles = NULL;
	}
	for (size_t i = 0; ok && i < s->num_trees; i++)
		if (s->rows[i].cells.len > s->keep_cells)
			vec_free(&s->rows[i].cells);
	if (ok && lost)
		diag_notice(s->profile->diag, NULL,
			    "profiles changed while they were read: the statistics do not include "
			    "the last changes");
	free(least);
	free(most);
	return ok ? 0 : error_memory(e, sizeof(struct tally));
}

/* Run n workers. */
static int work(struct stats *s, struct stats_worker *workers, struct error *errors, size_t n,
		const struct match_index *index, struct error *e)
{
	for (size_t i = 0; i < n; i++)
		if (stats_worker_init(&workers[i], s, index, &errors[i]) != 0) {
			*e = errors[i];
			return -1;
		}
	share_out(&s->profile->units, workers, n);
	workers_run(work_on, workers, sizeof *workers, n);
	for (size_t i = 0; i < n; i++)
		if (workers[i].rc != 0) {
			*e = errors[i];
			return -1;
		}
	return join(s, workers, n, e);
}

int stats_collect(struct stats *s, struct error *e)
{
	size_t n = s->options->threads, groups = s->profile->units.groups.len;
	struct stats_worker *workers;
	struct error *errors;
	struct match_index index;
	int rc;

	for (size_t i = 0; i < s->num_trees; i++)
		if (!index_uses(&s->rows[i]))
			return error_memory(e, s->rows[i].num_nodes * sizeof(uint64_t));
	if (match_index_create(&index, s->profile->model, e) != 0)
		return -1;
	n = n < groups ? n : groups;
	n = n ? n : 1;
	workers = calloc(n, sizeof *workers);
	errors = calloc(n, sizeof *errors);
	if (workers && errors)
		rc = work(s, workers, errors, n, &index, e);
	else
		rc = error_memory(e, n * sizeof *workers);
	for (size_t i = 0; workers && i < n; i++)
		stats_worker_deinit(&workers[i]);
	free(workers);
	free(errors);
	match_index_deinit(&index);
	return rc;
}

void stats_deinit(struct stats *s)
{
	for (size_t i = 0; i < STATS_TREES; i++) {
		vec_free(&s->rows[i].uses);
		free(s->rows[i].tallies);
		free(s->rows[i].singles);
		vec_free(&s->rows[i].cells);
		free(s->rows[i].first);
		free(s->rows[i].rows);
	}
	vec_free(&s->names);
	vec_free(&s->units);
	free(s->mixed);
	arena_deinit(&s->arena);
}
