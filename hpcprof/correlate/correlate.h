/* Names for the frames of a model. Each distinct address of a module is resolved once, in one pass
 * per module, with modules in parallel. Then every frame of the model has a chain of code frames,
 * innermost first: inlined frames, then the function that they were inlined into.
 *
 * Functions, files and lines have dense ids, which attribution uses as indexes. Ids depend on the
 * order in which things were seen; what a user sees must not depend on it. */
#ifndef HPCPROF_CORRELATE_CORRELATE_H
#define HPCPROF_CORRELATE_CORRELATE_H

#include "formats/base/vec.h"
#include "hpcprof/command/common.h"
#include "hpcprof/model/model.h"
#include "symbolize/symbolize.h"

#include <stdbool.h>
#include <stdint.h>

struct code_function {
	const char *name; /* demangled; never empty */
	const char *linkage_name;
	const char *file; /* of its declaration, or NULL */
	uint32_t line;    /* of its declaration, or 0 */
	uint64_t low;     /* its lowest known file address, 0 if it was only seen inlined */
	uint32_t module;
	enum symbol_source source;
	bool inlined;  /* seen inlined somewhere in this profile */
	bool standing; /* seen not inlined in this profile */
};

struct code_file {
	const char *name; /* NULL: the code of a module for which no file is known */
	uint32_t module;  /* if name is NULL */
};

/* A folder of files, or a namespace of functions. */
struct code_group {
	const char *name; /* NULL: not known, or none */
	uint32_t module;  /* if name is NULL: of the code */
};
typedef VEC(struct code_group) code_groups;

struct code_line {
	uint32_t file;
	uint32_t line;     /* 0: not known */
	uint32_t function; /* the only function with code from this line, or ... */
	bool several;      /* ... several have; then the first by name */
};

struct code_frame {
	uint32_t function, line; /* the file is that of the line */
	bool inlined;
};

struct code_module {
	enum symbol_source best;
	bool stale;      /* the file on disk is not the one measured */
	bool kept;       /* names were kept with the measurement, and are used */
	bool unread;     /* they could not be read; why says so */
	bool asked;      /* a file was looked for ([anonymous] has none) */
	const char *why; /* what was missing; or NULL */
};

struct symbolized {
	VEC(struct code_function) functions;
	VEC(struct code_file) files;
	VEC(struct code_line) lines;
	VEC(struct code_frame) frames;
	code_groups folders, namespaces;
	uint32_t *folder_of;         /* [files] */
	uint32_t *namespace_of;      /* [functions] */
	uint32_t *first;             /* [model frames + 1]: the chain of model frame i is
					frames[first[i]] .. frames[first[i + 1] - 1]; there
					is none if no context has the frame */
	const char **creators;       /* [model threads]: the function; "": not known */
	struct code_module *modules; /* [model modules] */
	struct arena arena;
	struct strings *paths;           /* of files; also names of groups */
	struct symbolizer **symbolizers; /* they own the names */
	size_t num_symbolizers;
};

struct correlate_options {
	struct symbolizer_options symbolizer;
	bool no_inline;   /* fold inlined frames into the function around them */
	unsigned threads; /* at least 1 */
	/* Called after each module, from any thread but one at a time. May be NULL. */
	void (*progress)(void *context, size_t done, size_t total);
	void *context;
};

/* What the options say of where modules' files are and what reading them may cost. */
struct symbolizer_options correlate_symbolizer(const struct common *o);

/* The request to a symbolizer for a module, without addresses. *image: use a symbolizer without a
 * sysroot, because the file was saved beside a datafile. */
struct symbolize_request correlate_request(const struct model_module *mod, bool *image);

/* The distinct addresses of a module's frames, sorted; malloc'd. 0, or -1 and *e. */
int correlate_addresses(const struct model *m, uint32_t module, uint64_t **addresses, size_t *n,
			struct error *e);

/* Resolve the frames of a finished model, which must outlive *out. 0, or -1 and *e if memory ran
 * out. A file without symbols is not an error: see code_module. */
int correlate(const struct model *m, const struct correlate_options *o, struct symbolized *out,
	      struct error *e);
void symbolized_deinit(struct symbolized *c); /* takes NULL */

#endif
