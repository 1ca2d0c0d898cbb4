/* The command "hpcrun detach". */
#include "runtime/launcher/detach.h"

#include "runtime/launcher/detach_command.h"
#include "runtime/launcher/misuse.h"
#include "runtime/launcher/quote.h"
#include "runtime/launcher/snapshot.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = 1, MISUSED = 125 };

size_t launch_detach_options(struct completion_option *options)
{
	static const struct completion_option all[] = {
	    {'q', "quiet", NULL, NULL, "do not say what was done"},
	    {'h', "help", NULL, NULL, "print a summary and exit"},
	};
	memcpy(options, all, sizeof all);
	return sizeof all / sizeof *all;
}

static void help(void)
{
	puts("Usage: hpcrun detach [OPTIONS] PID|DIR...\n"
	     "End the measurement of processes, which go on: their datafiles are written now. The "
	     "programs\n"
	     "that they start from then on are not measured. DIR: of all processes of the "
	     "measurement\n"
	     "whose directory that is; write ./DIR if its name is a number.\n"
	     "\n"
	     "  -q, --quiet   do not say what was done\n"
	     "  -h, --help    print this and exit\n"
	     "\n"
	     "The exit status is 1 if some remain measured, and 125 if nothing could be done.\n"
	     "More: man hpcrun-detach");
}

static bool is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

static int check_directory(const char *directory)
{
	struct launch_content content;
	if (launch_content(directory, &content) != 0)
		fprintf(stderr, "hpcrun detach: %s: %s\n", directory, strerror(errno));
	else if (content.stores)
		return 0;
	else if (content.datafiles)
		fprintf(stderr, "hpcrun detach: %s: this measurement has ended\n", directory);
	else
		fprintf(stderr,
			"hpcrun detach: %s: no measurement is here whose processes can be reached "
			"(name the directory that hpcrun -o was given; with --store private they "
			"cannot)\n",
			directory);
	return -1;
}

/* Returns the exit status. */
static int detach(const char *what, bool quiet)
{
	char quoted[LAUNCH_QUOTED_BYTES(PATH_MAX)];
	struct launch_detached r;
	bool one = is_number(what);
	errno = 0;
	long pid = one ? strtol(what, NULL, 10) : 0;
	if (one && (errno || pid <= 0 || pid > INT32_MAX)) {
		launch_misuse("detach", "expected the number of a process, not", what);
		return MISUSED;
	}
	if (one ? launch_detach_process((pid_t)pid, &r) != 0
		: check_directory(what) != 0 || launch_detach_all(what, NULL, &r) != 0)
		return MISUSED;
	if (!quiet && one && r.done.n)
		printf("hpcrun: process %ld is no longer measured\n", pid);
	launch_quote(quoted, what);
	if (!quiet && !one)
		printf("hpcrun: %s: %u process%s no longer measured\n", quoted, r.done.n,
		       r.done.n == 1 ? " is" : "es are");
	if (!quiet && r.holds.n)
		printf("hpcrun: threads of process %u have not let go of the memory that this took:"
		       " they do when they no longer block the signal of samples\n",
		       r.holds.first);
	return launch_detach_complain(&r) ? FAILED : 0;
}

int launch_detach_main(int argc, char **argv)
{
	static const struct option longs[] = {
	    {"quiet", no_argument, NULL, 'q'}, {"help", no_argument, NULL, 'h'}, {0}};
	bool quiet = false;
	int status = 0;
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, ":qh", longs, NULL)) != -1;)
		switch (c) {
		case 'q':
			quiet = true;
			break;
		case 'h':
			help();
			return 0;
		default:
			launch_misuse("detach", "unknown option", argv[optind - 1]);
			return MISUSED;
		}
	if (optind == argc) {
		launch_misuse("detach", "which process, or which directory?", NULL);
		return MISUSED;
	}
	for (int i = optind; i < argc; i++) {
		int r = detach(argv[i], quiet);
		status = r > status ? r : status;
	}
	return status;
}
