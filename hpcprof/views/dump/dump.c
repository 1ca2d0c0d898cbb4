/* The dump walks the file once, in the file's order, and passes it to a form (text or JSON) as
 * records, which have fields and lists of records. */
#include "hpcprof/views/dump/dump.h"

#include "hpcprof/command/list.h"

#include "hpcprof/load/datafile_source.h"
#include "hpcprof/terminal/pager.h"
#include "hpcprof/views/dump/dump_form.h"

#include <string.h>

struct dump {
	const struct dump_form *form;
	struct dump_to to;
	const struct reader *r;
};

static struct dump_bytes bytes_of(struct reader_text t)
{
	return (struct dump_bytes){t.at, t.n};
}

static struct dump_bytes literal(const char *s)
{
	return (struct dump_bytes){s, strlen(s)};
}

static void put_number(struct dump *d, const char *name, uint64_t v)
{
	d->form->number(&d->to, name, v, NULL);
}

static void put_string(struct dump *d, const char *name, struct reader_text t)
{
	d->form->string(&d->to, name, bytes_of(t));
}

/* Put a number whose value CSP_NONE has the meaning none. */
static void put_index(struct dump *d, const char *name, uint32_t v, const char *none)
{
	d->form->number(&d->to, name, v, v == CSP_NONE ? none : NULL);
}

static void put_flags(struct dump *d, uint64_t flags)
{
	static const struct {
		uint64_t bit;
		const char *meaning;
	} bits[] = {
	    {CSP_METRIC_ASYNC, "asynchronous"},
	    {CSP_METRIC_SAMPLES, "samples of the metric before"},
	    {CSP_METRIC_RETURNS, "return count"},
	    {CSP_METRIC_ACTIVATIONS, "activation count"},
	    {CSP_METRIC_ABANDONED, "abandonment count"},
	    {~(uint64_t)(CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES | CSP_METRIC_RETURNS |
			 CSP_METRIC_ACTIVATIONS | CSP_METRIC_ABANDONED),
	     "unknown bits"},
	};
	char meaning[128] = "none";
	size_t used = 0;
	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
		if (flags & bits[i].bit)
			used += (size_t)snprintf(meaning + used, sizeof meaning - used, "%s%s",
						 used ? ", " : "", bits[i].meaning);
	}
	d->form->number(&d->to, "flags", flags, meaning);
}

static void dump_metrics(struct dump *d)
{
	uint32_t n = reader_num_metrics(d->r);
	put_number(d, "num_metrics", n);
	d->form->list(&d->to, "metrics");
	for (uint32_t i = 0; i < n; i++) {
		const struct reader_metric *m = reader_metric(d->r, i);
		d->form->record(&d->to, "metric", i);
		put_string(d, "name", m->name);
		if (m->has_flags)
			put_flags(d, m->flags);
		else
			d->form->absent(&d->to, "flags");
		put_number(d, "sample_period", m->period);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_epochs(struct dump *d)
{
	uint32_t n = reader_num_epochs(d->r);
	put_number(d, "num_epochs", n);
	d->form->list(&d->to, "epochs");
	for (uint32_t i = 0; i < n; i++) {
		const struct reader_epoch *e = reader_epoch(d->r, i);
		d->form->record(&d->to, "epoch", i);
		put_number(d, "num_modules", e->num_modules);
		d->form->list(&d->to, "modules");
		for (uint32_t k = 0; k < e->num_modules; k++) {
			const struct reader_module *m = &e->modules[k];
			d->form->record(&d->to, "module", k);
			put_string(d, "module_name", m->name);
			d->form->address(&d->to, "virtual_address", m->virtual_address);
			d->form->address(&d->to, "mapped_address", m->mapped_address);
			d->form->end_record(&d->to);
		}
		d->form->end_list(&d->to);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static int dump_nodes(struct dump *d, uint32_t tree, struct error *e)
{
	struct reader_nodes it;
	const struct reader_node *node;
	if (reader_nodes_begin(&it, d->r, tree, false, e))
		return -1;
	d->form->list(&d->to, "nodes");
	while ((node = reader_nodes_next(&it))) {
		d->form->record(&d->to, "node", DUMP_UNNUMBERED);
		put_number(d, "id", node->id);
		put_number(d, "parent", node->parent);
		d->form->address(&d->to, "ip", node->ip);
		d->form->address(&d->to, "sp", node->sp);
		d->form->numbers(&d->to, "metrics", node->metrics, reader_num_metrics(d->r));
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
	reader_nodes_end(&it);
	return 0;
}

static int dump_trees(struct dump *d, struct error *e)
{
	uint32_t n = reader_num_trees(d->r);
	put_number(d, "num_trees", n);
	put_number(d, "tramp_samples", reader_header(d->r)->tramp_samples);
	d->form->list(&d->to, "trees");
	for (uint32_t i = 0; i < n; i++) {
		const struct reader_tree *t = reader_tree(d->r, i);
		d->form->record(&d->to, "tree", i);
		d->form->word(&d->to, "magic", literal(CSP_MAGIC_TREE));
		d->form->word(&d->to, "version", bytes_of(t->version));
		put_number(d, "vma_size", t->width);
		put_number(d, "uint_size", t->width);
		put_number(d, "num_nodes", t->num_nodes);
		put_number(d, "epoch_number", t->epoch);
		if (dump_nodes(d, i, e))
			return -1;
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
	return 0;
}

static void dump_pairs(struct dump *d, struct reader_pairs pairs)
{
	put_number(d, "num_pairs", pairs.n);
	d->form->list(&d->to, "pairs");
	for (uint32_t i = 0; i < pairs.n; i++) {
		d->form->record(&d->to, "pair", DUMP_UNNUMBERED);
		put_string(d, "key", pairs.at[i].key);
		put_string(d, "value", pairs.at[i].value);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_process(struct dump *d)
{
	dump_pairs(d, reader_process(d->r));
}

static void dump_extents(struct dump *d)
{
	put_number(d, "epochs", reader_num_epochs(d->r));
	d->form->list(&d->to, "module_epochs");
	for (uint32_t i = 0; i < reader_num_epochs(d->r); i++) {
		const struct reader_epoch *e = reader_epoch(d->r, i);
		d->form->record(&d->to, "epoch", i);
		put_number(d, "modules", e->num_modules);
		d->form->list(&d->to, "extents");
		for (uint32_t k = 0; k < e->num_modules; k++) {
			d->form->record(&d->to, "module", k);
			put_number(d, "extent", e->modules[k].extent);
			put_string(d, "build_id", e->modules[k].build_id);
			d->form->end_record(&d->to);
		}
		d->form->end_list(&d->to);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_creators(struct dump *d)
{
	static const char *const kinds[] = {
	    [CSP_TREE_COMPLETE] = "complete paths",
	    [CSP_TREE_PARTIAL] = "partial paths",
	};
	put_number(d, "num_trees", reader_num_trees(d->r));
	d->form->list(&d->to, "trees");
	for (uint32_t i = 0; i < reader_num_trees(d->r); i++) {
		const struct reader_tree *t = reader_tree(d->r, i);
		d->form->record(&d->to, "tree", i);
		put_index(d, "thread", t->thread, "several");
		d->form->number(&d->to, "kind", t->kind, kinds[t->kind]);
		put_index(d, "creator_tree", t->creator_tree, "no creator");
		put_number(d, "creator_node", t->creator_node);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_account(struct dump *d)
{
	put_number(d, "num_rows", reader_num_account(d->r));
	d->form->list(&d->to, "rows");
	for (uint32_t i = 0; i < reader_num_account(d->r); i++) {
		const struct reader_account *a = reader_account(d->r, i);
		d->form->record(&d->to, "row", DUMP_UNNUMBERED);
		put_number(d, "thread", a->thread);
		put_number(d, "metric", a->metric);
		put_string(d, "disposition", a->disposition);
		put_number(d, "samples", a->samples);
		put_number(d, "weight", a->weight);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_trace(struct dump *d)
{
	uint64_t n = reader_num_trace(d->r);
	put_number(d, "num_rows", n);
	d->form->list(&d->to, "rows");
	for (uint64_t i = 0; i < n; i++) {
		struct reader_trace row;
		reader_trace(d->r, i, &row);
		d->form->record(&d->to, "row", DUMP_UNNUMBERED);
		put_number(d, "time_ns", row.time_ns);
		put_number(d, "tree", row.tree);
		put_number(d, "metric", row.metric);
		put_number(d, "node", row.node);
		put_number(d, "weight", row.weight);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_about_metrics(struct dump *d)
{
	put_number(d, "num_metrics", reader_num_metrics(d->r));
	d->form->list(&d->to, "metrics");
	for (uint32_t i = 0; i < reader_num_metrics(d->r); i++) {
		d->form->record(&d->to, "metric", i);
		dump_pairs(d, reader_metric(d->r, i)->about);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_threads(struct dump *d)
{
	put_number(d, "num_threads", reader_num_threads(d->r));
	d->form->list(&d->to, "threads");
	for (uint32_t i = 0; i < reader_num_threads(d->r); i++) {
		const struct reader_thread *t = reader_thread(d->r, i);
		d->form->record(&d->to, "thread", i);
		put_number(d, "tid", t->tid);
		put_string(d, "name", t->name);
		put_number(d, "start_ns", t->start_ns);
		put_number(d, "end_ns", t->end_ns);
		put_number(d, "cpu_ns", t->cpu_ns);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_sums(struct dump *d, const struct reader_merged_sum *sums, uint32_t n)
{
	d->form->list(&d->to, "sums");
	for (uint32_t i = 0; i < n; i++) {
		d->form->record(&d->to, "sum", DUMP_UNNUMBERED);
		put_number(d, "metric", sums[i].metric);
		put_number(d, "events", sums[i].events);
		put_number(d, "samples", sums[i].samples);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_merged_image(struct dump *d, uint32_t i)
{
	const struct reader_merged *image = reader_merged(d->r, i);
	d->form->record(&d->to, "image", i);
	dump_pairs(d, image->about);
	dump_sums(d, image->sums, image->num_sums);
	d->form->end_record(&d->to);
}

static void dump_merged(struct dump *d)
{
	uint32_t modules = reader_num_epochs(d->r) ? reader_epoch(d->r, 0)->num_modules : 0;

	d->form->list(&d->to, "assumed");
	for (uint32_t k = 0; k < modules; k++)
		if (reader_epoch(d->r, 0)->modules[k].assumed) {
			d->form->record(&d->to, "extent", DUMP_UNNUMBERED);
			put_number(d, "module", k);
			d->form->end_record(&d->to);
		}
	d->form->end_list(&d->to);
	put_number(d, "num_images", reader_num_merged(d->r));
	d->form->list(&d->to, "images");
	for (uint32_t i = 0; i < reader_num_merged(d->r); i++)
		dump_merged_image(d, i);
	d->form->end_list(&d->to);
}

static void dump_groups(struct dump *d)
{
	static const char *const kinds[] = {[CSP_GROUP_MAIN] = "main",
					    [CSP_GROUP_CREATED] = "created",
					    [CSP_GROUP_ENDED] = "ended",
					    [CSP_GROUP_NOT_SAID] = "not by thread"};

	put_number(d, "num_groups", reader_num_groups(d->r));
	d->form->list(&d->to, "groups");
	for (uint32_t i = 0; i < reader_num_groups(d->r); i++) {
		const struct reader_group *g = reader_group(d->r, i);
		d->form->record(&d->to, "group", i);
		d->form->number(&d->to, "kind", g->kind, kinds[g->kind]);
		put_string(d, "first", g->first);
		put_string(d, "last", g->last);
		put_number(d, "threads", g->threads);
		d->form->list(&d->to, "calls");
		for (uint32_t k = 0; k < g->num_calls; k++) {
			d->form->record(&d->to, "call", DUMP_UNNUMBERED);
			d->form->address(&d->to, "ip", g->calls[k]);
			d->form->end_record(&d->to);
		}
		d->form->end_list(&d->to);
		dump_sums(d, g->sums, g->num_sums);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_names(struct dump *d)
{
	put_number(d, "num_names", reader_num_names(d->r));
	d->form->list(&d->to, "names");
	for (uint32_t i = 0; i < reader_num_names(d->r); i++) {
		const struct reader_name *name = reader_name(d->r, i);
		d->form->record(&d->to, "name", name->number);
		put_string(d, "text", name->text);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_codes(struct dump *d)
{
	put_number(d, "num_functions", reader_num_code(d->r));
	d->form->list(&d->to, "functions");
	for (uint32_t i = 0; i < reader_num_code(d->r); i++) {
		const struct reader_code *code = reader_code(d->r, i);
		d->form->record(&d->to, "function", i);
		d->form->address(&d->to, "ip", code->ip);
		put_number(d, "extent", code->extent);
		put_number(d, "line", code->line);
		put_string(d, "name", code->name);
		d->form->list(&d->to, "runs");
		for (uint32_t k = 0; k < code->num_runs; k++) {
			d->form->record(&d->to, "run", DUMP_UNNUMBERED);
			put_number(d, "end", code->runs[k].end);
			put_number(d, "line", code->runs[k].line);
			d->form->end_record(&d->to);
		}
		d->form->end_list(&d->to);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
}

static void dump_value(struct dump *d, uint32_t i)
{
	const struct reader_value *v = reader_value(d->r, i);
	char kind[READER_VALUE_KIND_BYTES];
	d->form->record(&d->to, "value", i);
	put_number(d, "epoch", v->epoch);
	d->form->address(&d->to, "ip", v->ip);
	d->form->number(&d->to, "kind", v->what,
			reader_value_kind(v->what, v->bytes, kind, sizeof kind));
	put_number(d, "bytes", v->bytes);
	put_number(d, "count", v->count);
	put_number(d, "zeros", v->zeros);
	put_number(d, "same", v->same);
	put_number(d, "rest", v->rest);
	d->form->list(&d->to, "frequent");
	for (uint32_t k = 0; k < v->num_top; k++) {
		d->form->record(&d->to, "frequent", DUMP_UNNUMBERED);
		put_number(d, "value", v->top[k].value);
		put_number(d, "count", v->top[k].count);
		put_number(d, "error", v->top[k].error);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
	d->form->end_record(&d->to);
}

static void dump_values(struct dump *d)
{
	static const char *const refusals[] = CSP_VALUE_REFUSAL_TEXTS;
	const struct reader_windows *w = reader_windows(d->r);
	put_number(d, "windows", w->windows);
	put_number(d, "steps", w->steps);
	put_number(d, "ns", w->ns);
	put_number(d, "dropped", w->dropped);
	d->form->list(&d->to, "refusals");
	for (uint32_t i = 0; i < CSP_VALUE_REFUSALS; i++) {
		d->form->record(&d->to, "refusal", i);
		d->form->number(&d->to, "samples", w->refused[i], refusals[i]);
		d->form->end_record(&d->to);
	}
	d->form->end_list(&d->to);
	put_number(d, "num_values", reader_num_values(d->r));
	d->form->list(&d->to, "values");
	for (uint32_t i = 0; i < reader_num_values(d->r); i++)
		dump_value(d, i);
	d->form->end_list(&d->to);
}

/* Chunks by tag. */
static const struct {
	const char *name;
	void (*dump)(struct dump *d);
} chunk_kinds[] = {
    [CSP_CHUNK_PROCESS] = {"PROCESS", dump_process},
    [CSP_CHUNK_MODULES] = {"MODULES", dump_extents},
    [CSP_CHUNK_TREES] = {"TREES", dump_creators},
    [CSP_CHUNK_ACCOUNT] = {"ACCOUNT", dump_account},
    [CSP_CHUNK_TRACE] = {"TRACE", dump_trace},
    [CSP_CHUNK_VALUES] = {"VALUES", dump_values},
    [CSP_CHUNK_METRICS] = {"METRICS", dump_about_metrics},
    [CSP_CHUNK_THREADS] = {"THREADS", dump_threads},
    [CSP_CHUNK_MERGED] = {"MERGED", dump_merged},
    [CSP_CHUNK_GROUPS] = {"GROUPS", dump_groups},
    [CSP_CHUNK_NAMES] = {"NAMES", dump_names},
    [CSP_CHUNK_CODE] = {"CODE", dump_codes},
};

static void dump_chunk(struct dump *d, uint32_t i)
{
	const struct reader_chunk *c = reader_chunk(d->r, i);
	bool known = c->tag < sizeof chunk_kinds / sizeof *chunk_kinds && chunk_kinds[c->tag].name;
	d->form->record(&d->to, "chunk", i);
	d->form->number(&d->to, "tag", c->tag, known ? chunk_kinds[c->tag].name : "unknown");
	put_number(d, "length", c->length);
	if (c->decoded)
		chunk_kinds[c->tag].dump(d);
	else if (known)
		d->form->word(&d->to, "content", literal("damaged"));
	d->form->end_record(&d->to);
}

static void dump_trailer(struct dump *d)
{
	if (!reader_has_trailer(d->r)) {
		d->form->absent(&d->to, "trailer");
		return;
	}
	d->form->record(&d->to, "trailer", DUMP_ALONE);
	d->form->word(&d->to, "magic", literal(CSP_MAGIC_META));
	d->form->word(&d->to, "version", literal(CSP_VERSION_META));
	put_number(d, "num_chunks", reader_num_chunks(d->r));
	d->form->list(&d->to, "chunks");
	for (uint32_t i = 0; i < reader_num_chunks(d->r); i++)
		dump_chunk(d, i);
	d->form->end_list(&d->to);
	d->form->end_record(&d->to);
}

static int dump_all(struct dump *d, struct error *e)
{
	const struct reader_header *h = reader_header(d->r);
	d->form->begin(&d->to, "datafile");
	d->form->word(&d->to, "magic", literal(CSP_MAGIC_FILE));
	d->form->word(&d->to, "version", bytes_of(h->version));
	d->form->number(&d->to, "num_chunks", h->num_chunks, "not used");
	put_string(d, "target", h->target);
	dump_metrics(d);
	dump_epochs(d);
	if (dump_trees(d, e))
		return -1;
	dump_trailer(d);
	d->form->end(&d->to);
	if (fflush(d->to.out) != 0 || ferror(d->to.out))
		return error_system(e, "the dump cannot be written");
	return 0;
}

int dump_file(FILE *out, const char *path, bool json, struct error *e)
{
	struct datafile_source s;
	if (datafile_source_open(&s, path, NULL, e))
		return -1;
	struct dump d = {.form = json ? &dump_json : &dump_text, .to = {.out = out}, .r = s.reader};
	int result = dump_all(&d, e);
	if (result == 0 && reader_warning(s.reader)) {
		if (e)
			*e = *reader_warning(s.reader);
		result = 1;
	}
	datafile_source_close(&s);
	return result;
}

/* ---- the command ---------------------------------------------------------------------- */

struct dump_options {
	struct common common;
	bool json;
};

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct dump_options *o = options;
	const struct common *common = &o->common;
	size_t shown = 0;

	if (common->page)
		pager_begin();
	for (size_t i = 0; i < common->num_profiles; i++) {
		struct error why = {0};
		int rc = dump_file(out, common->profiles[i], o->json, &why);
		if (rc != 0)
			diag_problem(d, common->profiles[i], "%s (%s)", why.text,
				     rc > 0 ? "the rest is shown" : "nothing of it is shown");
		shown += rc >= 0;
	}
	if (shown)
		return 0;
	*e = (struct error){0}; /* each was reported */
	return -1;
}

static const struct option_row own_options[] = {
    {0, "json", NULL, "write JSON", option_flag, offsetof(struct dump_options, json), NULL}, {0}};

static const struct option_row *const tables[] = {own_options, NULL};

const struct command dump_command = {
    .name = "dump",
    .summary = "a datafile as text, field by field",
    .options = tables,
    .size = sizeof(struct dump_options),
    .run = run,
};
