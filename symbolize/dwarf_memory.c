#include "symbolize/dwarf_memory.h"

#include "formats/base/atomic_file.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_NOTHING = 3 };

static void __attribute__((noreturn)) end_process(const char *text)
{
	ssize_t n;

	atomic_file_remove_all();
	n = write(STDERR_FILENO, text, strlen(text));
	(void)n;
	_exit(STATUS_NOTHING);
}

static void __attribute__((noreturn)) on_no_memory(void)
{
	end_process("hpcprof: no memory for debug information (give it more memory, or read less "
		    "of it with --module-limit)\n");
}

static void on_abort(int signal)
{
	(void)signal;
	end_process("hpcprof: a library aborted, as libdw does without memory for debug "
		    "information (give it more memory, or read less of it with --module-limit)\n");
}

static void catch_abort(void)
{
	struct sigaction act = {.sa_handler = on_abort}, before;

	sigemptyset(&act.sa_mask);
	if (sigaction(SIGABRT, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(SIGABRT, &act, NULL);
}

void dwarf_memory_handle(Dwarf *dwarf)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, catch_abort);
	if (dwarf)
		dwarf_new_oom_handler(dwarf, on_no_memory);
}
