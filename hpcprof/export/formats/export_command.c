/* The command export: writes a profile for another program. */
#include "hpcprof/command/list.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/export/formats/formats.h"
#include "hpcprof/metrics/path_filter.h"
#include "hpcprof/terminal/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_ROW(name) &export_##name,
static const struct export_format *const formats[] = {EXPORT_FORMATS(FORMAT_ROW) NULL};

/* In the order of EXPORT_FORMATS. */
static const char *const format_words[] = {
    "folded", "pprof", "speedscope",  "callgrind", "firefox", "chrome", "otlp",
    "csv",    "json",  "llvm-sample", "afdo",      "order",   "bolt",   NULL};

#define FORMAT_LIST                                                                                \
	"folded, pprof, speedscope, callgrind, firefox, chrome, otlp, csv, json, llvm-sample, "    \
	"afdo, order or bolt"

/* In the order of enum export_for. */
static const char *const readers[] = {"clang", "gcc", "lld", "gold", "bolt", NULL};
static const struct export_format *const read_by[] = {[EXPORT_FOR_CLANG] = &export_llvm_sample,
						      [EXPORT_FOR_GCC] = &export_afdo,
						      [EXPORT_FOR_LLD] = &export_order,
						      [EXPORT_FOR_GOLD] = &export_order,
						      [EXPORT_FOR_BOLT] = &export_bolt};

/* NULL: none was named. */
static const struct export_format *format_of(const struct export_options *o)
{
	return o->format ? formats[o->format - 1] : read_by[o->reader];
}

/* ---- the columns ------------------------------------------------------------------- */

static int choose_columns(struct export_data *x, const struct export_format *f, struct error *e)
{
	const struct common *o = &x->o->common;
	size_t most = f->one_metric ? 1 : SIZE_MAX;

	if (f->one_metric && o->metrics.len > 1)
		return error_set(e, ERROR_USAGE, "--format %s holds one metric (choose it with -m)",
				 f->name);
	if (shown_metrics_choose(&x->columns, x->m, o, false, most, &x->arena, e) != 0)
		return -1;
	x->num_metrics = x->columns.len;
	return shown_metrics_add_samples(&x->columns, e);
}

/* ---- names ------------------------------------------------------------------------- */

/* An array of n names, whose elements the caller fills. */
static const char **make_names(struct export_data *x, size_t n)
{
	return arena_alloc(&x->arena, (n + 1) * sizeof(const char *));
}

static int clean_names(struct export_data *x, struct error *e)
{
	const struct symbolized *c = x->c;
	bool ok;

	x->functions = make_names(x, c->functions.len);
	x->declared = make_names(x, c->functions.len);
	x->files = make_names(x, c->files.len);
	x->modules = make_names(x, x->m->modules.len);
	ok = x->functions && x->declared && x->files && x->modules;
	for (size_t i = 0; ok && i < c->functions.len; i++) {
		const struct code_function *f = &c->functions.at[i];
		x->functions[i] = layout_clean(&x->arena, f->name);
		x->declared[i] = f->file ? layout_clean(&x->arena, f->file) : NULL;
		ok = x->functions[i] && (x->declared[i] || !f->file);
	}
	for (size_t i = 0; ok && i < c->files.len; i++) {
		const char *name = c->files.at[i].name;
		x->files[i] = name ? layout_clean(&x->arena, name) : NULL;
		ok = x->files[i] || !name;
	}
	for (uint32_t i = 0; ok && i < x->m->modules.len; i++)
		ok = (x->modules[i] = label_module(x->m, &x->arena, i)) != NULL;
	return ok ? 0 : error_memory(e, c->functions.len * sizeof(const char *));
}

/* ---- what is lost ------------------------------------------------------------------ */

static void tell_lost(const struct export_data *x, const struct export_format *f)
{
	const char *name = f->name;
	struct diag *d = x->p->diag;

	if (!d)
		return;
	if (f->one_metric && !x->o->common.metrics.len && x->columns.left_out)
		diag_notice(d, NULL, "--format %s holds one metric: %s is written (-m chooses)",
			    name, x->columns.at[0].metric_name);
	if (f->lost)
		diag_notice(d, NULL, "--format %s does not hold %s", name, f->lost);
	if (x->shortened)
		diag_notice(d, NULL,
			    "call paths of more than %" PRIu32
			    " frames were written without their middle",
			    2 * x->end_frames);
	for (size_t i = 0; i < x->num_metrics; i++)
		if (x->columns.at[i].total > f->most)
			diag_problem(d, NULL,
				     "%s: the sum %" PRIu64
				     " is more than --format %s holds exactly",
				     x->columns.at[i].metric_name, x->columns.at[i].total, name);
}

/* ---- the command ------------------------------------------------------------------- */

static int print(FILE *out, const struct profile *p, const void *options, struct error *e)
{
	const struct export_options *o = options;
	const struct export_format *f = format_of(o);
	struct export_data x = {.out = out, .p = p, .m = p->model, .c = &p->code, .o = o};
	int rc;

	arena_init(&x.arena);
	arena_init(&x.stats.arena);
	rc = choose_columns(&x, f, e);
	if (rc == 0)
		rc = path_filter(&x.columns, x.m, x.c, &o->common, e);
	if (rc == 0 && !f->code)
		rc = clean_names(&x, e);
	if (rc == 0 && !f->code)
		rc = path_tree_init(&x.tree, f->shape, x.m, x.c, NULL, x.columns.values,
				    x.columns.len, e);
	if (rc == 0)
		rc = export_parts_collect(&x, e);
	if (rc == 0 && f->paths)
		rc = export_path_prepare(&x, e);
	if (rc == 0)
		rc = f->write(&x, e);
	if (rc == 0)
		tell_lost(&x, f);
	path_tree_deinit(&x.tree);
	stats_deinit(&x.stats);
	shown_metrics_deinit(&x.columns);
	arena_deinit(&x.arena);
	return rc;
}

static int check(const struct export_options *o, FILE *out, struct error *e)
{
	const struct export_format *f;

	f = format_of(o);
	if (!f)
		return error_set(e, ERROR_USAGE,
				 "no format is named (use --format: " FORMAT_LIST ")");
	if (o->reader && read_by[o->reader] != f)
		return error_set(e, ERROR_USAGE, "%s reads --format %s, not %s",
				 readers[o->reader - 1], read_by[o->reader]->name, f->name);
	if (o->weights && f != &export_llvm_sample && f != &export_afdo)
		return error_set(e, ERROR_USAGE, "--format %s takes no --weights", f->name);
	if (o->against && f != &export_llvm_sample && f != &export_afdo)
		return error_set(e, ERROR_USAGE, "--format %s takes no --against", f->name);
	if (o->contexts && f != &export_llvm_sample)
		return error_set(e, ERROR_USAGE, "--format %s takes no --contexts", f->name);
	if (f->binary && !o->output && isatty(fileno(out)))
		return error_set(e, ERROR_USAGE,
				 "--format %s is not text for a terminal (use -o FILE)", f->name);
	if (o->common.by && !f->parts)
		return error_set(e, ERROR_USAGE, "--format %s takes no --by", f->name);
	if ((o->common.rows || o->min > 0) && !f->bounded)
		return error_set(e, ERROR_USAGE, "--format %s takes no -n and no --min", f->name);
	return 0;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct export_options *o = options;
	struct profile_request wanted = {
	    .common = &o->common, .output = o->output, .units = o->common.by != UNIT_USUAL};

	if (check(o, out, e) != 0)
		return -1;
	/* what a compiler makes faster is the interpreter */
	wanted.interpreter = format_of(o)->code;
	return profile_show(out, &wanted, print, options, d, e);
}

/* In the order of enum unit_kind, as for other commands. */
static const char *const units[] = {"profile", "thread", "process", "rank", "host", NULL};

/* In the order of enum feedback_weights. */
static const char *const weights[] = {"blocks", "largest", "mean", "sum", NULL};

#define FIELD(name) offsetof(struct export_options, name)
static const struct option_row own_options[] = {
    {0, "format", "FORMAT",
     "folded, pprof, speedscope, callgrind, firefox, chrome, otlp, csv or json", option_word,
     FIELD(format), format_words},
    {'o', "output", "FILE", "write to FILE, completely or not at all", option_output, FIELD(output),
     NULL},
    {0, "by", "WHAT", "keep threads, processes, ... apart (thread, process, rank, host, profile)",
     option_word, FIELD(common.by), units},
    {'n', "rows", "COUNT", "csv and json: only the COUNT heaviest calls (0: all)", option_limit,
     FIELD(common.rows), NULL},
    {0, "min", "PERCENT", "csv and json: only calls with PERCENT of the total", option_percent,
     FIELD(min), NULL},
    {0, "for", "PROGRAM", "what a compiler or linker reads: clang, gcc, lld, gold or bolt",
     option_word, FIELD(reader), readers},
    {0, "weights", "WHAT", "clang and gcc: counts from blocks (the default), largest, mean or sum",
     option_word, FIELD(weights), weights},
    {0, "against", "FILE", "clang and gcc: say how much fits this newer build", option_string,
     FIELD(against), NULL},
    {0, "contexts", NULL, "clang: tell apart what a function did by what called it", option_flag,
     FIELD(contexts), NULL},
    {0, "quote-formulas", NULL, "csv: put ' before texts that look like formulas", option_flag,
     FIELD(quote_formulas), NULL},
    {0}};

static const struct option_row *const tables[] = {own_options,
						  common_choice_options,
						  common_paths_options,
						  common_under_options,
						  common_metrics_options,
						  common_inlining_options,
						  common_symbols_options,
						  common_loading_options,
						  NULL};

const struct command export_command = {
    .name = "export",
    .summary = "a file for pprof, flame graphs, clang, gcc and others",
    .newest = true,
    .options = tables,
    .size = sizeof(struct export_options),
    .run = run,
    .print = print,
};
