/* How the library begins in a program that runs already: hpcrun attach loads it and calls this. */
#include "runtime/interception/intercept.h"

#include "runtime/interception/replace.h"
#include "runtime/interception/signals.h"
#include "runtime/process/attach.h"
#include "runtime/process/state.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* variables: NAME=VALUE each, with a zero behind it, and one more at the end. *result becomes 0 or
 * a negative errno: whoever calls this in another process cannot see what it returns. */
CSPROF_WRAPPER void csprof_attach(char *variables, int *result);

enum { MOST_VARIABLES = 64 };

static int exit_status;

/* It is registered after the handlers of the program, so it runs before them: the measurement ends
 * with our destructor. */
static void note_status(int status, void *arg)
{
	(void)arg;
	exit_status = status;
}

__attribute__((destructor)) static void library_end(void)
{
	if (csprof_process.attached && !csprof_process.preloaded)
		csprof_finish_exit(exit_status, true);
}

/* What remains when the program is detached. */
static void begin_first(void)
{
	int (*next)(void (*)(int, void *), void *);
	csprof_signal_adopt();
	csprof_image_attached();
	*(void **)&next = CSPROF_NEXT("on_exit");
	if (next)
		next(note_status, NULL);
}

static int begin(char *variables)
{
	char *list[MOST_VARIABLES + 1];
	size_t n = 0;
	for (char *v = variables; *v && n < MOST_VARIABLES; v += strlen(v) + 1)
		list[n++] = v;
	list[n] = NULL;
	bool first = !csprof_process.preloaded && !csprof_process.attached;
	if (first) {
		os_loaded_late();
		csprof_wrapped_find();
		if (!csprof_replace_begin())
			return -ENOMEM;
	}
	int r = csprof_attach_begin(list);
	if (r < 0)
		return r;
	if (first)
		begin_first();
	csprof_replace_imports();
	csprof_attach_ask();
	return 0;
}

CSPROF_WRAPPER void csprof_attach(char *variables, int *result)
{
	*result = begin(variables);
}
