/* The functions of the program's that we stand before. Each wrapper does its work
 * and calls the next definition, found once. */
#ifndef RUNTIME_INTERCEPT_H
#define RUNTIME_INTERCEPT_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Exported from the library. */
#define CSPROF_WRAPPER __attribute__((visibility("default")))

/* Let *real be the next definition of a function, found at the first use. (The
 * classic name is CSPROF_GRAB_FUNCPTR.) */
#define CSPROF_GRAB_FUNCPTR(real, name)                                                            \
	do {                                                                                       \
		if (!atomic_load_explicit(&(real), memory_order_acquire))                          \
			atomic_store_explicit(&(real), dlsym(RTLD_NEXT, name),                     \
					      memory_order_release);                               \
	} while (0)

/* The process ends with this status: end the measurement, if there is one left to end.
 * with_loader: the loader's lock may be taken. */
void csprof_finish_exit(int status, bool with_loader);

#endif
