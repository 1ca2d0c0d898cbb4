#include "hpcprof/correlate/creators.h"

#include "formats/base/path.h"

#include <string.h>

/* Libraries that create threads on behalf of others, by the start of their files' names. */
static const char *const helpers[] = {
    "libhpcrun.",      "libc.",       "libc-",       "libpthread",   "libstdc++.", "libc++.",
    "libgomp.",        "libomp.",     "libiomp5.",   "libglib-2.0.", "libuv.",     "libtbb.",
    "libboost_thread", "libQt5Core.", "libQt6Core.", "ld-linux",     "ld-musl"};

/* Names in the C++ library's namespaces, as in a symbol and without one. A full name may begin with
 * a type. */
static const char *const own_names[] = {"_ZSt",          "_ZNSt", "_ZNKSt",
					"_ZN9__gnu_cxx", "std::", "__gnu_cxx::"};

static bool starts_with_any(const char *s, const char *const *starts, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= strncmp(s, starts[i], strlen(starts[i])) == 0;
	return any;
}

#define STARTS_WITH_ANY(s, starts) starts_with_any(s, starts, sizeof(starts) / sizeof *(starts))

bool creators_helps(const char *module, const struct symbol_function *f)
{
	return f->source == SYMBOL_NONE || STARTS_WITH_ANY(path_basename(module), helpers) ||
	       STARTS_WITH_ANY(f->name, own_names) || STARTS_WITH_ANY(f->linkage_name, own_names);
}
