/* `hpcprof recover DIR`: datafiles of what killed processes left. */
#include "formats/recover.h"
#include "hpcprof/command/diag.h"
#include "hpcprof/layout.h"
#include "hpcprof/commands.h"

#include <errno.h>
#include <sys/stat.h>

struct recovering {
	FILE *out;
	struct diag *d;
};

static void say_fate(void *context, const char *name, enum store_fate fate, const struct error *e)
{
	static const char *const texts[] = {
	    [STORE_RECOVERED] = "a datafile was made of it",
	    [STORE_REMOVED] = "its datafile was there already, or it held nothing: removed",
	    [STORE_ALIVE] = "its process still runs: left alone",
	};
	struct recovering *r = context;
	struct arena arena;
	const char *clean;

	if (fate == STORE_FAILED) {
		diag_problem(r->d, name,
			     "%s (it is left; free space or change permissions, or "
			     "name another directory with -o, and try again)",
			     e->text);
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
	struct recovering to = {out, d};
	struct store_recovery r = {.tell = say_fate, .context = &to};
	size_t read = 0;

	if (o->output && mkdir(o->output, 0700) != 0 && errno != EEXIST)
		return error_system(e, "%s: cannot be created", o->output);
	for (size_t i = 0; i < common->num_profiles; i++) {
		struct error why;
		if (store_recover_all(common->profiles[i], o->output, &r, &why) == 0)
			read++;
		else
			diag_problem(d, NULL, "%s (nothing is recovered there; check the name)",
				     why.text);
	}
	if (!read)
		return error_set(e, ERROR_LIMIT, "no directory could be read");
	fprintf(out, "%u datafile%s made, %u removed, %u still running, %u failed\n",
		r.counts[STORE_RECOVERED], r.counts[STORE_RECOVERED] == 1 ? "" : "s",
		r.counts[STORE_REMOVED], r.counts[STORE_ALIVE], r.counts[STORE_FAILED]);
	return 0;
}

static const struct option_row own_options[] = {{'o', "output", "DIR",
						 "write the datafiles into DIR", option_string,
						 offsetof(struct recover_options, output), NULL},
						{0}};

static const struct option_row *const tables[] = {own_options, NULL};

const struct command recover_command = {
    .name = "recover",
    .summary = "datafiles out of what killed processes left in the directory DIR",
    .options = tables,
    .size = sizeof(struct recover_options),
    .run = run,
};
