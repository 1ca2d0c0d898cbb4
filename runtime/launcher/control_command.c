/* The command "hpcrun control". */
#include "runtime/launcher/control.h"

#include "formats/base/nearest.h"
#include "runtime/launcher/misuse.h"
#include "runtime/launcher/options.h"
#include "runtime/launcher/quote.h"
#include "runtime/launcher/snapshot.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FAILED = 1, MISUSED = 125 };

struct control_options {
	const char *directory, *what, *name;
	uint64_t lasting; /* ns, 0: for good */
	bool quiet;
};

static const struct {
	const char *name, *short_help, *help;
} verbs[] = {
    {"stop", "stop measuring", "stop measuring"},
    {"start", "measure again", "measure again"},
    {"snapshot", "write datafiles of what is recorded so far",
     "write datafiles of what is recorded so far to DIR/snapshot-N, or\n"
     "                DIR/NAME; they count once with later ones"},
    {"flush", "write what is recorded so far to disk",
     "write it to disk in DIR/flushed, which is read if the machine\n"
     "                goes down"},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

const char *launch_control_verb(size_t i, const char **help)
{
	*help = i < VERBS ? verbs[i].short_help : NULL;
	return i < VERBS ? verbs[i].name : NULL;
}

size_t launch_control_options(struct completion_option *options)
{
	static const struct completion_option all[] = {
	    {0, "for", "TIME", NULL, "undo it after TIME"},
	    {'q', "quiet", NULL, NULL, "do not say what was done"},
	    {'h', "help", NULL, NULL, "print a summary and exit"},
	};
	memcpy(options, all, sizeof all);
	return sizeof all / sizeof *all;
}

static void help(void)
{
	puts("Usage: hpcrun control DIR stop|start [--for TIME]\n"
	     "       hpcrun control DIR snapshot [NAME]\n"
	     "       hpcrun control DIR flush\n"
	     "Control the measurement whose directory is DIR, while its programs run.\n");
	for (int i = 0; i < VERBS; i++)
		printf("  %-13s %s\n", verbs[i].name, verbs[i].help);
	puts("\n"
	     "  --for TIME    undo it after TIME, such as 10s, 500ms or 2m\n"
	     "  -q, --quiet   do not say what was done\n"
	     "  -h, --help    print this and exit\n"
	     "\n"
	     "The exit status is 1 if a process has not answered, and 125 if nothing could be "
	     "done.\n"
	     "More: man hpcrun-control");
}

static int misuse(const char *what, const char *value)
{
	launch_misuse("control", what, value);
	return -1;
}

static int check_verb(const struct control_options *o)
{
	char hint[NEAREST_TEXT];
	struct nearest near = {.typed = o->what};
	bool known = false;
	for (int i = 0; i < VERBS; i++) {
		known |= strcmp(o->what, verbs[i].name) == 0;
		nearest_offer(&near, verbs[i].name, strlen(verbs[i].name));
	}
	if (!known) {
		fprintf(stderr,
			"hpcrun control: unknown word %s%s (expected stop, start, snapshot or "
			"flush)\n",
			o->what, nearest_text(hint, &near, ""));
		return -1;
	}
	if (o->lasting && o->what[0] != 's')
		return misuse("--for goes with stop and start, not with", o->what);
	if (o->lasting && strcmp(o->what, "snapshot") == 0)
		return misuse("--for goes with stop and start, not with", o->what);
	if (o->name && strcmp(o->what, "snapshot") != 0)
		return misuse("what does this mean:", o->name);
	if (o->name && (!*o->name || strchr(o->name, '/') || o->name[0] == '.'))
		return misuse("the name of a snapshot is one word without '/', not", o->name);
	if (o->name && launch_is_reserved(o->name))
		return misuse("a snapshot cannot have the name", o->name);
	return 0;
}

/* Returns 0, 1: help was printed, or -1 after one line on stderr. */
static int parse(struct control_options *o, int argc, char **argv)
{
	static const struct option longs[] = {{"for", required_argument, NULL, 'f'},
					      {"quiet", no_argument, NULL, 'q'},
					      {"help", no_argument, NULL, 'h'},
					      {0}};
	*o = (struct control_options){0};
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, ":qh", longs, NULL)) != -1;)
		switch (c) {
		case 'f':
			if (launch_duration(optarg, &o->lasting) != 0 || !o->lasting)
				return misuse("--for expects a time such as 10s or 500ms, not",
					      optarg);
			break;
		case 'q':
			o->quiet = true;
			break;
		case 'h':
			help();
			return 1;
		case ':':
			return misuse("a value is missing after", argv[optind - 1]);
		default:
			return misuse("unknown option", argv[optind - 1]);
		}
	if (argc - optind < 2)
		return misuse("which directory, and what is to be done?", NULL);
	o->directory = argv[optind];
	o->what = argv[optind + 1];
	o->name = argc - optind > 2 ? argv[optind + 2] : NULL;
	if (argc - optind > 3)
		return misuse("what does this mean:", argv[optind + 3]);
	return check_verb(o);
}

/* Whether a measurement is made there, or, if that is enough, was. */
static bool is_measurement(const char *directory, bool was)
{
	struct launch_content content;
	if (launch_content(directory, &content) != 0) {
		fprintf(stderr, "hpcrun control: %s: %s\n", directory, strerror(errno));
		return false;
	}
	if (content.stores || (was && content.datafiles))
		return true;
	if (content.datafiles) {
		fprintf(stderr, "hpcrun control: %s: this measurement has ended\n", directory);
		return false;
	}
	fprintf(stderr,
		"hpcrun control: %s: no measurement is here whose processes can be reached (name "
		"the directory that hpcrun -o was given; with --store private they cannot)\n",
		directory);
	return false;
}

static int change(const struct control_options *o, bool stop)
{
	char quoted[LAUNCH_QUOTED_BYTES(PATH_MAX)];
	struct launch_controlled r;
	if (launch_control(o->directory, stop, &r) != 0)
		return MISUSED;
	launch_quote(quoted, o->directory);
	if (!o->quiet)
		printf("hpcrun: %s: %u process%s %s\n", quoted, r.done, r.done == 1 ? "" : "es",
		       stop ? "stopped" : "measured from now on");
	launch_control_complain(o->directory, &r);
	return r.silent || r.elsewhere ? FAILED : 0;
}

static void pass(uint64_t ns)
{
	struct timespec left = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

static int stop_or_start(const struct control_options *o)
{
	bool stop = strcmp(o->what, "stop") == 0;
	int status = change(o, stop);
	if (!o->lasting || status == MISUSED)
		return status;
	pass(o->lasting);
	int then = change(o, !stop);
	return then ? then : status;
}

int launch_control_main(int argc, char **argv)
{
	struct control_options o;
	int r = parse(&o, argc, argv);
	if (r != 0)
		return r > 0 ? 0 : MISUSED;
	if (!is_measurement(o.directory, strcmp(o.what, "snapshot") == 0))
		return MISUSED;
	if (strcmp(o.what, "snapshot") == 0)
		return launch_snapshot(o.directory, o.name, o.quiet) == 0 ? 0 : MISUSED;
	if (strcmp(o.what, "flush") == 0)
		return launch_flush(o.directory, o.quiet) == 0 ? 0 : MISUSED;
	return stop_or_start(&o);
}
