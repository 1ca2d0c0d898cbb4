/* `hpcprof pack DIR`: keeps the names of what was sampled with the measurement, for when the
 * programs are built again, replaced or not there (symbolize/pack.h). hpcrun calls it at the end.
 */
#include "hpcprof/command/list.h"
#include "hpcprof/correlate/pack.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/load/scan.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

struct pack_options {
	struct common common;
	double since; /* seconds since 1970; 0: all datafiles */
};

/* The datafiles that are not older than o->since. A folder without any was reported to d. */
static int list_new(const struct pack_options *o, const char *folder, struct scan *s,
		    const char ***files, size_t *n, struct diag *d, struct error *e)
{
	const double precision = 1e-6; /* of a number of seconds since 1970 */

	*n = 0;
	*files = NULL;
	if (scan_profiles(s, &folder, 1, false, d, e) != 0)
		return -1;
	*files = calloc(s->files.len + 1, sizeof **files);
	if (!*files)
		return error_memory(e, s->files.len * sizeof **files);
	for (size_t i = 0; i < s->files.len; i++) {
		struct stat st;
		if (stat(s->files.at[i].path, &st) == 0 &&
		    (double)st.st_mtim.tv_sec + (double)st.st_mtim.tv_nsec / 1e9 >=
			o->since - precision)
			(*files)[(*n)++] = s->files.at[i].path;
	}
	return 0;
}

static int pack_files(const struct common *of, struct pack *p, struct diag *d, struct error *e)
{
	struct profile_request wanted = {.common = of, .no_names = true, .interpreter = true};
	struct profile profile;
	int rc = profile_load(&profile, &wanted, d, e);

	if (rc != 0)
		return -1;
	rc = pack_model(p, profile.model, e);
	profile_deinit(&profile);
	return rc;
}

/* 0; 1 if it has no datafiles, which was reported, and not only new ones are wanted; or -1 and *e.
 */
static int pack_folder(const struct pack_options *o, const char *folder, FILE *out, struct diag *d,
		       struct error *e)
{
	struct pack p = {.folder = folder, .symbolizer = correlate_symbolizer(&o->common)};
	struct common of = o->common;
	struct stat st;
	struct scan s;
	const char **files;
	int rc;

	p.symbolizer.pack_folders = &folder;
	p.symbolizer.num_pack_folders = 1;
	if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
		return error_set(e, ERROR_USAGE, "not a directory (name that of the datafiles)");
	rc = list_new(o, folder, &s, &files, &of.num_profiles, d, e);
	of.profiles = files;
	if (rc == 0 && !s.files.len && o->since == 0)
		rc = 1;
	if (rc == 0 && of.num_profiles)
		rc = pack_files(&of, &p, d, e);
	if (rc == 0 && !o->common.quiet)
		fprintf(out, "%s: %zu load module%s; names were added for %zu\n", folder, p.modules,
			p.modules == 1 ? "" : "s", p.written);
	free(files);
	scan_deinit(&s);
	return rc;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct pack_options *o = options;
	size_t packed = 0;

	for (size_t i = 0; i < o->common.num_profiles; i++) {
		const char *folder = o->common.profiles[i];
		struct error why;
		int rc = pack_folder(o, folder, out, d, &why);
		packed += rc == 0;
		if (rc < 0)
			diag_problem(d, folder, "%s", why.text);
	}
	return packed ? 0 : error_set(e, ERROR_LIMIT, "no names could be kept");
}

/* A finite number of seconds since 1970. */
static int read_time(const struct option_row *row, const char *text, void *field, struct error *e)
{
	char *end, name[OPTION_NAME_BYTES];
	double *seconds = field;

	*seconds = strtod(text, &end);
	if (end == text || *end || !isfinite(*seconds) || *seconds < 0)
		return error_set(e, ERROR_USAGE, "%s %s: expected seconds since 1970",
				 option_name(name, row), text);
	return 0;
}

static const struct option_row own_options[] = {
    {0, "since", "SECONDS", "only of datafiles not older than this (seconds since 1970)", read_time,
     offsetof(struct pack_options, since), NULL},
    {0}};

static const struct option_row *const tables[] = {own_options, common_symbols_options,
						  common_loading_options, NULL};

const struct command pack_command = {
    .name = "pack",
    .summary = "keep names in the directory DIR, for when programs change",
    .arguments = "DIR...",
    .newest = true,
    .options = tables,
    .size = sizeof(struct pack_options),
    .writes = WRITES_PROFILES,
    .run = run,
};
