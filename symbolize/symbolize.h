/* From file addresses of a load module to functions, inline chains, files and
 * lines. One call resolves all the addresses that a module was seen at, in one
 * pass over them in sorted order.
 *
 * A symbolizer owns every string and function that it hands out, until
 * symbolizer_destroy; equal strings have equal pointers. symbolize_module may be
 * called from several threads with different symbolizers. */
#ifndef SYMBOLIZE_SYMBOLIZE_H
#define SYMBOLIZE_SYMBOLIZE_H

#include "formats/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a function's name comes from, best first. */
enum symbol_source { SYMBOL_DWARF, SYMBOL_SYMTAB, SYMBOL_DYNSYM, SYMBOL_NONE };

/* One function of one module: one record per distinct function, so that frames of
 * the same function point to the same record. */
struct symbol_function {
	const char *name;         /* demangled; never empty; without a symbol
				     "libfoo.so+0x1a2b", after where the function begins by
				     the unwind tables, or else after the address; where a
				     program is entered, "_start" */
	const char *linkage_name; /* as in the symbol table; == name where there is no other */
	const char *file;         /* where it is declared, or NULL */
	uint32_t line;            /* of its declaration, or 0 */
	uint64_t low;             /* its lowest known file address; without a symbol that of
				     the name; 0 for a function only seen inlined */
	enum symbol_source source;
};

/* One frame at an address. */
struct symbol_frame {
	const struct symbol_function *function; /* never NULL */
	const char *file;                       /* of the code at the address, or NULL */
	uint32_t line;                          /* or 0 */
	bool inlined; /* this function was inlined into the next frame's */
};

/* Frames of address i: frames[first[i]] .. frames[first[i + 1] - 1], innermost
 * first; at least one; only the last has inlined == false. */
struct symbol_table {
	size_t num_addresses;
	size_t *first; /* num_addresses + 1 */
	struct symbol_frame *frames;
	enum symbol_source best; /* the best source that the module has at all */
	const char *debug_file;  /* where the names came from, or NULL */
	bool stale;              /* the file on disk has another build-id than was asked for;
				    nothing was resolved from it */
};

struct symbolizer_options {
	const char *sysroot;           /* put before the modules' paths; NULL: none */
	const char *const *debug_dirs; /* searched before the usual place; may be NULL */
	size_t num_debug_dirs;
};

struct symbolizer;
/* The options are copied. NULL if memory ran out. */
struct symbolizer *symbolizer_create(const struct symbolizer_options *options);
void symbolizer_destroy(struct symbolizer *s); /* takes NULL */

struct symbolize_request {
	const char *path;          /* of the module as the program saw it, or of a saved image;
				      NULL: there is no file of it */
	const char *name;          /* what to call it where no symbol covers an address:
				      its basename, "[vdso]", "[anonymous]" */
	const char *build_id;      /* lower-case hex, or NULL if not known */
	const uint64_t *addresses; /* file addresses, sorted, distinct */
	size_t num_addresses;
};

/* Resolve. 0 and *out filled (free it with symbol_table_free), also when the file
 * cannot be read or has no symbols: then every address has one frame that is
 * named after the module, and *why (may be NULL) says what was missing,
 * with kind ERROR_NONE when nothing was. -1 only for want of memory. */
int symbolize_module(struct symbolizer *s, const struct symbolize_request *request,
		     struct symbol_table *out, struct error *why);
void symbol_table_free(struct symbol_table *t);

#endif
