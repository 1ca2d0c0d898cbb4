/* Names that are kept with a measurement: what the sampled addresses of its load modules were
 * resolved to, so that they keep their names when a module is built again, replaced or not there.
 *
 * There is a file for each load module, FOLDER/symbols/ID, where FOLDER is that of the datafiles
 * and ID is the module's build-id or, without one, the hash of its contents, with '-' in place of
 * ':'. formats/README.md describes its contents. Reading takes time and memory that are linear in
 * the size of the file. */
#ifndef SYMBOLIZE_PACK_H
#define SYMBOLIZE_PACK_H

#include "symbolize/functions.h"
#include "symbolize/names.h"
#include "symbolize/symbolize.h"

#define SYMBOL_PACK_FOLDER "symbols"
#define SYMBOL_PACK_MAGIC "HPC_SYMBOL"
#define SYMBOL_PACK_VERSION "01.00"

struct symbol_pack {
	size_t num_addresses; /* 0: there is none */
	uint64_t *addresses;  /* sorted, distinct */
	struct symbol_table table;
};

/* Read the file of the module build_id in folder. Functions are added to t, strings to names. 0
 * and *out filled (free it with symbol_pack_free), also if there is no such file; -1 if memory ran
 * out. A damaged file is like none, and *why says so. */
int symbol_pack_read(struct symbol_pack *out, const char *folder, const char *build_id,
		     struct functions *t, struct symbol_names *names, struct error *why);
/* The same for the file's contents, n bytes; path is its name for messages. */
int symbol_pack_parse(struct symbol_pack *out, const void *bytes, size_t n, const char *path,
		      const char *build_id, struct functions *t, struct symbol_names *names,
		      struct error *why);
void symbol_pack_free(struct symbol_pack *p); /* takes an empty one */

/* The path of the file of a module; malloc'd. -1 if memory ran out. */
int symbol_pack_path(char **path, const char *folder, const char *build_id);

/* What a symbolizer reads of it, with functions of no module. */
int symbol_pack_of(struct symbolizer *s, const char *folder, const char *build_id,
		   struct symbol_pack *out, struct error *why);

/* The index of the address, or num_addresses. */
size_t symbol_pack_find(const struct symbol_pack *p, uint64_t address);

/* Resolve the addresses of a request, which has a build_id, and keep in folder what they are
 * called, besides what is kept already. s is a symbolizer whose pack_folders include the folder. 1
 * if the file was written; 0 if there was nothing to add; -1 and *e. Several processes may do this
 * at the same time. */
int symbol_pack_add(struct symbolizer *s, const char *folder,
		    const struct symbolize_request *request, struct error *e);

#endif
