/* hpcrun-mark: a script says what it is doing. It asks the process that runs it (see
 * formats/store/said.h), and passes labels to COMMAND in the environment. It is linked statically,
 * so that it starts fast and is not itself measured. */
#include "formats/datafile.h"
#include "formats/store/alive.h"
#include "formats/store/recover.h"
#include "formats/store/said.h"
#include "runtime/base/options.h"
#include "runtime/launcher/check.h"
#include "runtime/launcher/control.h"
#include "runtime/launcher/labels.h"
#include "runtime/launcher/self.h"
#include "runtime/launcher/unmeasured.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FAILED = 1, MISUSED = 125, NS_PER_MS = 1000000 };

/* The library does not list it among the programs that could not be measured. */
struct mark_note {
	Elf64_Nhdr head;
	char name[(sizeof HPCRUN_NOTE_NAME + 3) & ~3u];
};
__attribute__((section(".note.hpcrun"), aligned(4), used)) static const struct mark_note note = {
    {sizeof HPCRUN_NOTE_NAME, 0, HPCRUN_NOTE_LINKED}, HPCRUN_NOTE_NAME};

struct mark_options {
	pid_t pid; /* 0: the one that runs us */
	bool quiet;
	char **words; /* what is to be done, and its arguments; with a NULL */
	int num_words;
};

static int misuse(const char *what, const char *value)
{
	fprintf(stderr, "hpcrun-mark: %s%s%s (see hpcrun-mark --help)\n", what, value ? " " : "",
		value ? value : "");
	return MISUSED;
}

/* ---- asking a process -------------------------------------------------------------------- */

struct mark_target {
	pid_t pid;
	int sig; /* 0: it was not found */
};

static void look(void *context, const struct store_visit *v)
{
	struct mark_target *t = context;
	if (v->alive && v->header->state == STORE_RUNNING && v->header->pid == (uint32_t)t->pid &&
	    store_header_is_local(v->header))
		t->sig = (int)v->header->sig;
}

static int send_to(const struct mark_target *t)
{
	siginfo_t info;
	memset(&info, 0, sizeof info);
	info.si_signo = t->sig;
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_ptr = (void *)(uintptr_t)STORE_SAID_VALUE;
	return (int)syscall(SYS_rt_tgsigqueueinfo, t->pid, t->pid, t->sig, &info);
}

static int complain(const struct mark_options *o, pid_t pid, const char *what, int status)
{
	if (!o->quiet)
		fprintf(stderr, "hpcrun-mark: process %d %s\n", (int)pid, what);
	return status;
}

/* Nobody is to do what is asked for when we are gone. */
static char request[PATH_MAX];

static void take_back(int sig)
{
	unlink(request);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void take_back_at(int sig)
{
	struct sigaction before, now = {.sa_handler = take_back};
	if (sigaction(sig, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(sig, &now, NULL);
}

static int write_request(const char *path, const struct store_said *said)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	bool whole = write(fd, said, sizeof *said) == (ssize_t)sizeof *said;
	return close(fd) == 0 && whole ? 0 : -1;
}

/* Until the process has removed the file, or has ended. */
static int wait_for(const struct mark_options *o, const struct mark_target *t, const char *path)
{
	enum { LOOKS = 10000, AGAIN = 20 };
	static const struct timespec pause = {0, NS_PER_MS};
	for (int i = 0; i < LOOKS; i++) {
		if (i % AGAIN == 0 && send_to(t) != 0) {
			int why = errno;
			unlink(path);
			return why == ESRCH ? 0 : complain(o, t->pid, "is of another user", FAILED);
		}
		nanosleep(&pause, NULL);
		if (access(path, F_OK) != 0)
			return 0;
	}
	unlink(path);
	return complain(o, t->pid,
			"has not answered: it is stopped by a signal, or has taken hpcrun's signal",
			FAILED);
}

/* Nothing is wrong if the process is not measured. */
static int ask(const struct mark_options *o, const struct store_said *said)
{
	const char *out = getenv(HPCRUN_ENV_OUT);
	struct mark_target t = {.pid = o->pid ? o->pid : getppid()};
	struct error e = {0};
	if (!out || !*out)
		return 0;
	if (store_visit_all(out, look, &t, &e) != 0 || !t.sig)
		return complain(o, t.pid, "is not measured, or cannot be reached", 0);
	snprintf(request, sizeof request, "%s/" STORE_SAID_FILE "%d-%d", out, (int)t.pid,
		 (int)getpid());
	take_back_at(SIGHUP);
	take_back_at(SIGINT);
	take_back_at(SIGTERM);
	if (write_request(request, said) != 0) {
		fprintf(stderr, "hpcrun-mark: %s: %s\n", request, strerror(errno));
		unlink(request);
		return FAILED;
	}
	return wait_for(o, &t, request);
}

/* ---- what is to be done ------------------------------------------------------------------- */

/* Add a word to a list. Returns 0, or the exit status after one line on stderr. */
static int add_label(char *list, const char *word)
{
	const char *why = launch_label_add(list, word);
	if (!why)
		return 0;
	fprintf(stderr, "hpcrun-mark: '%s': %s (see hpcrun-mark --help)\n", word, why);
	return MISUSED;
}

static int add_name(char *list, const char *word)
{
	size_t had = strlen(list);
	if (!*word || strlen(word) > CSP_NAME_BYTES)
		return misuse("a name has 1 to 255 bytes, not", word);
	return label_list_add_region(list, had, word) == had
		   ? misuse("there are too many names", NULL)
		   : 0;
}

/* Ask with a list of all arguments. */
static int do_each(const struct mark_options *o, struct store_said *said,
		   int (*add)(char *list, const char *word))
{
	for (int i = 1; i < o->num_words; i++) {
		int r = add(said->list, o->words[i]);
		if (r)
			return r;
	}
	return ask(o, said);
}

static int do_label(const struct mark_options *o, struct store_said *said)
{
	return do_each(o, said, add_label);
}

static int do_names(const struct mark_options *o, struct store_said *said)
{
	return do_each(o, said, add_name);
}

static int do_record(const struct mark_options *o, struct store_said *said)
{
	const char *amount = o->words[2], *unit = o->num_words > 3 ? o->words[3] : "count";
	char *end;
	errno = 0;
	said->amount = strtoull(amount, &end, 10);
	if (*amount < '0' || *amount > '9' || *end || errno)
		return misuse("expected a whole number, not", amount);
	if (strlen(unit) > 7)
		return misuse("a unit has at most 7 characters, not", unit);
	snprintf(said->unit, sizeof said->unit, "%s", unit);
	int r = add_name(said->list, o->words[1]);
	return r ? r : ask(o, said);
}

/* Of one process, or of all, as hpcrun control does. */
static int do_control(const struct mark_options *o, struct store_said *said)
{
	const char *out = getenv(HPCRUN_ENV_OUT);
	struct launch_controlled result;
	if (o->pid)
		return ask(o, said);
	if (!out || !*out)
		return 0;
	if (launch_control(out, said->kind == STORE_SAID_STOP, &result) != 0)
		return FAILED;
	if (!o->quiet)
		launch_control_complain(out, &result);
	return result.silent ? FAILED : 0;
}

/* As the library and the launcher do for programs that are started. */
static void check(const char *path, const char *out)
{
	struct launch_obstacle obstacle;
	char like[PATH_MAX];
	if (launch_beside(like, "hpcrun") != 0)
		return;
	launch_check(path, like, &obstacle);
	if (obstacle.reason)
		launch_unmeasured_add(out, obstacle.reason, obstacle.program);
	if (obstacle.alone)
		unsetenv("LD_PRELOAD");
}

/* Replace this program by COMMAND. */
static int do_run(const struct mark_options *o, struct store_said *said)
{
	const char *out = getenv(HPCRUN_ENV_OUT);
	char path[PATH_MAX];
	int i = 1;
	for (; i < o->num_words && strchr(o->words[i], '='); i++) {
		int r = add_label(said->list, o->words[i]);
		if (r)
			return r;
	}
	i += i < o->num_words && strcmp(o->words[i], "--") == 0;
	if (i == o->num_words)
		return misuse("which COMMAND?", NULL);
	int status = launch_find(o->words[i], path);
	if (status) {
		fprintf(stderr, "hpcrun-mark: %s: %s\n", o->words[i],
			status == 127 ? "not found" : "cannot be executed");
		return status;
	}
	if (out && *out) {
		check(path, out);
		if (launch_labels_pass(said->list) != 0) {
			fprintf(stderr, "hpcrun-mark: %s\n", strerror(errno));
			return MISUSED;
		}
	}
	execv(path, o->words + i);
	fprintf(stderr, "hpcrun-mark: %s: %s\n", path, strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

static const struct verb {
	const char *name, *arguments;
	int least, most; /* arguments */
	enum store_said_kind kind;
	int (*run)(const struct mark_options *o, struct store_said *said);
	const char *help;
} verbs[] = {
    {"label", "KEY=VALUE...", 1, 16, STORE_SAID_LABEL, do_label,
     "what it does from now on has these labels, and so have the\n"
     "programs that it starts"},
    {"unlabel", "KEY...", 1, 16, STORE_SAID_UNLABEL, do_names, "it has the labels no more"},
    {"begin", "NAME", 1, 1, STORE_SAID_BEGIN, do_names,
     "it enters a region, and programs that it starts are in it"},
    {"end", "[NAME]", 0, 1, STORE_SAID_END, do_names, "it leaves the region, or the innermost one"},
    {"record", "METRIC AMOUNT [UNIT]", 2, 3, STORE_SAID_RECORD, do_record,
     "add AMOUNT to a metric of its own; UNIT: count, bytes, ns\n"
     "or another"},
    {"stop", "", 0, 0, STORE_SAID_STOP, do_control,
     "stop measuring: all processes, or the one that -p names"},
    {"start", "", 0, 0, STORE_SAID_START, do_control, "measure again"},
    {"run", "[KEY=VALUE]... COMMAND [ARGS...]", 1, INT_MAX, STORE_SAID_KINDS, do_run,
     "run COMMAND with these labels"},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* ---- the command line --------------------------------------------------------------------- */

static void print_help(void)
{
	enum { COLUMN = 16 };
	puts(
	    "Usage: hpcrun-mark [-q] [-p PID] WORD [ARGUMENTS...]\n"
	    "A script that hpcrun measures says what it is doing. Without hpcrun nothing happens.\n"
	    "It is said of the process that runs hpcrun-mark, such as a shell.\n");
	for (int i = 0; i < VERBS; i++) {
		printf("  %s %s\n", verbs[i].name, verbs[i].arguments);
		for (const char *line = verbs[i].help; *line;) {
			size_t n = strcspn(line, "\n");
			printf("%*s%.*s\n", COLUMN, "", (int)n, line);
			line += n + (line[n] == '\n');
		}
	}
	puts(
	    "\n"
	    "  -p, --pid PID   say it of that process; in a subshell, $$ is its shell\n"
	    "  -q, --quiet     do not say that the process is not measured\n"
	    "  -h, --help      print this and exit\n"
	    "      --version   print the version and exit\n"
	    "\n"
	    "The exit status is 0 also if the process is not measured; 1 if it has not answered;\n"
	    "125 if the arguments are wrong; of run, COMMAND's, or 126 or 127 as env(1) has them.\n"
	    "More: man hpcrun-mark");
}

static int parse_pid(const char *text, pid_t *pid)
{
	char *end;
	long n = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || n <= 0 || n > INT_MAX)
		return misuse("expected the number of a process, not", text);
	*pid = (pid_t)n;
	return 0;
}

static int run(const struct mark_options *o)
{
	struct store_said said = {.kind = STORE_SAID_KINDS};
	for (int i = 0; i < VERBS; i++) {
		const struct verb *v = &verbs[i];
		if (strcmp(v->name, o->words[0]) != 0)
			continue;
		if (o->num_words - 1 < v->least || o->num_words - 1 > v->most) {
			fprintf(stderr, "hpcrun-mark: expected: hpcrun-mark %s%s%s\n", v->name,
				*v->arguments ? " " : "", v->arguments);
			return MISUSED;
		}
		said.kind = v->kind;
		return v->run(o, &said);
	}
	return misuse("unknown word", o->words[0]);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {{"pid", required_argument, NULL, 'p'},
					      {"quiet", no_argument, NULL, 'q'},
					      {"help", no_argument, NULL, 'h'},
					      {"version", no_argument, NULL, 'V'},
					      {0}};
	struct mark_options o = {0};
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, "+:p:qh", longs, NULL)) != -1;)
		switch (c) {
		case 'p':
			if (parse_pid(optarg, &o.pid) != 0)
				return MISUSED;
			break;
		case 'q':
			o.quiet = true;
			break;
		case 'h':
			print_help();
			return 0;
		case 'V':
			puts("hpcrun-mark " HPC_VERSION);
			return 0;
		case ':':
			return misuse("a value is missing after", argv[optind - 1]);
		default:
			return misuse("unknown option", argv[optind - 1]);
		}
	o.words = argv + optind;
	o.num_words = argc - optind;
	return o.num_words ? run(&o) : misuse("what is to be said?", NULL);
}
