/* `hpcprof recover DIR`: makes datafiles of the stores that killed processes left. */
#include "formats/store/recover.h"
#include "hpcprof/command/diag.h"
#include "hpcprof/command/list.h"
#include "hpcprof/terminal/layout.h"

#include <errno.h>
#include <sys/stat.h>

struct recover_report {
	FILE *out;
	struct diag *d;
};

static void say_fate(void *context, const char *name, enum store_fate fate, const struct error *e)
{
	static const char *const texts[] = {
	    [STORE_RECOVERED] = "datafile written",
	    [STORE_REMOVED] = "removed: its datafile existed",
	    [STORE_LOST] = "removed: it was empty, as there was no memory for its data",
	    [STORE_ALIVE] = "left alone: its process is still running",
	};
	struct recover_report *r = context;
	struct arena arena;
	const char *clean;

	if (fate == STORE_FAILED) {
		diag_problem(r->d, name, "%s (%s)", e->text,
			     e->kind == ERROR_FORMAT ? "kept; it is damaged, or of another version"
			     : e->kind == ERROR_VERSION || e->kind == ERROR_USAGE
				 ? "kept"
				 : "kept; free some space, change permissions or name another "
				   "directory with -o, and try again");
		return;
	}
	arena_init(&arena);
	clean = layout_clean(&arena, name);
	fprintf(r->out, "%s: %s\n", clean ? clean : "?", texts[fate]);
	arena_deinit(&arena);
}

struct recover_options {
	struct common common;
	const char *output; /* or NULL */
};

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct recover_options *o = options;
	const struct common *common = &o->common;
	struct recover_report to = {out, d};
	struct store_recovery r = {.tell = say_fate, .context = &to};
	size_t read = 0;

	if (o->output && mkdir(o->output, 0700) != 0 && errno != EEXIST)
		return error_system(e, "%s: cannot be created", o->output);
	for (size_t i = 0; i < common->num_profiles; i++) {
		struct error why;
		if (store_recover_all(common->profiles[i], o->output, &r, &why) == 0)
			read++;
		else
			diag_problem(d, NULL, "%s (skipped; check the name)", why.text);
	}
	if (!read)
		return error_set(e, ERROR_LIMIT, "no directory could be read");
	fprintf(out, "%u datafile%s written, %u removed, %u still running, %u failed\n",
		r.counts[STORE_RECOVERED], r.counts[STORE_RECOVERED] == 1 ? "" : "s",
		r.counts[STORE_REMOVED] + r.counts[STORE_LOST], r.counts[STORE_ALIVE],
		r.counts[STORE_FAILED]);
	return 0;
}

static const struct option_row own_options[] = {{'o', "output", "DIR",
						 "write the datafiles into DIR", option_output,
						 offsetof(struct recover_options, output), NULL},
						{0}};

static const struct option_row *const tables[] = {own_options, NULL};

const struct command recover_command = {
    .name = "recover",
    .summary = "datafiles for killed processes, from the directory DIR",
    .options = tables,
    .size = sizeof(struct recover_options),
    .writes = WRITES_ANYWHERE,
    .run = run,
};
