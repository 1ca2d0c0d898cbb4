/* If any allocation fails while models are joined, finished and written, there is an error value,
 * no crash, and no leak. */
#include "hpcprof/command/path_list.h"
#include "hpcprof/export/merge.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/model/join.h"
#include "hpcprof/model/sorted_model.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/failing_alloc.h"

#include <stdio.h>
#include <unistd.h>

static struct built files[3];

static void ignore(void *context, const char *text)
{
	(void)context;
	(void)text;
}

static int add(struct model *m, const struct built *b, struct error *e)
{
	struct ingest *in = ingest_create(m, &(struct ingest_options){.join_threads = true});
	struct reader *r = NULL;
	int rc = in ? reader_open_memory(b->bytes, b->n, &r, e) : error_memory(e, 0);

	if (rc == 0)
		rc = ingest_file(in, r, "one.csp", ignore, NULL, e);
	reader_close(r);
	ingest_destroy(in);
	return rc;
}

/* What model_finish_all does with two models, without starting threads, which also allocates. Any
 * numbers can be used as an order. */
static int unite(struct model *a, struct model *b, struct error *e)
{
	static uint32_t same[64];
	struct sorted_model x = {0}, y = {0};
	struct joined facts = {0};
	int rc = join_facts(a, b, &facts, e);

	for (uint32_t i = 0; i < 64; i++)
		same[i] = i;
	if (rc == 0) {
		struct sorted_places of_a = {same, same, NULL, a->metrics.len};
		struct sorted_places of_b = {facts.modules, facts.functions, facts.metrics,
					     a->metrics.len};
		assert_true(a->modules.len <= 64);
		rc = sorted_model_take(&x, a, &of_a, e);
		if (rc == 0)
			rc = sorted_model_take(&y, b, &of_b, e);
		if (rc == 0)
			rc = sorted_model_zip(&x, &y, e);
		if (rc == 0)
			rc = sorted_model_give(&x, a, e);
	}
	join_deinit(&facts);
	sorted_model_deinit(&x);
	sorted_model_deinit(&y);
	return rc;
}

static bool united; /* else joined, finished and written */

/* Make one model of two. */
static int merge(FILE *out, struct error *e)
{
	struct model *a = model_create(), *b = model_create();
	int rc = a && b ? 0 : error_memory(e, 0);

	if (rc == 0)
		rc = add(a, &files[0], e);
	if (rc == 0)
		rc = add(b, &files[1], e);
	if (rc == 0)
		rc = add(b, &files[2], e);
	if (rc == 0)
		rc = united ? unite(a, b, e) : model_join(a, b, e);
	if (rc == 0 && !united)
		rc = model_finish(a, e);
	if (rc == 0 && !united)
		rc = merge_write(out, a, e);
	model_destroy(a);
	model_destroy(b);
	return rc;
}

static void every_allocation_fails_once(void)
{
	FILE *out = fopen("/dev/null", "w");
	struct error e = {0};
	unsigned long all;

	assert_non_null(out);
	failing_alloc_start(0);
	assert_int_equal(merge(out, &e), 0);
	all = failing_alloc_count();
	assert_true(all > 100);
	assert_int_equal(failing_alloc_live(), 0);
	for (unsigned long n = 1; n <= all; n++) {
		int rc;
		e = (struct error){0};
		failing_alloc_start(n);
		rc = merge(out, &e);
		if (failing_alloc_live() != 0)
			fail_msg("allocation %lu: %ld are not freed", n, failing_alloc_live());
		if (rc == 0)
			fail_msg("allocation %lu of %lu failed and nothing said so", n, all);
		assert_int_equal(e.kind, ERROR_MEMORY);
	}
	failing_alloc_start(0);
	fclose(out);
}

static void test_every_allocation_fails_once(void **state)
{
	(void)state;
	for (int way = 0; way < 2; way++) {
		united = way;
		every_allocation_fails_once();
	}
}

static void test_lists(void **state)
{
	static const char text[] = "first\n\nsecond name\nlast";
	char path[] = "/tmp/hpctest.XXXXXX";
	int fd = mkstemp(path);
	struct error e = {0};
	unsigned long all = 0;

	(void)state;
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	for (unsigned long n = 0;; n++) {
		struct path_list l = {0};
		int rc;
		failing_alloc_start(n);
		rc = path_list_read(&l, path, false, &e);
		if (n == 0)
			all = failing_alloc_count();
		if (rc == 0) {
			assert_int_equal(l.at.len, 3);
			assert_string_equal(l.at.at[1], "second name");
			assert_string_equal(l.at.at[2], "last");
		}
		path_list_deinit(&l);
		assert_int_equal(failing_alloc_live(), 0);
		assert_int_equal(rc, n ? -1 : 0);
		if (n == all)
			break;
	}
	failing_alloc_start(0);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_allocation_fails_once),
	    cmocka_unit_test(test_lists),
	};
	struct build_file f = build_example;
	int failed;

	build(&f, &files[0]);
	f.shuffle = 5;
	f.big = true;
	build(&f, &files[1]);
	f.shuffle = 0;
	f.width = 4;
	f.without = 1 << CSP_CHUNK_ACCOUNT;
	build(&f, &files[2]);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (int i = 0; i < 3; i++)
		built_free(&files[i]);
	return failed;
}
