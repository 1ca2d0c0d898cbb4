/* Programs that others start, and what is passed to them (runtime/hpcrun.h, hpcrun-mark).
 *
 * passes ways: a program runs for 100 ms that is started in each of several ways, with the labels
 * of the thread that does it: way=NAME, n=-8 and text="17". passes spin MS: so much CPU time.
 * passes churn: labels and regions that change all the time, until its input ends; prints its pid.
 * passes environment: prints what of HPCRUN_LABELS it can see. */
#include "runtime/hpcrun.h"
#include "tests/programs/spin.h"

#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sink;
static const char *self;
static char command[4096];

static void wait_for(pid_t pid)
{
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		exit(1);
}

static void by_fork(char **argv)
{
	pid_t pid = fork();
	if (pid == 0) {
		execv(self, argv);
		_exit(1);
	}
	wait_for(pid);
}

static void by_vfork(char **argv)
{
	pid_t pid = vfork(); /* NOLINT: vfork is tested here */
	if (pid == 0) {
		execve(self, argv, environ);
		_exit(1);
	}
	wait_for(pid);
}

static void by_spawn(char **argv)
{
	pid_t pid;
	if (posix_spawn(&pid, self, NULL, NULL, argv, environ) == 0)
		wait_for(pid);
}

static void by_system(char **argv)
{
	(void)argv;
	if (system(command) != 0)
		exit(1);
}

static void by_popen(char **argv)
{
	FILE *f = popen(command, "r");
	(void)argv;
	if (!f || pclose(f) != 0)
		exit(1);
}

/* It has no environment of its own, but HPCRUN_LABELS: what it says stands after the thread's. */
static void by_own(char **argv)
{
	char *own[] = {"HPCRUN_LABELS=way=own,n=5", NULL};
	pid_t pid = fork();
	if (pid == 0) {
		execve(self, argv, own);
		_exit(1);
	}
	wait_for(pid);
}

static const struct way {
	const char *name;
	void (*start)(char **argv);
} ways[] = {{"fork", by_fork},     {"vfork", by_vfork}, {"spawn", by_spawn},
	    {"system", by_system}, {"popen", by_popen}, {"own", by_own}};

static void *start(void *arg)
{
	const struct way *w = arg;
	char *argv[] = {(char *)self, "spin", "100", NULL};
	hpcrun_label_set("way", strcmp(w->name, "own") == 0 ? "other" : w->name);
	hpcrun_label_set_number("n", -8);
	hpcrun_label_set("text", "17");
	w->start(argv);
	return NULL;
}

static bool input_ended(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	return poll(&input, 1, 0) != 0;
}

static void churn(void)
{
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (int64_t i = 0; i % 4096 || !input_ended(); i++) {
		HPCRUN_REGION(i % 2 ? "odd" : "even");
		hpcrun_label_set("a", i % 2 ? "1" : "a longer value than the other one");
		hpcrun_label_push_number("b", i % 3);
		hpcrun_label_clear("b");
		for (int k = 0; k < 300; k++)
			sink = sink + 1;
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "environment";
	self = argv[0];
	snprintf(command, sizeof command, "exec '%s' spin 100", self);
	if (strcmp(what, "spin") == 0 && argc > 2)
		spin(atof(argv[2]));
	else if (strcmp(what, "churn") == 0)
		churn();
	else if (strcmp(what, "environment") == 0)
		printf("%s\n", getenv("HPCRUN_LABELS") ? getenv("HPCRUN_LABELS") : "none");
	for (size_t i = 0; i < sizeof ways / sizeof *ways && strcmp(what, "ways") == 0; i++) {
		pthread_t t; /* by threads whose labels are not main's */
		if (pthread_create(&t, NULL, start, (void *)&ways[i]) != 0)
			return 1;
		pthread_join(t, NULL);
	}
	return 0;
}
