/* Fuzzes the reader of PROFILE and CSPROFILE, and what it is read into. The input is a
 * file; what is taken must come out as XML that is taken again and then comes out the
 * same, byte by byte, and the exclusive values must add up to the totals. */
#include "hpcprof/profile.h"
#include "hpcprof/xml.h"
#include "tests/lib/run_view.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
	if (!ok)
		abort();
}

/* Whether it was taken. */
static bool take_in(struct profile *p, const void *bytes, size_t n)
{
	struct correlate_options o = {.threads = 1};
	struct error e;

	memset(p, 0, sizeof *p);
	p->model = model_create();
	need(p->model);
	if (model_add_xml_memory(p->model, "fuzz.xml", bytes, n, &e) != 0) {
		need(!p->model->processes.len);
		return false;
	}
	need(model_finish(p->model, &e) == 0 && correlate(p->model, &o, &p->code, &e) == 0);
	return true;
}

static char *printed(const struct profile *p, bool callpath, size_t *n)
{
	struct error e;
	char *text = NULL;
	FILE *out = open_memstream(&text, n);

	need(out && print_view(callpath ? "xml --callpath" : "xml", 100, p, out, &e) == 0);
	need(fclose(out) == 0);
	return text;
}

static void check_sums(const struct model *m)
{
	for (size_t k = 0; k < m->metrics.len; k++) {
		uint64_t sum = 0;
		for (uint32_t c = MODEL_ROOTS; c < model_num_contexts(m); c++)
			sum += m->metrics.at[k].events[c];
		need(m->saturated || sum == m->metrics.at[k].total.events);
	}
}

/* What was printed is taken, and printed as it is. */
static void check_again(const char *text, size_t n, bool callpath)
{
	struct profile p;
	size_t again_n = 0;
	char *again;

	need(take_in(&p, text, n));
	again = printed(&p, callpath, &again_n);
	need(again_n == n && memcmp(again, text, n) == 0);
	free(again);
	profile_deinit(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile p;

	if (take_in(&p, data, size)) {
		check_sums(p.model);
		for (int callpath = 0; callpath < 2; callpath++) {
			size_t n = 0;
			char *text = printed(&p, callpath, &n);
			check_again(text, n, callpath);
			free(text);
		}
	}
	profile_deinit(&p);
	return 0;
}
