/* Maps file addresses of a load module to functions, inline chains, files and lines. One call
 * resolves all sampled addresses of a module, in one pass in sorted order.
 *
 * A symbolizer owns every string and function that it returns, until symbolizer_destroy. Equal
 * strings have equal pointers. symbolize_module may be called from several threads with different
 * symbolizers. */
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
	/* Demangled, or put together from DWARF (symbolize/qualified.h); never empty. Without a
	 * symbol "libfoo.so+0x1a2b", with the start of the function from the unwind tables, or else
	 * the address; "_start" at a program's entry point. */
	const char *name;
	const char *linkage_name; /* as in the symbol table; == name if there is no other */
	const char *short_name;   /* DW_AT_name, if name was put together; else NULL, and
				   * where the names were kept */
	const char *file;         /* of its declaration, or NULL */
	uint32_t line;            /* of its declaration, or 0 */
	/* Its lowest known file address; without a symbol the one in the name; 0 for a function
	 * that was only seen inlined. */
	uint64_t low;
	enum symbol_source source;
};

/* One frame at an address. */
struct symbol_frame {
	const struct symbol_function *function; /* never NULL */
	const char *file;                       /* of the code at the address, or NULL */
	uint32_t line;                          /* or 0 */
	/* Tells apart code from one line, as the compiler wrote it; 0: it did not, or the names
	 * were kept. */
	uint32_t discriminator : 31;
	bool inlined : 1; /* this function was inlined into the next frame's */
};

/* Where a statement begins. Compilers move code: what is elsewhere may be executed more or less
 * often than its statement. Several can begin at one address. */
struct symbol_statement {
	uint64_t address;
	const char *file;
	uint32_t line;
};

/* Who compiled, as bits: compilers mean different things by the same discriminator. */
enum symbol_compiler { SYMBOL_BY_GCC = 1, SYMBOL_BY_CLANG = 2, SYMBOL_BY_OTHER = 4 };

/* Frames of address i: frames[first[i]] .. frames[first[i + 1] - 1], innermost
 * first; at least one; only the last has inlined == false. */
struct symbol_table {
	size_t num_addresses;
	size_t *first; /* num_addresses + 1 */
	struct symbol_frame *frames;
	/* By address, if they were asked for, of units by gcc: others do not mark them. */
	struct symbol_statement *statements;
	size_t num_statements;
	enum symbol_source best; /* the best source that the module has */
	unsigned compilers;      /* of the units that the addresses are in; 0: not known */
	const char *debug_file;  /* file that the names came from, or NULL */
	bool stale;              /* The file on disk has a different build-id and was not used. */
	bool kept;               /* names that were kept were used for some addresses */
	/* A file that is there could not be read, which *why says: a FIFO or other special file,
	 * one that was cut while it was read, one for which there is no memory, or one of names
	 * that were kept. */
	bool unread;
};

struct symbolizer_options {
	const char *sysroot;           /* put before the modules' paths; NULL: none */
	const char *const *debug_dirs; /* searched before the default one; may be NULL */
	size_t num_debug_dirs;
	/* Folders with names that were kept (symbolize/pack.h). They are used for modules whose
	 * files are not there or have less. May be NULL. */
	const char *const *pack_folders;
	size_t num_pack_folders;
	bool packs_only; /* the modules' files are not read */
	/* Steps for each byte of a module's files (symbolize/work.h); 0: the default; UINT64_MAX:
	 * no limit. */
	uint64_t module_limit;
};

struct symbolizer;
/* The options are copied. NULL if memory ran out. */
struct symbolizer *symbolizer_create(const struct symbolizer_options *options);
void symbolizer_destroy(struct symbolizer *s); /* takes NULL */

struct symbolize_request {
	/* Of the module in the measured program, or of a saved image; NULL: it is not in a file. */
	const char *path;
	/* For addresses without a symbol: its basename, "[vdso]", "[anonymous]". */
	const char *name;
	const char *build_id;      /* lower-case hex, or NULL if not known */
	const uint64_t *addresses; /* file addresses, sorted, distinct */
	size_t num_addresses;
	bool statements; /* at these addresses, too; not of what was kept */
};

/* Resolve the addresses. 0 and *out filled (free it with symbol_table_free), also if the file
 * cannot be read or has no symbols: then every address has one frame, named after the module. *why
 * (may be NULL) says why there is no file or no symbol, or why debug information that exists was
 * not read; else its kind is ERROR_NONE. -1 only if memory ran out. */
int symbolize_module(struct symbolizer *s, const struct symbolize_request *request,
		     struct symbol_table *out, struct error *why);
void symbol_table_free(struct symbol_table *t);

#endif
