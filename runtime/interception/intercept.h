/* The wrappers of functions that the program calls. Each does its work and calls the next
 * definition of the function, which is looked up once. */
#ifndef RUNTIME_INTERCEPTION_INTERCEPT_H
#define RUNTIME_INTERCEPTION_INTERCEPT_H

#include "runtime/os/os.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Exported from the library. */
#define CSPROF_WRAPPER __attribute__((visibility("default")))

#ifdef CSPROF_STATIC
/* libc's function of that name, when the linker's --wrap is used (static/make-archive). */
void *csprof_static_next(const char *name);
#define CSPROF_NEXT(name) csprof_static_next(name)
#define CSPROF_NEXT_VERSION(name, version) csprof_static_next(name)
#define CSPROF_LIST_NEXT(real, name, version)
#else
#define CSPROF_NEXT(name) os_next(name, "")
/* version: "" for any. */
#define CSPROF_NEXT_VERSION(name, version) os_next(name, version)
#define CSPROF_LIST_NEXT(real, name, version)                                                      \
	static const struct csprof_wrapped next_                                                   \
	    __attribute__((section("csprof_wrapped"), used)) = {&(real), name, version}
#endif

/* dlsym takes the loader's lock. A thread that loads a library holds that lock while the
 * library's constructors run, and they may wait for this thread. So all functions are looked up
 * before main, from the list that the linker makes of these entries. */
struct csprof_wrapped {
	_Atomic(void *) *real;
	const char *name, *version;
} __attribute__((aligned(32))); /* so that the linker's list has no gaps */

/* Look up all of them. */
void csprof_wrapped_find(void);
/* The version of that function in the list, or "". */
const char *csprof_wrapped_version(const char *name);

/* Set real to the next definition of a function. It is looked up at the first use if that is
 * before main. (The classic name is CSPROF_GRAB_FUNCPTR.) */
#define CSPROF_GRAB_FUNCPTR(real, name) CSPROF_GRAB_VERSION(real, name, "")
/* The same of a version of it: of several ones, dlsym finds the oldest (before glibc 2.36). */
#define CSPROF_GRAB_VERSION(real, name, version)                                                   \
	do {                                                                                       \
		CSPROF_LIST_NEXT(real, name, version);                                             \
		if (!atomic_load_explicit(&(real), memory_order_acquire))                          \
			atomic_store_explicit(&(real), CSPROF_NEXT_VERSION(name, version),         \
					      memory_order_release);                               \
	} while (0)

/* Begin, before any code of the program; environ need not be set yet. */
void csprof_image_start(int argc, char **argv, char **environment);

/* The same in a program that runs already, and is measured from now on. */
void csprof_image_attached(void);

/* The process ends with this status: end the measurement, unless it has ended. with_loader: the
 * loader's lock may be taken. */
void csprof_finish_exit(int status, bool with_loader);

#endif
