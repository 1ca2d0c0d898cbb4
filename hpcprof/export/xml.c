/* The xml view: what PROFILE and CSPROFILE have in common. */
#include "hpcprof/export/xml.h"

#include "hpcprof/command/list.h"
#include "hpcprof/metrics/shown_metrics.h"
#include "reader/xml_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void xml_attribute(const struct xml *x, const char *name, const char *value)
{
	fprintf(x->out, " %s=\"", name);
	reader_xml_write_name(x->out, value);
	fputc('"', x->out);
}

void xml_number(const struct xml *x, const char *name, uint64_t value)
{
	fprintf(x->out, " %s=\"%" PRIu64 "\"", name, value);
}

void xml_values(const struct xml *x, const uint64_t *values)
{
	for (size_t i = 0; i < x->num_metrics; i++)
		if (values[i])
			fprintf(x->out, "<M n=\"%zu\" v=\"%" PRIu64 "\"/>", i, values[i]);
}

bool xml_any(const struct xml *x, const uint64_t *values)
{
	for (size_t i = 0; i < x->num_metrics; i++)
		if (values[i])
			return true;
	return false;
}

/* ---- order ------------------------------------------------------------------------ */

int xml_compare_files(const struct xml *x, uint32_t a, uint32_t b)
{
	const char *p = x->c->files.at[a].name, *q = x->c->files.at[b].name;

	if (!p || !q)
		return (p != NULL) - (q != NULL);
	return strcmp(p, q);
}

struct ranking {
	const struct xml *x;
	xml_compare *compare;
};

static int by_compare(const void *pa, const void *pb, void *context)
{
	const struct ranking *r = context;
	return r->compare(r->x, *(const uint32_t *)pa, *(const uint32_t *)pb);
}

uint32_t *xml_ranks(const struct xml *x, size_t n, xml_compare *compare)
{
	struct ranking r = {x, compare};
	uint32_t *ids = malloc((n + 1) * sizeof *ids), *ranks = malloc((n + 1) * sizeof *ranks);
	uint32_t rank = 0;

	if (!ids || !ranks) {
		free(ids);
		free(ranks);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		ids[i] = (uint32_t)i;
	qsort_r(ids, n, sizeof *ids, by_compare, &r);
	for (size_t i = 0; i < n; i++) {
		rank += i && compare(x, ids[i - 1], ids[i]) != 0;
		ranks[ids[i]] = rank;
	}
	free(ids);
	return ranks;
}

static int by_name(const void *pa, const void *pb)
{
	const struct model_metric *a = *(const struct model_metric *const *)pa;
	const struct model_metric *b = *(const struct model_metric *const *)pb;
	int c = strcmp(a->name, b->name);

	if (!c)
		c = strcmp(a->unit, b->unit);
	return c ? c : (a->flags > b->flags) - (a->flags < b->flags);
}

static bool chosen(const struct common *o, const struct model_metric *m)
{
	for (size_t i = 0; i < o->metrics.len; i++)
		if (strcasecmp(o->metrics.at[i], m->name) == 0)
			return true;
	return !o->metrics.len;
}

/* Sort the metrics by name, not in the order of the options: a file that is read back does not have
 * that order. */
static int choose_metrics(struct xml *x, const struct common *o, struct error *e)
{
	struct shown_metrics known = {0};
	struct arena arena;
	int rc;

	arena_init(&arena);
	rc = shown_metrics_choose(&known, x->m, o, false, 1, &arena,
				  e); /* fails if there is no such metric */
	shown_metrics_deinit(&known);
	arena_deinit(&arena);
	if (rc != 0)
		return rc;
	x->metrics = calloc(x->m->metrics.len + 1, sizeof(struct model_metric *));
	if (!x->metrics)
		return error_memory(e, x->m->metrics.len * sizeof(struct model_metric *));
	for (size_t i = 0; i < x->m->metrics.len; i++)
		if (chosen(o, &x->m->metrics.at[i]))
			x->metrics[x->num_metrics++] = &x->m->metrics.at[i];
	qsort(x->metrics, x->num_metrics, sizeof(struct model_metric *), by_name);
	return 0;
}

/* ---- the file ----------------------------------------------------------------------- */

static bool same_process(const struct model_process *a, const struct model_process *b)
{
	return a->has_pid && b->has_pid && a->pid == b->pid && strcmp(a->host, b->host) == 0;
}

/* Negative if a began before b. Images of one process are in the order of their datafiles. */
static int by_start(const struct model_process *a, const struct model_process *b)
{
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* The last program of the process that began first (a shell may have become the program). */
static const char *program_of(const struct model *m)
{
	const struct model_process *first, *last;

	if (!m->processes.len)
		return MODEL_UNKNOWN_MODULE;
	first = &m->processes.at[0];
	for (size_t i = 1; i < m->processes.len; i++)
		if (by_start(&m->processes.at[i], first) < 0)
			first = &m->processes.at[i];
	last = first;
	for (size_t i = 0; i < m->processes.len; i++)
		if (same_process(&m->processes.at[i], first) &&
		    by_start(&m->processes.at[i], last) > 0)
			last = &m->processes.at[i];
	if (last->executable[0])
		return last->executable;
	return last->command[0] ? last->command : MODEL_UNKNOWN_MODULE;
}

static void print_metrics(const struct xml *x)
{
	fputs("<METRICS>\n", x->out);
	for (size_t i = 0; i < x->num_metrics; i++) {
		const struct model_metric *m = x->metrics[i];
		fputs("<METRIC", x->out);
		xml_number(x, "shortName", i);
		xml_attribute(x, "nativeName", m->name);
		xml_number(x, "period", m->interval ? m->interval : 1);
		if (m->unit[0])
			xml_attribute(x, "units", m->unit);
		fputs("/>\n", x->out);
	}
	fputs("</METRICS>\n", x->out);
}

/* How the two kinds of files differ. */
static const struct kind {
	const char *root, *version, *dtd, *tree;
	int (*print)(const struct xml *x, const char *program, struct error *e);
} profile_kind = {"PROFILE", "3.0", xml_profile_dtd, "PROFILESCOPETREE", xml_scope_tree},
  csprofile_kind = {"CSPROFILE", "1.0.2", xml_csprofile_dtd, "CSPROFILETREE", xml_call_tree};

static int print_all(const struct xml *x, const struct kind *k, struct error *e)
{
	const char *program = program_of(x->m);
	int rc;

	fprintf(x->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE %s [\n%s]>\n",
		k->root, k->dtd);
	fprintf(x->out, "<%s version=\"%s\">\n<%sHDR>hpcprof %s</%sHDR>\n<%sPARAMS>\n<TARGET",
		k->root, k->version, k->root, HPC_VERSION, k->root, k->root);
	xml_attribute(x, "name", program);
	fputs("/>\n", x->out);
	print_metrics(x);
	fprintf(x->out, "</%sPARAMS>\n<%s>\n", k->root, k->tree);
	rc = k->print(x, program, e);
	fprintf(x->out, "</%s>\n</%s>\n", k->tree, k->root);
	return rc;
}

struct xml_options {
	struct common common;
	const char *output; /* or NULL */
	bool callpath;
};

static int print(FILE *out, const struct profile *p, const void *options, struct error *e)
{
	const struct xml_options *o = options;
	struct xml x = {.out = out, .p = p, .m = p->model, .c = &p->code};
	int rc = choose_metrics(&x, &o->common, e);

	if (rc == 0)
		rc = print_all(&x, o->callpath ? &csprofile_kind : &profile_kind, e);
	free(x.metrics);
	return rc;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct xml_options *o = options;
	const struct profile_request wanted = {.common = &o->common, .output = o->output};

	return profile_show(out, &wanted, print, options, d, e);
}

static const struct option_row own_options[] = {
    {'o', "output", "FILE", "write to FILE, completely or not at all", option_output,
     offsetof(struct xml_options, output), NULL},
    {0, "callpath", NULL, "write a CSPROFILE, by call path", option_flag,
     offsetof(struct xml_options, callpath), NULL},
    {0}};

static const struct option_row *const tables[] = {own_options,
						  common_metrics_options,
						  common_inlining_options,
						  common_symbols_options,
						  common_loading_options,
						  NULL};

const struct command xml_command = {
    .name = "xml",
    .summary = "a PROFILE for HPCView; a CSPROFILE with --callpath",
    .newest = true,
    .options = tables,
    .size = sizeof(struct xml_options),
    .run = run,
    .print = print,
};
