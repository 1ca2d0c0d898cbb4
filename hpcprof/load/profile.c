#include "hpcprof/load/profile.h"

#include "formats/base/path.h"
#include "hpcprof/command/output.h"
#include "hpcprof/correlate/pack.h"
#include "hpcprof/correlate/select.h"
#include "hpcprof/correlate/under.h"
#include "hpcprof/load/choice.h"
#include "hpcprof/load/load.h"
#include "hpcprof/load/scan.h"
#include "hpcprof/model/labels.h"
#include "hpcprof/terminal/pager.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *advice(enum error_kind kind)
{
	switch (kind) {
	case ERROR_FORMAT:
		return "skipped; the file may be damaged or incomplete";
	case ERROR_SYSTEM:
		return "skipped; check its name and permissions";
	default:
		return "skipped";
	}
}

/* Report a problem and keep it for the views. */
static bool report(struct profile *p, struct diag *d, const char *path,
		   const struct load_problem *problem)
{
	struct profile_loss loss = {.read = problem->kind == ERROR_NONE};

	if (!loss.read)
		diag_problem(d, path, "%s (%s)", problem->text, advice(problem->kind));
	else if (problem->trailer)
		diag_problem(d, path, "%s (its call paths were read, its trailer was not)",
			     problem->text);
	else
		diag_problem(d, path, "%s", problem->text);
	loss.path = arena_strndup(&p->arena, path, strlen(path));
	loss.text = arena_strndup(&p->arena, problem->text, strlen(problem->text));
	return loss.path && loss.text && vec_push(&p->losses, loss);
}

/* Report what was read of processes that have no datafile, or not yet. */
static void tell_stores(struct diag *d, const struct load *l)
{
	if (l->running || l->killed)
		diag_notice(d, NULL,
			    "read from stores: %zu running and %zu killed program images (hpcprof "
			    "recover DIR writes datafiles for the killed ones)",
			    l->running, l->killed);
}

static void was_read(void *context, size_t done, size_t total)
{
	diag_progress(context, "reading: %zu of %zu datafiles", done, total);
}

static void resolved(void *context, size_t done, size_t total)
{
	diag_progress(context, "resolving addresses: %zu of %zu load modules", done, total);
}

/* Whether any frame is a label with that key. */
static bool has_label(const struct model *m, const char *key)
{
	struct model_label label;

	for (size_t i = 0; i < m->functions.len; i++)
		if (model_label(m, (uint32_t)i, &label) && label.key_bytes == strlen(key) &&
		    memcmp(label.key, key, label.key_bytes) == 0)
			return true;
	return false;
}

/* A key that was mistyped would only leave all as it is, or nothing. */
static int check_labels(const struct profile *p, const struct common *o, struct diag *d,
			struct error *e)
{
	bool any = false;

	for (size_t i = 0; i < o->group_by.len; i++)
		if (!has_label(p->model, o->group_by.at[i]) && !strchr(o->group_by.at[i], '='))
			diag_notice(d, NULL, "nothing has a label %s (--group-by)",
				    o->group_by.at[i]);
	for (size_t i = 0; i < p->model->metrics.len; i++)
		any |= p->model->metrics.at[i].total.events != 0;
	return any || !o->labels.len
		   ? 0
		   : error_set(e, ERROR_USAGE, "nothing has the labels that --label asks for");
}

static int load_model(struct profile *p, struct load *l, struct diag *d, struct error *e)
{
	int rc = load_files(l, e);

	for (size_t i = 0; rc == 0 && i < l->problems.len; i++)
		if (!report(p, d, l->files[l->problems.at[i].file].path, &l->problems.at[i]))
			rc = error_memory(e, sizeof(struct profile_loss));
	for (size_t i = 0; rc == 0 && i < l->notices.len; i++)
		diag_notice(d, l->files[l->notices.at[i].file].path, "not read: %s",
			    l->notices.at[i].text);
	if (rc == 0)
		tell_stores(d, l);
	p->model = l->model;
	l->model = NULL;
	if (rc == 0 && l->unwanted && !l->chosen)
		rc = error_set(e, ERROR_USAGE,
			       "no process and thread is as chosen (hpcprof --processes and "
			       "--threads, with -n 0, list them all)");
	if (rc == 0 && !p->model->processes.len)
		rc = error_set(e, ERROR_USAGE,
			       "no profile could be read (name a measurement directory, "
			       "hpcrun-COMMAND-N, or a datafile)");
	if (rc == 0 && p->model->saturated)
		diag_problem(d, NULL,
			     "some sums exceed 2^64 - 1 and are shown as 2^64 - 1 (show fewer "
			     "profiles at a time)");
	return rc;
}

/* Group the files that were read. The strings of the scan move to the profile. */
static int group_files(struct profile *p, const struct common *o, struct scan *s,
		       const struct load *l, struct error *e)
{
	bool *left_out = calloc(s->files.len + 1, sizeof *left_out);
	int rc;

	if (!left_out)
		return error_memory(e, s->files.len);
	for (size_t i = 0; i < l->problems.len; i++)
		left_out[l->problems.at[i].file] |= l->problems.at[i].kind != ERROR_NONE;
	for (size_t i = 0; l->unwanted && i < l->num_files; i++)
		left_out[i] |= l->unwanted[i];
	arena_adopt(&p->arena, &s->arena);
	rc = units_group(&p->units, o->by ? o->by : UNIT_PROFILE, s->files.at, s->files.len,
			 left_out, p->model, &p->arena, e);
	free(left_out);
	return rc;
}

static int load_all(struct profile *p, const struct profile_request *r, struct diag *d,
		    struct scan *s, struct error *e)
{
	const struct common *o = r->common;
	struct load l = {.num_files = s->files.len,
			 .threads = o->threads,
			 .ingest = {.sysroot = o->sysroot,
				    .join_threads = o->join_threads,
				    .keep_notes = r->keep_notes,
				    .keep_interpreter = r->interpreter || o->interpreter,
				    .group_by = &o->group_by,
				    .threads = r->threads,
				    .values = r->values},
			 .progress = was_read,
			 .context = d};
	struct load_file *files = calloc(s->files.len + 1, sizeof *files);
	int rc;

	if (!files)
		return error_memory(e, s->files.len * sizeof *files);
	if (choice_create(&p->choice, o, e) != 0) {
		free(files);
		return -1;
	}
	l.ingest.choice = p->choice;
	for (size_t i = 0; i < s->files.len; i++)
		files[i] = (struct load_file){s->files.at[i].path, s->files.at[i].datafile};
	if (!r->units)
		vec_free(&s->files); /* there may be many; the arena owns their strings */
	l.files = files;
	rc = load_model(p, &l, d, e);
	if (rc == 0)
		rc = check_labels(p, o, d, e);
	if (rc == 0 && r->units)
		rc = group_files(p, o, s, &l, e);
	load_deinit(&l);
	free(files);
	return rc;
}

/* Check a folder given by an option. Otherwise a wrong one would not be noticed: files are only
 * tried there. */
static void check_folder(struct diag *d, const char *option, const char *path)
{
	struct stat st;

	if (path && stat(path, &st) != 0)
		diag_problem(d, path, "%s (ignored; check %s)", strerror(errno), option);
	else if (path && !S_ISDIR(st.st_mode))
		diag_problem(d, path, "not a directory (ignored; check %s)", option);
}

/* The output must not be one of the input files: else each run would count the earlier output
 * again. */
static int check_output(const char *output, const struct scan *s, struct error *e)
{
	struct stat st;

	if (!output || stat(output, &st) != 0)
		return 0;
	for (size_t i = 0; i < s->files.len; i++)
		if (s->files.at[i].device == st.st_dev && s->files.at[i].inode == st.st_ino)
			return error_set(e, ERROR_USAGE,
					 "%s is among the PROFILEs (choose another file with -o, "
					 "or move it away)",
					 output);
	return 0;
}

/* Report modules whose names are missing because their files are others now: a few by name, as
 * after an update of the system there may be many. What a database says about its modules was
 * reported when it was made. */
static void tell_replaced(const struct profile *p, struct diag *d)
{
	enum { NAMED = 3 };
	size_t n = 0;

	for (size_t i = 0; i < p->model->modules.len; i++) {
		const struct model_module *mod = &p->model->modules.at[i];
		const struct code_module *code = &p->code.modules[i];
		if (code->unread)
			diag_problem(d, NULL, "%s", code->why);
		if (code->stale && (code->best == SYMBOL_NONE || code->kept) && !mod->has_names &&
		    n++ < NAMED)
			diag_problem(d, mod->name,
				     "not the file that was measured (its functions have %s; "
				     "put the measured file below a folder, under the same path, "
				     "and name the folder with --sysroot)",
				     code->kept ? "only the names that were kept" : "no names");
	}
	if (n > NAMED)
		diag_problem(d, NULL, "%zu more load modules are not the files that were measured",
			     n - NAMED);
}

struct folder {
	dev_t device;
	ino_t inode;
};
typedef VEC(struct folder) folder_list;

static bool has_folder(const folder_list *in, const struct stat *st)
{
	for (size_t i = 0; i < in->len; i++)
		if (in->at[i].device == st->st_dev && in->at[i].inode == st->st_ino)
			return true;
	return false;
}

/* Read which programs were not measured, of each folder once. */
static int read_unmeasured(struct profile *p, const struct common *o, struct error *e)
{
	folder_list folders = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < o->num_profiles; i++) {
		struct stat st;
		if (stat(o->profiles[i], &st) != 0 || !S_ISDIR(st.st_mode) ||
		    has_folder(&folders, &st))
			continue;
		rc = vec_push(&folders, (struct folder){st.st_dev, st.st_ino})
			 ? unmeasured_read(&p->unmeasured, o->profiles[i], &p->arena, e)
			 : error_memory(e, sizeof *folders.at);
	}
	vec_free(&folders);
	unmeasured_sort(&p->unmeasured);
	return rc;
}

/* The folders of the files that have names which were kept. Files are sorted by path. */
static int find_packs(struct profile *p, const struct scan *s, struct error *e)
{
	const char *last = NULL;
	size_t last_length = 0;

	for (size_t i = 0; i < s->files.len; i++) {
		const struct scan_file *f = &s->files.at[i];
		const char *path = f->datafile ? f->datafile : f->path;
		size_t length = path_folder_length(path);
		char *folder;
		int there;
		if (last && last_length == length && memcmp(last, path, length) == 0)
			continue;
		last = path;
		last_length = length;
		folder = length ? arena_strndup(&p->arena, path, length)
				: arena_strndup(&p->arena, ".", 1);
		there = folder ? pack_exists(folder) : -1;
		if (there < 0)
			return error_memory(e, length);
		if (there && !vec_push(&p->packs, folder))
			return error_memory(e, sizeof folder);
	}
	return 0;
}

int profile_load(struct profile *p, const struct profile_request *r, struct diag *d,
		 struct error *e)
{
	const struct common *o = r->common;
	struct correlate_options c = {
	    .symbolizer = correlate_symbolizer(o),
	    .no_inline = o->no_inline,
	    .threads = o->threads,
	    .progress = resolved,
	    .context = d,
	};
	struct scan s;
	int rc;

	memset(p, 0, sizeof *p);
	p->diag = d;
	check_folder(d, "--sysroot", o->sysroot);
	for (size_t i = 0; i < o->debug_dirs.len; i++)
		check_folder(d, "--debug-dir", o->debug_dirs.at[i]);
	if (scan_profiles(&s, o->profiles, o->num_profiles, r->apart, d, e) != 0)
		return -1;
	rc = check_output(r->output, &s, e);
	if (rc == 0)
		rc = find_packs(p, &s, e);
	if (rc == 0)
		rc = load_all(p, r, d, &s, e);
	scan_deinit(&s);
	if (rc == 0)
		rc = read_unmeasured(p, o, e);
	c.symbolizer.pack_folders = p->packs.at;
	c.symbolizer.num_pack_folders = p->packs.len;
	if (rc == 0 && !r->no_names)
		rc = correlate(p->model, &c, &p->code, e);
	diag_progress_end(d);
	if (rc == 0 && !r->no_names)
		tell_replaced(p, d);
	if (rc != 0)
		profile_deinit(p);
	return rc;
}

void profile_deinit(struct profile *p)
{
	if (!p)
		return;
	symbolized_deinit(&p->code);
	model_destroy(p->model);
	vec_free(&p->losses);
	vec_free(&p->unmeasured);
	vec_free(&p->packs);
	units_deinit(&p->units);
	choice_destroy(p->choice);
	arena_deinit(&p->arena);
	memset(p, 0, sizeof *p);
}

/* Keep of the profile what is under the function that the user named. */
static int keep_under(struct profile *p, const struct common *o, struct error *e)
{
	bool *marks;
	uint32_t which;
	int rc;

	if (!o->under)
		return 0;
	if (p->units.groups.len)
		return error_set(
		    e, ERROR_USAGE,
		    "--under cannot be combined with a comparison of profiles (--stats, "
		    "--collective)");
	if (select_named(p->model, &p->code, o->under, &marks, &which, e) != 0)
		return -1;
	rc = under_keep(p->model, &p->code, marks, e);
	free(marks);
	return rc;
}

/* Nothing could be loaded: status 3, since the command line is correct. */
static int load_failed(struct error *e)
{
	if (e->kind == ERROR_USAGE)
		e->kind = ERROR_LIMIT;
	return -1;
}

/* The error was reported to d: main must not report it again. */
static int already_told(struct error *e)
{
	*e = (struct error){0};
	return -1;
}

static int load_and_print(struct output *out, const struct profile_request *r, command_print *print,
			  const void *options, struct diag *d, struct error *e)
{
	struct profile p;
	int rc;

	if (profile_load(&p, r, d, e) != 0)
		return load_failed(e);
	rc = keep_under(&p, r->common, e);
	if (rc == 0 && r->common->page && !r->output)
		pager_begin();
	if (rc == 0)
		rc = print(out->file, &p, options, e);
	profile_deinit(&p);
	if (rc >= 0 && output_commit(out, e) != 0) {
		diag_problem(d, r->output, "%s (the file was not changed)", e->text);
		return already_told(e);
	}
	return rc;
}

int profile_show(FILE *to, const struct profile_request *r, command_print *print,
		 const void *options, struct diag *d, struct error *e)
{
	struct output out;
	int rc;

	if (output_open(&out, to, r->output, e) != 0) {
		diag_problem(d, r->output, "%s (nothing was written; check -o)", e->text);
		return already_told(e);
	}
	rc = load_and_print(&out, r, print, options, d, e);
	output_abandon(&out);
	return rc;
}
