/* Fuzzes reading files of other profilers into a model. The input is a file that is not compressed.
 * What is refused must leave the model unchanged. What is accepted must add up: the values to the
 * totals, those of the processes, and those of all parts. It is printed, written as pprof, and read
 * again with the same totals. */
#include "hpcprof/import/import.h"
#include "hpcprof/import/input.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/model/sum.h"
#include "tests/lib/unit/run_view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
	if (!ok)
		abort();
}

static uint64_t sum_of(const struct model *m, size_t metric)
{
	uint64_t sum = 0;

	for (uint32_t c = MODEL_ROOTS; c < model_num_contexts(m); c++)
		sum += m->metrics.at[metric].capacity > c ? m->metrics.at[metric].events[c] : 0;
	return sum;
}

static void check_sums(const struct model *m)
{
	for (size_t k = 0; k < m->metrics.len && !m->saturated; k++) {
		uint64_t processes = 0, threads = 0;
		for (size_t i = 0; i < m->processes.len; i++)
			processes += metric_sums_get(&m->processes.at[i].sums, k).events;
		for (size_t i = 0; i < m->threads.len; i++)
			threads += metric_sums_get(&m->threads.at[i].sums, k).events;
		need(sum_of(m, k) == m->metrics.at[k].total.events);
		need(processes == m->metrics.at[k].total.events);
		need(!m->threads.len || threads == processes);
	}
}

/* The parts, each in a model of its own, add up to the whole. */
static void check_parts(const struct parsed *p, const struct model *whole)
{
	struct importer_part *parts = NULL;
	uint64_t *sums = calloc(whole->metrics.len + 1, sizeof *sums);
	struct arena a = {0};
	struct error e;
	size_t n = 0;

	need(sums && parsed_parts(p, "fuzz", &parts, &n, &a, &e) == 0);
	for (size_t i = 0; i < n && n <= 64; i++) {
		struct model *m = model_create();
		need(m && import_importer.add_part(m, "fuzz", &parts[i], &e) == 0);
		need(!m->processes.len && m->metrics.len == whole->metrics.len);
		for (size_t k = 0; k < m->metrics.len; k++)
			sums[k] += m->metrics.at[k].total.events;
		model_destroy(m);
	}
	for (size_t k = 0; n && n <= 64 && !whole->saturated && k < whole->metrics.len; k++)
		need(sums[k] == whole->metrics.at[k].total.events);
	free(sums);
	arena_deinit(&a);
}

static void print(const struct profile *p, const char *view)
{
	struct error e = {0};
	FILE *out = fopen("/dev/null", "w");

	need(out && print_view(view, 100, p, out, &e) == 0);
	fclose(out);
}

/* In pprof the name alone tells what are the numbers of samples of another metric. */
static bool is_pairs_name(const char *name)
{
	const char *mark = strrchr(name, '_');

	return mark && (strcmp(mark, "_samples") == 0 || strcmp(mark, "_sample") == 0 ||
			strcmp(mark, "_event") == 0);
}

/* Write it as pprof, and read it again. */
static void check_again(const struct profile *p)
{
	char path[] = "/tmp/fuzz-import-XXXXXX";
	struct model *m = model_create();
	const char *lost;
	struct error e;
	int fd = mkstemp(path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	uint64_t before = 0, after = 0;
	bool held = true; /* by pprof */

	if (!out || !m)
		abort();
	need(print_view("export --format pprof", 100, p, out, &e) == 0);
	need(fclose(out) == 0);
	need(import_importer.is(path));
	need(import_importer.add(m, path, &lost, &e) == 0);
	unlink(path);
	for (size_t k = 0; k < p->model->metrics.len; k++) {
		before += p->model->metrics.at[k].total.events;
		held &= p->model->metrics.at[k].total.events <= INT64_MAX &&
			!is_pairs_name(p->model->metrics.at[k].name);
	}
	for (size_t k = 0; k < m->metrics.len; k++)
		after += m->metrics.at[k].total.events;
	need(before == after || !held);
	model_destroy(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct correlate_options o = {.threads = 1};
	struct profile p = {.model = model_create()};
	struct parsed parsed;
	struct error e = {0};

	need(p.model && parsed_init(&parsed));
	if (import_parse(&parsed, data, size, &e) == 0) {
		need(parsed_fill(&parsed, p.model, "fuzz", PARSED_ALL, &e) == 0);
		check_sums(p.model);
		check_parts(&parsed, p.model);
		need(model_finish(p.model, &e) == 0);
		need(correlate(p.model, &o, &p.code, &e) == 0);
		print(&p, "text --all");
		print(&p, "tree");
		check_again(&p);
	} else {
		need(e.text[0] && e.kind != ERROR_NONE);
	}
	parsed_deinit(&parsed);
	profile_deinit(&p);
	return 0;
}
