/* Demangling of C++ (Itanium ABI) and Rust (legacy and v0) names with libiberty, with a bound: the
 * demangled form of a name can be exponentially longer than the name.
 *
 * A name of n bytes takes at most O(n) time and memory. The constants are those of the limits in
 * demangle.c: what is printed is at most 64 bytes for each byte of the name, and 64 KiB; what is
 * walked to print it is at most 64 nodes for each. A name beyond them is not demangled. */
#ifndef SYMBOLIZE_DEMANGLE_H
#define SYMBOLIZE_DEMANGLE_H

#include "formats/base/vec.h"

#include <stdbool.h>

struct demangled {
	VEC(char) text; /* not terminated */
};

enum demangle_result {
	DEMANGLE_DONE,
	DEMANGLE_NOT, /* it is no such name, or beyond the limits */
	DEMANGLE_NO_MEMORY
};

/* Put what linkage means, with parameters, into d->text, which has room for one more byte. All
 * zeros is an empty struct demangled, which can be used again; free its text. */
enum demangle_result demangle(struct demangled *d, const char *linkage);

/* Whether it is the name of a destructor that also frees the object; the other variants only
 * destroy it. */
bool demangle_is_deleting(const char *linkage);

#endif
