#include "hpcprof/export/feedback/bolt.h"

#include <inttypes.h>

/* BOLT calls the n-th local symbol of a name "NAME/n". Backslashes and blanks end its names, so it
 * escapes them. */
static void put_symbol(FILE *out, const struct feedback_procedure *p)
{
	for (const char *c = p->symbol; *c; c++) {
		if (*c == '\\' || *c == ' ')
			putc('\\', out);
		putc(*c, out);
	}
	if (p->local)
		fprintf(out, "/%" PRIu32, p->local);
}

uint64_t bolt_write(FILE *out, const struct feedback_module *m)
{
	uint64_t written = 0;

	fputs("no_lbr cpu-clock:\n", out);
	for (size_t i = 0; i < m->procedures.len; i++) {
		const struct feedback_procedure *p = &m->procedures.at[i];
		if (!p->symbol)
			continue;
		for (size_t k = p->first; k < p->first + p->num; k++) {
			const struct feedback_instruction *one = &m->code.at[k];
			if (!one->samples)
				continue;
			fputs("1 ", out);
			put_symbol(out, p);
			fprintf(out, " %" PRIx64 " %" PRIu64 "\n", one->address - p->low,
				one->samples);
			written += one->samples;
		}
	}
	return written;
}
