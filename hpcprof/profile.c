#include "hpcprof/profile.h"

#include "hpcprof/scan.h"
#include "hpcprof/source.h"
#include "hpcprof/xml.h"
#include "reader/xml.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct loading {
	struct profile *p;
	const struct options *o;
	struct diag *d;
	const char *path;       /* of the file at hand */
	size_t running, killed; /* stores */
	bool memory;            /* ran out while something was noted */
};

static void note_loss(struct loading *l, const char *text, bool read)
{
	struct profile_loss loss = {.read = read};

	loss.path = arena_strndup(&l->p->arena, l->path, strlen(l->path));
	loss.text = arena_strndup(&l->p->arena, text, strlen(text));
	if (!loss.path || !loss.text || !vec_push(&l->p->losses, loss))
		l->memory = true;
}

static void complain(void *context, const char *text)
{
	struct loading *l = context;
	diag_problem(l->d, l->path, "%s", text);
	note_loss(l, text, true);
}

static const char *advice(const struct error *e)
{
	switch (e->kind) {
	case ERROR_FORMAT:
		return "it is left out; it is damaged or was cut short";
	case ERROR_SYSTEM:
		return "it is left out; check its name and permissions";
	default:
		return "it is left out";
	}
}

static int load_xml(struct loading *l, struct error *e)
{
	int rc = model_add_xml(l->p->model, l->path, e);

	if (rc <= 0)
		return rc;
	diag_problem(l->d, l->path, "%s (%s)", e->text, advice(e));
	note_loss(l, e->text, false);
	return 0;
}

static int load_file(struct loading *l, const char *datafile, struct error *e)
{
	struct source s;
	int rc;

	if (reader_xml_is(l->path))
		return load_xml(l, e);
	if (source_open(&s, l->path, datafile, e) != 0) {
		diag_problem(l->d, l->path, "%s (%s)", e->text, advice(e));
		note_loss(l, e->text, false);
		return 0;
	}
	if (reader_warning(s.reader)) {
		diag_problem(l->d, l->path, "%s (the call paths are read, the trailer is not)",
			     reader_warning(s.reader)->text);
		note_loss(l, reader_warning(s.reader)->text, true);
	}
	l->running += s.kind == SOURCE_RUNNING;
	l->killed += s.kind == SOURCE_KILLED;
	rc = model_add(l->p->model, s.reader, l->path, l->o->sysroot, complain, l, e);
	source_close(&s);
	return rc;
}

/* What was read of processes that left no datafile, or not yet. */
static void tell_stores(const struct loading *l)
{
	if (l->running || l->killed)
		diag_notice(l->d, NULL,
			    "read from stores: %zu running and %zu killed program images (hpcprof "
			    "recover DIR makes datafiles of the killed)",
			    l->running, l->killed);
}

static void resolved(void *context, size_t done, size_t total)
{
	diag_progress(context, "resolving addresses: %zu of %zu load modules", done, total);
}

static int load_all(struct loading *l, const struct scan *s, struct error *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->files.len; i++) {
		diag_progress(l->d, "reading: %zu of %zu datafiles", i + 1, s->files.len);
		l->path = s->files.at[i].path;
		rc = load_file(l, s->files.at[i].datafile, e);
	}
	if (rc == 0)
		tell_stores(l);
	if (rc == 0 && l->memory)
		rc = error_memory(e, sizeof(struct profile_loss));
	if (rc == 0 && !l->p->model->processes.len)
		rc = error_set(e, ERROR_USAGE,
			       "no profile could be read (name a measurement directory, "
			       "hpcrun-COMMAND-N, or a datafile)");
	if (rc == 0)
		rc = model_finish(l->p->model, e);
	if (rc == 0 && l->p->model->saturated)
		diag_problem(
		    l->d, NULL,
		    "some sums would pass 2^64 - 1 and stand there (show fewer profiles at "
		    "a time)");
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

int profile_load(struct profile *p, const struct options *o, struct diag *d, struct error *e)
{
	struct loading l = {.p = p, .o = o, .d = d};
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
	check_folder(d, "--sysroot", o->sysroot);
	for (size_t i = 0; i < o->debug_dirs.len; i++)
		check_folder(d, "--debug-dir", o->debug_dirs.at[i]);
	if (scan_profiles(&s, o->profiles, o->num_profiles, d, e) != 0)
		return -1;
	p->model = model_create();
	rc = p->model ? load_all(&l, &s, e) : error_memory(e, sizeof *p->model);
	scan_deinit(&s);
	if (rc == 0)
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
	arena_deinit(&p->arena);
	memset(p, 0, sizeof *p);
}
