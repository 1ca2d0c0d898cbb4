/* hpcprof: show what hpcrun measured. The only file of the program that exits. */
#include "db/db.h"
#include "hpcprof/diag.h"
#include "hpcprof/options.h"
#include "hpcprof/output.h"
#include "hpcprof/profile.h"
#include "hpcprof/views.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes from which memory is a mapping of its own. Said, it stays so; otherwise it rises with what
 * is freed, and tables that grow leave holes where they were. */
enum { OWN_MAPPING = 128 << 10 };
enum { STATUS_DONE = 0, STATUS_LEFT_OUT = 1, STATUS_USAGE = 2, STATUS_NOTHING = 3 };

static int status_of(const struct error *e)
{
	return e->kind == ERROR_USAGE ? STATUS_USAGE : STATUS_NOTHING;
}

static int show_profile(const struct options *o, struct diag *d)
{
	struct output out;
	struct error e = {0};
	struct profile p;
	int rc;

	if (output_open(&out, o->output, &e) != 0) {
		diag_problem(d, o->output, "%s (nothing is done; check -o)", e.text);
		return STATUS_NOTHING;
	}
	if (profile_load(&p, o, d, &e) != 0) {
		diag_problem(d, NULL, "%s", e.text);
		output_abandon(&out);
		return STATUS_NOTHING;
	}
	rc = o->view->print(out.file, &p, o, &e);
	profile_deinit(&p);
	if (rc >= 0 && output_commit(&out, &e) != 0) {
		diag_problem(d, o->output, "%s (it is as it was before)", e.text);
		return STATUS_NOTHING;
	}
	output_abandon(&out);
	if (rc < 0) {
		diag_problem(d, NULL, "%s", e.text);
		return status_of(&e);
	}
	return rc || d->problems ? STATUS_LEFT_OUT : STATUS_DONE;
}

static int show_files(const struct options *o, struct diag *d)
{
	size_t shown = 0;

	for (size_t i = 0; i < o->num_profiles; i++) {
		struct error e = {0};
		int rc = o->view->print_file(stdout, o->profiles[i], o, &e);
		if (rc != 0)
			diag_problem(d, o->profiles[i], "%s (%s)", e.text,
				     rc > 0 ? "the rest is shown" : "nothing of it is shown");
		shown += rc >= 0;
	}
	if (!shown)
		return STATUS_NOTHING;
	return d->problems ? STATUS_LEFT_OUT : STATUS_DONE;
}

static int run_view(const struct options *o, struct diag *d)
{
	struct error e = {0};
	int rc = o->view->run(stdout, o, d, &e);

	if (rc < 0) {
		diag_problem(d, NULL, "%s", e.text);
		return status_of(&e);
	}
	return rc || d->problems ? STATUS_LEFT_OUT : STATUS_DONE;
}

static int show(const struct options *o, struct diag *d)
{
	if (o->view->run)
		return run_view(o, d);
	return o->view->print ? show_profile(o, d) : show_files(o, d);
}

int main(int argc, char **argv)
{
	struct diag d = {.out = stderr, .terminal = isatty(STDERR_FILENO)};
	struct error e = {0};
	struct options o;
	int status;

	mallopt(M_MMAP_THRESHOLD, OWN_MAPPING);
	signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is a failed write */
	views_add(&db_view);
	views_add(&query_view);
	importers_add(&db_importer);
	if (options_parse(&o, argc, argv, stdout, &e) != 0) {
		diag_problem(&d, NULL, "%s (hpcprof --help lists what there is)", e.text);
		status = status_of(&e);
	} else if (o.help) {
		options_help(stdout);
		status = STATUS_DONE;
	} else if (o.version) {
		printf("hpcprof %s\n", HPC_VERSION);
		status = STATUS_DONE;
	} else {
		d.quiet = o.quiet;
		status = show(&o, &d);
	}
	options_deinit(&o);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		diag_problem(&d, "standard output", "%s (the output is not complete)",
			     strerror(errno));
		status = status > STATUS_LEFT_OUT ? status : STATUS_LEFT_OUT;
	}
	return status;
}
