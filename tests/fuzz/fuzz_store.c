/* Any bytes as a store: it is refused, or a datafile is made of it that the reader accepts without
 * a warning and whose account agrees with its trees. Also without settling, a datafile is
 * written. */
#include "formats/store/recover.h"
#include "tests/lib/unit/equations.h"
#include "tests/lib/unit/walk_datafile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void fail(const char *problem)
{
	fprintf(stderr, "fuzz_store: %s\n", problem);
	abort();
}

static struct reader *convert(const struct store_copy *c, uint8_t **datafile)
{
	struct reader *r;
	struct error e;
	size_t n;
	bool opened, warned;
	if (store_copy_to_datafile(c, datafile, &n, &e) < 0)
		fail(e.text);
	const char *problem = walk_bytes(*datafile, n, &opened, &warned);
	if (problem)
		fail(problem);
	if (!opened || warned)
		fail("the reader is not content");
	if (reader_open_memory(*datafile, n, &r, &e) < 0)
		fail(e.text);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct store_ending ending = {"signal 9", 1000000};
	struct store_copy c;
	struct error e;
	uint8_t *datafile;

	if (store_copy_from(&c, bytes, n, &e) < 0)
		return 0;
	reader_close(convert(&c, &datafile));
	free(datafile);
	store_settle(&c, n % 2 ? &ending : NULL);
	struct reader *r = convert(&c, &datafile);
	const char *problem = equations_of_trees(r);
	uint32_t v = store_value_column(store_copy_header(&c), 0);
	if (!problem && v != CSP_NONE)
		problem = equation_of_clocks(r, v);
	if (problem)
		fail(problem);
	reader_close(r);
	free(datafile);
	store_copy_free(&c);
	return 0;
}
