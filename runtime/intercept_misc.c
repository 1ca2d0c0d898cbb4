/* Load modules that come and go, and the program's use of our signal. */
#include "runtime/intercept.h"

#include "runtime/epoch.h"
#include "runtime/process.h"
#include "runtime/search.h"
#include "runtime/signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* The loader searches along the run path of the library that calls dlopen: had it
 * our address, it would use ours. So a name that the caller's own run path would
 * find is made a path first. */
CSPROF_WRAPPER void *dlopen(const char *file, int mode)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "dlopen");
	void *(*next)(const char *, int) = atomic_load(&real);
	if (!csprof_process_measured())
		return csprof_search_dlopen(next, file, mode, __builtin_return_address(0));
	csprof_epoch_change_begin();
	void *handle = csprof_search_dlopen(next, file, mode, __builtin_return_address(0));
	csprof_epoch_get_loaded_modules();
	csprof_epoch_change_end();
	return handle;
}

CSPROF_WRAPPER void *dlmopen(Lmid_t space, const char *file, int mode)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "dlmopen");
	void *handle =
	    ((void *(*)(Lmid_t, const char *, int))atomic_load(&real))(space, file, mode);
	if (csprof_process_measured())
		csprof_epoch_get_loaded_modules();
	return handle;
}

CSPROF_WRAPPER int dlclose(void *handle)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "dlclose");
	int r = ((int (*)(void *))atomic_load(&real))(handle);
	if (csprof_process_measured())
		csprof_epoch_get_loaded_modules();
	return r;
}

/* ---- signals ---------------------------------------------------------------------- */

CSPROF_WRAPPER int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "sigaction");
	int r = csprof_signal_set_action(sig, act, old);
	if (r <= 0)
		return r;
	return ((int (*)(int, const struct sigaction *, struct sigaction *))atomic_load(&real))(
	    sig, act, old);
}

CSPROF_WRAPPER sighandler_t signal(int sig, sighandler_t handler)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "signal");
	struct sigaction act, old;
	memset(&act, 0, sizeof act);
	act.sa_handler = handler;
	act.sa_flags = SA_RESTART;
	if (csprof_signal_set_action(sig, &act, &old) <= 0)
		return old.sa_handler;
	return ((sighandler_t(*)(int, sighandler_t))atomic_load(&real))(sig, handler);
}
