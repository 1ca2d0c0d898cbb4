/* hpcrun: prepare the environment for the preloaded library, run COMMAND, forward signals, and
 * print a summary at the end. */
#include "formats/base/path.h"
#include "runtime/base/options.h"
#include "runtime/launcher/attach.h"
#include "runtime/launcher/check.h"
#include "runtime/launcher/closing.h"
#include "runtime/launcher/complete.h"
#include "runtime/launcher/control.h"
#include "runtime/launcher/cost.h"
#include "runtime/launcher/detach_command.h"
#include "runtime/launcher/drivers.h"
#include "runtime/launcher/environment.h"
#include "runtime/launcher/hardening.h"
#include "runtime/launcher/image_cost.h"
#include "runtime/launcher/list_events.h"
#include "runtime/launcher/options.h"
#include "runtime/launcher/pack.h"
#include "runtime/launcher/place.h"
#include "runtime/launcher/quote.h"
#include "runtime/launcher/snapshot.h"
#include "runtime/launcher/store.h"
#include "runtime/launcher/summary.h"
#include "runtime/launcher/unmeasured.h"
#include "runtime/launcher/waited.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FAILED_BEFORE = 125 };

static volatile sig_atomic_t child;

static int fail(const char *what, const char *name)
{
	fprintf(stderr, "hpcrun: %s %s: %s\n", what, name, strerror(errno));
	return -1;
}

/* ---- the child ---------------------------------------------------------------------------- */

static void hand_on(int sig, siginfo_t *info, void *context)
{
	(void)context;
	/* the terminal sends signals to the whole process group, COMMAND included */
	if (child > 0 && info->si_code <= 0)
		kill((pid_t)child, sig);
	if (sig == SIGTSTP)
		raise(SIGSTOP); /* the shell waits until we stop as well */
}

/* What the caller did about a file beyond the limit, which is an error to us. */
static struct sigaction beyond_limit;

static const int handed_on[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
				SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
enum { HANDED_ON = sizeof handed_on / sizeof *handed_on };

static bool is_python(const char *file)
{
	size_t n = strlen(file), end = sizeof ".py" - 1;
	return n > end && strcmp(file + n - end, ".py") == 0 && access(file, R_OK) == 0;
}

/* Nothing, or for a Python script that is there the command to run it. */
static void say_python(const char *file, const char *arguments)
{
	char quoted[LAUNCH_QUOTED_BYTES(PATH_MAX)];
	if (strlen(file) < PATH_MAX && is_python(file))
		fprintf(stderr, "; to run it by Python: hpcrun python3 %s%s",
			launch_quote(quoted, file), arguments);
}

/* Signals are blocked until the child exists, so that none is lost. */
static pid_t start_child(const struct launch_options *o, const char *path,
			 const struct launch_obstacle *obstacle, const char *library,
			 const char *out, const char *store, const struct csprof_cost *cost)
{
	sigset_t held, before;
	struct sigaction act, old[HANDED_ON];
	sigemptyset(&held);
	memset(&act, 0, sizeof act);
	act.sa_sigaction = hand_on;
	act.sa_flags = SA_SIGINFO | SA_RESTART;
	sigemptyset(&act.sa_mask);
	for (int i = 0; i < HANDED_ON; i++)
		sigaddset(&held, handed_on[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	for (int i = 0; i < HANDED_ON; i++) {
		sigaction(handed_on[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(handed_on[i], &act, NULL);
	}
	/* if SIGCHLD is ignored, as the caller may have left it, there is nothing to wait for */
	struct sigaction own, chld;
	memset(&own, 0, sizeof own);
	own.sa_handler = SIG_DFL;
	sigaction(SIGCHLD, &own, &chld);
	pid_t pid = fork();
	if (pid == 0) {
		sigaction(SIGCHLD, &chld, NULL);
		sigaction(SIGXFSZ, &beyond_limit, NULL);
		for (int i = 0; i < HANDED_ON; i++)
			sigaction(handed_on[i], &old[i], NULL);
		sigprocmask(SIG_SETMASK, &before, NULL);
		if (!obstacle->alone && launch_set_environment(o, library, out, store, cost) != 0)
			fail("cannot set", "LD_PRELOAD"); /* then it runs without being measured */
		execv(path, o->command);
		/* a script without #!, as execvp runs it */
		if (errno == ENOEXEC && !obstacle->elf) {
			if (is_python(path)) {
				fprintf(stderr, "hpcrun: %s: run by sh, as it has no line with #!",
					path);
				say_python(path, o->command[1] ? " ..." : "");
				fputc('\n', stderr);
			}
			size_t n = 0;
			while (o->command[n])
				n++;
			char **argv = calloc(n + 2, sizeof *argv);
			if (argv) {
				argv[0] = (char *)"sh";
				argv[1] = (char *)path;
				memcpy(argv + 2, o->command + 1, n * sizeof *argv);
				execv("/bin/sh", argv);
			}
		}
		int failed = errno;
		fprintf(stderr, "hpcrun: %s: %s\n", o->command[0], strerror(failed));
		_exit(failed == ENOENT ? 127 : 126);
	}
	child = pid;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static uint64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* When measuring is to begin, and to stop; 0: it does not, or has. */
struct plan {
	uint64_t start, stop;
};

static struct plan make_plan(const struct launch_options *o)
{
	uint64_t now = monotonic_ns();
	return (struct plan){.start = o->delay ? now + o->delay : 0,
			     .stop = o->lasting ? now + o->delay + o->lasting : 0};
}

static void change(const char *out, bool stop)
{
	struct launch_controlled result;
	if (launch_control(out, stop, &result) == 0)
		launch_control_complain(out, &result);
}

/* Do what is due. Returns ms until something else is, or -1. */
static int follow_plan(struct plan *plan, const char *out)
{
	enum { NS_PER_MS = 1000000, MOST_MS = 1000 * 1000 };
	uint64_t now = monotonic_ns();
	if (plan->start && now >= plan->start) {
		change(out, false);
		plan->start = 0;
	}
	if (plan->stop && now >= plan->stop) {
		change(out, true);
		plan->stop = 0;
	}
	uint64_t next = plan->start ? plan->start : plan->stop;
	if (!next)
		return -1;
	uint64_t ms = next > now ? (next - now + NS_PER_MS - 1) / NS_PER_MS : 0;
	return ms < MOST_MS ? (int)ms : MOST_MS;
}

/* Until the child ends: follow the plan, and once a second see to what processes of other users
 * left. */
static void attend(pid_t pid, const char *out, const struct launch_store *store, struct plan *plan,
		   struct launch_recovered *recovered)
{
	enum { SECOND_MS = 1000 };
	bool look = geteuid() == 0;
	struct pollfd end = {.fd = pidfd_open(pid, 0), .events = POLLIN};
	int r = end.fd >= 0 ? 0 : 1;
	while (r == 0 || (r < 0 && errno == EINTR)) {
		int ms = follow_plan(plan, out);
		if (ms < 0 && !look)
			break;
		r = poll(&end, 1, look && (ms < 0 || ms > SECOND_MS) ? SECOND_MS : ms);
		if (r == 0 && look)
			launch_store_look(store, out, recovered);
	}
	if (end.fd >= 0)
		close(end.fd);
}

/* Returns the wait status of the child; *ns becomes the CPU time of it and of all that it waited
 * for. Until the child is reaped, its pid is not reused, so signals can be sent to it. */
static int wait_for(pid_t pid, uint64_t *ns)
{
	int status;
	struct rusage used = {0};
	siginfo_t ended;
	*ns = 0;
	while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	child = 0;
	while (wait4(pid, &status, 0, &used) < 0)
		if (errno != EINTR)
			return W_EXITCODE(FAILED_BEFORE, 0);
	*ns = ns_of(used.ru_utime) + ns_of(used.ru_stime);
	return status;
}

/* The folder of the library and of drivers, with '/' at its end. */
static const char *library_folder(const char *library)
{
	static char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%.*s", (int)path_folder_length(library), library);
	return folder;
}

static int run(struct launch_options *o)
{
	char library[PATH_MAX], shown[PATH_MAX], absolute[PATH_MAX], path[PATH_MAX];
	char quoted[LAUNCH_QUOTED_BYTES(PATH_MAX)];
	bool made;
	int status = launch_find(o->command[0], path);
	if (status) {
		fprintf(stderr, "hpcrun: %s: %s", o->command[0],
			status == 127 ? "not found" : "cannot be executed");
		say_python(o->command[0], o->command[1] ? " ..." : "");
		fputc('\n', stderr);
		return status;
	}
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigaction(SIGXFSZ, &ignore, &beyond_limit);
	if (launch_find_library(o, library) < 0 ||
	    launch_drivers_find(o->drivers, library_folder(library), o->found_drivers) < 0 ||
	    launch_make_directory(o, o->command[0], shown, absolute, &made) < 0)
		return FAILED_BEFORE;
	struct launch_obstacle obstacle;
	if (!o->quiet)
		launch_tell_earlier(shown, absolute);
	launch_check(path, "/proc/self/exe", &obstacle);
	if (obstacle.sentence[0])
		fprintf(stderr, "hpcrun: %s %s\n", path, obstacle.sentence);
	if (!obstacle.reason &&
	    launch_loses_shadow_stack(path, "/proc/cpuinfo", gnu_get_libc_version()))
		fprintf(stderr,
			"hpcrun: %s runs without its shadow stack, and so less protected, while "
			"it is measured\n",
			path);
	struct csprof_cost cost;
	struct launch_store store;
	struct launch_recovered recovered = {0};
	struct timespec since;
	if (launch_store_make(&store, o->store, absolute) < 0)
		return FAILED_BEFORE;
	/* a file of before must not stop this measurement */
	if (launch_control_mark(absolute, o->stopped || o->delay) != 0) {
		fail("cannot write to", shown);
		return FAILED_BEFORE;
	}
	launch_cost(library, absolute, store.path, &cost);
	clock_gettime(CLOCK_REALTIME_COARSE, &since);
	size_t listed = launch_unmeasured_size(absolute);
	pid_t pid = start_child(o, path, &obstacle, library, absolute, store.path, &cost);
	if (pid < 0) {
		fail("cannot run", o->command[0]);
		launch_store_recover(&store, absolute, 0, 0, &recovered);
		return FAILED_BEFORE;
	}
	if (obstacle.reason && !o->only[0])
		launch_unmeasured_add(absolute, obstacle.reason, obstacle.program);
	uint64_t waited;
	struct plan plan = make_plan(o);
	attend(pid, absolute, &store, &plan, &recovered);
	status = wait_for(pid, &waited);
	launch_store_recover(&store, absolute, pid, status, &recovered);
	if (!recovered.running)
		launch_control_mark(absolute, false);
	launch_flushed_drop(absolute);
	launch_waited_add(absolute, pid, &since, waited);
	launch_quote(quoted, shown);
	if (!o->quiet) {
		launch_say_stores(quoted, &store, &recovered);
		launch_say_end(o, quoted, shown, &since, listed, &recovered, waited);
	}
	if (o->pack)
		launch_pack(absolute, quoted, &since, &child);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	struct launch_options o;
	char library[PATH_MAX];
	if (argc == 3 && strcmp(argv[0], LAUNCH_IMAGE_NAME) == 0)
		return launch_image_run(argv[2]);
	if (argc > 1 && strcmp(argv[1], "--complete") == 0)
		return launch_complete((const char *const *)argv + 2, (size_t)argc - 2);
	if (argc > 1 && strcmp(argv[1], "control") == 0)
		return launch_control_main(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "attach") == 0)
		return launch_attach_main(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "detach") == 0)
		return launch_detach_main(argc - 1, argv + 1);
	if (launch_options_parse(&o, argc, argv) < 0)
		return FAILED_BEFORE;
	switch (o.action) {
	case LAUNCH_HELP:
		launch_help();
		return 0;
	case LAUNCH_VERSION:
		puts("hpcrun " HPC_VERSION);
		return 0;
	case LAUNCH_TOPICS:
	case LAUNCH_CHECKS:
		launch_topics(o.action == LAUNCH_CHECKS);
		return 0;
	case LAUNCH_LIST:
	case LAUNCH_LIST_LONG:
		launch_list_events(o.action == LAUNCH_LIST_LONG);
		if (launch_find_library(&o, library) == 0)
			launch_drivers_list(library_folder(library), o.action == LAUNCH_LIST_LONG);
		return 0;
	case LAUNCH_RUN:
		break;
	}
	if (!o.command[0]) {
		fputs("hpcrun: which COMMAND? Try 'hpcrun --help'\n", stderr);
		return FAILED_BEFORE;
	}
	return run(&o);
}
