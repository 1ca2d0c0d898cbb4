#include "symbolize/dwarf_memory.h"

#include "formats/base/atomic_file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { STATUS_NOTHING = 3 };

static void __attribute__((noreturn)) end_process(void)
{
	static const char text[] =
	    "hpcprof: no memory for debug information (give it more memory, or "
	    "read less of it with --module-limit)\n";
	ssize_t n;

	atomic_file_remove_all();
	n = write(STDERR_FILENO, text, sizeof text - 1);
	(void)n;
	_exit(STATUS_NOTHING);
}

/* A thread's errno is still that of the allocation that failed, or of the assertion's message. */
static void on_crash(int signal)
{
	if (errno == ENOMEM)
		end_process();
	atomic_file_remove_all();
	sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	raise(signal); /* ends the process when the handler returns */
}

static void catch_crashes(void)
{
	static const int signals[] = {SIGABRT, SIGSEGV};
	struct sigaction act = {.sa_handler = on_crash}, before;

	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &act, NULL);
}

void dwarf_memory_handle(Dwarf *dwarf)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, catch_crashes);
	if (dwarf)
		dwarf_new_oom_handler(dwarf, end_process);
}
