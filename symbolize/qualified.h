/* The full names of C++ functions to which the compiler gave no linkage name.
 *
 * gcc gives none to what other units cannot call: members of local and unnamed types and of those
 * in unnamed namespaces, and instances of templates for such types. Their DW_AT_name alone is
 * "operator()" for every lambda, and the same text for two instances of a template for different
 * lambdas. Here the name is put together from what encloses the function, and says where each
 * lambda is in the source, as clang does: main::{lambda at sort.cc:12:5}::operator(). Where types
 * that only a function or a file knows are arguments of templates, their places follow the name:
 * [Entry at sort.cc:7]. */
#ifndef SYMBOLIZE_QUALIFIED_H
#define SYMBOLIZE_QUALIFIED_H

#include "symbolize/enclosing.h"
#include "symbolize/unit.h"

/* The full name of die, which has the DW_AT_name of a function without a linkage name. NULL in
 * *full if it is not C++ or has no name. -1 if memory ran out. */
int qualified_name(struct unit *u, Dwarf_Die *die, const char **full);

#endif
