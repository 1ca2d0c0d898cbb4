#include "hpcprof/options.h"

#include "formats/datafile.h"
#include "hpcprof/select.h"
#include "hpcprof/views.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	DEFAULT_WIDTH = 100,
	LEAST_WIDTH = 60,
	MOST_WIDTH = 10000,
	MOST_THREADS = 1024,
	DEFAULT_COLLECTIVE = 4
};

enum {
	OPT_SAMPLES = 256,
	OPT_NO_INLINE,
	OPT_SYSROOT,
	OPT_DEBUG_DIR,
	OPT_JSON,
	OPT_CALLPATH,
	OPT_FILES_FROM,
	OPT_JOIN_THREADS,
	OPT_BOTTOM_UP,
	OPT_MIN,
	OPT_DEPTH,
	OPT_FOCUS,
	OPT_ALL,
	OPT_STATS,
	OPT_BY,
	OPT_COLLECTIVE,
	OPT_CI,
	OPT_OBJECT,
	OPT_DELAY,
	OPT_APPEND,
	OPT_PER_PROFILE,
	OPT_CSV,
	OPT_FORMAT,
	OPT_LIST,
	OPT_TIME_LIMIT,
	OPT_MEMORY_LIMIT,
	OPT_HELP,
	OPT_VERSION
};

struct description {
	int value;        /* of getopt_long */
	const char *name; /* long form */
	const char *argument;
	unsigned bit; /* OPTION_*; 0: every view takes it */
	const char *text;
};

static const struct description descriptions[] = {
    {'m', "metric", "METRIC", OPTION_METRIC, "show this metric; several -m give several columns"},
    {'n', "rows", "COUNT", OPTION_ROWS | OPTION_SCREENS,
     "rows of each table and number of call paths (0: all); top: stop after COUNT screens"},
    {OPT_DELAY, "delay", "SECONDS", OPTION_DELAY, "time from one screen to the next (2)"},
    {'s', "sort", "KEY", OPTION_SORT, "order tables by self (default), total or name"},
    {OPT_SAMPLES, "samples", NULL, OPTION_SAMPLES, "show numbers of samples in place of events"},
    {OPT_STATS, "stats", NULL, OPTION_STATS, "show how each row's values spread over the profiles"},
    {OPT_BY, "by", "WHAT", OPTION_STATS,
     "compare threads, processes, ranks or hosts (thread, process, rank, host) in place of "
     "profiles"},
    {OPT_COLLECTIVE, "collective", "N", OPTION_COLLECTIVE,
     "show sum, min and max of N profiles or more, of fewer each one (4; 0: neither)"},
    {OPT_CI, "ci", NULL, OPTION_CI, "show 95% intervals of percentages"},
    {OPT_NO_INLINE, "no-inline", NULL, OPTION_NO_INLINE,
     "count inlined code to the function it was inlined into"},
    {OPT_SYSROOT, "sysroot", "DIR", OPTION_SYMBOLS, "look for the measured binaries below DIR"},
    {OPT_DEBUG_DIR, "debug-dir", "DIR", OPTION_SYMBOLS,
     "look for separate debug files in DIR, too"},
    {'j', "threads", "N", OPTION_THREADS, "work with N threads (default: one per core)"},
    {OPT_BOTTOM_UP, "bottom-up", NULL, OPTION_TREE,
     "begin with the functions, and show what called each"},
    {OPT_MIN, "min", "PERCENT", OPTION_TREE, "cut what has less than PERCENT of all (1)"},
    {OPT_DEPTH, "depth", "N", OPTION_TREE, "cut what is deeper than N frames (0: nothing is)"},
    {OPT_FOCUS, "focus", "REGEX", OPTION_TREE,
     "only paths through functions whose names match REGEX"},
    {OPT_ALL, "all", NULL, OPTION_ALL, "leave no frames or lines out in between"},
    {'o', "output", "FILE", OPTION_OUTPUT,
     "write to FILE, all of it or nothing; recover: datafiles into the directory FILE"},
    {OPT_CALLPATH, "callpath", NULL, OPTION_CALLPATH, "write a CSPROFILE, by call path"},
    {OPT_OBJECT, "object", NULL, OPTION_SOURCES, "show instructions in place of source"},
    {'I', "map", "FROM=TO", OPTION_SOURCES, "sources named below FROM are below TO"},
    {'d', "directory", "DIR", OPTION_SOURCES | OPTION_DELAY,
     "look for sources in DIR, too; top: -d SECONDS is --delay SECONDS"},
    {OPT_JSON, "json", NULL, OPTION_JSON, "write JSON"},
    {OPT_JOIN_THREADS, "join-threads", NULL, OPTION_JOIN,
     "show each thread's call paths below the call that created it"},
    {OPT_APPEND, "append", NULL, OPTION_DATABASE, "add a measurement to the database FILE"},
    {OPT_PER_PROFILE, "per-profile", "YES|NO", OPTION_DATABASE,
     "store what each thread recorded where (default: up to 256 files and 64 MiB)"},
    {OPT_CSV, "csv", "DIR", OPTION_DATABASE, "write a CSV file per table into DIR"},
    {OPT_FORMAT, "format", "FORMAT", OPTION_QUERY, "print rows as table, csv or json"},
    {OPT_LIST, "list", NULL, OPTION_QUERY, "list the queries that have names"},
    {OPT_TIME_LIMIT, "time-limit", "SECONDS", OPTION_QUERY, "stop a query after SECONDS (60)"},
    {OPT_MEMORY_LIMIT, "memory-limit", "MIB", OPTION_QUERY,
     "memory that a query may take (1024; 0: all there is)"},
    {OPT_FILES_FROM, "files-from", "FILE", 0,
     "read more PROFILEs from FILE, a line each (-: stdin)"},
    {'0', "null", NULL, 0, "a NUL ends each of them in place of a line"},
    {'q', "quiet", NULL, 0, "say nothing on stderr but errors"},
    {OPT_HELP, "help", NULL, 0, "print this and exit"},
    {OPT_VERSION, "version", NULL, 0, "print the version and exit"},
};
enum { NUM_DESCRIPTIONS = sizeof descriptions / sizeof *descriptions };

void options_help(FILE *out)
{
	const struct view *const *v = views;

	fputs("Usage: hpcprof [VIEW] [options] PROFILE...\n\n"
	      "PROFILE is a measurement directory that hpcrun made, a datafile (*" CSP_SUFFIX
	      "),\nor a PROFILE or CSPROFILE in XML.\n\nViews:\n",
	      out);
	for (; *v; v++) {
		char left[48];
		snprintf(left, sizeof left, "%s%s%s", (*v)->name, (*v)->subject ? " " : "",
			 (*v)->subject ? (*v)->subject : "");
		fprintf(out, "  %-18s %s%s\n", left, (*v)->summary,
			*v == &text_view ? " (the default)" : "");
	}
	fputs("\nOptions:\n", out);
	for (int i = 0; i < NUM_DESCRIPTIONS; i++) {
		const struct description *d = &descriptions[i];
		char left[48];
		if (d->value < 256)
			snprintf(left, sizeof left, "-%c, --%s%s%s", d->value, d->name,
				 d->argument ? " " : "", d->argument ? d->argument : "");
		else
			snprintf(left, sizeof left, "    --%s%s%s", d->name, d->argument ? " " : "",
				 d->argument ? d->argument : "");
		fprintf(out, "  %-24s %s", left, d->text);
		if (d->bit) {
			const char *sep = " [";
			for (v = views; *v; v++)
				if ((*v)->takes & d->bit) {
					fprintf(out, "%s%s", sep, (*v)->name);
					sep = ", ";
				}
			fputc(']', out);
		}
		fputc('\n', out);
	}
	fputs("\nExit status: 0 done, 1 done but something was left out, 2 usage, 3 nothing done.\n"
	      "Environment: COLUMNS (width of the output), NO_COLOR.\n"
	      "Example: hpcrun python3 script.py; hpcprof hpcrun-python3-1/\n",
	      out);
}

static int number(const char *name, const char *text, uint64_t most, uint64_t *out, struct error *e)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || *end || !isdigit((unsigned char)text[0]) || v > most)
		return error_set(e, ERROR_USAGE, "%s takes a whole number up to %llu, not '%s'",
				 name, (unsigned long long)most, text);
	*out = v;
	return 0;
}

static int sort_key(const char *text, enum sort_key *out, struct error *e)
{
	static const char *const names[] = {
	    [SORT_EXCLUSIVE] = "self", [SORT_INCLUSIVE] = "total", [SORT_NAME] = "name"};

	for (int i = 0; i <= SORT_NAME; i++)
		if (strcmp(text, names[i]) == 0) {
			*out = (enum sort_key)i;
			return 0;
		}
	return error_set(e, ERROR_USAGE, "-s takes self, total or name, not '%s'", text);
}

static int unit_kind(const char *text, enum unit_kind *out, struct error *e)
{
	static const char *const names[] = {[UNIT_PROFILE] = "profile",
					    [UNIT_THREAD] = "thread",
					    [UNIT_PROCESS] = "process",
					    [UNIT_RANK] = "rank",
					    [UNIT_HOST] = "host"};

	for (int i = 0; i <= UNIT_HOST; i++)
		if (strcmp(text, names[i]) == 0) {
			*out = (enum unit_kind)i;
			return 0;
		}
	return error_set(e, ERROR_USAGE,
			 "--by takes thread, process, rank, host or profile, not '%s'", text);
}

static int percent(const char *name, const char *text, double *out, struct error *e)
{
	char *end;
	double v = strtod(text, &end);

	/* no signs, no "nan", no hexadecimal digits */
	if (end == text || *end || strspn(text, "0123456789.") != strlen(text) || !(v <= 100))
		return error_set(e, ERROR_USAGE, "%s takes a percentage from 0 to 100, not '%s'",
				 name, text);
	*out = v;
	return 0;
}

static int seconds(const char *name, const char *text, double *out, struct error *e)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || strspn(text, "0123456789.") != strlen(text) ||
	    !(v >= 0.1 && v <= 86400))
		return error_set(e, ERROR_USAGE,
				 "%s takes a number of seconds from 0.1 to 86400, not '%s'", name,
				 text);
	*out = v;
	return 0;
}

static int one_of(const char *name, const char *text, const char *const *words, size_t n,
		  const char *list, struct error *e)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(text, words[i]) == 0)
			return (int)i;
	return error_set(e, ERROR_USAGE, "%s takes %s, not '%s'", name, list, text);
}

static int yes_or_no(const char *text, enum per_profile *out, struct error *e)
{
	static const char *const words[] = {"yes", "no"};
	int i = one_of("--per-profile", text, words, 2, "yes or no", e);

	*out = i == 0 ? PER_PROFILE_YES : PER_PROFILE_NO;
	return i < 0 ? -1 : 0;
}

static int row_format(const char *text, enum row_format *out, struct error *e)
{
	static const char *const words[] = {"table", "csv", "json"};
	int i = one_of("--format", text, words, 3, "table, csv or json", e);

	*out = (enum row_format)i;
	return i < 0 ? -1 : 0;
}

static int source_map(struct options *o, const char *text, struct error *e)
{
	struct source_map map;

	if (source_map_parse(&map, text, &o->arena, e) != 0)
		return -1;
	return vec_push(&o->sources.maps, map) ? 0 : error_memory(e, sizeof map);
}

static int take(struct options *o, int value, const char *argument, struct error *e)
{
	uint64_t n = 0;

	switch (value) {
	case 'm':
		return vec_push(&o->metrics, argument) ? 0 : error_memory(e, sizeof argument);
	case 'n':
		o->rows_given = true;
		return number("-n", argument, UINT32_MAX, &o->rows, e);
	case OPT_DELAY:
		return seconds("--delay", argument, &o->delay, e);
	case 's':
		o->sort_given = true;
		return sort_key(argument, &o->sort, e);
	case 'j':
		if (number("-j", argument, MOST_THREADS, &n, e) != 0)
			return -1;
		if (!n)
			return error_set(e, ERROR_USAGE, "-j takes at least 1");
		o->threads = (unsigned)n;
		return 0;
	case OPT_DEBUG_DIR:
		return vec_push(&o->debug_dirs, argument) ? 0 : error_memory(e, sizeof argument);
	case OPT_SYSROOT:
		o->sysroot = argument;
		return 0;
	case OPT_STATS:
		o->stats = true;
		return 0;
	case OPT_BY:
		o->by_given = true;
		return unit_kind(argument, &o->by, e);
	case OPT_COLLECTIVE:
		return number("--collective", argument, UINT32_MAX, &o->collective, e);
	case OPT_CI:
		o->ci = true;
		return 0;
	case OPT_SAMPLES:
		o->samples = true;
		return 0;
	case OPT_NO_INLINE:
		o->no_inline = true;
		return 0;
	case 'o':
		o->output = argument;
		return 0;
	case OPT_CALLPATH:
		o->callpath = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_BOTTOM_UP:
		o->bottom_up = true;
		return 0;
	case OPT_MIN:
		return percent("--min", argument, &o->min, e);
	case OPT_DEPTH:
		o->depth_given = true;
		return number("--depth", argument, UINT32_MAX, &o->depth, e);
	case OPT_FOCUS:
		o->focus = argument;
		return select_check("--focus", argument, e);
	case OPT_OBJECT:
		o->object = true;
		return 0;
	case 'I':
		return source_map(o, argument, e);
	case 'd':
		return vec_push(&o->sources.directories, argument)
			   ? 0
			   : error_memory(e, sizeof argument);
	case OPT_ALL:
		o->all = true;
		return 0;
	case OPT_FILES_FROM:
		return vec_push(&o->lists, argument) ? 0 : error_memory(e, sizeof argument);
	case '0':
		o->list_nul = true;
		return 0;
	case OPT_APPEND:
		o->append = true;
		return 0;
	case OPT_PER_PROFILE:
		return yes_or_no(argument, &o->per_profile, e);
	case OPT_CSV:
		o->csv = argument;
		return 0;
	case OPT_FORMAT:
		return row_format(argument, &o->format, e);
	case OPT_LIST:
		o->list = true;
		return 0;
	case OPT_TIME_LIMIT:
		return seconds("--time-limit", argument, &o->time_limit, e);
	case OPT_MEMORY_LIMIT:
		return number("--memory-limit", argument, UINT32_MAX, &o->memory_limit, e);
	case OPT_JOIN_THREADS:
		o->join_threads = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case OPT_HELP:
		o->help = true;
		return 0;
	default:
		o->version = true;
		return 0;
	}
}

static void from_environment(struct options *o, FILE *out)
{
	const char *columns = getenv("COLUMNS"), *term = getenv("TERM"), *no = getenv("NO_COLOR");
	bool terminal = isatty(fileno(out));
	struct winsize size;
	uint64_t n = 0;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	o->width = DEFAULT_WIDTH;
	if (columns && number("COLUMNS", columns, MOST_WIDTH, &n, NULL) == 0 && n)
		o->width = (unsigned)n;
	else if (terminal && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col)
		o->width = size.ws_col;
	if (o->width < LEAST_WIDTH)
		o->width = LEAST_WIDTH;
	o->color = terminal && !(no && no[0]) && term && strcmp(term, "dumb") != 0;
	o->threads = cores > 0 ? (unsigned)(cores < MOST_THREADS ? cores : MOST_THREADS) : 1;
}

/* A word before the profiles that names no file was meant to be a view. */
static int check_view_name(const char *word, struct error *e)
{
	char names[128] = "";

	if (strpbrk(word, "/.") || access(word, F_OK) == 0)
		return 0;
	for (const struct view *const *v = views; *v; v++) {
		size_t n = strlen(names);
		snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", (*v)->name);
	}
	return error_set(e, ERROR_USAGE, "no view and no file is called %s (the views are %s)",
			 word, names);
}

/* The PROFILEs of --files-from, behind those of the command line. */
static int add_listed(struct options *o, struct error *e)
{
	struct list *l = &o->listed;

	if (!o->lists.len)
		return 0;
	for (size_t i = 0; i < o->num_profiles; i++)
		if (!vec_push(&l->at, o->profiles[i]))
			return error_memory(e, sizeof(char *));
	for (size_t i = 0; i < o->lists.len; i++)
		if (list_read(l, o->lists.at[i], o->list_nul, e) != 0)
			return -1;
	o->profiles = l->at.at;
	o->num_profiles = l->at.len;
	return 0;
}

static int choose_view(struct options *o, uint64_t used, struct error *e)
{
	o->view = &text_view;
	for (const struct view *const *v = views; o->num_profiles && *v; v++)
		if (strcmp(o->profiles[0], (*v)->name) == 0) {
			o->view = *v;
			o->profiles++;
			o->num_profiles--;
			break;
		}
	if (o->view == &text_view && o->num_profiles > 1 && check_view_name(o->profiles[0], e) != 0)
		return -1;
	o->no_names = o->view->no_names;
	for (int i = 0; i < NUM_DESCRIPTIONS; i++)
		if ((used >> i & 1) && descriptions[i].bit &&
		    !(o->view->takes & descriptions[i].bit))
			return error_set(e, ERROR_USAGE, "the view %s does not take --%s",
					 o->view->name, descriptions[i].name);
	if (o->by_given && !o->stats && !(o->view->takes & OPTION_COLLECTIVE))
		return error_set(e, ERROR_USAGE,
				 "the view %s takes --by only together with --stats",
				 o->view->name);
	if ((o->view->takes & OPTION_DELAY) && o->sources.directories.len)
		return seconds("-d", o->sources.directories.at[o->sources.directories.len - 1],
			       &o->delay, e);
	return 0;
}

/* The view's subject and the PROFILEs. */
static int choose_profiles(struct options *o, struct error *e)
{
	if (o->list)
		return 0;
	if (o->view->subject && o->num_profiles) {
		o->subject = *o->profiles++;
		o->num_profiles--;
	}
	if (add_listed(o, e) != 0)
		return -1;
	if (o->subject && !o->num_profiles)
		return error_set(e, ERROR_USAGE, "%s takes %s and then a PROFILE", o->view->name,
				 o->view->subject);
	if (!o->num_profiles)
		return error_set(
		    e, ERROR_USAGE,
		    "no PROFILE given (name a measurement directory, hpcrun-COMMAND-N, "
		    "or a datafile)");
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, FILE *out, struct error *e)
{
	struct option longs[NUM_DESCRIPTIONS + 1] = {0};
	char shorts[2 * NUM_DESCRIPTIONS + 2] = ":", *to = shorts + 1;
	uint64_t used = 0;
	int value;

	memset(o, 0, sizeof *o);
	o->min = 1;
	o->time_limit = 60;
	o->memory_limit = 1024;
	o->collective = DEFAULT_COLLECTIVE;
	from_environment(o, out);
	for (int i = 0; i < NUM_DESCRIPTIONS; i++) {
		const struct description *d = &descriptions[i];
		longs[i] = (struct option){d->name, d->argument ? required_argument : no_argument,
					   NULL, d->value};
		if (d->value >= 256)
			continue;
		*to++ = (char)d->value;
		if (d->argument)
			*to++ = ':';
	}
	opterr = 0;
	optind = 0; /* a fresh start, whoever parsed before */
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (value == ':')
			return error_set(e, ERROR_USAGE, "%s needs a value", argv[optind - 1]);
		if (value == '?' && optopt && optopt < 256)
			return error_set(e, ERROR_USAGE, "unknown option -%c", optopt);
		if (value == '?')
			return error_set(e, ERROR_USAGE, "unknown option %s", argv[optind - 1]);
		for (int i = 0; i < NUM_DESCRIPTIONS; i++)
			if (descriptions[i].value == value)
				used |= UINT64_C(1) << i;
		if (take(o, value, optarg, e) != 0)
			return -1;
	}
	if (o->help || o->version)
		return 0;
	o->profiles = (const char *const *)argv + optind;
	o->num_profiles = (size_t)(argc - optind);
	return choose_view(o, used, e) == 0 ? choose_profiles(o, e) : -1;
}

void options_deinit(struct options *o)
{
	if (!o)
		return;
	vec_free(&o->metrics);
	vec_free(&o->debug_dirs);
	vec_free(&o->sources.maps);
	vec_free(&o->sources.directories);
	arena_deinit(&o->arena);
	vec_free(&o->lists);
	list_deinit(&o->listed);
}
