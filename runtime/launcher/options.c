#include "runtime/launcher/options.h"

#include "runtime/base/message.h"
#include "runtime/base/options.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	unsigned bit;
	const char *meaning;
} topics[] = {
    {"process", CSPROF_SAY_PROCESS, "start, fork, exec and end of processes"},
    {"thread", CSPROF_SAY_THREAD, "start and end of threads"},
    {"source", CSPROF_SAY_SOURCE, "the sampling source of each thread"},
    {"epoch", CSPROF_SAY_EPOCH, "changes of the load map"},
    {"file", CSPROF_SAY_FILE, "datafiles written"},
};

void launch_topics(void)
{
	puts("-v takes a sum of these numbers, or names separated by commas:");
	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
		printf("  %3u  %-8s  %s\n", topics[i].bit, topics[i].name, topics[i].meaning);
}

void launch_help(void)
{
	puts("Usage: hpcrun [options] [--] COMMAND [ARGS...]\n"
	     "Run COMMAND and record the call paths in which its threads spend CPU time.\n"
	     "\n"
	     "  -e, --event EVENT     what to sample: CPUTIME, CPUTIME@1ms (a period) or\n"
	     "                        CPUTIME@f1000 (a rate); default CPUTIME@f1000\n"
	     "  -l, --list            list the events that this machine can sample\n"
	     "  -L, --list-long       list them with descriptions and limits\n"
	     "      --budget PERCENT  limit measuring to PERCENT of each thread's CPU time; if "
	     "EVENT\n"
	     "                        would take more, take fewer samples (5)\n"
	     "  -o, --output DIR      write datafiles to DIR (hpcrun-COMMAND-N)\n"
	     "  -r, --follow yes|no   measure spawned processes as well (yes)\n"
	     "      --only NAME       measure only executables with this name; may be repeated\n"
	     "  -t, --trees each|all  one tree of call paths per thread, or one for all (each)\n"
	     "      --store PLACE     keep the trees of running processes in: memory, which\n"
	     "                        outlives the processes (default); DIR, which also outlives\n"
	     "                        a reboot; private, which is lost if a process is killed\n"
	     "      --signal NAME     the signal to sample with (URG)\n"
	     "      --unwinder NAME   cfi (default) or libunwind\n"
	     "  -m, --memory SIZE     size of each thread's first arena, such as 256K or 4M\n"
	     "  -q, --quiet           print no summary at the end\n"
	     "  -v, --verbose MASK    print messages about MASK; -v help lists the topics\n"
	     "      --help, --version\n"
	     "\n"
	     "Then: hpcprof DIR. The exit status is COMMAND's; 125 if hpcrun failed before\n"
	     "COMMAND began, 126 if it cannot be executed, 127 if it is not found.");
}

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

static int parse_verbose(const char *value, struct launch_options *o)
{
	char copy[256];
	char *end;
	if (strcmp(value, "help") == 0) {
		o->action = LAUNCH_TOPICS;
		return 0;
	}
	o->verbose = (unsigned)strtoul(value, &end, 0);
	if (*value && !*end)
		return 0;
	snprintf(copy, sizeof copy, "%s", value);
	o->verbose = 0;
	for (char *save, *name = strtok_r(copy, ",", &save); name;
	     name = strtok_r(NULL, ",", &save)) {
		size_t i = 0;
		while (i < sizeof topics / sizeof *topics && strcmp(topics[i].name, name) != 0)
			i++;
		if (i == sizeof topics / sizeof *topics)
			return complain("-v", name, "no such topic; -v help lists them");
		o->verbose |= topics[i].bit;
	}
	return 0;
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
	/* the last range: libc's own, between SIGSYS and SIGRTMIN */
	if (*out == SIGKILL || *out == SIGSTOP || *out == SIGSEGV || *out == SIGBUS ||
	    *out == SIGILL || *out == SIGFPE || *out == SIGTRAP || *out == SIGSYS ||
	    (*out > SIGSYS && *out < SIGRTMIN))
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

static int parse_only(const char *value, struct launch_options *o)
{
	size_t have = strlen(o->only), more = strlen(value);
	if (have + 1 + more >= sizeof o->only)
		return complain("--only", value, "too many names");
	if (have)
		o->only[have++] = ':';
	memcpy(o->only + have, value, more + 1);
	return 0;
}

static int one_option(struct launch_options *o, int c, const char *value)
{
	const char *why;
	switch (c) {
	case 'e':
		o->event = value;
		return 0;
	case 'B':
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
	case 'O':
		return parse_only(value, o);
	case 't':
		o->trees = value;
		if (strcmp(value, "each") != 0 && strcmp(value, "all") != 0)
			return complain("-t", value, "expected each or all");
		return 0;
	case 'D':
		o->store = value;
		return *value
			   ? 0
			   : complain("--store", value, "expected memory, private or a directory");
	case 'S':
		return parse_signal(value, &o->sig);
	case 'U':
		o->unwinder = value;
		if (strcmp(value, "cfi") != 0 && strcmp(value, "libunwind") != 0)
			return complain("--unwinder", value, "expected cfi or libunwind");
		return 0;
	case 'm':
		return parse_size(value, &o->arena);
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		return parse_verbose(value, o);
	case 'H':
		o->action = LAUNCH_HELP;
		return 0;
	case 'V':
		o->action = LAUNCH_VERSION;
		return 0;
	default:
		fputs("hpcrun: try 'hpcrun --help'\n", stderr);
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
	    {HPCRUN_ENV_EVENTS, 'e'},  {HPCRUN_ENV_OUT, 'o'},      {HPCRUN_ENV_FOLLOW, 'r'},
	    {HPCRUN_ENV_SIGNAL, 'S'},  {HPCRUN_ENV_UNWINDER, 'U'}, {HPCRUN_ENV_ARENA, 'm'},
	    {HPCRUN_ENV_VERBOSE, 'v'}, {HPCRUN_ENV_ONLY, 'O'},     {HPCRUN_ENV_TREES, 't'},
	    {HPCRUN_ENV_STORE, 'D'},   {HPCRUN_ENV_BUDGET, 'B'},
	};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i].name);
		if (value && *value && one_option(o, variables[i].option, value) < 0)
			return -1;
	}
	const char *quiet = getenv(HPCRUN_ENV_QUIET);
	o->quiet = quiet && *quiet;
	return 0;
}

int launch_options_parse(struct launch_options *o, int argc, char **argv)
{
	static const struct option longs[] = {
	    {"event", required_argument, NULL, 'e'},
	    {"list", no_argument, NULL, 'l'},
	    {"list-long", no_argument, NULL, 'L'},
	    {"output", required_argument, NULL, 'o'},
	    {"follow", required_argument, NULL, 'r'},
	    {"only", required_argument, NULL, 'O'},
	    {"trees", required_argument, NULL, 't'},
	    {"store", required_argument, NULL, 'D'},
	    {"budget", required_argument, NULL, 'B'},
	    {"signal", required_argument, NULL, 'S'},
	    {"unwinder", required_argument, NULL, 'U'},
	    {"memory", required_argument, NULL, 'm'},
	    {"quiet", no_argument, NULL, 'q'},
	    {"verbose", required_argument, NULL, 'v'},
	    {"help", no_argument, NULL, 'H'},
	    {"version", no_argument, NULL, 'V'},
	    {NULL, 0, NULL, 0},
	};
	static char own_name[] = "hpcrun"; /* for getopt's messages */
	const char *why;
	argv[0] = own_name;
	memset(o, 0, sizeof *o);
	o->follow = true;
	o->parsed_budget = CSPROF_DEFAULT_BUDGET;
	if (from_environment(o) < 0)
		return -1;
	for (int c; (c = getopt_long(argc, argv, "+e:lLo:r:t:m:qv:", longs, NULL)) != -1;)
		if (one_option(o, c, optarg) < 0)
			return -1;
	o->command = argv + optind;
	if (csprof_event_parse(o->event, &o->parsed, &why) < 0)
		return complain("-e", o->event, why);
	if (o->action == LAUNCH_RUN && !o->command[0]) {
		fputs("hpcrun: which COMMAND? Try 'hpcrun --help'\n", stderr);
		return -1;
	}
	return 0;
}
