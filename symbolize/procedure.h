/* The machine code of procedures: where they begin and end, and their bytes.
 *
 * A procedure is what one symbol with a size covers, or what the unwind tables call a
 * function; a part that the compiler split off is a procedure of its own. */
#ifndef SYMBOLIZE_PROCEDURE_H
#define SYMBOLIZE_PROCEDURE_H

#include "symbolize/symbolize.h"

enum { PROCEDURE_MOST_BYTES = 16 << 20 }; /* a longer one is a damaged file's */

struct procedure {
	uint64_t low, high; /* file addresses, [low, high) */
	uint8_t *bytes;     /* [high - low] */
};

struct procedures {
	struct procedure *at; /* in the order of addresses, not overlapping */
	size_t len, cap;
	size_t missed;    /* addresses that no procedure was found for */
	uint16_t machine; /* EM_* of ELF */
	bool big;
};

/* Find the procedures that the request's addresses lie in. 0 and *out filled (free it with
 * procedures_free), also when none is found; *why (may be NULL) then says what was missing.
 * -1 only for want of memory. */
int procedures_read(const struct symbolizer *s, const struct symbolize_request *request,
		    struct procedures *out, struct error *why);
void procedures_free(struct procedures *p); /* takes NULL */

#endif
