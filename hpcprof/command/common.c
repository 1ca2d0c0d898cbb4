#include "hpcprof/command/common.h"

#include "hpcprof/command/expression.h"
#include "hpcprof/terminal/layout.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_WIDTH = 60, MOST_WIDTH = 9999, MOST_THREADS = 1024 };

#define FIELD(name) offsetof(struct common, name)

static int read_threads(const struct option_row *row, const char *text, void *field,
			struct error *e)
{
	uint64_t n;

	if (option_count(row, text, &n, e) != 0)
		return -1;
	if (!n || n > MOST_THREADS)
		return error_set(e, ERROR_USAGE, "-j takes a number from 1 to %d, not '%s'",
				 MOST_THREADS, text);
	*(unsigned *)field = (unsigned)n;
	return 0;
}

const struct option_row common_input_options[] = {
    {0, "files-from", "FILE", "read more PROFILEs from FILE, one per line (-: stdin)",
     option_strings, FIELD(lists), NULL},
    {'0', "null", NULL, "names in FILE end with NUL instead of a newline", option_flag,
     FIELD(list_nul), NULL},
    {0, "no-pager", NULL, "print to the terminal without a pager", option_no, FIELD(page), NULL},
    {0, "no-sandbox", NULL, "keep all rights, see hpcprof(1)", option_no, FIELD(sandbox), NULL},
    {'q', "quiet", NULL, "print only errors on stderr", option_flag, FIELD(quiet), NULL},
    {0}};

const struct option_row common_symbols_options[] = {
    {0, "sysroot", "DIR", "look for the measured binaries below DIR", option_string, FIELD(sysroot),
     NULL},
    {0, "debug-dir", "DIR", "also look for debug files in DIR", option_strings, FIELD(debug_dirs),
     NULL},
    {0, "module-limit", "N",
     "take at most N steps for each byte of a load module (64; 0: no limit)", option_limit,
     FIELD(module_limit), NULL},
    {0}};

const struct option_row common_loading_options[] = {
    {'j', "jobs", "N", "use N threads (default: one per core)", read_threads, FIELD(threads), NULL},
    {0, "join-threads", NULL, "show each thread's call paths below the call that created it",
     option_flag, FIELD(join_threads), NULL},
    {0, "interpreter", NULL, "show an interpreter's own frames between those of its functions",
     option_flag, FIELD(interpreter), NULL},
    {0}};

static int read_expression(const struct option_row *row, const char *text, void *field,
			   struct error *e)
{
	char name[OPTION_NAME_BYTES];

	return expression_check(option_name(name, row), text, e) == 0
		   ? option_strings(row, text, field, e)
		   : -1;
}

static int read_label(const struct option_row *row, const char *text, void *field, struct error *e)
{
	char name[OPTION_NAME_BYTES];
	const char *value = strchr(text, '=');

	if (!value || value == text)
		return error_set(e, ERROR_USAGE, "%s takes KEY=REGEX, not '%s'",
				 option_name(name, row), text);
	return expression_check(option_name(name, row), value + 1, e) == 0
		   ? option_strings(row, text, field, e)
		   : -1;
}

static int read_number(const struct option_row *row, const char *text, void *field, struct error *e)
{
	uint64_t n;

	return option_count(row, text, &n, e) == 0 ? option_strings(row, text, field, e) : -1;
}

const struct option_row common_choice_options[] = {
    {0, "program", "REGEX", "only processes that ran a program whose name matches", read_expression,
     FIELD(programs), NULL},
    {0, "process", "PID", "only this process; may be repeated", read_number, FIELD(processes),
     NULL},
    {0, "host", "REGEX", "only processes on hosts whose names match", read_expression, FIELD(hosts),
     NULL},
    {0, "rank", "N", "only this rank of a parallel program; may be repeated", read_number,
     FIELD(ranks), NULL},
    {0, "thread", "REGEX", "only threads whose names match", read_expression, FIELD(threads_named),
     NULL},
    {0, "label", "KEY=REGEX", "only what has a label with this key whose value matches", read_label,
     FIELD(labels), NULL},
    {0, "group-by", "KEY", "paths begin with their label of this key; may be repeated",
     option_strings, FIELD(group_by), NULL},
    {0}};

const struct option_row common_inlining_options[] = {
    {0, "no-inline", NULL, "count inlined code as part of the function around it", option_flag,
     FIELD(no_inline), NULL},
    {0}};

const struct option_row common_metrics_options[] = {
    {'m', "metric", "METRIC", "show this metric; may be repeated for more columns", option_strings,
     FIELD(metrics), NULL},
    {0}};

const struct option_row common_ratio_options[] = {
    {0, "ratio", "A/B", "a column for this ratio of two metrics; NAME=A/B gives it a name",
     option_strings, FIELD(ratios), NULL},
    {0}};

const struct option_row common_paths_options[] = {
    {0, "focus", "REGEX", "only paths through functions whose names match REGEX", read_expression,
     FIELD(focus), NULL},
    {0, "ignore", "REGEX", "no paths through functions whose names match REGEX", read_expression,
     FIELD(ignore), NULL},
    {0, "module", "REGEX", "only paths whose innermost frame is in a load module that matches",
     read_expression, FIELD(modules), NULL},
    {0}};

const struct option_row common_under_options[] = {
    {0, "under", "FUNCTION", "only what FUNCTION calls: paths begin at its outermost call",
     option_string, FIELD(under), NULL},
    {0}};

const struct option_row common_rows_options[] = {
    {'n', "rows", "COUNT", "show COUNT rows of each table, and call paths (0: all)", option_limit,
     FIELD(rows), NULL},
    {0}};

static const char *const sort_keys[] = {"self", "total", "name", NULL};

const struct option_row common_values_options[] = {
    {'s', "sort", "KEY", "order tables by self (default), total or name", option_word, FIELD(sort),
     sort_keys},
    {0, "samples", NULL, "show numbers of samples instead of events", option_flag, FIELD(samples),
     NULL},
    {0, "ci", NULL, "show 95% intervals of percentages", option_flag, FIELD(ci), NULL},
    {0}};

static const char *const units[] = {"profile", "thread", "process", "rank", "host", NULL};

const struct option_row common_stats_options[] = {
    {0, "stats", NULL, "show how each row's values vary over the profiles", option_flag,
     FIELD(stats), NULL},
    {0, "by", "WHAT",
     "compare threads, processes, ranks or hosts (thread, process, rank, host) instead of profiles",
     option_word, FIELD(by), units},
    {0}};

const struct option_row common_json_options[] = {
    {0, "json", NULL, "print JSON, with exact values", option_flag, FIELD(json), NULL}, {0}};

/* The number in COLUMNS, or 0. */
static unsigned columns_of_environment(void)
{
	static const struct option_row row = {.name = "COLUMNS"};
	const char *text = getenv("COLUMNS");
	uint64_t n = 0;

	if (!text || option_count(&row, text, &n, NULL) != 0 || n > MOST_WIDTH)
		return 0;
	return (unsigned)n;
}

void common_init(struct common *o, FILE *out)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
	bool terminal = isatty(fileno(out));
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct winsize size;

	o->width = columns_of_environment();
	if (!o->width && terminal && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
		o->width = size.ws_col;
	if (!o->width)
		o->width = terminal ? LAYOUT_USUAL : LAYOUT_WHOLE;
	if (o->width < LEAST_WIDTH)
		o->width = LEAST_WIDTH;
	o->page = terminal;
	o->sandbox = true;
	o->color = terminal && !(no && no[0]) && term && strcmp(term, "dumb") != 0;
	o->threads = cores > 0 ? (unsigned)(cores < MOST_THREADS ? cores : MOST_THREADS) : 1;
}

int common_read_lists(struct common *o, struct error *e)
{
	struct path_list *l = &o->listed;

	if (!o->lists.len)
		return 0;
	for (size_t i = 0; i < o->num_profiles; i++)
		if (!vec_push(&l->at, o->profiles[i]))
			return error_memory(e, sizeof(char *));
	for (size_t i = 0; i < o->lists.len; i++)
		if (path_list_read(l, o->lists.at[i], o->list_nul, e) != 0)
			return -1;
	o->profiles = l->at.at;
	o->num_profiles = l->at.len;
	return 0;
}

int common_check_by(const struct common *o, const char *command, struct error *e)
{
	if (o->by && !o->stats)
		return error_set(e, ERROR_USAGE, "%s --by needs --stats", command);
	return 0;
}

int common_check_json(const struct common *o, const char *command, struct error *e)
{
	if (o->json && (o->stats || o->by || o->ratios.len))
		return error_set(e, ERROR_USAGE,
				 "%s --json cannot be combined with --%s (leave one out)", command,
				 o->stats ? "stats"
				 : o->by  ? "by"
					  : "ratio");
	return 0;
}

void common_deinit(struct common *o)
{
	if (!o)
		return;
	vec_free(&o->lists);
	path_list_deinit(&o->listed);
	vec_free(&o->ratios);
	vec_free(&o->programs);
	vec_free(&o->processes);
	vec_free(&o->hosts);
	vec_free(&o->ranks);
	vec_free(&o->threads_named);
	vec_free(&o->labels);
	vec_free(&o->group_by);
	vec_free(&o->debug_dirs);
	vec_free(&o->focus);
	vec_free(&o->ignore);
	vec_free(&o->modules);
	vec_free(&o->metrics);
	arena_deinit(&o->arena);
}
