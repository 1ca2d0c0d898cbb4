#include "hpcprof/views/top/live.h"

#include "formats/base/path.h"
#include "formats/store/recover.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/load/scan.h"
#include "hpcprof/model/sum.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int live_init(struct live *l, const struct symbolizer_options *o, const char *metric,
	      struct error *e)
{
	struct symbolizer_options plain = *o;

	memset(l, 0, sizeof *l);
	l->wanted = metric;
	plain.sysroot = NULL;
	l->model = model_create();
	l->code.symbolizers = calloc(2, sizeof(struct symbolizer *));
	if (l->code.symbolizers) {
		l->code.num_symbolizers = 2;
		l->code.symbolizers[0] = symbolizer_create(o);
		l->code.symbolizers[1] = symbolizer_create(&plain); /* for saved images */
	}
	/* attribution also needs files and lines; here they are not used */
	if (l->model && l->code.symbolizers && l->code.symbolizers[0] && l->code.symbolizers[1] &&
	    vec_push(&l->code.files, (struct code_file){.name = ""}) &&
	    vec_push(&l->code.lines, (struct code_line){0}))
		return 0;
	live_deinit(l);
	return error_memory(e, sizeof *l->model);
}

void live_deinit(struct live *l)
{
	for (size_t i = 0; i < l->files.len; i++) {
		free(l->files.at[i].name);
		vec_free(&l->files.at[i].values);
	}
	vec_free(&l->files);
	interner_deinit(&l->names);
	interner_deinit(&l->functions);
	symbolized_deinit(&l->code);
	model_destroy(l->model);
	free(l->now);
	free(l->before);
	memset(l, 0, sizeof *l);
}

/* ---- from a file's contexts to those of the live model ------------------------------- */

static struct reader_text text_of(const char *s)
{
	return (struct reader_text){s ? s : "", s ? (uint32_t)strlen(s) : 0};
}

static bool map_frames(struct live *l, const struct model *m, uint32_t *frames)
{
	uint32_t *modules = malloc((m->modules.len + 1) * sizeof *modules);
	bool ok = modules != NULL;

	for (size_t i = 0; ok && i < m->modules.len; i++) {
		const struct model_module *from = &m->modules.at[i];
		modules[i] = model_module(l->model, text_of(from->name), text_of(from->build_id));
		ok = modules[i] != UINT32_MAX;
		if (ok && from->image && !l->model->modules.at[modules[i]].image) {
			const char *image = model_text(l->model, from->image, strlen(from->image));
			l->model->modules.at[modules[i]].image = image;
			ok = image != NULL;
		}
	}
	for (size_t i = 0; ok && i < m->frames.len; i++) {
		const struct model_frame *f = &m->frames.at[i];
		frames[i] =
		    model_frame(l->model, modules[f->module], f->address, (enum frame_role)f->role);
		ok = frames[i] != UINT32_MAX;
	}
	free(modules);
	return ok;
}

/* Keep the metric's values, by contexts of the live model. */
static int take_values(struct live *l, struct live_file *file, const struct model *m,
		       const struct model_metric *metric, struct error *e)
{
	uint32_t n = model_num_contexts(m);
	uint32_t *frames = malloc((m->frames.len + 1) * sizeof *frames);
	uint32_t *contexts = malloc((size_t)n * sizeof *contexts);
	bool ok = frames && contexts && map_frames(l, m, frames);

	file->values.len = 0;
	for (uint32_t i = 0; ok && i < n; i++) {
		if (i < MODEL_ROOTS)
			contexts[i] = i;
		else
			contexts[i] = model_context(l->model, contexts[model_parent(m, i)],
						    frames[model_frame_of(m, i)]);
		ok = contexts[i] != UINT32_MAX &&
		     (!metric->events[i] ||
		      vec_push(&file->values, (struct live_value){contexts[i], metric->events[i]}));
	}
	free(frames);
	free(contexts);
	return ok ? 0 : error_memory(e, n * sizeof *contexts);
}

/* Whether a is shown rather than b, which may be NULL, if the user did not choose. */
static bool is_better(const struct model_metric *a, const struct model_metric *b)
{
	if (!(a->flags & CSP_METRIC_ASYNC))
		return false;
	if (b && (a->flags ^ b->flags) & MODEL_SUM)
		return a->flags & MODEL_SUM;
	return !b || strcmp(a->name, b->name) < 0;
}

/* The metric that is shown. It is chosen once, from the first file that has one: that of -m, or a
 * sum, or the first sampled metric by name. */
static const struct model_metric *metric_of(struct live *l, const struct model *m)
{
	const struct model_metric *best = NULL;

	for (size_t i = 0; i < m->metrics.len; i++) {
		const struct model_metric *a = &m->metrics.at[i];
		if (l->metric[0]) {
			if (strncmp(a->name, l->metric, sizeof l->metric - 1) == 0)
				return a;
		} else if (l->wanted ? strcasecmp(a->name, l->wanted) == 0 : is_better(a, best)) {
			best = a;
		}
	}
	if (best) {
		snprintf(l->metric, sizeof l->metric, "%s", best->name);
		snprintf(l->unit, sizeof l->unit, "%s", best->unit);
	}
	return best;
}

static void ignore(void *context, const char *text)
{
	(void)context, (void)text;
}

static int merge(struct live *l, struct live_file *file, const char *path, const struct reader *r,
		 struct error *e)
{
	struct model *m = model_create();
	const struct model_metric *metric;
	int rc =
	    m ? ingest_datafile(m, r, path, NULL, ignore, NULL, e) : error_memory(e, sizeof *m);

	if (rc == 0)
		rc = model_finish(m, e);
	if (rc == 0) {
		metric = metric_of(l, m);
		file->cpu_ns = m->processes.at[0].cpu_ns;
		file->threads = reader_num_threads(r);
		file->samples = metric ? metric->total.samples : 0;
		file->elapses = model_num_recorded(m) < m->metrics.len;
		if (metric)
			rc = take_values(l, file, m, metric, e);
	}
	model_destroy(m);
	return rc;
}

/* ---- files ----------------------------------------------------------------------------- */

/* The name of a program image, which its store and its datafile share. */
static char *image_name(const char *path)
{
	const char *base = path_basename(path);
	size_t n = strlen(base);

	if (store_has_suffix(base, STORE_SUFFIX))
		n -= sizeof STORE_SUFFIX - 1;
	else if (store_has_suffix(base, CSP_SUFFIX))
		n -= sizeof CSP_SUFFIX - 1;
	return strndup(base, n);
}

static int by_name(const void *pa, const void *pb)
{
	const struct live_file *a = pa, *b = pb;
	return strcmp(a->name, b->name);
}

/* The entry of a name, which is added if it is new. The first `sorted` entries are in order. */
static struct live_file *file_of(struct live *l, size_t sorted, char *name)
{
	struct live_file key = {.name = name};
	struct live_file *known =
	    sorted ? bsearch(&key, l->files.at, sorted, sizeof key, by_name) : NULL;

	if (known) {
		free(name);
		return known;
	}
	if (vec_push(&l->files, key))
		return &l->files.at[l->files.len - 1];
	free(name);
	return NULL;
}

/* CPU time of a process so far, in ticks plus 1, from fields 14 and 15 of its stat; 0 if not
 * known. */
static uint64_t process_ticks(uint32_t pid)
{
	char path[64], text[1024] = "";
	uint64_t user = 0, kernel = 0;
	FILE *in;
	const char *at;

	snprintf(path, sizeof path, "/proc/%" PRIu32 "/stat", pid);
	in = pid ? fopen(path, "re") : NULL;
	if (!in)
		return 0;
	at = fgets(text, sizeof text, in) ? strrchr(text, ')') : NULL;
	fclose(in);
	if (!at || sscanf(at, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64 " %" SCNu64,
			  &user, &kernel) != 2)
		return 0;
	return user + kernel + 1;
}

/* A complete datafile does not change, nor does the store of a dead process. The store of a running
 * process does not change while the process uses no CPU time, but the time that passes may be
 * measured. */
static bool unchanged(const struct live_file *file, const struct stat *st)
{
	if (file->device != st->st_dev || file->inode != st->st_ino || file->unreadable)
		return false;
	if (file->kind == SOURCE_RUNNING)
		return !file->elapses && file->ticks && process_ticks(file->pid) == file->ticks;
	return file->size == st->st_size;
}

static int read_file(struct live *l, struct live_file *file, const struct scan_file *from,
		     struct error *e)
{
	struct datafile_source s;
	struct error why;
	struct stat st = {0};
	int rc;

	if (stat(from->path, &st) == 0 && unchanged(file, &st))
		return 0;
	file->ticks = file->kind == SOURCE_RUNNING ? process_ticks(file->pid) : 0;
	if (datafile_source_open(&s, from->path, from->datafile, &why) != 0) {
		file->unreadable = true;
		return why.kind == ERROR_MEMORY ? (*e = why, -1) : 0;
	}
	l->sums.files_read++;
	file->unreadable = false;
	file->device = st.st_dev;
	file->inode = st.st_ino;
	file->size = st.st_size;
	file->kind = s.kind;
	file->pid = s.pid;
	file->threads_running = s.kind == SOURCE_RUNNING ? s.threads_running : 0;
	rc = merge(l, file, from->path, s.reader, e);
	datafile_source_close(&s);
	return rc;
}

static int read_files(struct live *l, const struct scan *s, struct error *e)
{
	size_t sorted = l->files.len;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->files.len; i++) {
		char *name = image_name(s->files.at[i].path);
		struct live_file *file = name ? file_of(l, sorted, name) : NULL;
		if (!file)
			return error_memory(e, sizeof *file);
		file->seen = true;
		rc = read_file(l, file, &s->files.at[i], e);
	}
	if (l->files.len > sorted)
		qsort(l->files.at, l->files.len, sizeof *l->files.at, by_name);
	return rc;
}

/* ---- names ------------------------------------------------------------------------------- */

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a < b ? -1 : a > b;
}

/* Functions with the same name in a module are one. */
static uint32_t function_id(struct live *l, uint32_t module, const struct symbol_frame *f)
{
	uint32_t name = interner_add(&l->names, (uint64_t)(uintptr_t)f->function->name), id;
	struct code_function *known;

	if (name == INTERNER_NONE)
		return name;
	id = interner_add(&l->functions, (uint64_t)name << 32 | module);
	if (id == l->code.functions.len &&
	    !vec_push(&l->code.functions,
		      (struct code_function){.name = f->function->name,
					     .linkage_name = f->function->linkage_name,
					     .module = module,
					     .source = f->function->source}))
		return INTERNER_NONE;
	known = &l->code.functions.at[id];
	known->inlined |= f->inlined;
	known->standing |= !f->inlined;
	return id;
}

/* Addresses of a module that have no names yet, and what they were resolved to. */
struct question {
	uint64_t *addresses;
	size_t n;
	bool resolved;
	struct symbol_table table;
};

static bool ask(struct live *l, uint32_t module, struct question *q)
{
	const struct model_module *mod = &l->model->modules.at[module];
	bool image;
	struct symbolize_request request = correlate_request(mod, &image);
	size_t kept = 0;

	qsort(q->addresses, q->n, sizeof *q->addresses, by_value);
	for (size_t i = 0; i < q->n; i++)
		if (!i || q->addresses[i] != q->addresses[kept - 1])
			q->addresses[kept++] = q->addresses[i];
	request.addresses = q->addresses;
	request.num_addresses = q->n = kept;
	q->resolved = symbolize_module(l->code.symbolizers[image], &request, &q->table, NULL) == 0;
	return q->resolved;
}

static bool append_chain(struct live *l, const struct question *q, const struct model_frame *f)
{
	const uint64_t *at = bsearch(&f->address, q->addresses, q->n, sizeof f->address, by_value);
	size_t i = (size_t)(at - q->addresses);

	for (size_t k = q->table.first[i]; k < q->table.first[i + 1]; k++) {
		uint32_t function = function_id(l, f->module, &q->table.frames[k]);
		if (function == INTERNER_NONE ||
		    !vec_push(&l->code.frames,
			      (struct code_frame){.function = function,
						  .inlined = q->table.frames[k].inlined}))
			return false;
	}
	return true;
}

/* Collect the new frames' addresses by module, resolve them, and append each new frame's chain. */
static bool resolve(struct live *l, uint32_t from, struct question *questions)
{
	const struct model *m = l->model;
	bool ok = true;

	for (size_t i = from; i < m->frames.len; i++)
		questions[m->frames.at[i].module].n++;
	for (size_t k = 0; ok && k < m->modules.len; k++) {
		struct question *q = &questions[k];
		q->addresses = malloc((q->n + 1) * sizeof *q->addresses);
		ok = q->addresses != NULL;
		q->n = 0;
	}
	for (size_t i = from; ok && i < m->frames.len; i++) {
		struct question *q = &questions[m->frames.at[i].module];
		q->addresses[q->n++] = m->frames.at[i].address;
	}
	for (size_t k = 0; ok && k < m->modules.len; k++)
		ok = !questions[k].n || ask(l, (uint32_t)k, &questions[k]);
	for (size_t i = from; ok && i < m->frames.len; i++) {
		ok = append_chain(l, &questions[m->frames.at[i].module], &m->frames.at[i]);
		l->code.first[i + 1] = (uint32_t)l->code.frames.len;
	}
	return ok;
}

static int name_frames(struct live *l, uint32_t from, struct error *e)
{
	size_t modules = l->model->modules.len;
	uint32_t *first =
	    realloc(l->code.first, (l->model->frames.len + 1) * sizeof *l->code.first);
	struct question *questions = calloc(modules + 1, sizeof *questions);
	bool ok = first && questions;

	if (first) {
		l->code.first = first;
		l->code.first[from] = (uint32_t)l->code.frames.len;
	}
	ok = ok && resolve(l, from, questions);
	for (size_t k = 0; questions && k < modules; k++) {
		free(questions[k].addresses);
		if (questions[k].resolved)
			symbol_table_free(&questions[k].table);
	}
	free(questions);
	return ok ? 0 : error_memory(e, l->model->frames.len * sizeof *first);
}

/* ---- a look --------------------------------------------------------------------------------- */

static bool stretch(uint64_t **column, uint32_t have, uint32_t want)
{
	uint64_t *p = realloc(*column, (size_t)want * sizeof *p);
	if (!p)
		return false;
	memset(p + have, 0, (size_t)(want - have) * sizeof *p);
	*column = p;
	return true;
}

static void add_file(struct live_sums *sums, const struct live_file *file)
{
	bool saturated;

	sums->cpu_ns = sum_add(sums->cpu_ns, file->cpu_ns, &saturated);
	sums->samples = sum_add(sums->samples, file->samples, &saturated);
	sums->unreadable += file->unreadable;
	sums->running += file->kind == SOURCE_RUNNING;
	sums->ended += file->kind != SOURCE_RUNNING;
	sums->killed += file->kind == SOURCE_KILLED;
	sums->threads_running += file->threads_running;
	sums->threads_ended +=
	    file->threads -
	    (file->threads_running < file->threads ? file->threads_running : file->threads);
}

static int sum_files(struct live *l, struct error *e)
{
	uint32_t contexts = model_num_contexts(l->model);
	uint64_t *swap = l->before;
	bool saturated;

	if (contexts > l->capacity) {
		if (!stretch(&l->now, l->capacity, 2 * contexts) ||
		    !stretch(&l->before, l->capacity, 2 * contexts))
			return error_memory(e, contexts * sizeof *l->now);
		l->capacity = 2 * contexts;
		swap = l->before;
	}
	l->before = l->now;
	l->now = swap;
	memset(l->now, 0, (size_t)l->capacity * sizeof *l->now);
	for (size_t i = 0; i < l->files.len; i++) {
		struct live_file *file = &l->files.at[i];
		add_file(&l->sums, file);
		for (size_t k = 0; k < file->values.len; k++) {
			uint64_t *to = &l->now[file->values.at[k].context];
			*to = sum_add(*to, file->values.at[k].value, &saturated);
			l->sums.value =
			    sum_add(l->sums.value, file->values.at[k].value, &saturated);
		}
	}
	return 0;
}

/* A store whose process has just ended may be gone, before its datafile was listed: keep what was
 * read. Drop files that the user removed. */
static void settle_missing(struct live *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->files.len; i++) {
		struct live_file *file = &l->files.at[i];
		bool gone = !file->seen && file->kind != SOURCE_RUNNING;
		if (!file->seen && file->kind == SOURCE_RUNNING)
			file->kind = SOURCE_KILLED;
		file->seen = false;
		if (gone) {
			free(file->name);
			vec_free(&file->values);
		} else {
			l->files.at[kept++] = *file;
		}
	}
	l->files.len = kept;
}

int live_look(struct live *l, const char *directory, struct error *e)
{
	uint32_t frames = (uint32_t)l->model->frames.len;
	struct diag d = {.quiet = true};
	struct scan s;
	int rc;

	l->sums = (struct live_sums){0};
	d.out = fopen("/dev/null", "we"); /* files may disappear during the scan */
	if (!d.out)
		return error_system(e, "/dev/null");
	rc = scan_folder(&s, directory, &d, e);
	fclose(d.out);
	if (rc != 0)
		return rc;
	rc = read_files(l, &s, e);
	l->sums.linked = s.links > 0;
	scan_deinit(&s);
	if (rc == 0) {
		settle_missing(l);
		rc = name_frames(l, frames, e);
	}
	return rc == 0 ? sum_files(l, e) : rc;
}
