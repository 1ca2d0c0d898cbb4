#include "runtime/launcher/attach.h"

#include "formats/base/path.h"
#include "formats/base/utf8.h"
#include "formats/store/recover.h"
#include "runtime/base/options.h"
#include "runtime/launcher/attach_threads.h"
#include "runtime/launcher/closing.h"
#include "runtime/launcher/control.h"
#include "runtime/launcher/cost.h"
#include "runtime/launcher/detach.h"
#include "runtime/launcher/environment.h"
#include "runtime/launcher/misuse.h"
#include "runtime/launcher/options.h"
#include "runtime/launcher/pack.h"
#include "runtime/launcher/place.h"
#include "runtime/launcher/quote.h"
#include "runtime/launcher/self.h"
#include "runtime/launcher/snapshot.h"
#include "runtime/launcher/store.h"
#include "runtime/launcher/unmeasured.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED_BEFORE = 125 };

static volatile sig_atomic_t ended; /* a signal has asked to end; again: it is not waited for */
static volatile sig_atomic_t again;

static void help(void)
{
	puts(
	    "Usage: hpcrun attach [OPTIONS] PID\n"
	    "Measure a process that runs already, from now on, with all its threads and the "
	    "programs\n"
	    "that it starts. The options are those of hpcrun, without\n"
	    "  --mark marks, --returns, --unwinder, --driver, --only and --delay.\n"
	    "\n"
	    "hpcrun waits until the process ends. With --for TIME, or if it is interrupted, as "
	    "by\n"
	    "Ctrl-C, it ends the measurement before, and the process goes on as if alone; so does\n"
	    "'hpcrun detach PID'. 'hpcrun control' writes what is recorded so far.\n"
	    "\n"
	    "The exit status is 125 if the process cannot be measured.\n"
	    "More: man hpcrun-attach");
}

static int misuse(const char *what, const char *value)
{
	launch_misuse("attach", what, value);
	return -1;
}

/* Which of the options that this cannot do was given; NULL: none. */
static const char *not_possible(const struct launch_options *o)
{
	if (o->mark && (strcmp(o->mark, "marks") == 0 || strcmp(o->mark, "always") == 0))
		return "--mark marks";
	if (o->returns && strcmp(o->returns, "none") != 0)
		return "--returns";
	if (o->unwinder && strcmp(o->unwinder, "libunwind") == 0)
		return "--unwinder libunwind";
	if (o->drivers[0])
		return "--driver";
	if (o->only[0])
		return "--only";
	return o->delay ? "--delay" : NULL;
}

static int parse_pid(const char *text, pid_t *pid)
{
	char *end;
	errno = 0;
	long n = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || n <= 0 || n > INT32_MAX)
		return misuse("expected the number of a process, not", text);
	*pid = (pid_t)n;
	if (*pid == getpid())
		return misuse("that is hpcrun itself:", text);
	return 0;
}

/* ---- the library in the process ----------------------------------------------------------- */

/* What the library reads there: our variables, each with a zero behind it. Returns a descriptor. */
static int pass_variables(void)
{
	int fd = memfd_create("variables", MFD_CLOEXEC);
	for (char **v = environ; fd >= 0 && *v; v++)
		if (strncmp(*v, "HPCRUN_", strlen("HPCRUN_")) == 0) {
			size_t n = strlen(*v) + 1;
			if (write(fd, *v, n) != (ssize_t)n) {
				close(fd);
				return -1;
			}
		}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* In the child. It must not be measured itself. */
static void run_tracer(const char *tracer, const char *pid, const char *library, bool check)
{
	char *variables[256];
	size_t n = 0;
	for (char **v = environ; *v && n + 1 < sizeof variables / sizeof *variables; v++)
		if (strncmp(*v, "HPCRUN_", strlen("HPCRUN_")) != 0 &&
		    strncmp(*v, "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0 &&
		    strncmp(*v, "DEBUGINFOD_", strlen("DEBUGINFOD_")) != 0)
			variables[n++] = *v;
	variables[n] = NULL;
	execle(tracer, tracer, pid, library, check ? "--check" : NULL, (char *)NULL, variables);
	fprintf(stderr, "hpcrun: cannot run %s: %s\n", tracer, strerror(errno));
	_exit(FAILED_BEFORE);
}

/* 0, or -1 after one line on stderr. out NULL: only look whether it can be done. */
static int trace(const struct launch_options *o, const char *pid, const char *library,
		 const char *out, const char *store, const struct csprof_cost *cost)
{
	char tracer[PATH_MAX];
	int status;
	if (launch_beside(tracer, "../lib/hpcrun-attach") != 0 || access(tracer, X_OK) != 0) {
		fprintf(stderr, "hpcrun attach: hpcrun-attach is not there (x86-64 only)\n");
		return -1;
	}
	fflush(stderr);
	pid_t child = fork();
	if (child == 0) {
		int fd = -1;
		if (out && (launch_set_environment(o, library, out, store, cost) != 0 ||
			    (fd = pass_variables()) < 0 || dup2(fd, STDIN_FILENO) < 0)) {
			fprintf(stderr, "hpcrun: cannot pass on the options: %s\n",
				strerror(errno));
			_exit(FAILED_BEFORE);
		}
		run_tracer(tracer, pid, library, !out);
	}
	if (child < 0) {
		fprintf(stderr, "hpcrun: cannot run %s: %s\n", tracer, strerror(errno));
		return -1;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	if (WIFSIGNALED(status))
		fprintf(stderr, "hpcrun: %s has ended by signal %d\n", tracer, WTERMSIG(status));
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* ---- until the process ends ------------------------------------------------------------------ */

static void note_end(int sig)
{
	(void)sig;
	if (ended)
		again = 1;
	ended = 1;
}

static void catch_ends(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction act = {.sa_handler = note_end};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &act, NULL);
}

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* What has ended: the process, its measurement, or the time to measure it. */
enum ended_by { PROCESS_ENDED, DETACHED, TIME_IS_OVER };

/* lasting: ms, 0: until another end. */
static enum ended_by attend(int process, pid_t pid, uint64_t lasting, const char *out,
			    const struct launch_store *store, struct launch_recovered *recovered)
{
	enum { SECOND_MS = 1000 };
	struct pollfd end = {.fd = process, .events = POLLIN};
	struct launch_watched w = {(uint32_t)pid, out, -1};
	uint64_t until = lasting ? now_ms() + lasting : UINT64_MAX;
	enum ended_by by = TIME_IS_OVER;
	for (uint64_t now; !ended && (now = now_ms()) < until;) {
		uint64_t left = until - now;
		if (launch_watch(&w))
			by = DETACHED;
		else if (poll(&end, 1, left < SECOND_MS ? (int)left : SECOND_MS) > 0)
			by = PROCESS_ENDED;
		if (by != TIME_IS_OVER)
			break;
		if (geteuid() == 0)
			launch_store_look(store, out, recovered);
	}
	if (w.fd >= 0)
		close(w.fd);
	return by;
}

static bool has_ended(int process)
{
	struct pollfd end = {.fd = process, .events = POLLIN};
	return poll(&end, 1, 0) > 0;
}

/* End the measurement of the process and all that it has started. Returns whether all is written.
 */
static bool detach(const char *out, const struct launch_store *store, bool quiet)
{
	struct launch_detached r = {.silent = {0}};
	if (!store->path[0])
		return false;
	bool done = launch_detach_all(out, &again, &r) == 0 && !launch_detach_complain(&r);
	if (!quiet && r.done.n)
		fprintf(stderr, "hpcrun: %u process%s no longer measured, and go%s on\n", r.done.n,
			r.done.n == 1 ? " is" : "es are", r.done.n == 1 ? "es" : "");
	return done && r.done.n;
}

static bool is_plain(const char *name)
{
	return *name && name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					  "0123456789._+-")] == '\0';
}

/* The name that the process has, or that of the file that it runs. */
static void find_name(pid_t pid, char out[PATH_MAX])
{
	char link[64];
	snprintf(link, sizeof link, "/proc/%d/comm", (int)pid);
	FILE *f = fopen(link, "re");
	if (!f || !fgets(out, PATH_MAX, f))
		out[0] = '\0';
	if (f)
		fclose(f);
	out[strcspn(out, "\n")] = '\0';
	if (is_plain(out))
		return;
	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(link, out, PATH_MAX - 1);
	out[n > 0 ? n : 0] = '\0';
	char *deleted = strstr(out, " (deleted)");
	if (deleted)
		*deleted = '\0';
	if (!out[0])
		snprintf(out, PATH_MAX, "%d", (int)pid);
}

/* The process may not be able to write to the store: it gets a directory of its own there. */
static void share_store(const struct launch_store *store, pid_t pid)
{
	char path[PATH_MAX + 16];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	if (!store->path[0] || geteuid() != 0 || stat(path, &st) != 0 || st.st_uid == 0)
		return;
	snprintf(path, sizeof path, "%s/%u", store->path, (unsigned)st.st_uid);
	if (mkdir(path, 0700) == 0 && chown(path, st.st_uid, st.st_gid) != 0)
		rmdir(path);
}

static void say_begun(pid_t pid, const char *name, const char *quoted,
		      const struct launch_attached *a)
{
	char clean[UTF8_CLEAN_BYTES(PATH_MAX)], thread[UTF8_CLEAN_BYTES(sizeof a->name)];
	utf8_clean(clean, path_basename(name), strlen(path_basename(name)));
	utf8_clean(thread, a->name, strlen(a->name));
	fprintf(stderr, "hpcrun: process %d (%s) is measured from now on, %u thread%s; to %s\n",
		(int)pid, clean, a->threads, a->threads == 1 ? "" : "s", quoted);
	if (a->silent)
		fprintf(
		    stderr,
		    "hpcrun: %u of its threads %s not measured yet, such as %d (%s), which %s\n",
		    a->silent, a->silent == 1 ? "is" : "are", (int)a->first, thread,
		    a->blocks ? "blocks the signal of samples until now"
			      : "has not answered until now");
}

static int attach(struct launch_options *o, pid_t pid)
{
	char library[PATH_MAX], shown[PATH_MAX], absolute[PATH_MAX], name[PATH_MAX];
	char quoted[LAUNCH_QUOTED_BYTES(PATH_MAX)];
	struct csprof_cost cost;
	struct launch_store store;
	struct launch_recovered recovered = {0};
	struct launch_attached attached;
	struct timespec since;
	bool made;
	int process = pidfd_open(pid, 0);
	if (launch_find_library(o, library) < 0 ||
	    trace(o, o->command[0], library, NULL, NULL, NULL) < 0)
		return FAILED_BEFORE;
	find_name(pid, name);
	if (launch_make_directory(o, name, shown, absolute, &made) < 0)
		return FAILED_BEFORE;
	launch_quote(quoted, shown);
	if (!o->quiet)
		launch_tell_earlier(shown, absolute);
	if (launch_store_make(&store, o->store, absolute) < 0)
		return FAILED_BEFORE;
	launch_control_mark(absolute, o->stopped);
	share_store(&store, pid);
	launch_cost(library, absolute, store.path, &cost);
	clock_gettime(CLOCK_REALTIME_COARSE, &since);
	size_t listed = launch_unmeasured_size(absolute);
	catch_ends();
	if (trace(o, o->command[0], library, absolute, store.path, &cost) < 0) {
		launch_store_recover(&store, absolute, 0, 0, &recovered);
		if (made)
			rmdir(absolute);
		return FAILED_BEFORE;
	}
	launch_attach_threads(pid, absolute, o->sig ? o->sig : SIGURG, &attached);
	if (!o->quiet)
		say_begun(pid, name, quoted, &attached);
	uint64_t lasting = (o->lasting + 999999) / 1000000;
	bool remains = process < 0;
	if (!remains && attend(process, pid, lasting, absolute, &store, &recovered) == TIME_IS_OVER)
		remains = !detach(absolute, &store, o->quiet) && !has_ended(process);
	launch_store_recover(&store, absolute, 0, 0, &recovered);
	/* else it has ended meanwhile */
	if (remains && (recovered.running || !store.path[0])) {
		if (!o->quiet && !store.path[0])
			fputs("hpcrun: what remains measured writes its datafiles when it ends\n",
			      stderr);
		else if (!o->quiet)
			fprintf(stderr,
				"hpcrun: what remains measured writes its datafiles when it ends; "
				"'hpcrun control %s snapshot' writes them now\n",
				quoted);
		return 0;
	}
	if (!recovered.running)
		launch_control_mark(absolute, false);
	launch_flushed_drop(absolute);
	if (!o->quiet) {
		launch_say_stores(quoted, &store, &recovered);
		launch_say_end(o, quoted, shown, &since, listed, &recovered, 0);
	}
	static volatile sig_atomic_t packing;
	if (o->pack)
		launch_pack(absolute, quoted, &since, &packing);
	return 0;
}

int launch_attach_main(int argc, char **argv)
{
	struct launch_options o;
	pid_t pid = 0;
	if (launch_options_parse(&o, argc, argv) < 0)
		return FAILED_BEFORE;
	if (o.action == LAUNCH_HELP) {
		help();
		return 0;
	}
	const char *impossible = not_possible(&o);
	if (o.action != LAUNCH_RUN)
		misuse("this option is not for attach", NULL);
	else if (!o.command[0])
		misuse("which process?", NULL);
	else if (o.command[1])
		misuse("what does this mean:", o.command[1]);
	else if (impossible)
		misuse("a process that runs already cannot be measured with", impossible);
	else if (parse_pid(o.command[0], &pid) == 0)
		return attach(&o, pid);
	return FAILED_BEFORE;
}
