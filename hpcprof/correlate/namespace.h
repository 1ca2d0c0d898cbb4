/* Namespaces from the names of functions. */
#ifndef HPCPROF_CORRELATE_NAMESPACE_H
#define HPCPROF_CORRELATE_NAMESPACE_H

#include <stddef.h>

/* The outermost part of a function's qualified name: the namespace of C++, or the class of a member
 * of none; the crate of Rust; the package of Go; the module of Fortran. For code inside a function,
 * that of the function. It is the *n bytes at what is returned, in one of the two names or a
 * constant; *n is 0 if there is none, or it cannot be told. linkage_name may be the same as name.
 *
 * The forms of linkage names are those of the Itanium C++ ABI, section 5.1, and of Rust's RFC 2603;
 * a name without one is taken to be a Go function's if it has the form that Go's linker gives
 * names. */
const char *namespace_in(const char *name, const char *linkage_name, size_t *n);

/* That of a function of the Python file with this path: the package that the file is in, or the
 * file's module if it is in none. Packages begin behind the path's last folder of packages, such as
 * site-packages or python3.11; without one, it is the name of the file. Put into out, without a
 * NUL; returns the number of bytes. */
enum { NAMESPACE_BYTES = 1024 };
size_t namespace_of_file(const char *path, char out[NAMESPACE_BYTES]);

#endif
