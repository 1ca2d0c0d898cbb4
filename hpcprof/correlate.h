/* Names for the frames of a model: each distinct address of a module is resolved
 * once, in one pass per module, modules in parallel; then every frame of the model
 * has its chain of code frames, innermost first, inlined ones before the function
 * that they were inlined into.
 *
 * Functions, files and lines have dense ids, which attribution counts by. Ids depend
 * on the order in which things were seen; nothing that is shown to a user may. */
#ifndef HPCPROF_CORRELATE_H
#define HPCPROF_CORRELATE_H

#include "formats/base/vec.h"
#include "hpcprof/model.h"
#include "symbolize/symbolize.h"

#include <stdbool.h>
#include <stdint.h>

struct code_function {
	const char *name; /* demangled; never empty */
	const char *linkage_name;
	const char *file; /* of its declaration, or NULL */
	uint32_t line;    /* of its declaration, or 0 */
	uint64_t low;     /* its lowest known file address, 0 if only seen inlined */
	uint32_t module;
	enum symbol_source source;
	bool inlined;  /* seen inlined somewhere in this profile */
	bool standing; /* seen as a function of its own in this profile */
};

struct code_file {
	const char *name; /* NULL: the code of a module for which no file is known */
	uint32_t module;  /* where name is NULL */
};

struct code_line {
	uint32_t file;
	uint32_t line;     /* 0: not known */
	uint32_t function; /* the only function with code from this line ... */
	bool several;      /* ... or the first by name of several */
};

struct code_frame {
	uint32_t function, line; /* the file is that of the line */
	bool inlined;
};

struct code_module {
	enum symbol_source best;
	bool stale;      /* the file on disk is not the one measured */
	bool asked;      /* a file was looked for ([anonymous] has none) */
	const char *why; /* what was missing, or NULL */
};

struct code {
	VEC(struct code_function) functions;
	VEC(struct code_file) files;
	VEC(struct code_line) lines;
	VEC(struct code_frame) frames;
	uint32_t *first;             /* [model frames + 1]: the chain of model frame i is
					frames[first[i]] .. frames[first[i + 1] - 1] */
	struct code_module *modules; /* [model modules] */
	struct arena arena;
	struct strings *paths;
	struct symbolizer **symbolizers; /* they own the names */
	size_t num_symbolizers;
};

struct correlate_options {
	struct symbolizer_options symbolizer;
	bool no_inline;   /* fold inlined frames into the function around them */
	unsigned threads; /* at least 1 */
	/* Told after each module, from any thread but one at a time; may be NULL. */
	void (*progress)(void *context, size_t done, size_t total);
	void *context;
};

/* What to ask a symbolizer about a module, but for the addresses. *image: it is to be one
 * without a sysroot, since the file was saved beside a datafile. */
struct symbolize_request correlate_request(const struct model_module *mod, bool *image);

/* Resolve the frames of a finished model, which must outlive *out. 0, or -1 and *e for
 * want of memory. Files without symbols are no failure: see code_module. */
int correlate(const struct model *m, const struct correlate_options *o, struct code *out,
	      struct error *e);
void code_deinit(struct code *c); /* takes NULL */

#endif
