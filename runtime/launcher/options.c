#include "runtime/launcher/options.h"

#include "formats/base/nearest.h"
#include "runtime/base/message.h"
#include "runtime/base/options.h"
#include "runtime/launcher/expand.h"
#include "runtime/launcher/labels.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct topic {
	const char *name;
	unsigned bit;
	const char *meaning;
};

static const struct topic topics[] = {
    {"process", CSPROF_SAY_PROCESS, "start, fork, exec and end of processes"},
    {"thread", CSPROF_SAY_THREAD, "start and end of threads"},
    {"source", CSPROF_SAY_SOURCE, "the sampling source of each thread"},
    {"epoch", CSPROF_SAY_EPOCH, "changes of the load map"},
    {"file", CSPROF_SAY_FILE, "datafiles written"},
    {0},
};

static const struct topic checks[] = {
    {"walks", CSPROF_DEBUG_WALKS, "walks that end at remembered frames are continued and compared"},
    {"upcalls", CSPROF_DEBUG_UPCALLS, "an upcall that calls what it must not aborts the program"},
    {0},
};

static const struct topic *topics_of(bool debug)
{
	return debug ? checks : topics;
}

const char *launch_topic(bool debug, size_t i, const char **meaning)
{
	*meaning = topics_of(debug)[i].meaning;
	return topics_of(debug)[i].name;
}

void launch_topics(bool debug)
{
	printf("-%c takes a sum of these numbers, or names separated by commas:\n",
	       debug ? 'D' : 'v');
	for (const struct topic *t = topics_of(debug); t->name; t++)
		printf("  %3u  %-8s  %s\n", t->bit, t->name, t->meaning);
}

/* ---- the table ------------------------------------------------------------------------ */

static const char *const yes_no[] = {"yes", "no", NULL};
static const char *const each_all[] = {"each", "all", NULL};
static const char *const unwinders[] = {"cfi", "libunwind", NULL};
static const char *const marks[] = {"whole", "memo", "marks", "always", NULL};
static const char *const returns[] = {"first", "all", "none", NULL};
static const char *const otel_words[] = {"thread", "ids", "none", NULL};
static const char *const value_kinds[] = {"both", "values", "replay", NULL};
static const char *const places[] = {HPCRUN_STORE_MEMORY, HPCRUN_STORE_PRIVATE, NULL};

/* In the order of --help. */
const struct launch_option launch_option_table[] = {
    {'e', "event", "EVENT", NULL,
     "what to sample: CPUTIME, CPUTIME@1ms (a period) or\n"
     "CPUTIME@f1000 (a rate); default CPUTIME@f1000; may be repeated,\n"
     "or a list: CPUTIME,page-faults@100"},
    {'l', "list", NULL, NULL, "list the events that this machine can sample"},
    {'L', "list-long", NULL, NULL, "list them with descriptions and limits"},
    {LAUNCH_BUDGET, "budget", "PERCENT", NULL,
     "limit measuring to PERCENT of each thread's CPU time; if EVENT\n"
     "would take more, take fewer samples (5)"},
    {'o', "output", "DIR", NULL, "write datafiles to DIR (hpcrun-COMMAND-N)"},
    {'r', "follow", "yes|no", yes_no, "measure spawned processes as well (yes)"},
    {LAUNCH_ONLY, "only", "NAME", NULL, "measure only executables with this name; may be repeated"},
    {LAUNCH_LABEL, "label", "KEY=VALUE", NULL,
     "COMMAND's threads have this label, as if it set it itself; may\n"
     "be repeated"},
    {LAUNCH_OTEL, "otel", "LIST", NULL,
     "labels from what COMMAND publishes with OpenTelemetry: thread,\n"
     "ids, and keys of attributes of the process, joined by commas\n"
     "(" CSPROF_OTEL_DEFAULT "); none: not any"},
    {LAUNCH_DELAY, "delay", "TIME", NULL, "begin to measure after TIME, such as 10s, 500ms or 2m"},
    {LAUNCH_FOR, "for", "TIME", NULL, "stop measuring TIME after that"},
    {LAUNCH_STOPPED, "stop-at-start", NULL, NULL,
     "measure only when told to: by hpcrun control DIR start, or by\n"
     "the program (hpcrun_start)"},
    {'t', "trees", "each|all", each_all,
     "one tree of call paths per thread, or one for all (each)"},
    {LAUNCH_STORE, "store", "PLACE", places,
     "keep the trees of running processes in: memory, which\n"
     "outlives the processes (default); DIR, which also outlives\n"
     "a reboot; private, which is lost if a process is killed"},
    {LAUNCH_SIGNAL, "signal", "NAME", NULL, "the signal to sample with (URG)"},
    {LAUNCH_UNWINDER, "unwinder", "NAME", unwinders, "cfi (default) or libunwind"},
    {LAUNCH_MARK, "mark", "WAY", marks,
     "walk each sample's stack as a whole, or only as far as it has\n"
     "changed since the last one, by comparing or by marking return\n"
     "addresses: whole, memo (default) or marks"},
    {LAUNCH_RETURNS, "returns", "WHICH", returns,
     "with --mark marks, count the returns of functions seen on the\n"
     "stack: the first after each sample (default), all or none"},
    {LAUNCH_INTERPRETER, "interpreter", "yes|no", yes_no,
     "see an interpreter's functions, such as Python's (yes)"},
    {LAUNCH_VALUES, "values", "N", NULL,
     "after samples, record the values that the next N instructions\n"
     "produce, such as 8, by single steps (x86-64; hpcprof values)"},
    {LAUNCH_VALUE_KIND, "value-kind", "KIND", value_kinds,
     "of these only: values, or replay (loads of what was just\n"
     "stored); default both"},
    {LAUNCH_DRIVER, "driver", "NAME", NULL,
     "also record what a driver sees, such as io or mpi: NAME, or the\n"
     "path of its file, and maybe :OPTIONS; may be repeated (-L)"},
    {'m', "memory", "SIZE", NULL, "size of each thread's first arena, such as 256K or 4M"},
    {LAUNCH_PACK, "pack", "yes|no", yes_no,
     "keep the names of what was sampled with the data, for when\n"
     "programs are built again or replaced (yes)"},
    {'q', "quiet", NULL, NULL, "print no summary at the end"},
    {'v', "verbose", "MASK", NULL, "print messages about MASK; -v help lists the topics"},
    {'D', "debug", "MASK", NULL, "check MASK while measuring; -D help lists the checks"},
    {'h', "help", NULL, NULL, "print this and exit"},
    {LAUNCH_VERSION_OPTION, "version", NULL, NULL, "print the version and exit"},
    {0},
};
enum { OPTIONS = sizeof launch_option_table / sizeof *launch_option_table - 1 };

static bool has_letter(const struct launch_option *row)
{
	return row->id < LAUNCH_BUDGET;
}

static void print_row(const struct launch_option *row)
{
	enum { COLUMN = 24 };
	char letter[] = "    ", left[64];
	const char *line = row->help;

	if (has_letter(row))
		snprintf(letter, sizeof letter, "-%c, ", row->id);
	snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
		 row->argument ? row->argument : "");
	printf("  %-*s", COLUMN - 3, left);
	for (size_t n; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		printf("%*s%.*s\n", line == row->help ? 1 : COLUMN, "", (int)n, line);
	}
}

void launch_help(void)
{
	puts("Usage: hpcrun [options] [--] COMMAND [ARGS...]\n"
	     "       hpcrun attach [options] PID (see man hpcrun-attach)\n"
	     "       hpcrun control DIR stop|start|snapshot|flush (see man hpcrun-control)\n"
	     "Run COMMAND and record the call paths in which its threads spend CPU time.\n");
	for (const struct launch_option *row = launch_option_table; row->name; row++)
		print_row(row);
	puts("\n"
	     "Then: hpcprof DIR. The exit status is COMMAND's; 125 if hpcrun failed before\n"
	     "COMMAND began, 126 if it cannot be executed, 127 if it is not found.");
}

/* ---- values --------------------------------------------------------------------------- */

static int complain(const char *what, const char *value, const char *hint)
{
	fprintf(stderr, "hpcrun: %s '%s': %s\n", what, value, hint);
	return -1;
}

static int parse_yes(const char *what, const char *value, bool *out)
{
	bool yes = strcmp(value, "yes") == 0;
	if (!yes && strcmp(value, "no") != 0)
		return complain(what, value, "expected yes or no");
	*out = yes;
	return 0;
}

/* The mask of -v, or of -D if debug. */
static int parse_mask(const char *value, bool debug, struct launch_options *o)
{
	unsigned *mask = debug ? &o->debug : &o->verbose;
	char copy[256];
	char *end;
	if (strcmp(value, "help") == 0) {
		o->action = debug ? LAUNCH_CHECKS : LAUNCH_TOPICS;
		return 0;
	}
	*mask = (unsigned)strtoul(value, &end, 0);
	if (*value && !*end)
		return 0;
	snprintf(copy, sizeof copy, "%s", value);
	*mask = 0;
	for (char *save, *name = strtok_r(copy, ",", &save); name;
	     name = strtok_r(NULL, ",", &save)) {
		const struct topic *t = topics_of(debug);
		while (t->name && strcmp(t->name, name) != 0)
			t++;
		if (!t->name)
			return debug ? complain("-D", name, "no such check; -D help lists them")
				     : complain("-v", name, "no such topic; -v help lists them");
		*mask |= t->bit;
	}
	return 0;
}

bool launch_signal_usable(int sig)
{
	/* the last range: libc's own, between SIGSYS and SIGRTMIN */
	return sig > 0 && sig < NSIG && sig != SIGKILL && sig != SIGSTOP && sig != SIGSEGV &&
	       sig != SIGBUS && sig != SIGILL && sig != SIGFPE && sig != SIGTRAP && sig != SIGSYS &&
	       (sig < SIGSYS || sig >= SIGRTMIN);
}

static int parse_signal(const char *value, int *out)
{
	const char *name = strncmp(value, "SIG", 3) == 0 ? value + 3 : value;
	char *end;
	long number = strtol(name, &end, 10);
	if (*name && !*end && number > 0 && number < NSIG)
		*out = (int)number;
	else if (strcmp(name, "RTMIN") == 0)
		*out = SIGRTMIN;
	else
		for (int sig = 1; sig < NSIG; sig++)
			if (sigabbrev_np(sig) && strcmp(sigabbrev_np(sig), name) == 0)
				*out = sig;
	if (*out == 0)
		return complain("--signal", value, "no such signal");
	if (!launch_signal_usable(*out))
		return complain("--signal", value, "cannot be used for sampling; try URG or PROF");
	return 0;
}

static int parse_size(const char *value, long *out)
{
	char *end;
	*out = strtol(value, &end, 10);
	long scale = *end == 'K' || *end == 'k'   ? 1 << 10
		     : *end == 'M' || *end == 'm' ? 1 << 20
		     : *end == 'G' || *end == 'g' ? 1 << 30
						  : 1;
	if (scale != 1)
		end++;
	if (*out <= 0 || *end || *out > (1L << 30) / scale)
		return complain("-m", value, "expected a size up to 1G, such as 256K or 4M");
	*out *= scale;
	return 0;
}

int launch_duration(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"m", 60e9}, {"h", 3600e9}};
	const double year = 366 * 86400e9;
	char *end;
	if (*text < '0' || *text > '9')
		return -1;
	double n = strtod(text, &end);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(end, units[i].name) == 0 && n * units[i].ns < year) {
			*ns = (uint64_t)(n * units[i].ns);
			return 0;
		}
	return -1;
}

static int parse_duration(const char *what, const char *value, uint64_t least, uint64_t *out)
{
	return launch_duration(value, out) == 0 && *out >= least
		   ? 0
		   : complain(what, value, "expected a time such as 10s, 500ms or 2m");
}

/* Add the value of option `what` to a list. */
static int append(const char *what, const char *value, char separator, char *list, size_t size)
{
	size_t have = strlen(list), more = strlen(value);
	if (have + 1 + more >= size)
		return complain(what, value, "the list is too long");
	if (have)
		list[have++] = separator;
	memcpy(list + have, value, more + 1);
	return 0;
}

static int parse_steps(const char *value, struct launch_options *o)
{
	char *end;
	unsigned long steps = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || steps > CSPROF_VALUES_MOST_STEPS)
		return complain("--values", value, "expected a number of instructions, 1 to 64");
#ifndef __x86_64__
	if (steps)
		return complain("--values", value, "only x86-64 can be single-stepped");
#endif
	o->values = value;
	return 0;
}

static int check_word(const char *option, const char *value, const char *const *words,
		      const char *why)
{
	for (; *words; words++)
		if (strcmp(value, *words) == 0)
			return 0;
	return complain(option, value, why);
}

/* Keys have a '.', so that a word that is misspelt is found out. */
static int parse_otel(const char *list, struct launch_options *o)
{
	char word[CSPROF_OTEL_BYTES];
	o->otel = list;
	if (strlen(list) >= sizeof word)
		return complain("--otel", list, "too long");
	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		snprintf(word, sizeof word, "%.*s", (int)n, list);
		if (n && !strchr(word, '.') &&
		    check_word("--otel", word, otel_words,
			       "expected thread, ids, none or the key of an attribute") != 0)
			return -1;
	}
	return 0;
}

static int one_option(struct launch_options *o, int c, const char *value)
{
	const char *why;
	switch (c) {
	case 'e':
		return append("-e", value, ',', o->event, sizeof o->event);
	case LAUNCH_BUDGET:
		o->budget = value;
		if (csprof_budget_parse(value, &o->parsed_budget, &why) < 0)
			return complain("--budget", value, why);
		return 0;
	case 'l':
		o->action = LAUNCH_LIST;
		return 0;
	case 'L':
		o->action = LAUNCH_LIST_LONG;
		return 0;
	case 'o':
		o->out = value;
		return *value ? 0 : complain("-o", value, "expected a directory");
	case 'r':
		return parse_yes("-r", value, &o->follow);
	case LAUNCH_INTERPRETER:
		return parse_yes("--interpreter", value, &o->interpreter);
	case LAUNCH_PACK:
		return parse_yes("--pack", value, &o->pack);
	case LAUNCH_LABEL:
		why = launch_label_add(o->labels, value);
		return why ? complain("--label", value, why) : 0;
	case LAUNCH_OTEL:
		return parse_otel(value, o);
	case LAUNCH_DELAY:
		return parse_duration("--delay", value, 0, &o->delay);
	case LAUNCH_FOR:
		return parse_duration("--for", value, 1, &o->lasting);
	case LAUNCH_STOPPED:
		o->stopped = true;
		return 0;
	case LAUNCH_DRIVER:
		return strchr(value, ' ') && value != getenv(HPCRUN_ENV_DRIVERS)
			   ? complain("--driver", value, "expected one driver, without spaces")
			   : append("--driver", value, ' ', o->drivers, sizeof o->drivers);
	case LAUNCH_ONLY:
		return append("--only", value, ':', o->only, sizeof o->only);
	case 't':
		o->trees = value;
		return check_word("-t", value, each_all, "expected each or all");
	case LAUNCH_STORE:
		o->store = value;
		return *value
			   ? 0
			   : complain("--store", value, "expected memory, private or a directory");
	case LAUNCH_SIGNAL:
		return parse_signal(value, &o->sig);
	case LAUNCH_UNWINDER:
		o->unwinder = value;
		return check_word("--unwinder", value, unwinders, "expected cfi or libunwind");
	case LAUNCH_MARK:
		o->mark = value;
		return check_word("--mark", value, marks, "expected whole, memo, marks or always");
	case LAUNCH_RETURNS:
		o->returns = value;
		return check_word("--returns", value, returns, "expected first, all or none");
	case LAUNCH_VALUES:
		return parse_steps(value, o);
	case LAUNCH_VALUE_KIND:
		o->value_kind = value;
		return check_word("--value-kind", value, value_kinds,
				  "expected both, values or replay");
	case 'm':
		return parse_size(value, &o->arena);
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		return parse_mask(value, false, o);
	case 'D':
		return parse_mask(value, true, o);
	case 'h':
		o->action = LAUNCH_HELP;
		return 0;
	case LAUNCH_VERSION_OPTION:
		o->action = LAUNCH_VERSION;
		return 0;
	default:
		return -1;
	}
}

/* Read the options in the environment, which have the same form as on the command line. */
static int from_environment(struct launch_options *o)
{
	static const struct {
		const char *name;
		int option;
	} variables[] = {
	    {HPCRUN_ENV_EVENTS, 'e'},
	    {HPCRUN_ENV_OUT, 'o'},
	    {HPCRUN_ENV_FOLLOW, 'r'},
	    {HPCRUN_ENV_SIGNAL, LAUNCH_SIGNAL},
	    {HPCRUN_ENV_UNWINDER, LAUNCH_UNWINDER},
	    {HPCRUN_ENV_MARK, LAUNCH_MARK},
	    {HPCRUN_ENV_RETURNS, LAUNCH_RETURNS},
	    {HPCRUN_ENV_VALUES, LAUNCH_VALUES},
	    {HPCRUN_ENV_VALUE_KIND, LAUNCH_VALUE_KIND},
	    {HPCRUN_ENV_OTEL, LAUNCH_OTEL},
	    {HPCRUN_ENV_ARENA, 'm'},
	    {HPCRUN_ENV_VERBOSE, 'v'},
	    {HPCRUN_ENV_DEBUG, 'D'},
	    {HPCRUN_ENV_ONLY, LAUNCH_ONLY},
	    {HPCRUN_ENV_DRIVERS, LAUNCH_DRIVER},
	    {HPCRUN_ENV_TREES, 't'},
	    {HPCRUN_ENV_STORE, LAUNCH_STORE},
	    {HPCRUN_ENV_BUDGET, LAUNCH_BUDGET},
	    {HPCRUN_ENV_PACK, LAUNCH_PACK},
	    {HPCRUN_ENV_INTERPRETER, LAUNCH_INTERPRETER},
	    {HPCRUN_ENV_DELAY, LAUNCH_DELAY},
	    {HPCRUN_ENV_FOR, LAUNCH_FOR},
	};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i].name);
		if (value && *value && one_option(o, variables[i].option, value) < 0)
			return -1;
	}
	const char *quiet = getenv(HPCRUN_ENV_QUIET);
	o->quiet = quiet && *quiet;
	const char *stopped = getenv(HPCRUN_ENV_STOPPED);
	o->stopped = stopped && *stopped;
	return 0;
}

/* A long option's value for getopt is LONG plus its index, so that it is never that of a letter. */
enum { LONG = 1024 };

/* What is wrong with a long option of which nothing is known, or that is abbreviated too much. */
static void refuse_unknown(const char *word)
{
	size_t length = strcspn(word, "="), n = 0;
	char name[NEAREST_MOST + 1], hint[NEAREST_TEXT], list[256];
	struct nearest near = {.typed = name};
	unsigned beginnings = 0;

	snprintf(name, sizeof name, "%.*s", (int)length - 2, word + 2);
	for (const struct launch_option *row = launch_option_table; row->name; row++) {
		nearest_offer(&near, row->name, strlen(row->name));
		if (length > 2 && strncmp(row->name, name, strlen(name)) == 0 && n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s--%s",
					      beginnings++ ? ", " : "", row->name);
	}
	if (beginnings > 1)
		fprintf(stderr, "hpcrun: %.*s can be any of %s (see hpcrun --help)\n", (int)length,
			word, list);
	else
		fprintf(stderr, "hpcrun: unknown option %.*s%s (see hpcrun --help)\n", (int)length,
			word, nearest_text(hint, &near, "--"));
}

/* Say what is wrong with an option that getopt refuses with this value. */
static int refuse(int value, char **argv)
{
	const char *word = argv[optind - 1];

	if (value == ':')
		fprintf(stderr, "hpcrun: %s needs a value (see hpcrun --help)\n", word);
	else if (optopt >= LONG)
		fprintf(stderr, "hpcrun: --%s takes no value (see hpcrun --help)\n",
			launch_option_table[optopt - LONG].name);
	else if (optopt)
		fprintf(stderr, "hpcrun: unknown option -%c (see hpcrun --help)\n", optopt);
	else
		refuse_unknown(word);
	return -1;
}

/* event: it and what follows in the list, in the library's form. */
static int refuse_event(const char *event, const char *why)
{
	size_t length = csprof_event_length(event), name = strcspn(event, "{");
	fprintf(stderr, "hpcrun: -e '%.*s': %s\n", (int)(name < length ? name : length), event,
		why);
	return -1;
}

static int parse_events(struct launch_options *o)
{
	const char *why, *at;
	char message[LAUNCH_MESSAGE_BYTES];
	if (o->event[0] && launch_expand(o->event, o->action == LAUNCH_RUN, o->expanded,
					 sizeof o->expanded, message) < 0) {
		fprintf(stderr, "hpcrun: -e %s\n", message);
		return -1;
	}
	const char *list = o->expanded[0] ? o->expanded : NULL;
	return csprof_events_parse(list, &o->events, &at, &why) < 0 ? refuse_event(at, why) : 0;
}

/* Counts need marks, and marks our own unwinder. What the environment says gives way. */
static int check_marks(struct launch_options *o, const struct launch_options *environment)
{
	if (o->unwinder != environment->unwinder && o->mark == environment->mark)
		o->mark = NULL;
	if (o->mark != environment->mark && o->returns == environment->returns)
		o->returns = NULL;
	bool counts = o->returns && strcmp(o->returns, "none") != 0;
	if (counts && !o->mark)
		o->mark = "marks";
	bool marked = o->mark && (strcmp(o->mark, "marks") == 0 || strcmp(o->mark, "always") == 0);
	if (counts && !marked)
		return complain("--returns", o->returns, "needs --mark marks");
	if (marked && o->unwinder && strcmp(o->unwinder, "libunwind") == 0)
		return complain("--mark", o->mark, "needs --unwinder cfi");
	return 0;
}

/* What begins measuring at a time needs that hpcrun can reach the processes. */
static int check_times(const struct launch_options *o)
{
	bool private = o->store && strcmp(o->store, HPCRUN_STORE_PRIVATE) == 0;
	const char *what = o->stopped ? "--stop-at-start" : o->delay ? "--delay" : "--for";
	if (o->stopped && (o->delay || o->lasting))
		return complain(o->delay ? "--delay" : "--for", "",
				"not with --stop-at-start (hpcrun control DIR start --for TIME "
				"measures for a time)");
	if (private && (o->delay || o->lasting))
		return complain(what, "", "not with --store private, which hpcrun cannot reach");
	return 0;
}

int launch_options_parse(struct launch_options *o, int argc, char **argv)
{
	struct option longs[OPTIONS + 1] = {{0}};
	char shorts[2 * OPTIONS + 3] = "+:", *to = shorts + 2;

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct launch_option *row = &launch_option_table[i];
		int takes = row->argument ? required_argument : no_argument;
		longs[i] = (struct option){row->name, takes, NULL, LONG + (int)i};
		if (has_letter(row))
			*to++ = (char)row->id;
		if (has_letter(row) && row->argument)
			*to++ = ':';
	}
	memset(o, 0, sizeof *o);
	o->follow = o->pack = o->interpreter = true;
	o->parsed_budget = CSPROF_DEFAULT_BUDGET;
	if (from_environment(o) < 0)
		return -1;
	struct launch_options environment = *o;
	o->event[0] = o->drivers[0] = '\0';
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
		if (c == '?' || c == ':')
			return refuse(c, argv);
		if (one_option(o, c < LONG ? c : launch_option_table[c - LONG].id, optarg) < 0)
			return -1;
	}
	o->command = argv + optind;
	if (check_marks(o, &environment) < 0 || check_times(o) < 0)
		return -1;
	if (!o->event[0])
		memcpy(o->event, environment.event, sizeof o->event);
	if (!o->drivers[0])
		memcpy(o->drivers, environment.drivers, sizeof o->drivers);
	if (parse_events(o) < 0)
		return -1;
	return 0;
}
