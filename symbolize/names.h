/* Names and paths of a symbolizer: interned, demangled once, normalised. Every string that is
 * returned lives until symbol_names_destroy, and equal strings have equal pointers. NULL means that
 * memory ran out, unless said otherwise. */
#ifndef SYMBOLIZE_NAMES_H
#define SYMBOLIZE_NAMES_H

#include <stddef.h>

struct symbol_names;
struct symbol_names *symbol_names_create(void);
void symbol_names_destroy(struct symbol_names *n); /* takes NULL */

/* The interned copy of length bytes at s. */
const char *symbol_names_intern(struct symbol_names *n, const char *s, size_t length);

/* The interned result of a printf format. */
const char *symbol_names_format(struct symbol_names *n, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Demangle a linkage name: C++ (Itanium ABI) and Rust (legacy and v0) names are demangled with
 * their parameters, all others, and those beyond the limits of symbolize/demangle.h, are unchanged.
 * An "@VERSION" or "@@VERSION" suffix is removed. *plain (may be NULL) is set to the interned
 * linkage name without the suffix. */
const char *symbol_names_demangle(struct symbol_names *n, const char *linkage, const char **plain);

/* directory/file as one normalised path: no empty, "." or "name/.." components. If file is
 * absolute, directory is ignored; a relative directory is relative to base. base and directory may
 * be NULL. */
const char *symbol_names_path(struct symbol_names *n, const char *base, const char *directory,
			      const char *file);

#endif
