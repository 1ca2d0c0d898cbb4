#include "hpcprof/correlate/correlate.h"

#include "formats/base/path.h"
#include "formats/base/search.h"
#include "formats/base/workers.h"
#include "hpcprof/correlate/creators.h"
#include "hpcprof/correlate/groups.h"
#include "hpcprof/correlate/name_ranks.h"
#include "hpcprof/model/threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The addresses of a module, and what they were resolved to. */
struct job {
	uint32_t module;
	uint64_t *addresses; /* sorted, distinct, of all roles */
	size_t num_addresses;
	struct symbol_table table;
	struct error why;
	bool resolved;
};

struct correlate_work {
	const struct model *m;
	const struct correlate_options *o;
	struct job *jobs; /* [num_jobs], those with most addresses first */
	size_t num_jobs;
	size_t next, done; /* under lock */
	bool failed;       /* memory ran out; under lock */
	pthread_mutex_t lock;
};

/* The symbolizers of one thread. Images that were saved beside a datafile are not looked for under
 * the sysroot. */
struct correlate_worker {
	struct correlate_work *work;
	struct symbolizer *modules, *images;
};

static int by_size(const void *pa, const void *pb)
{
	const struct job *a = pa, *b = pb;
	if (a->num_addresses != b->num_addresses)
		return a->num_addresses > b->num_addresses ? -1 : 1;
	return a->module < b->module ? -1 : a->module > b->module;
}

/* The frames of a module are in the order of their addresses. */
int correlate_addresses(const struct model *m, uint32_t module, uint64_t **addresses, size_t *n,
			struct error *e)
{
	const struct model_module *mod = &m->modules.at[module];
	uint64_t *at = malloc((mod->num_frames + (size_t)1) * sizeof *at);

	*addresses = at;
	*n = 0;
	if (!at)
		return error_memory(e, mod->num_frames * sizeof *at);
	for (uint32_t i = 0; i < mod->num_frames; i++) {
		uint64_t address = m->frames.at[mod->first_frame + i].address;
		if (!i || address != at[*n - 1])
			at[(*n)++] = address;
	}
	return 0;
}

static const char *name_of(const struct model_module *mod)
{
	const char *base = path_basename(mod->name);
	return base[0] ? base : MODEL_UNKNOWN_MODULE;
}

struct symbolizer_options correlate_symbolizer(const struct common *o)
{
	return (struct symbolizer_options){.sysroot = o->sysroot,
					   .debug_dirs = o->debug_dirs.at,
					   .num_debug_dirs = o->debug_dirs.len,
					   .module_limit = o->module_limit};
}

struct symbolize_request correlate_request(const struct model_module *mod, bool *image)
{
	/* A file that happens to be called [vdso] is unrelated. */
	const char *path = mod->name[0] == '[' ? NULL : mod->name;

	*image = mod->image != NULL;
	return (struct symbolize_request){
	    .path = *image ? mod->image : path, .name = name_of(mod), .build_id = mod->build_id};
}

static void resolve(struct correlate_worker *w, struct job *job)
{
	bool image;
	struct symbolize_request request =
	    correlate_request(&w->work->m->modules.at[job->module], &image);

	request.addresses = job->addresses;
	request.num_addresses = job->num_addresses;
	/* all frames of the module may have come with names */
	job->resolved =
	    !job->num_addresses ||
	    symbolize_module(image ? w->images : w->modules, &request, &job->table, &job->why) == 0;
}

static void work_on(void *context)
{
	struct correlate_worker *w = context;
	struct correlate_work *work = w->work;

	pthread_mutex_lock(&work->lock);
	while (!work->failed && work->next < work->num_jobs) {
		struct job *job = &work->jobs[work->next++];
		pthread_mutex_unlock(&work->lock);
		resolve(w, job);
		pthread_mutex_lock(&work->lock);
		work->failed |= !job->resolved;
		work->done++;
		if (work->o->progress)
			work->o->progress(work->o->context, work->done, work->num_jobs);
	}
	pthread_mutex_unlock(&work->lock);
}

/* Resolve all jobs with up to o->threads threads. */
static int resolve_all(struct correlate_work *work, struct symbolized *out, struct error *e)
{
	size_t n = work->o->threads < work->num_jobs ? work->o->threads : work->num_jobs;
	struct symbolizer_options plain = work->o->symbolizer;
	struct correlate_worker *workers;
	bool made = true;

	if (!n)
		return 0;
	plain.sysroot = NULL;
	workers = calloc(n, sizeof *workers);
	out->symbolizers = calloc(2 * n, sizeof(struct symbolizer *));
	if (!workers || !out->symbolizers) {
		free(workers);
		return error_memory(e, n * sizeof *workers);
	}
	for (size_t i = 0; i < n; i++) {
		workers[i].work = work;
		workers[i].modules = symbolizer_create(&work->o->symbolizer);
		workers[i].images = symbolizer_create(&plain);
		out->symbolizers[out->num_symbolizers++] = workers[i].modules;
		out->symbolizers[out->num_symbolizers++] = workers[i].images;
		made &= workers[i].modules && workers[i].images;
	}
	if (made)
		workers_run(work_on, workers, sizeof *workers, n);
	free(workers);
	return made && !work->failed ? 0 : error_memory(e, 0);
}

/* ---- dense ids -------------------------------------------------------------------- */

struct build {
	const struct model *m;
	struct symbolized *code;
	bool no_inline;
	struct job *jobs; /* [num_jobs] */
	size_t num_jobs;
	uint32_t *job_of;      /* [modules]: its index in jobs */
	bool *used;            /* [frames]: a context or a value of an instruction has it */
	struct interner files; /* key: path id, or NO_PATH | module */
	struct interner lines; /* key: file << 32 | line */
	uint32_t *named;       /* [functions of the model]: ids of functions that came with names */
	struct interner paths; /* paths by address, and their ids in code->paths */
	VEC(uint32_t) path_ids;
	uint32_t *name_ranks; /* [functions], equal for equal names; NULL: not needed yet */
};
#define NO_PATH (UINT64_C(1) << 32)

/* The id of a path, of which only the address is looked at if it came before. UINT32_MAX if memory
 * ran out. */
static uint32_t path_id(struct build *b, const char *path)
{
	uint32_t at = interner_add(&b->paths, (uintptr_t)path), id;

	if (at < b->path_ids.len)
		return b->path_ids.at[at];
	id = at == INTERNER_NONE ? UINT32_MAX : strings_intern(b->code->paths, path, strlen(path));
	return id != UINT32_MAX && vec_push(&b->path_ids, id) ? id : UINT32_MAX;
}

static uint32_t file_id(struct build *b, const char *path, uint32_t module)
{
	struct code_file file = {.module = module};
	uint64_t key = NO_PATH | module;
	uint32_t id;

	if (path && path[0]) {
		uint32_t text = path_id(b, path);
		if (text == UINT32_MAX)
			return INTERNER_NONE;
		key = text;
		file = (struct code_file){.name = strings_get(b->code->paths, text)};
	}
	id = interner_add(&b->files, key);
	if (id == b->code->files.len && !vec_push(&b->code->files, file))
		return INTERNER_NONE;
	return id;
}

/* A line has code of another function, when all functions are known: it is of the first in
 * alphabetical order. */
static bool add_function(struct build *b, struct code_line *line, uint32_t function)
{
	if (!b->name_ranks)
		b->name_ranks = name_ranks(b->code);
	if (!b->name_ranks)
		return false;
	line->several |= b->name_ranks[function] != b->name_ranks[line->function];
	if (b->name_ranks[function] < b->name_ranks[line->function])
		line->function = function;
	return true;
}

static uint32_t line_id(struct build *b, uint32_t file, uint32_t line, uint32_t function)
{
	uint32_t id = interner_add(&b->lines, (uint64_t)file << 32 | line);
	struct code_line *known;

	if (id == INTERNER_NONE)
		return id;
	if (id == b->code->lines.len)
		return vec_push(
			   &b->code->lines,
			   (struct code_line){.file = file, .line = line, .function = function})
			   ? id
			   : INTERNER_NONE;
	known = &b->code->lines.at[id];
	if (known->function != function && !add_function(b, known, function))
		return INTERNER_NONE;
	return id;
}

/* The id of a module's function; seen maps the symbolizer's records to id - first. */
static uint32_t function_id(struct build *b, struct interner *seen, uint32_t first, uint32_t module,
			    const struct symbol_frame *f)
{
	const struct symbol_function *s = f->function;
	uint32_t local = interner_add(seen, (uint64_t)(uintptr_t)s);
	struct code_function *known;

	if (local == INTERNER_NONE)
		return local;
	if (first + local == b->code->functions.len &&
	    !vec_push(&b->code->functions, (struct code_function){.name = s->name,
								  .linkage_name = s->linkage_name,
								  .file = s->file,
								  .line = s->line,
								  .low = s->low,
								  .module = module,
								  .source = s->source}))
		return INTERNER_NONE;
	known = &b->code->functions.at[first + local];
	known->inlined |= f->inlined;
	known->standing |= !f->inlined;
	return first + local;
}

static size_t address_index(const struct job *job, uint64_t address)
{
	size_t after = SEARCH_FIRST(i, 0, job->num_addresses, job->addresses[i] > address);

	return after ? after - 1 : 0;
}

/* The chain of an address in the module's table. */
struct chain {
	const struct symbol_frame *at;
	size_t n;
};

static struct chain chain_of(const struct build *b, const struct job *job, uint64_t address)
{
	const struct symbol_table *t = &job->table;
	size_t i = address_index(job, address), end = t->first[i + 1];
	size_t from = b->no_inline ? end - 1 : t->first[i];

	return (struct chain){&t->frames[from], end - from};
}

/* The chain of the entry of the function that code is part of, where it may have been inlined. */
static struct chain entry_of(struct chain chain, struct symbol_frame *entry)
{
	*entry = chain.at[chain.n - 1];
	if (entry->function->file) {
		entry->file = entry->function->file;
		entry->line = entry->function->line;
	}
	return (struct chain){entry, 1};
}

/* Append the chain of a frame with an address. */
static bool append_chain(struct build *b, struct interner *seen, uint32_t first,
			 const struct job *job, const struct model_frame *frame)
{
	struct chain chain = chain_of(b, job, frame->address);
	struct symbol_frame entry;

	if (frame->role == FRAME_ENTRY && chain.n)
		chain = entry_of(chain, &entry);
	for (size_t k = 0; k < chain.n; k++) {
		const struct symbol_frame *f = &chain.at[k];
		uint32_t function = function_id(b, seen, first, job->module, f);
		uint32_t file = file_id(b, f->file, job->module);
		uint32_t line;
		if (function == INTERNER_NONE || file == INTERNER_NONE)
			return false;
		line = line_id(b, file, f->line, function);
		if (line == INTERNER_NONE || b->code->frames.len >= UINT32_MAX - 1 ||
		    !vec_push(&b->code->frames, (struct code_frame){.function = function,
								    .line = line,
								    .inlined = f->inlined}))
			return false;
	}
	return true;
}

/* Whether a context has a frame of the module that came without a name. */
static bool has_used(const struct build *b, const struct model_module *mod)
{
	for (uint32_t f = mod->first_frame; f < mod->first_frame + mod->num_frames; f++)
		if (b->used[f] && b->m->frames.at[f].role < FRAME_ADDRESSED)
			return true;
	return false;
}

static bool describe_module(struct build *b, const struct job *job)
{
	struct code_module *out = &b->code->modules[job->module];
	const struct model_module *mod = &b->m->modules.at[job->module];

	if (!job->num_addresses && mod->has_names) {
		out->best = mod->best;
		out->stale = mod->stale;
		out->asked = !mod->is_source && (mod->name[0] == '/' || mod->best != SYMBOL_NONE);
		out->why = mod->why;
		return true;
	}
	out->best = job->table.best;
	out->stale = job->table.stale;
	out->kept = job->table.kept;
	out->unread = job->table.unread;
	out->asked = has_used(b, mod) && (mod->image || mod->name[0] == '/');
	if (job->why.kind == ERROR_NONE)
		return true;
	out->why = arena_strndup(&b->code->arena, job->why.text, strlen(job->why.text));
	return out->why != NULL;
}

/* Whether a and b are one function, with code from several files. */
static bool same_function(const struct model_function *a, const struct model_function *b)
{
	struct model_function other = *b;

	other.file = a->file;
	return a->declared && b->declared && model_compare_functions(a, &other) == 0;
}

/* Functions that are one are neighbours in the model. */
static bool append_named_functions(struct build *b)
{
	const struct model_function *all = b->m->functions.at;
	bool ok = true;

	b->named = malloc((b->m->functions.len + 1) * sizeof *b->named);
	for (size_t i = 0; ok && b->named && i < b->m->functions.len; i++) {
		const struct model_function *f = &all[i];
		const char *name = f->name ? f->name : MODEL_UNKNOWN_FUNCTION;
		const char *file = !f->declared ? f->file : f->declared[0] ? f->declared : NULL;
		if (!i || !same_function(&all[i - 1], f))
			ok = vec_push(&b->code->functions,
				      (struct code_function){
					  .name = name,
					  .linkage_name = f->linkage_name ? f->linkage_name : name,
					  .file = file,
					  .line = f->line,
					  .low = f->low,
					  .module = f->module,
					  .source = f->name ? f->source : SYMBOL_NONE});
		b->named[i] = (uint32_t)b->code->functions.len - 1;
	}
	return ok && b->named;
}

/* Append the chain of a frame that came with its name. */
static bool append_named(struct build *b, const struct model_frame *f)
{
	uint32_t function = (uint32_t)(f->address >> 32), id = b->named[function];
	bool inlined = f->role >= FRAME_NAMED_INLINED;
	uint32_t file = file_id(b, b->m->functions.at[function].file, f->module);
	uint32_t line =
	    file == INTERNER_NONE ? INTERNER_NONE : line_id(b, file, (uint32_t)f->address, id);

	b->code->functions.at[id].inlined |= inlined;
	b->code->functions.at[id].standing |= !inlined;
	return line != INTERNER_NONE && b->code->frames.len < UINT32_MAX - 1 &&
	       vec_push(&b->code->frames,
			(struct code_frame){.function = id, .line = line, .inlined = inlined});
}

/* Make the functions of job j: those of one module get neighbouring ids, so that the id of a record
 * is its index in the module plus *first. */
static bool make_functions(struct build *b, size_t j, struct interner *seen, uint32_t *first)
{
	const struct job *job = &b->jobs[j];
	const struct model_module *mod = &b->m->modules.at[job->module];
	bool ok = true;

	*first = (uint32_t)b->code->functions.len;
	for (uint32_t f = mod->first_frame; f < mod->first_frame + mod->num_frames; f++) {
		const struct model_frame *frame = &b->m->frames.at[f];
		struct chain chain = {0};
		if (b->used[f] && frame->role < FRAME_ADDRESSED)
			chain = chain_of(b, job, frame->address);
		for (size_t k = 0; ok && k < chain.n; k++)
			ok = function_id(b, seen, *first, job->module, &chain.at[k]) !=
			     INTERNER_NONE;
	}
	return ok;
}

/* Make functions, files and lines of all modules, and the chain of each frame that a context has.
 * Two frames with the same address, but different roles, have a copy of the chain each: this is
 * rare. */
static bool make_chains(struct build *b, struct interner *seen, uint32_t *firsts)
{
	size_t num_frames = b->m->frames.len;
	bool ok = true;

	for (size_t j = 0; ok && j < b->num_jobs; j++)
		ok = describe_module(b, &b->jobs[j]) && make_functions(b, j, &seen[j], &firsts[j]);
	ok = ok && append_named_functions(b);
	for (size_t f = 0; ok && f < num_frames; f++) {
		const struct model_frame *frame = &b->m->frames.at[f];
		uint32_t j = b->job_of[frame->module];
		b->code->first[f] = (uint32_t)b->code->frames.len;
		if (!b->used[f])
			continue;
		if (frame->role >= FRAME_ADDRESSED)
			ok = append_named(b, frame);
		else
			ok = append_chain(b, &seen[j], firsts[j], &b->jobs[j], frame);
	}
	if (ok)
		b->code->first[num_frames] = (uint32_t)b->code->frames.len;
	return ok;
}

/* That of an interpreter is no helper's, as what creates a thread for others is not told apart. */
static const char *named_creator(const struct build *b, const struct model_call *call)
{
	return b->code->functions.at[b->named[call->address >> 32]].name;
}

/* The function that created a group of threads: the innermost that is no helper's, or the innermost
 * of all. Other frames than those of contexts may be needed to tell it. */
static const char *creator_of(const struct build *b, const struct model_threads *g)
{
	const char *first = g->creator;

	for (uint32_t i = 0; i < g->num_calls; i++) {
		uint32_t module = g->call[i].module;
		struct chain chain = {0};
		if (g->call[i].named)
			return named_creator(b, &g->call[i]);
		if (model_call_frame(b->m, &g->call[i]) != MODEL_NO_FRAME)
			chain = chain_of(b, &b->jobs[b->job_of[module]], g->call[i].address);
		for (size_t k = 0; k < chain.n; k++) {
			const struct symbol_function *f = chain.at[k].function;
			if (!creators_helps(b->m->modules.at[module].name, f))
				return f->name;
			if (!first)
				first = f->name;
		}
	}
	return first ? first : "";
}

static void use_value(struct build *b, const struct model_value *v)
{
	uint32_t frame =
	    model_find_frame(b->m, &(struct model_frame){v->address, v->module, FRAME_POINT});

	if (frame != MODEL_NO_FRAME)
		b->used[frame] = true;
}

static int build(struct build *b, struct error *e)
{
	const struct model *m = b->m;
	struct interner *seen = calloc(b->num_jobs + 1, sizeof *seen);
	uint32_t *firsts = calloc(b->num_jobs + 1, sizeof *firsts);
	bool ok;

	b->used = calloc(m->frames.len + 1, sizeof *b->used);
	b->job_of = calloc(m->modules.len + 1, sizeof *b->job_of);
	b->code->creators = calloc(m->threads.len + 1, sizeof *b->code->creators);
	ok = seen && firsts && b->used && b->job_of && b->code->creators;
	for (size_t j = 0; ok && j < b->num_jobs; j++)
		b->job_of[b->jobs[j].module] = (uint32_t)j;
	for (uint32_t i = MODEL_ROOTS; ok && i < model_num_contexts(m); i++)
		b->used[model_frame_of(m, i)] = true;
	for (size_t i = 0; ok && i < m->values.len; i++)
		use_value(b, &m->values.at[i]);
	ok = ok && make_chains(b, seen, firsts);
	for (size_t i = 0; ok && i < m->threads.len; i++)
		b->code->creators[i] = creator_of(b, &m->threads.at[i]);
	for (size_t j = 0; seen && j < b->num_jobs; j++)
		interner_deinit(&seen[j]);
	free(seen);
	free(firsts);
	return ok ? 0 : error_memory(e, m->frames.len * sizeof(struct code_frame));
}

int correlate(const struct model *m, const struct correlate_options *o, struct symbolized *out,
	      struct error *e)
{
	struct correlate_work work = {.m = m, .o = o, .num_jobs = m->modules.len};
	struct build b = {
	    .m = m, .code = out, .no_inline = o->no_inline, .num_jobs = m->modules.len};
	int rc = 0;

	memset(out, 0, sizeof *out);
	work.jobs = calloc(work.num_jobs + 1, sizeof *work.jobs);
	out->paths = strings_create();
	out->first = calloc(m->frames.len + 1, sizeof *out->first);
	out->modules = calloc(m->modules.len + 1, sizeof *out->modules);
	if (!work.jobs || !out->paths || !out->first || !out->modules) {
		error_memory(e, m->frames.len * sizeof *out->first);
		rc = -1;
	}
	for (size_t i = 0; rc == 0 && i < work.num_jobs; i++) {
		work.jobs[i].module = (uint32_t)i;
		rc = correlate_addresses(m, (uint32_t)i, &work.jobs[i].addresses,
					 &work.jobs[i].num_addresses, e);
	}
	pthread_mutex_init(&work.lock, NULL);
	if (rc == 0) {
		qsort(work.jobs, work.num_jobs, sizeof *work.jobs, by_size);
		rc = resolve_all(&work, out, e);
	}
	b.jobs = work.jobs;
	if (rc == 0)
		rc = build(&b, e);
	if (rc == 0)
		rc = groups_find(out, m, e);
	pthread_mutex_destroy(&work.lock);
	for (size_t i = 0; work.jobs && i < work.num_jobs; i++) {
		free(work.jobs[i].addresses);
		if (work.jobs[i].resolved)
			symbol_table_free(&work.jobs[i].table);
	}
	free(work.jobs);
	interner_deinit(&b.files);
	interner_deinit(&b.lines);
	interner_deinit(&b.paths);
	vec_free(&b.path_ids);
	free(b.name_ranks);
	free(b.named);
	free(b.used);
	free(b.job_of);
	if (rc != 0)
		symbolized_deinit(out);
	return rc;
}

void symbolized_deinit(struct symbolized *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->num_symbolizers; i++)
		symbolizer_destroy(c->symbolizers[i]);
	free(c->symbolizers);
	vec_free(&c->functions);
	vec_free(&c->files);
	vec_free(&c->lines);
	vec_free(&c->frames);
	vec_free(&c->folders);
	vec_free(&c->namespaces);
	free(c->folder_of);
	free(c->namespace_of);
	free(c->first);
	free(c->creators);
	free(c->modules);
	strings_destroy(c->paths);
	arena_deinit(&c->arena);
	memset(c, 0, sizeof *c);
}
