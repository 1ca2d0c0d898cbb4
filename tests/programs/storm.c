/* Large numbers of events that a profiler must follow.
 *
 *     storm exec N           executes itself N times, then exits with 5
 *     storm fork N           makes N children from four threads; exits with 6 if each had
 *                            its own exit status
 *     storm load SECONDS PLUGIN...    eight threads that load, call and unload the
 *                            PLUGINs; exits with 7
 *
 * exec computes a little each time, every tenth time also in a thread. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FORKERS = 4, LOADERS = 8 };

static volatile unsigned sink;
static atomic_int left, wrong;
static char **plugins;
static int num_plugins;
static time_t until;

static void spin(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

static void *spin_apart(void *arg)
{
	spin(100000);
	return arg;
}

static int storm_of_execs(char **argv, long n)
{
	char number[24];
	char *again[] = {argv[0], argv[1], number, NULL};
	pthread_t thread;

	spin(100000);
	if (n == 0)
		return 5;
	if (n % 10 == 0 && pthread_create(&thread, NULL, spin_apart, NULL) != 0)
		return 1;
	snprintf(number, sizeof number, "%ld", n - 1);
	execv("/proc/self/exe", again);
	perror("storm: exec");
	return 1;
}

static void *make_children(void *arg)
{
	int number, status;

	while ((number = atomic_fetch_sub(&left, 1)) > 0) {
		pid_t pid = fork();
		if (pid == 0) {
			spin(50000);
			_exit(number % 200);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != number % 200)
			atomic_fetch_add(&wrong, 1);
	}
	return arg;
}

static void *load(void *arg)
{
	while (time(NULL) < until) {
		for (int i = 0; i < num_plugins; i++) {
			void *plugin = dlopen(plugins[i], RTLD_NOW | RTLD_LOCAL);
			unsigned (*work)(unsigned) =
			    plugin ? (unsigned (*)(unsigned))dlsym(plugin, "plugin_work") : NULL;
			if (!work) {
				atomic_fetch_add(&wrong, 1);
				return arg;
			}
			sink += work(5000);
			dlclose(plugin);
		}
	}
	return arg;
}

static int together(void *(*function)(void *), int n)
{
	pthread_t thread[LOADERS];

	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, function, NULL) != 0)
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return atomic_load(&wrong) != 0;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;

	if (argc > 2 && strcmp(argv[1], "exec") == 0)
		return storm_of_execs(argv, n);
	if (argc > 2 && strcmp(argv[1], "fork") == 0) {
		atomic_store(&left, (int)n);
		return together(make_children, FORKERS) ? 1 : 6;
	}
	if (argc > 3 && strcmp(argv[1], "load") == 0) {
		plugins = argv + 3;
		num_plugins = argc - 3;
		until = time(NULL) + n;
		return together(load, LOADERS) ? 1 : 7;
	}
	fprintf(stderr, "usage: storm exec N, storm fork N, storm load SECONDS PLUGIN...\n");
	return 2;
}
