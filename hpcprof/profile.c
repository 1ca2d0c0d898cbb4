#include "hpcprof/profile.h"

#include "hpcprof/load.h"
#include "hpcprof/scan.h"
#include "hpcprof/command/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *advice(enum error_kind kind)
{
	switch (kind) {
	case ERROR_FORMAT:
		return "it is left out; it is damaged or was cut short";
	case ERROR_SYSTEM:
		return "it is left out; check its name and permissions";
	default:
		return "it is left out";
	}
}

/* Tell a problem and keep it for the views. */
static bool report(struct profile *p, struct diag *d, const char *path,
		   const struct load_problem *problem)
{
	struct profile_loss loss = {.read = problem->kind == ERROR_NONE};

	if (!loss.read)
		diag_problem(d, path, "%s (%s)", problem->text, advice(problem->kind));
	else if (problem->trailer)
		diag_problem(d, path, "%s (the call paths are read, the trailer is not)",
			     problem->text);
	else
		diag_problem(d, path, "%s", problem->text);
	loss.path = arena_strndup(&p->arena, path, strlen(path));
	loss.text = arena_strndup(&p->arena, problem->text, strlen(problem->text));
	return loss.path && loss.text && vec_push(&p->losses, loss);
}

/* What was read of processes that left no datafile, or not yet. */
static void tell_stores(struct diag *d, const struct load *l)
{
	if (l->running || l->killed)
		diag_notice(d, NULL,
			    "read from stores: %zu running and %zu killed program images (hpcprof "
			    "recover DIR makes datafiles of the killed)",
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

static int load_model(struct profile *p, struct load *l, struct diag *d, struct error *e)
{
	int rc = load_files(l, e);

	for (size_t i = 0; rc == 0 && i < l->problems.len; i++)
		if (!report(p, d, l->files[l->problems.at[i].file].path, &l->problems.at[i]))
			rc = error_memory(e, sizeof(struct profile_loss));
	if (rc == 0)
		tell_stores(d, l);
	p->model = l->model;
	l->model = NULL;
	if (rc == 0 && !p->model->processes.len)
		rc = error_set(e, ERROR_USAGE,
			       "no profile could be read (name a measurement directory, "
			       "hpcrun-COMMAND-N, or a datafile)");
	if (rc == 0 && p->model->saturated)
		diag_problem(
		    d, NULL,
		    "some sums would pass 2^64 - 1 and stand there (show fewer profiles at "
		    "a time)");
	return rc;
}

/* Group the files that were read. What they name moves to the profile. */
static int group_files(struct profile *p, const struct common *o, struct scan *s,
		       const struct load *l, struct error *e)
{
	bool *left_out = calloc(s->files.len + 1, sizeof *left_out);
	int rc;

	if (!left_out)
		return error_memory(e, s->files.len);
	for (size_t i = 0; i < l->problems.len; i++)
		left_out[l->problems.at[i].file] |= l->problems.at[i].kind != ERROR_NONE;
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
			 .ingest = {.sysroot = o->sysroot, .join_threads = o->join_threads},
			 .progress = was_read,
			 .context = d};
	struct load_file *files = calloc(s->files.len + 1, sizeof *files);
	int rc;

	if (!files)
		return error_memory(e, s->files.len * sizeof *files);
	for (size_t i = 0; i < s->files.len; i++)
		files[i] = (struct load_file){s->files.at[i].path, s->files.at[i].datafile};
	if (!r->units)
		vec_free(&s->files); /* there may be many; what they name is in the arena */
	l.files = files;
	rc = load_model(p, &l, d, e);
	if (rc == 0 && r->units)
		rc = group_files(p, o, s, &l, e);
	load_deinit(&l);
	free(files);
	return rc;
}

/* A folder of an option that is none would go unnoticed: files are only tried there. */
static void check_folder(struct diag *d, const char *option, const char *path)
{
	struct stat st;

	if (path && stat(path, &st) != 0)
		diag_problem(d, path, "%s (nothing is found there; check %s)", strerror(errno),
			     option);
	else if (path && !S_ISDIR(st.st_mode))
		diag_problem(d, path, "not a directory (nothing is found there; check %s)", option);
}

/* A file that is written cannot be one of those it is made of: an earlier one would be counted
 * once more each time. */
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

int profile_load(struct profile *p, const struct profile_request *r, struct diag *d,
		 struct error *e)
{
	const struct common *o = r->common;
	struct correlate_options c = {
	    .symbolizer = {.sysroot = o->sysroot,
			   .debug_dirs = o->debug_dirs.at,
			   .num_debug_dirs = o->debug_dirs.len},
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
	if (scan_profiles(&s, o->profiles, o->num_profiles, d, e) != 0)
		return -1;
	rc = check_output(r->output, &s, e);
	if (rc == 0)
		rc = load_all(p, r, d, &s, e);
	scan_deinit(&s);
	if (rc == 0 && !r->no_names)
		rc = correlate(p->model, &c, &p->code, e);
	diag_progress_end(d);
	if (rc != 0)
		profile_deinit(p);
	return rc;
}

void profile_deinit(struct profile *p)
{
	if (!p)
		return;
	code_deinit(&p->code);
	model_destroy(p->model);
	vec_free(&p->losses);
	units_deinit(&p->units);
	arena_deinit(&p->arena);
	memset(p, 0, sizeof *p);
}

/* Nothing could be loaded: no fault of the command line, and status 3. */
static int load_failed(struct error *e)
{
	if (e->kind == ERROR_USAGE)
		e->kind = ERROR_LIMIT;
	return -1;
}

/* d was told: main is to say no more. */
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
	rc = print(out->file, &p, options, e);
	profile_deinit(&p);
	if (rc >= 0 && output_commit(out, e) != 0) {
		diag_problem(d, r->output, "%s (it is as it was before)", e->text);
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
		diag_problem(d, r->output, "%s (nothing is done; check -o)", e->text);
		return already_told(e);
	}
	rc = load_and_print(&out, r, print, options, d, e);
	output_abandon(&out);
	return rc;
}
