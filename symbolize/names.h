/* Names and paths of a symbolizer: interned, demangled once, normalised.
 * Every string given out lives until names_destroy, and equal strings have equal
 * pointers. NULL means that memory ran out, unless said otherwise. */
#ifndef SYMBOLIZE_NAMES_H
#define SYMBOLIZE_NAMES_H

#include <stddef.h>

struct names;
struct names *names_create(void);
void names_destroy(struct names *n); /* takes NULL */

/* The interned copy of length bytes at s. */
const char *names_intern(struct names *n, const char *s, size_t length);

/* The interned result of a printf format. */
const char *names_format(struct names *n, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What a linkage name means: C++ (Itanium ABI) and Rust (legacy and v0) names are
 * demangled with their parameters, all others stay as they are. An "@VERSION" or
 * "@@VERSION" suffix is dropped. *plain (may be NULL) receives the interned
 * linkage name without the suffix. */
const char *names_demangle(struct names *n, const char *linkage, const char **plain);

/* directory/file as one normalised path: no empty, "." or "name/.." components.
 * An absolute file stands for itself; a relative directory is taken from base.
 * base and directory may be NULL. */
const char *names_path(struct names *n, const char *base, const char *directory, const char *file);

#endif
