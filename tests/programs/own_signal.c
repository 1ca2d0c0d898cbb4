/* A program that uses our sampling signal, and the run path of a library:
 *
 *     own_signal PLUGIN
 *
 * Sets a handler for SIGURG, asks for the action, sends itself 100 SIGURG while it uses CPU
 * time, counts them (except those that came while one of ours was already pending for the
 * thread: the kernel merges standard signals), restores the action, and loads PLUGIN; prints
 * what it saw. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t seen;
static volatile unsigned sink;

static void on_signal(int sig)
{
	seen += sig == SIGURG;
}

int main(int argc, char **argv)
{
	struct sigaction act, old, now, back;

	memset(&act, 0, sizeof act);
	act.sa_handler = on_signal;
	sigaction(SIGURG, &act, &old);
	sigaction(SIGURG, NULL, &now);
	for (int i = 0; i < 100; i++) {
		raise(SIGURG);
		for (int k = 0; k < 1000000; k++)
			sink += k;
	}
	sigaction(SIGURG, &old, &back);
	printf("before %s, then %s, at the end %s, seen %s\n",
	       old.sa_handler == SIG_DFL ? "default" : "other",
	       now.sa_handler == on_signal ? "ours" : "other",
	       back.sa_handler == on_signal ? "ours" : "other",
	       seen > 97 && seen <= 100 ? "them" : "others");
	if (argc > 1) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*load)(void) =
		    library ? (int (*)(void))dlsym(library, "load_by_run_path") : NULL;

		printf("by run path: %s\n", load && load() ? "found" : "not found");
	}
	return signal(SIGURG, SIG_IGN) == SIG_DFL ? 0 : 1;
}
