/* The page: one HTML file with a profile in it, to look at in a browser. */
#include "hpcprof/views/html/html.h"

#include "hpcprof/command/list.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/html/template.h"
#include "hpcprof/views/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The page's format: "version". */
enum { HTML_VERSION = 1 };

/* Columns of the text report in the page, and the most rows of its tables of programs and threads
 * in the data. */
enum { SUMMARY_WIDTH = 120, REPORT_ROWS = 1000 };

struct html_options {
	struct common common;
	const char *output; /* or NULL */
	struct html_extras extras;
};

/* ---- text and JSON in HTML --------------------------------------------------------------- */

static void put_escaped(FILE *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		switch (s[i]) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		default:
			putc_unlocked(s[i], out);
		}
}

/* In JSON, a '<' is only in strings. */
static void put_json(FILE *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == '<')
			fputs("\\u003c", out);
		else
			putc_unlocked(s[i], out);
}

typedef int html_part_fn(struct html *h, FILE *to, struct error *e);

/* Print a part, which put encodes. */
static int put_part(struct html *h, FILE *out, html_part_fn *part,
		    void (*put)(FILE *out, const char *s, size_t n), struct error *e)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	int rc;

	if (!to)
		return error_memory(e, 0);
	rc = part(h, to, e);
	if (fclose(to) != 0 && rc >= 0)
		rc = error_memory(e, len);
	if (rc >= 0)
		put(out, text, len);
	free(text);
	return rc;
}

/* ---- the parts --------------------------------------------------------------------------- */

/* The text report, as a file has it. */
static int put_summary(struct html *h, FILE *to, struct error *e)
{
	struct text_options o = {.common = *h->o};

	if (h->compare)
		return h->compare->put_text(h->compare->context, to, e);
	o.common.by = UNIT_USUAL;
	o.common.width = SUMMARY_WIDTH;
	o.common.color = o.common.page = o.common.json = false;
	return text_report(to, h->p, &o, e);
}

static int put_report(struct html *h, FILE *to, struct error *e)
{
	struct text_options o = {.common = *h->o, .outline = true};

	o.common.json = true;
	o.common.rows = REPORT_ROWS;
	return text_report(to, h->p, &o, e);
}

/* What ran: the command of the first process, or what is compared. */
static int put_title(struct html *h, FILE *to, struct error *e)
{
	struct text t = {.p = h->p, .m = h->m, .c = h->c, .o = h->o};
	struct text_span s = {0};
	const char *title;

	if (h->compare)
		return h->compare->put_title(h->compare->context, to, e);
	if (!text_span_measure(&t, &s))
		return error_memory(e, 0);
	title = layout_clean(&h->arena, text_command_of(s.first));
	if (!title)
		return error_memory(e, 0);
	fputs(title[0] ? title : "hpcprof", to);
	return 0;
}

static void put_metric(struct html *h, FILE *to, size_t i)
{
	const struct shown_metric *c = &h->columns.at[i];
	const struct model_sum *sum = &c->metric->total;

	fputs(i ? ",\n{" : "\n{", to);
	json_member(to, "name", c->metric_name);
	fputc(',', to);
	json_member(to, "unit", c->unit);
	fprintf(to,
		",\"sampled\":%s,\"async\":%s,\"events\":%" PRIu64 ",\"samples\":%" PRIu64
		",\"quantum\":%" PRIu64 ",\"mean\":%" PRIu64 "}",
		sum->samples != sum->events ? "true" : "false",
		c->metric->flags & CSP_METRIC_ASYNC ? "true" : "false", sum->events, sum->samples,
		h->quantum[i], html_mean(h, i));
}

static int put_profile(struct html *h, FILE *to, struct error *e)
{
	fprintf(to, "{\"version\":%d,\n\"title\":", HTML_VERSION);
	if (put_part(h, to, put_title, json_string, e) != 0)
		return -1;
	fprintf(to, ",\n\"nodes\":%" PRIu32 ",\n\"metrics\":[", h->tree.num_order);
	for (size_t i = 0; i < h->num_metrics; i++)
		put_metric(h, to, i);
	fputc(']', to);
	if (h->has_activations)
		fprintf(to, ",\n\"ends\":\"%s\"", h->has_all_ends ? "all" : "first");
	if (!html_put_unit_names(h, to))
		return error_memory(e, 0);
	if (h->compare && h->compare->put_json(h->compare->context, to, e) != 0)
		return -1;
	fputs(",\n\"report\":", to);
	if (put_report(h, to, e) != 0)
		return -1;
	fputc('}', to);
	return 0;
}

static int put_data(struct html *h, struct error *e)
{
	if (html_number_functions(h, e) != 0 || html_put_tree(h, e) != 0 ||
	    html_put_activations(h, e) != 0 || html_put_source(h, e) != 0 ||
	    html_put_names(h, e) != 0 || (h->has_units && html_put_units(h, e) != 0) ||
	    (h->compare && html_put_compare(h, e) != 0))
		return -1;
	fputs("<script type=\"application/json\" id=\"profile\">", h->out);
	if (put_part(h, h->out, put_profile, put_json, e) != 0)
		return -1;
	fputs("</script>\n", h->out);
	return 0;
}

/* ---- the page ---------------------------------------------------------------------------- */

/* Print the template up to a marker; its rest. The build checks that it has all markers. */
static const char *put_template(struct html *h, const char *at, const char *marker)
{
	const char *found = marker ? strstr(at, marker) : NULL;
	size_t len = found ? (size_t)(found - at) : strlen(at);

	fwrite(at, 1, len, h->out);
	return at + len + (found ? strlen(marker) : 0);
}

static int put_page(struct html *h, struct error *e)
{
	const char *rest = put_template(h, html_template, "<!--title-->");

	if (put_part(h, h->out, put_title, put_escaped, e) != 0)
		return -1;
	rest = put_template(h, rest, "<!--summary-->");
	if (put_part(h, h->out, put_summary, put_escaped, e) != 0)
		return -1;
	rest = put_template(h, rest, "<!--data-->");
	if (put_data(h, e) != 0)
		return -1;
	put_template(h, rest, NULL);
	return 0;
}

/* Read what the page shows. */
static int collect(struct html *h, struct error *e)
{
	const uint32_t *same = h->compare ? h->compare->same : NULL;
	size_t most = h->compare ? 1 : SIZE_MAX; /* a comparison is of one metric */
	int rc = shown_metrics_choose(&h->columns, h->m, h->o, false, most, &h->arena, e);

	if (rc != 0)
		return rc;
	h->num_metrics = h->columns.len;
	h->quantum = calloc(h->num_metrics + 1, sizeof *h->quantum);
	h->has_events = calloc(h->num_metrics + 1, sizeof *h->has_events);
	h->files = strings_create();
	if (!h->quantum || !h->has_events || !h->files)
		return error_memory(e, h->num_metrics * sizeof *h->quantum);
	rc = shown_metrics_add_samples(&h->columns, e);
	if (rc == 0)
		rc = path_tree_init(&h->tree, PATH_TREE_FUNCTIONS, h->m, h->c, same,
				    h->columns.values, h->columns.len, e);
	if (rc == 0 && h->num_metrics)
		rc = html_units_collect(h, e);
	if (rc == 0 && h->compare && !h->tree.num_order)
		h->has_units = true; /* nothing was recorded: the runs have no values */
	if (rc == 0 && h->compare && !h->has_units)
		rc = error_set(e, ERROR_LIMIT,
			       "the runs have too many values for one page (choose a part with "
			       "--focus or --ignore)");
	return rc;
}

static int print_page(struct html *h, struct error *e)
{
	int rc;

	arena_init(&h->arena);
	arena_init(&h->stats.arena);
	rc = collect(h, e);
	if (rc == 0)
		rc = put_page(h, e);
	strings_destroy(h->files);
	stats_deinit(&h->stats);
	free(h->quantum);
	free(h->has_events);
	free(h->number);
	path_tree_deinit(&h->tree);
	shown_metrics_deinit(&h->columns);
	arena_deinit(&h->arena);
	return rc;
}

static int print(FILE *out, const struct profile *p, const void *options, struct error *e)
{
	const struct html_options *o = options;
	struct html h = {.out = out,
			 .p = p,
			 .m = p->model,
			 .c = &p->code,
			 .o = &o->common,
			 .extras = &o->extras};

	return print_page(&h, e);
}

int html_print_compare(FILE *out, const struct profile *p, const struct common *o,
		       const struct html_extras *extras, const struct html_compare *compare,
		       struct error *e)
{
	struct html h = {.out = out,
			 .p = p,
			 .m = p->model,
			 .c = &p->code,
			 .o = o,
			 .extras = extras,
			 .compare = compare};

	return print_page(&h, e);
}

void html_prepare_show(const struct html_extras *extras)
{
	if (extras->open)
		html_open_prepare();
}

int html_show(const char *path, const struct html_extras *extras, struct diag *d)
{
	struct error why;

	diag_notice(d, path, "written%s", extras->open ? "" : "; open it in a browser");
	if (!extras->open || html_open(path, &why) == 0)
		return 0;
	diag_problem(d, path, "%s", why.text);
	return 1;
}

/* ---- the command ------------------------------------------------------------------------- */

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct html_options *o = options;
	const struct profile_request wanted = {
	    .common = &o->common, .output = o->output, .threads = true, .units = true};
	int rc = profile_show(out, &wanted, print, options, d, e);
	int shown = rc >= 0 ? html_show(o->output, &o->extras, d) : 0;

	return shown ? shown : rc;
}

static void start(const void *options)
{
	const struct html_options *o = options;

	html_prepare_show(&o->extras);
}

static void deinit(void *options)
{
	struct html_options *o = options;

	source_places_deinit(&o->extras.places);
}

static void set_defaults(void *options)
{
	struct html_options *o = options;

	o->output = "report.html";
	o->common.by = UNIT_THREAD;
}

#define FIELD(name) offsetof(struct html_options, name)
static const struct option_row own_options[] = {
    {'o', "output", "FILE", "write to FILE (report.html), completely or not at all", option_output,
     FIELD(output), NULL},
    {0, "instructions", NULL, "put the instructions of source lines into the page", option_flag,
     FIELD(extras) + offsetof(struct html_extras, instructions), NULL},
    HTML_EXTRAS_OPTIONS(FIELD(extras)),
    {0}};

static const struct option_row *const tables[] = {own_options,
						  common_choice_options,
						  common_under_options,
						  common_metrics_options,
						  common_inlining_options,
						  common_symbols_options,
						  common_loading_options,
						  NULL};

const struct command html_command = {
    .name = "html",
    .summary = "a page to look at in a browser: flame graph, call trees, functions",
    .newest = true,
    .options = tables,
    .size = sizeof(struct html_options),
    .set_defaults = set_defaults,
    .deinit = deinit,
    .start = start,
    .run = run,
    .print = print,
};
