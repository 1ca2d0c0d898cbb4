/* The functions of the program's that we stand before. Each wrapper does its work
 * and calls the next definition, found once. */
#ifndef RUNTIME_INTERCEPT_H
#define RUNTIME_INTERCEPT_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Exported from the library. */
#define CSPROF_WRAPPER __attribute__((visibility("default")))

#ifdef CSPROF_STATIC
/* libc's function of that name, behind the linker's --wrap (static/make-archive). */
void *csprof_static_next(const char *name);
#define CSPROF_NEXT(name) csprof_static_next(name)
#else
#define CSPROF_NEXT(name) dlsym(RTLD_NEXT, name)
#endif

/* Let *real be the next definition of a function, found at the first use. (The
 * classic name is CSPROF_GRAB_FUNCPTR.) */
#define CSPROF_GRAB_FUNCPTR(real, name)                                                            \
	do {                                                                                       \
		if (!atomic_load_explicit(&(real), memory_order_acquire))                          \
			atomic_store_explicit(&(real), CSPROF_NEXT(name), memory_order_release);   \
	} while (0)

/* Begin, before everything that is the program's; environ need not be set yet. */
void csprof_image_start(int argc, char **argv, char **environment);

/* The process ends with this status: end the measurement, if there is one left to end.
 * with_loader: the loader's lock may be taken. */
void csprof_finish_exit(int status, bool with_loader);

#endif
