/* Sums of few of a model's metrics, against an array of all; and more metrics than a datafile has.
 */
#include "hpcprof/model/metric_sums.h"

#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/run_view.h"
#include "tests/lib/unit/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METRICS = 50 };

static void same(const struct metric_sums *s, const struct model_sum all[METRICS])
{
	for (uint32_t i = 0; i < METRICS; i++) {
		struct model_sum sum = metric_sums_get(s, i);
		assert_int_equal(sum.events, all[i].events);
		assert_int_equal(sum.samples, all[i].samples);
	}
	for (uint32_t i = 1; i < s->len; i++)
		assert_true(s->at[i - 1].metric < s->at[i].metric);
}

static void in_any_order(void **state)
{
	struct arena a;
	unsigned seed = 1;
	(void)state;

	arena_init(&a);
	for (unsigned round = 0; round < 100; round++) {
		struct model_sum all[METRICS] = {{0}}, both[METRICS] = {{0}}, moved[METRICS];
		struct metric_sums s = {0}, t = {0};
		uint32_t places[METRICS];
		for (unsigned i = 0; i < round; i++) {
			uint32_t metric = (seed = seed * 1103515245 + 12345) / 65536 % METRICS;
			struct model_sum v = {seed % 7, i % 3};
			if (i % 5 == 4) {
				assert_true(metric_sums_set(&s, &a, metric, v));
				all[metric] = v;
			} else {
				assert_true(metric_sums_add(&s, &a, metric, v));
				all[metric].events += v.events;
				all[metric].samples += v.samples;
			}
		}
		same(&s, all);
		assert_true(metric_sums_join(&t, &a, &s, NULL));
		assert_int_equal(metric_sums_compare(&s, &t), 0);
		for (uint32_t i = 0; i < METRICS; i++)
			places[i] = (i * 7 + round) % METRICS;
		assert_true(metric_sums_join(&t, &a, &s, places));
		memcpy(both, all, sizeof both);
		for (uint32_t i = 0; i < METRICS; i++) {
			both[places[i]].events += all[i].events;
			both[places[i]].samples += all[i].samples;
			moved[places[i]] = all[i];
		}
		same(&t, both);
		metric_sums_move(&s, places);
		same(&s, moved);
	}
	arena_deinit(&a);
}

static void compared_by_the_first_that_differs(void **state)
{
	struct metric_sums s = {0}, t = {0}, none = {0};
	struct arena a;
	(void)state;

	arena_init(&a);
	assert_true(metric_sums_add(&s, &a, 3, (struct model_sum){1, 1}));
	assert_true(metric_sums_add(&t, &a, 5, (struct model_sum){9, 9}));
	assert_int_equal(metric_sums_compare(&s, &t), 1);
	assert_int_equal(metric_sums_compare(&t, &s), -1);
	assert_int_equal(metric_sums_compare(&none, &t), -1);
	assert_int_equal(metric_sums_compare(&none, &none), 0);
	assert_true(metric_sums_add(&t, &a, 3, (struct model_sum){1, 0}));
	assert_int_equal(metric_sums_compare(&s, &t), 1);
	assert_true(metric_sums_set(&none, &a, 7, (struct model_sum){0, 0}));
	assert_int_equal(metric_sums_compare(&none, &(struct metric_sums){0}), 0);
	arena_deinit(&a);
}

static void saturate(void **state)
{
	struct metric_sums s = {0};
	struct arena a;
	(void)state;

	arena_init(&a);
	for (int i = 0; i < 2; i++)
		assert_true(metric_sums_add(&s, &a, 0, (struct model_sum){UINT64_MAX - 1, 2}));
	assert_true(metric_sums_get(&s, 0).events == UINT64_MAX);
	assert_int_equal(metric_sums_get(&s, 0).samples, 4);
	arena_deinit(&a);
}

/* A datafile of many metrics, the names of which begin with a letter. */
static void write_datafile(const char *path, char letter, unsigned n)
{
	static const struct build_node nodes[] = {{0}};
	struct build_metric *metrics = calloc(n, sizeof *metrics);
	char(*names)[8] = calloc(n, sizeof *names);
	struct build_tree tree = {.version = CSP_VERSION_TREE,
				  .nodes = nodes,
				  .num_nodes = 1,
				  .thread = CSP_NONE,
				  .kind = CSP_TREE_COMPLETE,
				  .creator_tree = CSP_NONE};
	struct build_file file = {.target = "/none",
				  .metrics = metrics,
				  .num_metrics = n,
				  .epochs = &(struct build_epoch){NULL, 0},
				  .num_epochs = 1,
				  .trees = &tree,
				  .num_trees = 1};
	struct built b;

	assert_non_null(metrics);
	assert_non_null(names);
	for (unsigned i = 0; i < n; i++) {
		snprintf(names[i], sizeof *names, "%c%u", letter, i);
		metrics[i] =
		    (struct build_metric){.name = names[i], .flags = CSP_METRIC_ASYNC, .period = 1};
	}
	build(&file, &b);
	built_write(&b, path);
	built_free(&b);
	free(metrics);
	free(names);
}

static void more_than_a_datafile_has(void **state)
{
	char a[256], b[256], to[256], line[300];
	const char *files[] = {a, b};
	FILE *out = fopen("/dev/null", "w");
	struct error e;
	(void)state;

	assert_non_null(out);
	snprintf(a, sizeof a, "%s", scratch_path("a.csp"));
	snprintf(b, sizeof b, "%s", scratch_path("b.csp"));
	snprintf(to, sizeof to, "%s", scratch_path("merged.csp"));
	snprintf(line, sizeof line, "merge -o %s", to);
	write_datafile(a, 'a', 600);
	write_datafile(b, 'b', 400);
	assert_int_equal(run_view(line, files, 2, out, &e), 0);
	assert_int_equal(run_view("dump", (const char *[]){to}, 1, out, &e), 0);
	write_datafile(b, 'b', 401);
	assert_int_equal(run_view("text", files, 2, out, &e), 0);
	assert_int_equal(run_view(line, files, 2, out, &e), -1);
	assert_string_equal(e.text, "1001 metrics: a datafile has at most 1000");
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(in_any_order),
	    cmocka_unit_test(compared_by_the_first_that_differs),
	    cmocka_unit_test(saturate),
	    cmocka_unit_test(more_than_a_datafile_has),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
