/* A program that uses the signal that we sample with, and the run path of a library:
 *
 *     own_signal PLUGIN
 *
 * Sets a handler for SIGURG, asks what is set, sends itself 100 of them while it burns
 * CPU time, sees them (but those that met one of ours already pending for the thread: the
 * kernel merges standard signals), sets it back to what it was, and loads PLUGIN; prints what it
 * saw. */
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
