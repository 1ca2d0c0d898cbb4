/* How the preloaded library begins and ends with its program. (For a static program:
 * static/start.c.) */
#include "runtime/interception/intercept.h"

#include "runtime/csprof.h"
#include "runtime/process/plugins.h"
#include "runtime/process/process.h"
#include "runtime/process/state.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void at_exit(int status, void *arg)
{
	(void)arg;
	csprof_plugins_exiting();
	csprof_finish_exit(status, true);
}

/* The loader runs this before any other constructor (Makefile: initfirst), also before libc's
 * own: environ is not set yet, so the options are read from the argument. The exit handler is
 * registered before the program's and the loader's own, so it runs after the last destructor. */
__attribute__((constructor)) static void library_start(int argc, char **argv, char **environment)
{
	int (*next)(void (*)(int, void *), void *);

	/* hpcrun attach loads us on a stack of its own: csprof_attach begins, whatever variables
	 * the program has */
	if (!os_at_start())
		return;
	csprof_process.preloaded = true;
	csprof_image_start(argc, argv, environment);
	if (!csprof_process_measured())
		return;
	/* that of libc: one of the program may not be ready yet (ThreadSanitizer's) */
	*(void **)&next = CSPROF_NEXT("on_exit");
	if (next)
		next(at_exit, NULL);
}

extern const struct csprof_wrapped __start_csprof_wrapped[] __attribute__((visibility("hidden")));
extern const struct csprof_wrapped __stop_csprof_wrapped[] __attribute__((visibility("hidden")));

void csprof_wrapped_find(void)
{
	bool missing = false;
	for (const struct csprof_wrapped *n = __start_csprof_wrapped; n < __stop_csprof_wrapped;
	     n++) {
		if (!atomic_load(n->real))
			atomic_store(n->real, CSPROF_NEXT_VERSION(n->name, n->version));
		missing |= !atomic_load(n->real);
	}
	if (missing)
		(void)
		    dlerror(); /* an old libc lacks some; the program asks for errors of its own */
}

const char *csprof_wrapped_version(const char *name)
{
	const struct csprof_wrapped *n = __start_csprof_wrapped;
	while (n < __stop_csprof_wrapped && strcmp(n->name, name) != 0)
		n++;
	return n < __stop_csprof_wrapped ? n->version : "";
}

/* The starting point of every program (glibc's csu/libc-start.c): constructors have run, main
 * has not. A dlopen in our own constructor would initialise libc without arguments and
 * environment. */
typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
			   void (*)(void), void *);
start_function __libc_start_main;

CSPROF_WRAPPER int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
				     void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
	static _Atomic(void *) real;
	bool own = csprof_own_begin();
	CSPROF_GRAB_FUNCPTR(real, "__libc_start_main");
	csprof_wrapped_find();
	if (own)
		csprof_own_end();
	if (csprof_process_measured())
		csprof_process_before_main();
	return ((start_function *)atomic_load(&real))(main, argc, argv, init, fini, loader_fini,
						      stack_end);
}
