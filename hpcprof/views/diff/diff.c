/* The command diff: what changed between measurements, and whether it is more than noise. */
#include "hpcprof/views/diff/diff.h"

#include "formats/datafile.h"
#include "hpcprof/command/list.h"
#include "hpcprof/command/newest.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/correlate/select.h"
#include "hpcprof/model/wall_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVERYTHING, FIRST_ROW }; /* rows of the statistics; then come modules, then the tables */
enum { STATUS_SLOWER = 4 };

/* ---- runs -------------------------------------------------------------------------- */

static size_t without_slashes(const char *s)
{
	size_t n = strlen(s);

	while (n > 1 && s[n - 1] == '/')
		n--;
	return n;
}

static bool is_named(const char *name, const char *argument)
{
	size_t n = without_slashes(argument);

	return strlen(name) == n && memcmp(name, argument, n) == 0;
}

/* How many of the PROFILEs are of the side after: those after "--", or the last. A "--" before all
 * of them only ends the options. */
static size_t num_after(const struct common *o)
{
	return o->after_dashes && o->after_dashes < o->num_profiles ? o->after_dashes : 1;
}

/* The runs are the units, which are the PROFILEs. */
static int find_runs(struct diff *d, struct error *e)
{
	const struct common *o = d->o;
	size_t n = d->p->units.groups.len;
	size_t before = o->num_profiles - num_after(o);

	d->runs = calloc(n + 1, sizeof *d->runs);
	if (!d->runs)
		return error_memory(e, n * sizeof *d->runs);
	d->num_runs = n;
	for (size_t r = 0; r < n; r++) {
		bool side[SIDES] = {false};
		d->runs[r].name = d->p->units.groups.at[r].name;
		for (size_t i = 0; i < o->num_profiles; i++)
			side[i < before ? BEFORE : AFTER] |=
			    is_named(d->runs[r].name, o->profiles[i]);
		if (side[BEFORE] && side[AFTER])
			return error_set(e, ERROR_USAGE, "%s is on both sides", d->runs[r].name);
		d->runs[r].side = side[AFTER] ? AFTER : BEFORE;
		d->side_runs[d->runs[r].side]++;
	}
	for (int s = 0; s < SIDES; s++)
		if (!d->side_runs[s])
			return error_set(e, ERROR_LIMIT,
					 "there is nothing to compare: no profile "
					 "of the side %s could be read",
					 s == BEFORE ? "before" : "after");
	return 0;
}

struct diff_one_run {
	const struct diff *d;
	size_t run;
};

static bool is_of_run(void *context, const struct model_process *p)
{
	const struct diff_one_run *one = context;

	return diff_run_of(one->d, p) == one->run;
}

/* The wall time of a run, in which one of its processes ran; 0: not known. -1 if memory ran out. */
static double wall_of(const struct diff *d, size_t run)
{
	struct diff_one_run one = {d, run};
	struct wall_time w;

	return wall_time_measure(d->m, is_of_run, &one, &w) ? (double)w.ran_ns : -1;
}

/* ---- rows -------------------------------------------------------------------------- */

/* What is counted for the rows of the statistics. */
struct diff_counting {
	struct diff *d;
	const struct diff_table *table; /* NULL: load modules as they are */
};

static uint32_t row_at(void *context, const struct occurrence *o)
{
	const struct diff_counting *x = context;
	const struct symbolized *c = x->d->c;
	uint32_t module = c->functions.at[o->code->function].module;

	if (!x->table)
		return module;
	switch (x->table->grouping) {
	case BY_MODULE:
		return x->table->row_of[module];
	case BY_FOLDER:
		return x->table->row_of[c->folder_of[c->lines.at[o->code->line].file]];
	case BY_FILE:
		return x->table->row_of[c->lines.at[o->code->line].file];
	case BY_NAMESPACE:
		return x->table->row_of[c->namespace_of[o->code->function]];
	case BY_LINE:
		return x->table->row_of[o->code->line];
	default:
		return x->table->row_of[o->code->function];
	}
}

static bool count(void *context, uint32_t node, uint32_t row, bool inclusive)
{
	const struct diff_counting *x = context;
	uint32_t first = x->table ? x->table->first_row : FIRST_ROW;

	return stats_use(&x->d->stats.rows[0], node, first + row, inclusive);
}

/* Count the load modules as they are, and the tables if they are wanted. */
static int count_rows(struct diff *d, bool wanted, struct error *e)
{
	struct stats_rows *rows = &d->stats.rows[0];
	struct diff_counting x = {.d = d};
	int rc;

	*rows = (struct stats_rows){.keys = d->m->contexts.keys,
				    .num_nodes = model_num_contexts(d->m),
				    .num_columns = DIFF_COLUMNS,
				    .num_rows = FIRST_ROW + (uint32_t)d->m->modules.len};
	if (!stats_use(rows, MODEL_ROOT, EVERYTHING, true) ||
	    !stats_use(rows, MODEL_PARTIAL_ROOT, EVERYTHING, true))
		return error_memory(e, sizeof(struct stats_use));
	rc = attribute_row_uses(d->m, d->c, d->m->modules.len, row_at, &x, count, &x, e);
	for (int g = 0; rc == 0 && wanted && g < GROUPINGS; g++) {
		x.table = &d->tables[g];
		if (g != BY_FUNCTION && !diff_has_table(d, g))
			continue;
		rc = diff_make_rows(d, (enum grouping)g, e);
		d->tables[g].first_row = rows->num_rows;
		rows->num_rows += (uint32_t)d->tables[g].num_rows;
		if (rc == 0)
			rc = attribute_row_uses(d->m, d->c, d->tables[g].num_rows, row_at, &x,
						count, &x, e);
	}
	if (rc == 0 && wanted && diff_has_table(d, DIFF_CALLS))
		rc = diff_make_paths(d, e);
	return rc;
}

static double single(const struct diff *d, size_t run, uint32_t row, size_t column)
{
	return (double)stats_single(&d->stats.rows[0], run, row, column, true);
}

/* Find which side has values of which load modules. */
static int find_sides(struct diff *d, struct error *e)
{
	size_t modules = d->m->modules.len;

	for (int s = 0; s < SIDES; s++) {
		d->has[s] = arena_alloc(&d->arena, modules + 1);
		if (!d->has[s])
			return error_memory(e, modules);
	}
	for (size_t r = 0; r < d->num_runs; r++)
		for (uint32_t i = 0; i < modules; i++)
			d->has[d->runs[r].side][i] |= single(d, r, FIRST_ROW + i, DIFF_EVENTS) > 0;
	return 0;
}

/* Read the values of all runs. */
static int read_values(struct diff *d, bool wanted, struct error *e)
{
	int rc;

	stats_deinit(&d->stats);
	d->stats = (struct stats){.profile = d->p,
				  .options = d->o,
				  .columns = &d->columns,
				  .num_trees = 1,
				  .keep = (uint32_t)d->num_runs + 1};
	rc = count_rows(d, wanted, e);
	if (rc == 0)
		rc = stats_collect(&d->stats, e);
	return rc == 0 ? find_sides(d, e) : rc;
}

/* Whether the run of a process is not known, so that its load modules must tell. */
static bool has_strays(const struct diff *d)
{
	bool stray = false;

	for (size_t i = 0; i < d->m->processes.len; i++)
		stray |= diff_run_of(d, &d->m->processes.at[i]) == d->num_runs;
	return stray;
}

static uint32_t module_of(const struct diff *d, unsigned g, uint32_t id)
{
	switch (g) {
	case BY_MODULE:
		return id;
	case BY_FUNCTION:
		return d->c->functions.at[id].module;
	case BY_LINE:
		return d->c->functions.at[d->c->lines.at[id].function].module;
	default:
		return UINT32_MAX;
	}
}

static int compare_ids(const struct diff *d, unsigned g, uint32_t a, uint32_t b)
{
	switch (g) {
	case BY_MODULE:
		return label_compare_modules(d->m, a, b);
	case BY_FOLDER:
		return label_compare_groups(d->m, &d->c->folders, a, b);
	case BY_NAMESPACE:
		return label_compare_groups(d->m, &d->c->namespaces, a, b);
	case BY_FUNCTION:
		return label_compare_functions(d->m, d->c, a, b);
	case BY_LINE:
		return label_compare_lines(d->m, d->c, a, b);
	default:
		return label_compare_files(d->m, d->c, a, b);
	}
}

/* Give each row an id of each side for its labels: the first by name whose module has values
 * there. */
static void name_rows(struct diff *d, struct diff_table *t)
{
	size_t ids = attribute_num_rows(d->m, d->c, (enum grouping)t->grouping);

	for (uint32_t id = 0; id < ids; id++)
		for (int s = 0; s < SIDES; s++) {
			uint32_t module = module_of(d, t->grouping, id);
			uint32_t *to = &t->rows[t->row_of[id]].id[s];
			if ((module == UINT32_MAX || d->has[s][module]) &&
			    (*to == DIFF_NONE || compare_ids(d, t->grouping, id, *to) < 0))
				*to = id;
		}
}

/* ---- what is compared -------------------------------------------------------------- */

/* The metric, as columns of its events and of its samples. */
static int choose_metric(struct diff *d, struct error *e)
{
	struct shown_metrics chosen = {0};
	int rc = shown_metrics_choose(&chosen, d->m, d->o, false, 1, &d->arena, e);

	if (rc == 0 && chosen.len > 1)
		rc = error_set(e, ERROR_USAGE, "diff compares one metric: give -m once");
	if (rc == 0 && !chosen.len)
		rc = error_set(e, ERROR_LIMIT, "the profiles have no metric");
	d->columns.at = calloc(DIFF_COLUMNS, sizeof *d->columns.at);
	d->columns.values = calloc(DIFF_COLUMNS, sizeof *d->columns.values);
	if (rc == 0 && (!d->columns.at || !d->columns.values))
		rc = error_memory(e, DIFF_COLUMNS * sizeof *d->columns.at);
	if (rc == 0) {
		d->metric = chosen.at[0].metric;
		d->sampled = (d->metric->flags & CSP_METRIC_ASYNC) && d->metric->total.samples;
		d->columns.at[DIFF_EVENTS] = d->columns.at[DIFF_SAMPLES] = chosen.at[0];
		d->columns.at[DIFF_SAMPLES].of_samples = true;
		d->columns.values[DIFF_EVENTS] = d->metric->events;
		d->columns.values[DIFF_SAMPLES] = d->metric->samples;
		d->columns.len = DIFF_COLUMNS;
	}
	shown_metrics_deinit(&chosen);
	return rc;
}

static void read_totals(struct diff *d)
{
	for (size_t r = 0; r < d->num_runs; r++) {
		struct diff_run *run = &d->runs[r];
		run->events = single(d, r, EVERYTHING, DIFF_EVENTS);
		run->samples = single(d, r, EVERYTHING, DIFF_SAMPLES);
		run->period = d->sampled && run->samples > 0 ? run->events / run->samples : 0;
	}
}

/* Profiles of different metrics have nothing to compare: all would be gone. */
static int check_metric(struct diff *d, struct error *e)
{
	double total[SIDES] = {0};
	bool others = false;
	const char *name = layout_clean(&d->arena, d->metric->name);

	for (size_t r = 0; r < d->num_runs; r++)
		total[d->runs[r].side] += d->runs[r].events;
	for (size_t i = 0; i < d->m->metrics.len; i++)
		others |= &d->m->metrics.at[i] != d->metric && d->m->metrics.at[i].total.events;
	if (!others || (total[BEFORE] > 0) == (total[AFTER] > 0))
		return 0;
	return error_set(
	    e, ERROR_USAGE,
	    "nothing of %.60s was recorded %s, but something of another metric (give -m a "
	    "metric that both sides have)",
	    name ? name : "", total[AFTER] > 0 ? "before" : "after");
}

/* Set the references of the runs. meant: for each row of functions, whether it is the one that is
 * named; or NULL. */
static int set_references(struct diff *d, const bool *meant, struct error *e)
{
	const struct diff_table *t = &d->tables[BY_FUNCTION];

	for (size_t r = 0; r < d->num_runs; r++) {
		struct diff_run *run = &d->runs[r];
		if (d->normal == NORMAL_TOTAL)
			run->reference = run->events;
		else if (d->normal == NORMAL_SAMPLES)
			run->reference = run->samples;
		else if (d->normal == NORMAL_WALL)
			run->reference = wall_of(d, r);
		if (run->reference < 0)
			return error_memory(e, 0);
		for (uint32_t i = 0; meant && i < t->num_rows; i++)
			if (meant[i])
				run->reference += single(d, r, t->first_row + i, DIFF_EVENTS);
		if (d->normal != NORMAL_NONE && d->normal != NORMAL_USUAL && !(run->reference > 0))
			return error_set(e, ERROR_USAGE, "--normalize: %s is 0 or not known in %s",
					 d->own->normalize, run->name);
	}
	return 0;
}

static int read_normal(struct diff *d, struct error *e)
{
	static const char *const words[] = {[NORMAL_NONE] = "none",
					    [NORMAL_TOTAL] = "total",
					    [NORMAL_SAMPLES] = "samples",
					    [NORMAL_WALL] = "wall"};
	bool *functions = NULL, *meant = NULL;
	uint32_t which;
	int rc = 0;

	if (!d->own->normalize)
		return 0;
	for (int i = NORMAL_NONE; i < NORMAL_FUNCTION; i++)
		if (strcmp(d->own->normalize, words[i]) == 0)
			d->normal = (enum diff_normal)i;
	if (d->normal == NORMAL_USUAL) {
		const struct diff_table *t = &d->tables[BY_FUNCTION];
		d->normal = NORMAL_FUNCTION;
		meant = calloc(t->num_rows + 1, sizeof *meant);
		rc = meant ? select_named(d->m, d->c, d->own->normalize, &functions, &which, e)
			   : error_memory(e, t->num_rows);
		for (size_t i = 0; rc == 0 && i < d->c->functions.len; i++)
			meant[t->row_of[i]] |= functions[i];
	}
	if (rc == 0)
		rc = set_references(d, meant, e);
	free(functions);
	free(meant);
	return rc;
}

static int compare(struct diff *d, struct error *e)
{
	int rc = find_runs(d, e);

	if (rc == 0)
		rc = choose_metric(d, e);
	if (rc == 0 && has_strays(d))
		rc = read_values(d, false, e);
	if (rc == 0)
		rc = read_values(d, true, e);
	if (rc == 0) {
		read_totals(d);
		rc = check_metric(d, e);
	}
	if (rc == 0)
		rc = read_normal(d, e);
	if (rc == 0)
		rc = diff_test(d, e);
	for (int g = 0; rc == 0 && g < GROUPINGS; g++)
		if (d->tables[g].row_of)
			name_rows(d, &d->tables[g]);
	return rc;
}

/* ---- the command ------------------------------------------------------------------- */

/* Whether the user asked for a table; functions always count. A page has more. */
static bool is_asked_for(const struct diff *d, int g)
{
	return g == BY_FUNCTION || d->own->shows[g];
}

/* Whether the total, or a row, grew by more than --fail-above says, beyond noise. */
static bool too_slow(const struct diff *d)
{
	double limit = d->total[BEFORE] * d->own->fail_above / 100;
	bool slow = d->total_beyond && d->total[AFTER] - d->total[BEFORE] > limit;

	for (int g = 0; g < DIFF_TABLES; g++)
		for (size_t i = 0; is_asked_for(d, g) && i < d->tables[g].num_rows; i++) {
			const struct diff_row *row = &d->tables[g].rows[i];
			bool moved = g == BY_FUNCTION && row->moved != DIFF_NONE;
			slow |= row->beyond && !moved && row->change > limit;
		}
	return slow;
}

static int print_it(FILE *out, struct diff *d, struct error *e)
{
	if (d->own->html)
		return diff_print_page(out, d, e);
	return (d->own->json ? diff_print_json(out, d) : diff_print_text(out, d))
		   ? 0
		   : error_memory(e, 0);
}

static int print(FILE *out, const struct profile *p, const void *options, struct error *e)
{
	const struct diff_options *own = options;
	struct diff d = {.p = p, .m = p->model, .c = &p->code, .own = own, .o = &own->common};
	int rc = compare(&d, e);

	if (rc == 0)
		rc = print_it(out, &d, e);
	if (rc == 0 && own->fail_above >= 0 && too_slow(&d))
		rc = STATUS_SLOWER;
	for (int g = 0; g < DIFF_TABLES; g++) {
		free(d.tables[g].row_of);
		free(d.tables[g].rows);
		free(d.tables[g].order);
	}
	diff_paths_deinit(&d.paths);
	stats_deinit(&d.stats);
	shown_metrics_deinit(&d.columns);
	free(d.runs);
	arena_deinit(&d.arena);
	return rc;
}

/* Fill in what was not named: AFTER is the newest measurement here, and BEFORE the one before. */
static int name_sides(struct diff_options *own, const char *sides[SIDES], struct arena *a,
		      struct diag *d, struct error *e)
{
	struct common *o = &own->common;
	bool newest = o->is_newest;

	sides[newest ? AFTER : BEFORE] = o->profiles[0];
	sides[newest ? BEFORE : AFTER] = newest_other(a, o->profiles[0], newest);
	if (!sides[BEFORE] || !sides[AFTER])
		return error_set(e, ERROR_USAGE,
				 "diff needs two PROFILEs, BEFORE and AFTER (there is no other "
				 "measurement here)");
	diag_notice(d, sides[newest ? BEFORE : AFTER],
		    newest ? "the measurement before it" : "the newest measurement here");
	o->profiles = sides;
	o->num_profiles = SIDES;
	return 0;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	struct diff_options own = *(const struct diff_options *)options;
	struct common *o = &own.common;
	const struct profile_request wanted = {
	    .common = o, .output = own.html, .units = true, .apart = true};
	const char *sides[SIDES];
	struct arena names = {0};
	int rc = 0;

	if (!own.html && (own.extras.sources || own.extras.open))
		rc = error_set(e, ERROR_USAGE, "--sources and --open are for --html FILE");
	else if (own.html && own.json)
		rc = error_set(e, ERROR_USAGE,
			       "diff prints either JSON or a page: give --json or "
			       "--html, not both");
	else if (o->lists.len && o->after_dashes)
		rc = error_set(
		    e, ERROR_USAGE,
		    "diff takes -- or --files-from, not both: the PROFILEs of a list would "
		    "be of one side");
	else if (o->num_profiles == 1)
		rc = name_sides(&own, sides, &names, d, e);
	else if (o->num_profiles > SIDES &&
		 (!o->after_dashes || o->after_dashes == o->num_profiles))
		rc = error_set(e, ERROR_USAGE,
			       "diff needs -- between the PROFILEs before and those after: hpcprof "
			       "diff A1 A2 -- B1 B2");
	if (rc == 0)
		rc = profile_show(out, &wanted, print, &own, d, e);
	arena_deinit(&names);
	if (rc >= 0 && own.html && html_show(own.html, &own.extras, d) != 0 && rc == 0)
		rc = 1;
	return rc;
}

static void deinit(void *options)
{
	struct diff_options *o = options;

	source_places_deinit(&o->extras.places);
}

static void set_defaults(void *options)
{
	struct diff_options *o = options;

	o->fail_above = -1;
}

#define GROUPING(name, grouping, help)                                                             \
	{                                                                                          \
		0, name, NULL, help, option_flag, offsetof(struct diff_options, shows[grouping]),  \
		    NULL                                                                           \
	}

/* Besides the names of functions. */
static const char *const normals[] = {"none", "total", "samples", "wall", NULL};

static void start(const void *options)
{
	const struct diff_options *o = options;

	if (o->html)
		html_prepare_show(&o->extras);
}

static const struct option_row own_options[] = {
    GROUPING("functions", BY_FUNCTION, "compare functions (the default)"),
    GROUPING("lines", BY_LINE, "compare source lines"),
    GROUPING("files", BY_FILE, "compare source files"),
    GROUPING("folders", BY_FOLDER, "compare the folders of source files"),
    GROUPING("namespaces", BY_NAMESPACE, "compare namespaces, crates and packages"),
    GROUPING("modules", BY_MODULE, "compare load modules"),
    GROUPING("calls", DIFF_CALLS, "compare call paths"),
    {0, "total", NULL, "compare what functions and all that they called recorded, not self",
     option_flag, offsetof(struct diff_options, inclusive), NULL},
    {0, "normalize", "WHAT",
     "make WHAT equal in all runs: none, total, samples, wall, or a function's name", option_string,
     offsetof(struct diff_options, normalize), normals},
    {0, "fail-above", "PERCENT",
     "exit with status 4 if anything grew by more than PERCENT of the total", option_percent,
     offsetof(struct diff_options, fail_above), NULL},
    {0, "json", NULL, "print JSON", option_flag, offsetof(struct diff_options, json), NULL},
    {0, "html", "FILE", "write a page to FILE, to look at in a browser", option_output,
     offsetof(struct diff_options, html), NULL},
    HTML_EXTRAS_OPTIONS(offsetof(struct diff_options, extras)),
    {0, "all", NULL, "show what is within noise, too", option_flag,
     offsetof(struct diff_options, all), NULL},
    {0}};

static const struct option_row *const tables[] = {
    common_choice_options,   common_metrics_options, common_rows_options,    own_options,
    common_inlining_options, common_symbols_options, common_loading_options, NULL};

const struct command diff_command = {
    .name = "diff",
    .summary = "what changed between two PROFILEs, and whether it is more than noise",
    .arguments = "[BEFORE [AFTER]]",
    .newest = true,
    .options = tables,
    .size = sizeof(struct diff_options),
    .set_defaults = set_defaults,
    .deinit = deinit,
    .start = start,
    .run = run,
    .print = print,
};
