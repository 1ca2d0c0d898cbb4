/* Fuzzes everything from a datafile that the reader accepted to the views: merging, attribution,
 * folding, layout. The input is a datafile. Names are made from the addresses, so that no files are
 * opened. For any file, exclusive values must add up to the total, unless a sum is saturated. */
#include "hpcprof/load/ingest.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/metrics/attribute.h"
#include "tests/lib/unit/fake_code.h"
#include "tests/lib/unit/run_view.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *names[FAKE_FUNCTIONS];

static void name_functions(void)
{
	static const char *const some[] = {
	    "main",      "std::vector<int, std::allocator<int> >::at(int)",
	    "a\x1b]0;b", "\xff\xfe",
	    "operator<", "f((((",
	    "x>>>)"};
	for (unsigned i = 0; i < FAKE_FUNCTIONS; i++)
		names[i] = some[i % (sizeof some / sizeof *some)];
}

static void ignore(void *context, const char *text)
{
	(void)context;
	(void)text;
}

static void check_sums(const struct model *m, const struct symbolized *c)
{
	for (size_t k = 0; k < m->metrics.len; k++) {
		const uint64_t *column = m->metrics.at[k].events;
		struct attribution a;
		if (attribute(m, c, ATTRIBUTE_ALL, &column, 1, &a, NULL) != 0)
			abort();
		for (int g = 0; g < GROUPINGS; g++) {
			uint64_t sum = 0;
			for (size_t i = 0; i < a.by[g].num_rows; i++)
				sum += a.by[g].exclusive[i];
			if (!m->saturated && sum != m->metrics.at[k].total.events)
				abort();
		}
		attribute_deinit(&a);
	}
}

static void show(const struct profile *p, unsigned width)
{
	static const char *const all[] = {
	    "text",         "text --all",   "tree",         "tree --bottom-up",
	    "callers main", "callees main", "annotate main"};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct error e = {0};
		FILE *out = fopen("/dev/null", "w");
		/* there may be no function main */
		if (!out || (print_view(all[i], width, p, out, &e) != 0 && e.kind != ERROR_USAGE))
			abort();
		fclose(out);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile p = {0};
	struct reader *r;
	struct error e;

	if (!names[0])
		name_functions();
	if (reader_open_memory(data, size, &r, &e) != 0)
		return 0;
	p.model = model_create();
	/* twice: the second time every context exists */
	for (int i = 0; i < 2; i++) {
		const struct ingest_options options = {.sysroot = "/nonexistent", .threads = true};
		struct ingest *in = ingest_create(p.model, &options);
		if (!in || ingest_file(in, r, "fuzz.csp", ignore, NULL, &e) != 0)
			abort();
		ingest_destroy(in);
	}
	reader_close(r);
	if (model_finish(p.model, &e) != 0)
		abort();
	fake_code(p.model, names, &p.code);
	check_sums(p.model, &p.code);
	show(&p, 60 + size % 64);
	profile_deinit(&p);
	return 0;
}
