/* The text view's last part: how reliable the figures are. */
#include "hpcprof/correlate/label.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/views/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool account_row(struct text *t, struct layout_table *table, const char *what,
			uint64_t samples, uint64_t weight, uint64_t all, const char *unit)
{
	char number[LAYOUT_NUMBER_BYTES];

	return layout_number(table, layout_exact(number, samples)) &&
	       layout_number(table, layout_percent(number, weight, all)) &&
	       layout_number(table, layout_value(number, weight, unit)) &&
	       layout_cell(table, layout_clean(&t->arena, what));
}

static const char *meaning(struct text *t, size_t row, const char *disposition)
{
	switch (row) {
	case CSP_RECORDED:
		return "recorded with a complete path";
	case CSP_PARTIAL:
		return "recorded with a partial path";
	case CSP_OWN_CODE:
		return "measuring itself (own code)";
	case CSP_MEASURING_OFF:
		return "not sampled: measuring was off";
	case CSP_STOPPED:
		return "not sampled: measuring was stopped on request";
	case CSP_TAIL:
		return "not sampled: ends of threads";
	default:
		return text_format(t, "dropped: %s", disposition);
	}
}

static bool account(struct text *t, const struct model_metric *m)
{
	static const struct layout_column titles[] = {{"samples", true, CUT_NOT, 0},
						      {"share", true, CUT_NOT, 0},
						      {"", true, CUT_NOT, 0},
						      {"outcome", false, CUT_MIDDLE, 20}};
	struct layout_table table = {.arena = &t->arena, .columns = titles, .num_columns = 4};
	uint64_t all = 0;
	bool ok = true, saturated = false;

	for (size_t i = 0; i < m->account.len; i++)
		all = sum_add(all, m->account.at[i].weight, &saturated);
	for (size_t i = 0; ok && i < m->account.len; i++) {
		const struct model_account *a = &m->account.at[i];
		if (!a->samples && !a->weight)
			continue;
		const char *what = meaning(t, i, a->disposition);
		ok = what && account_row(t, &table, what, a->samples, a->weight, all, m->unit);
	}
	ok = ok && layout_print(t->out, &table, t->o->width);
	layout_table_deinit(&table);
	return ok;
}

/* Print how many of the recorded samples have complete call paths, according to the trees. */
static bool complete_paths(struct text *t, const struct model_metric *m)
{
	if (t->flat) {
		text_paragraph(t, "Call paths: %s none.",
			       t->m->processes.at[0].foreign ? "the file has"
							     : "a PROFILE in XML has");
		return true;
	}
	uint32_t n = model_num_contexts(t->m);
	uint8_t *partial = calloc(n, 1);
	uint64_t lost = 0;
	bool saturated = false;
	char number[LAYOUT_NUMBER_BYTES], more[LAYOUT_NUMBER_BYTES];

	if (!partial)
		return false;
	for (uint32_t i = MODEL_PARTIAL_ROOT; i < n; i++) {
		partial[i] = i == MODEL_PARTIAL_ROOT || partial[model_parent(t->m, i)];
		if (partial[i])
			lost = sum_add(lost, m->samples[i], &saturated);
	}
	free(partial);
	text_paragraph(t, "Call paths: %s of %s%s recorded samples are complete.",
		       layout_percent(number, m->total.samples - lost, m->total.samples),
		       model_num_estimated(t->m) ? "about " : "the ",
		       layout_exact(more, m->total.samples));
	return true;
}

static void kernel(struct text *t, const struct shown_metric *c)
{
	static const char *const texts[] = {
	    [KERNEL_NOT_SAID] = "the datafiles do not say whether %s is included.",
	    [KERNEL_YES] = "%s is included.",
	    [KERNEL_NO] = "%s is NOT included.",
	    [KERNEL_MIXED] = "%s is included for some processes and NOT for others.",
	};
	bool is_time = strcmp(c->metric->unit, "count") != 0;
	const char *what = is_time ? "time in the kernel" : "what happens in the kernel";
	const char *text = text_format(t, texts[c->metric->kernel & KERNEL_MIXED], what);
	if (text)
		text_paragraph(t, "Kernel: %s", text);
}

/* Counters of the CPU are few. */
static void by_turns(struct text *t, const struct shown_metric *c)
{
	const struct model_metric *m = c->metric;
	char share[LAYOUT_NUMBER_BYTES];

	if (text_took_turns(m))
		text_paragraph(t,
			       "Counters: %s took turns with other events, because the CPU has too "
			       "few counters for all of them at once. It was counted for %s of the "
			       "time; values are scaled to all of it.",
			       c->metric_name, layout_percent(share, m->running, m->enabled));
}

/* A user who asked for the rest knows it. */
static bool is_of_user(const struct shown_metric *c)
{
	size_t n = strlen(c->metric->name);
	return n > 2 && strcmp(c->metric->name + n - 2, ":u") == 0;
}

/* ---- modules without names --------------------------------------------------------- */

static int by_lineless(const void *pa, const void *pb, void *context)
{
	const struct text *t = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint64_t x = t->a.lineless[a * t->num_columns], y = t->a.lineless[b * t->num_columns];
	return x != y ? (x > y ? -1 : 1) : label_compare_modules(t->m, a, b);
}

static const char *reason(const struct text *t, uint32_t module)
{
	const struct code_module *c = &t->c->modules[module];
	const struct model_module *m = &t->m->modules.at[module];

	if (strcmp(m->name, CSP_MODULE_ANONYMOUS) == 0)
		return "code generated at run time";
	if (strcmp(m->name, MODEL_UNKNOWN_MODULE) == 0)
		return "addresses outside all load modules";
	if (c->stale && !c->unread)
		return "changed on disk since it was measured";
	if (c->why)
		return c->why;
	if (c->best == SYMBOL_DYNSYM)
		return "only exported names";
	if (c->best == SYMBOL_SYMTAB)
		return "names without lines";
	return c->best == SYMBOL_NONE ? "no symbols" : "partly without lines";
}

/* Debug information that exists, or is named, was not read: then names and lines may all be there,
 * but not those of inlined functions. */
static bool is_unread(const struct code_module *c)
{
	return c->why && c->best != SYMBOL_NONE;
}

static bool is_installable(const struct code_module *c)
{
	return c->asked && !is_unread(c);
}

static bool unnamed_row(struct text *t, struct layout_table *table, uint32_t id)
{
	char number[LAYOUT_NUMBER_BYTES];
	const char *name = t->m->modules.at[id].name;
	uint64_t total = t->columns[0].total;

	return layout_number(table,
			     layout_percent(number, t->a.nameless[id * t->num_columns], total)) &&
	       layout_number(table,
			     layout_percent(number, t->a.lineless[id * t->num_columns], total)) &&
	       layout_cell(table, layout_clean(&t->arena, name[0] ? name : MODEL_UNKNOWN_MODULE)) &&
	       layout_cell(table, layout_clean(&t->arena, reason(t, id)));
}

static bool print_unnamed(struct text *t, const uint32_t *ids, size_t n)
{
	static const struct layout_column titles[] = {{"no name", true, CUT_NOT, 0},
						      {"no line", true, CUT_NOT, 0},
						      {"load module", false, CUT_LEFT, 12},
						      {"why", false, CUT_MIDDLE, 16}};
	struct layout_table table = {.arena = &t->arena, .columns = titles, .num_columns = 4};
	size_t rows = text_rows(t, 5);
	bool ok = true, installable = false;

	for (size_t i = 0; ok && i < n && i < rows; i++)
		ok = unnamed_row(t, &table, ids[i]);
	ok = ok && layout_print(t->out, &table, t->o->width);
	layout_table_deinit(&table);
	if (rows < n)
		fprintf(t->out, "  ... and %zu more\n", n - rows);
	for (size_t i = 0; i < n; i++)
		installable |= is_installable(&t->c->modules[ids[i]]);
	if (installable)
		text_paragraph(t, "For names and lines, install the package with the module's "
				  "debug information (Debian: its -dbgsym or -dbg package; dpkg -S "
				  "FILE prints the package), compile your own code with -g, or "
				  "name a directory of debug files with --debug-dir.");
	return ok;
}

static bool symbols(struct text *t)
{
	size_t n = 0, modules = t->m->modules.len;
	uint32_t *ids = malloc((modules + 1) * sizeof *ids);
	uint64_t nameless = 0, lineless = 0;
	char names[LAYOUT_NUMBER_BYTES], lines[LAYOUT_NUMBER_BYTES];
	bool ok = true, saturated = false;

	if (!ids)
		return false;
	for (size_t i = 0; i < modules; i++) {
		nameless = sum_add(nameless, t->a.nameless[i * t->num_columns], &saturated);
		lineless = sum_add(lineless, t->a.lineless[i * t->num_columns], &saturated);
		if (t->a.lineless[i * t->num_columns] || t->a.nameless[i * t->num_columns] ||
		    is_unread(&t->c->modules[i]))
			ids[n++] = (uint32_t)i;
	}
	qsort_r(ids, n, sizeof *ids, by_lineless, t);
	text_paragraph(t, "Symbols: %s of %s without a symbol, %s without a source line.",
		       layout_percent(names, nameless, t->columns[0].total), t->columns[0].name,
		       layout_percent(lines, lineless, t->columns[0].total));
	if (n)
		ok = print_unnamed(t, ids, n);
	free(ids);
	return ok;
}

/* ---- what is missing ------------------------------------------------------------- */

/* Where calls are not counted, though return addresses were to be marked. */
static bool unmarked(struct text *t)
{
	const char *first = NULL;
	size_t n = 0;
	uint64_t lost = 0;
	bool saturated = false, several = false;

	for (size_t i = 0; i < t->m->processes.len; i++) {
		const struct model_process *p = &t->m->processes.at[i];
		n += p->unmarked[0] != 0;
		if (p->unmarked[0] && !first)
			first = p->unmarked;
		several |= p->unmarked[0] && strcmp(p->unmarked, first) != 0;
		lost = sum_add(lost, p->marks_lost, &saturated);
	}
	if (first && !(first = layout_clean(&t->arena, first)))
		return false;
	if (n)
		text_paragraph(t,
			       "Return addresses were not marked, and calls not counted, in %zu of "
			       "%zu program images: %s%s.",
			       n, t->m->processes.len, first,
			       several ? ", or for other reasons" : "");
	if (lost)
		text_paragraph(t,
			       "%" PRIu64 " thread%s gave up marking return addresses, because a "
			       "mark was found that was not its own.",
			       lost, lost == 1 ? "" : "s");
	return true;
}

/* Where paths have the interpreter's own frames only. */
static bool uninterpreted(struct text *t)
{
	const char *first = NULL;
	size_t n = 0;
	bool several = false;

	for (size_t i = 0; i < t->m->processes.len; i++) {
		const char *why = t->m->processes.at[i].uninterpreted;
		n += why[0] != 0;
		first = why[0] && !first ? why : first;
		several |= why[0] && strcmp(why, first) != 0;
	}
	if (n && !(first = layout_clean(&t->arena, first)))
		return false;
	if (n)
		text_paragraph(t,
			       "Frames of the interpreter were not read in %zu of %zu program "
			       "images: %s%s.",
			       n, t->m->processes.len, first,
			       several ? ", or for other reasons" : "");
	return true;
}

/* Descriptors have a limit, and a program may give up what it was permitted to do. */
static void uncounted(struct text *t)
{
	uint64_t n = 0;
	bool saturated = false;

	for (size_t i = 0; i < t->m->processes.len; i++)
		n = sum_add(n, t->m->processes.at[i].uncounted, &saturated);
	if (n)
		text_paragraph(t,
			       "An event could not be counted in %" PRIu64 " thread%s: its values "
			       "there are missing. A limit was reached, such as that of "
			       "descriptors (ulimit -n), or the program may no longer open events.",
			       n, n == 1 ? "" : "s");
}

static bool losses(struct text *t)
{
	size_t rows = text_rows(t, 5), bare = 0, assumed = 0, others = 0;
	uint64_t in_slots = 0;
	bool saturated = false;

	for (size_t i = 0; i < t->m->processes.len; i++) {
		const struct model_process *p = &t->m->processes.at[i];
		others += p->estimated || p->foreign;
		bare += !p->has_trailer && !p->estimated && !p->foreign;
		in_slots = sum_add(in_slots, p->tramp_samples, &saturated);
	}
	for (size_t i = 0; i < t->m->modules.len; i++)
		assumed += t->m->modules.at[i].assumed;
	if (bare)
		text_paragraph(t,
			       "Files: %zu of %zu datafiles have no trailer, so nothing is known "
			       "about their process and dropped samples.",
			       bare, t->m->processes.len - others);
	if (assumed)
		text_paragraph(t,
			       "Load map: the size of %zu load module%s is unknown; addresses up "
			       "to the next module are counted to it.",
			       assumed, assumed == 1 ? "" : "s");
	uncounted(t);
	if (!unmarked(t) || !uninterpreted(t))
		return false;
	if (in_slots && !t->brief)
		text_paragraph(t, "Trampolines: %" PRIu64 " samples are in our own trampolines.",
			       in_slots);
	if (!t->p->losses.len)
		return true;
	text_paragraph(t, "Skipped or damaged:");
	for (size_t i = 0; i < t->p->losses.len && i < rows; i++) {
		const struct profile_loss *l = &t->p->losses.at[i];
		const char *path = layout_clean(&t->arena, l->path);
		const char *text = layout_clean(&t->arena, l->text);
		if (!path || !text)
			return false;
		text_paragraph(t, "- %s: %s%s", path, l->read ? "" : "skipped: ", text);
	}
	if (rows < t->p->losses.len)
		fprintf(t->out, "  ... and %zu more\n", t->p->losses.len - rows);
	return true;
}

/* ---- in brief ------------------------------------------------------------------------ */

/* Below these shares, in percent, what is missing changes no conclusion. */
enum { LOST_TELLING = 5, NAMELESS_TELLING = 10, GENERATED_TELLING = 50 };

static bool telling(uint64_t part, uint64_t all, unsigned percent)
{
	return part / percent > all / 100;
}

/* ---- where partial paths end ------------------------------------------------------------- */

/* Add the values of partial paths to the load modules of their outermost frames. */
static bool add_ends(const struct model *m, const struct model_metric *metric, uint64_t *modules)
{
	uint32_t n = model_num_contexts(m), none = UINT32_MAX;
	uint32_t *outermost = calloc(n + 1, sizeof *outermost);
	bool saturated = false;

	if (!outermost)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t parent = i < MODEL_ROOTS ? none : model_parent(m, i);
		outermost[i] = none;
		if (parent == MODEL_PARTIAL_ROOT)
			outermost[i] = m->frames.at[model_frame_of(m, i)].module;
		else if (parent != none)
			outermost[i] = outermost[parent];
		if (outermost[i] != none)
			modules[outermost[i]] =
			    sum_add(modules[outermost[i]], metric->events[i], &saturated);
	}
	free(outermost);
	return true;
}

static bool partial_ends(struct text *t, const struct model_metric *metric)
{
	enum { NAMED = 3 };
	const struct model *m = t->m;
	uint64_t *modules = calloc(m->modules.len + 1, sizeof *modules), all = 0, made = 0;
	bool saturated = false, ok = modules && add_ends(m, metric, modules);
	const char *text = "";

	for (size_t i = 0; ok && i < m->modules.len; i++) {
		all = sum_add(all, modules[i], &saturated);
		if (strcmp(m->modules.at[i].name, CSP_MODULE_ANONYMOUS) == 0)
			made = sum_add(made, modules[i], &saturated);
	}
	for (int k = 0; ok && all && k < NAMED; k++) {
		char number[LAYOUT_NUMBER_BYTES];
		uint32_t most = 0;
		for (uint32_t i = 1; i < m->modules.len; i++)
			most = modules[i] > modules[most] ? i : most;
		if (!telling(modules[most], all, LOST_TELLING))
			break;
		bool is_made = strcmp(m->modules.at[most].name, CSP_MODULE_ANONYMOUS) == 0;
		text = text_format(t, "%s%s %s (%s)", text, *text ? "," : "",
				   is_made ? "code generated at run time"
					   : label_module_base(m, &t->arena, most),
				   layout_percent(number, modules[most], all));
		modules[most] = 0;
		ok = text != NULL;
	}
	free(modules);
	if (ok && *text)
		text_paragraph(
		    t, "Partial paths end in%s.%s", text,
		    telling(made, all, GENERATED_TELLING)
			? " Paths through generated code are complete if it keeps frame pointers, "
			  "as with java -XX:+PreserveFramePointer."
			: "");
	return ok;
}

/* One line on the outcome of the samples, and a table if too many were lost. */
static bool brief_account(struct text *t, const struct shown_metric *c)
{
	const struct model_metric *m = c->metric;
	char complete[LAYOUT_NUMBER_BYTES], partial[LAYOUT_NUMBER_BYTES], not [LAYOUT_NUMBER_BYTES];
	uint64_t all = 0, lost = 0, samples = 0;
	bool saturated = false;

	for (size_t i = 0; i < m->account.len; i++) {
		samples = sum_add(samples, m->account.at[i].samples, &saturated);
		all = sum_add(all, m->account.at[i].weight, &saturated);
		if (i != CSP_RECORDED && i != CSP_PARTIAL)
			lost = sum_add(lost, m->account.at[i].weight, &saturated);
	}
	if (!m->has_account || !samples)
		return true;
	text_paragraph(
	    t, "%s of %s has a complete call path, %s a partial one; %s was not recorded.",
	    layout_percent(complete, m->account.at[CSP_RECORDED].weight, all), c->metric_name,
	    layout_percent(partial, m->account.at[CSP_PARTIAL].weight, all),
	    layout_percent(not, lost, all));
	bool many_partial = telling(m->account.at[CSP_PARTIAL].weight, all, LOST_TELLING);
	bool ok = true;
	if (many_partial && !t->flat)
		ok = partial_ends(t, m);
	if (ok && (many_partial || telling(lost, all, LOST_TELLING)))
		ok = account(t, m);
	return ok;
}

static bool brief_symbols(struct text *t)
{
	uint64_t nameless = 0, lineless = 0, total = t->columns[0].total;
	char names[LAYOUT_NUMBER_BYTES], lines[LAYOUT_NUMBER_BYTES];
	bool unread = false, saturated = false;

	for (size_t i = 0; i < t->m->modules.len; i++) {
		nameless = sum_add(nameless, t->a.nameless[i * t->num_columns], &saturated);
		lineless = sum_add(lineless, t->a.lineless[i * t->num_columns], &saturated);
		unread |= is_unread(&t->c->modules[i]) || t->c->modules[i].stale;
	}
	if (unread || telling(nameless, total, NAMELESS_TELLING))
		return symbols(t);
	text_paragraph(t, "%s without a function's name, %s without a source line.",
		       layout_percent(names, nameless, total),
		       layout_percent(lines, lineless, total));
	return true;
}

static bool brief_quality(struct text *t)
{
	bool ok = true;

	text_title(t, "Quality of the data");
	for (size_t i = 0; ok && i < t->num_columns; i++) {
		const struct shown_metric *c = &t->columns[i];
		ok = brief_account(t, c);
		if (c->metric->flags & CSP_METRIC_ASYNC && c->metric->kernel & KERNEL_NO &&
		    !is_of_user(c))
			kernel(t, c);
		by_turns(t, c);
	}
	if (ok && t->num_columns && t->columns[0].total)
		ok = brief_symbols(t);
	return ok && losses(t);
}

static bool whole_quality(struct text *t)
{
	bool ok = true;

	text_title(t, "Quality of the data");
	for (size_t i = 0; ok && i < t->num_columns; i++) {
		const struct shown_metric *c = &t->columns[i];
		if (t->num_columns > 1)
			text_paragraph(t, "%s:", c->metric_name);
		if (c->metric->has_account)
			ok = account(t, c->metric);
		if (ok && c->metric->total.samples)
			ok = complete_paths(t, c->metric);
		if (c->metric->flags & CSP_METRIC_ASYNC)
			kernel(t, c);
		by_turns(t, c);
	}
	if (ok && t->num_columns && t->columns[0].total)
		ok = symbols(t);
	return ok && losses(t);
}

bool text_quality(struct text *t)
{
	return t->brief ? brief_quality(t) : whole_quality(t);
}
