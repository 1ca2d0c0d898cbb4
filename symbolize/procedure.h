/* The machine code of procedures: their bounds and their bytes.
 *
 * A procedure is the code of a symbol with a size, or a function in the unwind tables. A part that
 * the compiler split off is a separate procedure. */
#ifndef SYMBOLIZE_PROCEDURE_H
#define SYMBOLIZE_PROCEDURE_H

#include "symbolize/symbolize.h"

enum { PROCEDURE_MOST_BYTES = 16 << 20 }; /* if it is longer, the file is damaged */

struct procedure {
	uint64_t low, high; /* file addresses, [low, high) */
	uint8_t *bytes;     /* [high - low] */
	char *symbol;       /* that begins at low; NULL: none does */
	/* Of the local symbols of this name in the order of addresses, which one it is, from 1 on;
	 * 0: it is not local. */
	uint32_t local;
	bool is_part; /* the compiler split it off from a function */
};

struct procedures {
	struct procedure *at; /* in the order of addresses, not overlapping */
	size_t len, cap;
	size_t missed;    /* number of addresses without a procedure */
	uint16_t machine; /* EM_* of ELF */
	bool big;
};

/* Find the procedures that contain the request's addresses. 0 and *out filled (free it with
 * procedures_free), also if none is found; then *why (may be NULL) says what was missing. -1 only
 * if memory ran out. */
int procedures_read(const struct symbolizer *s, const struct symbolize_request *request,
		    struct procedures *out, struct error *why);
void procedures_free(struct procedures *p); /* takes NULL */

/* The file addresses of the code symbols that have one of the names, or one of them and what
 * compilers append after a dot, for copies and parts of a function. names: sorted. *addresses:
 * sorted, distinct, to be freed. 0, or -1 and *e if there is no such file or memory ran out. */
int procedures_named(const struct symbolizer *s, const struct symbolize_request *request,
		     const char *const *names, size_t num_names, uint64_t **addresses,
		     size_t *num_addresses, struct error *e);
void procedure_free(struct procedure *p); /* what it owns; takes NULL */

#endif
