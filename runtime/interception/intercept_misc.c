/* Loading and unloading of modules. */
#include "runtime/interception/intercept.h"

#include "runtime/interception/dlopen_path.h"
#include "runtime/interception/replace.h"
#include "runtime/process/otel.h"
#include "runtime/process/process.h"
#include "runtime/sample/epoch.h"

#include <dlfcn.h>
#include <stdint.h>

/* The loader searches along the run path of the library that calls dlopen: with our address as
 * the return address it would use ours. So a name that the caller's own run path would find is
 * replaced by a path. */
CSPROF_WRAPPER void *dlopen(const char *file, int mode)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "dlopen");
	void *(*next)(const char *, int) = atomic_load(&real);
	if (!csprof_process_measured())
		return csprof_dlopen_path_open(next, file, mode, __builtin_return_address(0));
	uintptr_t cfa = (uintptr_t)__builtin_dwarf_cfa();
	csprof_epoch_change_begin(cfa, (uintptr_t)__builtin_return_address(0));
	void *handle = csprof_dlopen_path_open(next, file, mode, __builtin_return_address(0));
	csprof_epoch_get_loaded_modules();
	csprof_epoch_change_end(cfa);
	if (handle)
		csprof_otel_look();
	csprof_process_check_marks();
	if (handle)
		csprof_replace_imports();
	return handle;
}

CSPROF_WRAPPER void *dlmopen(Lmid_t space, const char *file, int mode)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "dlmopen");
	void *handle =
	    ((void *(*)(Lmid_t, const char *, int))atomic_load(&real))(space, file, mode);
	if (csprof_process_measured()) {
		csprof_epoch_get_loaded_modules();
		if (handle)
			csprof_otel_look();
		csprof_process_check_marks();
	}
	if (handle)
		csprof_replace_imports();
	return handle;
}

CSPROF_WRAPPER int dlclose(void *handle)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "dlclose");
	int r = ((int (*)(void *))atomic_load(&real))(handle);
	if (csprof_process_measured()) {
		csprof_epoch_get_loaded_modules();
		if (r == 0)
			csprof_otel_look();
	}
	return r;
}

/* The shared library of AddressSanitizer refuses to run behind a preloaded one unless it is told
 * not to (sanitizer flags, verify_asan_link_order). It asks this function for defaults; one that
 * the program has comes before ours. */
CSPROF_WRAPPER const char *__asan_default_options(void);
CSPROF_WRAPPER const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
