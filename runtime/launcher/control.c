#include "runtime/launcher/control.h"

#include "formats/base/nearest.h"
#include "formats/store/alive.h"
#include "formats/store/recover.h"
#include "runtime/launcher/options.h"
#include "runtime/launcher/quote.h"
#include "runtime/launcher/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FAILED = 1, MISUSED = 125, NS_PER_MS = 1000000 };

/* ---- new processes --------------------------------------------------------------------- */

int launch_control_mark(const char *out, bool stopped)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/" STORE_STOPPED_FILE, out) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (!stopped)
		return unlink(path) == 0 || errno == ENOENT ? 0 : -1;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

/* ---- running ones ------------------------------------------------------------------------ */

struct asked {
	int fd; /* its store */
	uint32_t pid, sig, wanted;
};

struct asking {
	bool stop, no_memory;
	struct asked *at;
	size_t n;
	struct launch_controlled *result;
};

static int send_to(const struct asked *a)
{
	union sigval value;
	memset(&value, 0, sizeof value);
	value.sival_ptr = (void *)(uintptr_t)STORE_CONTROL_VALUE;
	return sigqueue((pid_t)a->pid, (int)a->sig, value);
}

static void leave_out(struct launch_controlled *r, uint32_t pid)
{
	if (!r->elsewhere++)
		r->first_elsewhere = pid;
}

static void ask(void *context, const struct store_visit *v)
{
	struct asking *all = context;
	const struct store_header *h = v->header;
	uint32_t wanted = (h->control & ~(uint32_t)STORE_CONTROL_STOP) + 2;
	if (!v->alive || h->state != STORE_RUNNING)
		return;
	wanted |= all->stop ? STORE_CONTROL_STOP : 0;
	struct asked a = {fcntl(v->fd, F_DUPFD_CLOEXEC, 0), h->pid, h->sig, wanted};
	if (a.fd < 0 || !store_header_is_local(h) ||
	    pwrite(a.fd, &wanted, sizeof wanted, offsetof(struct store_header, control)) !=
		sizeof wanted ||
	    (send_to(&a) != 0 && errno != ESRCH)) {
		leave_out(all->result, h->pid);
		if (a.fd >= 0)
			close(a.fd);
		return;
	}
	struct asked *more = realloc(all->at, (all->n + 1) * sizeof *more);
	if (!more) {
		all->no_memory = true;
		close(a.fd);
		return;
	}
	all->at = more;
	all->at[all->n++] = a;
}

enum answer { NOT_YET, DONE, ENDED };

static enum answer answer_of(const struct asked *a)
{
	uint32_t done, state;
	if (pread(a->fd, &done, sizeof done, offsetof(struct store_header, controlled)) !=
		sizeof done ||
	    pread(a->fd, &state, sizeof state, offsetof(struct store_header, state)) !=
		sizeof state ||
	    state != STORE_RUNNING || !store_process_runs(a->pid, 0))
		return ENDED;
	/* another one may have asked for more since */
	return (int32_t)(done - a->wanted) >= 0 ? DONE : NOT_YET;
}

/* Those that have not answered remain in the list. again: their signal may have been lost. */
static void collect(struct asking *all, bool again)
{
	size_t kept = 0;
	for (size_t i = 0; i < all->n; i++) {
		enum answer is = answer_of(&all->at[i]);
		if (is == NOT_YET) {
			if (again)
				send_to(&all->at[i]);
			all->at[kept++] = all->at[i];
			continue;
		}
		all->result->done += is == DONE;
		close(all->at[i].fd);
	}
	all->n = kept;
}

static void wait_for_answers(struct asking *all)
{
	enum { LOOKS = 5000, AGAIN = 50 };
	static const struct timespec pause = {0, 2 * NS_PER_MS};
	for (int i = 1; i <= LOOKS && all->n; i++) {
		collect(all, i % AGAIN == 0);
		if (all->n)
			nanosleep(&pause, NULL);
	}
	all->result->silent = (unsigned)all->n;
	for (size_t i = 0; i < all->n; i++) {
		if (i == 0)
			all->result->first_silent = all->at[i].pid;
		close(all->at[i].fd);
	}
	free(all->at);
}

int launch_control(const char *out, bool stop, struct launch_controlled *result)
{
	struct asking all = {.stop = stop, .result = result};
	struct error e = {0};
	*result = (struct launch_controlled){0};
	if (launch_control_mark(out, stop) != 0) {
		fprintf(stderr, "hpcrun: %s/" STORE_STOPPED_FILE ": %s\n", out, strerror(errno));
		return -1;
	}
	int r = store_visit_all(out, ask, &all, &e);
	wait_for_answers(&all);
	if (r == 0 && all.no_memory)
		r = error_memory(&e, sizeof(struct asked));
	if (r != 0)
		fprintf(stderr, "hpcrun: %s: %s\n", out, e.text);
	return r;
}

/* ---- the command -------------------------------------------------------------------------- */

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
	fprintf(stderr, "hpcrun control: %s%s%s (see hpcrun control --help)\n", what,
		value ? " " : "", value ? value : "");
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

void launch_control_complain(const char *out, const struct launch_controlled *r)
{
	char quoted[LAUNCH_QUOTED_BYTES(PATH_MAX)];
	launch_quote(quoted, out);
	if (r->silent)
		fprintf(stderr,
			"hpcrun: %s: %u process%s not answered, %u for example: stopped by a "
			"signal, or its program has taken hpcrun's signal (see --signal)\n",
			quoted, r->silent, r->silent == 1 ? " has" : "es have", r->first_silent);
	if (r->elsewhere)
		fprintf(
		    stderr,
		    "hpcrun: %s: %u process%s cannot be asked, %u for example: of another user, "
		    "or in a container\n",
		    quoted, r->elsewhere, r->elsewhere == 1 ? "" : "es", r->first_elsewhere);
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
