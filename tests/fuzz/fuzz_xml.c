/* Fuzzes reading PROFILE and CSPROFILE into a model. The input is a file. What is accepted must be
 * printed as XML that is accepted again and then printed byte for byte the same, and the exclusive
 * values must add up to the totals. */
#include "hpcprof/export/xml.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/load/ingest_xml.h"
#include "tests/lib/unit/run_view.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
	if (!ok)
		abort();
}

/* Read the bytes into a profile. Returns whether they were accepted. */
static bool take_in(struct profile *p, const void *bytes, size_t n)
{
	struct correlate_options o = {.threads = 1};
	struct error e;

	memset(p, 0, sizeof *p);
	p->model = model_create();
	need(p->model);
	if (ingest_xml_memory(p->model, "fuzz.xml", bytes, n, &e) != 0) {
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

/* Check that the printed text is accepted, and printed unchanged. */
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
