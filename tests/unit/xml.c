/* Writing PROFILE and CSPROFILE and reading them back. */
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/export/xml.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/load/ingest_xml.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/fake_code.h"
#include "tests/lib/unit/run_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                       \
	"<PROFILE version=\"3.0\"><PROFILEHDR/><PROFILEPARAMS><TARGET name=\"t\"/><METRICS>"       \
	"<METRIC shortName=\"a\" nativeName=\"CYC\" period=\"10\" units=\"count\"/></METRICS>"     \
	"</PROFILEPARAMS><PROFILESCOPETREE><PGM n=\"t\">"
#define TAIL "</PGM></PROFILESCOPETREE></PROFILE>"

static char *printed(const struct profile *p, bool callpath)
{
	struct error e = {0};
	size_t n = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &n);

	if (print_view(callpath ? "xml --callpath" : "xml", 100, p, out, &e) != 0)
		fail_msg("%s", e.text);
	fclose(out);
	return text;
}

static void take_in(struct profile *p, const char *text)
{
	struct correlate_options o = {.threads = 1};
	struct error e = {0};

	memset(p, 0, sizeof *p);
	p->model = model_create();
	assert_non_null(p->model);
	if (ingest_xml_memory(p->model, "x.xml", text, strlen(text), &e) != 0)
		fail_msg("%s\n%s", e.text, text);
	if (model_finish(p->model, &e) != 0 || correlate(p->model, &o, &p->code, &e) != 0)
		fail_msg("%s", e.text);
}

static uint64_t total(const struct profile *p)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < p->model->metrics.len; i++)
		sum += p->model->metrics.at[i].total.events;
	return sum;
}

static void check_round_trip(const struct profile *p)
{
	for (int callpath = 0; callpath < 2; callpath++) {
		char *first = printed(p, callpath), *second;
		struct profile back;

		take_in(&back, first);
		second = printed(&back, callpath);
		assert_string_equal(second, first);
		assert_int_equal(total(&back), total(p));
		free(first);
		free(second);
		profile_deinit(&back);
	}
}

static void ignore(void *context, const char *text)
{
	(void)context;
	(void)text;
}

static void make_profile(struct profile *p, const struct build_file *f, const char *const *names)
{
	struct reader *r;
	struct error e = {0};
	struct built b;

	memset(p, 0, sizeof *p);
	p->model = model_create();
	build(f, &b);
	if (reader_open_memory(b.bytes, b.n, &r, &e) != 0 ||
	    ingest_datafile(p->model, r, "a.csp", NULL, ignore, NULL, &e) != 0 ||
	    model_finish(p->model, &e) != 0)
		fail_msg("%s", e.text);
	reader_close(r);
	built_free(&b);
	fake_code(p->model, names, &p->code);
}

static void test_round_trip(void **state)
{
	(void)state;
	static const char *const evil[] = {
	    "operator<",  "a&b",      "\"quoted\"",     "it's",
	    "\x01\x1b[m", "\xff\xfe", "na\xc3\xafve",   "[unknown function]",
	    "a\\x41",     "same",     "same",           "[partial call paths]",
	    "]]>",        "<!--",     "[unknown file]", "\xed\xa0\x80"};
	const char *names[FAKE_FUNCTIONS];
	struct build_file f = build_example;
	struct profile p;

	for (unsigned i = 0; i < FAKE_FUNCTIONS; i++)
		names[i] = evil[i % (sizeof evil / sizeof *evil)];
	make_profile(&p, &f, names);
	check_round_trip(&p);
	profile_deinit(&p);
}

static void test_random_trees(void **state)
{
	(void)state;
	const char *names[FAKE_FUNCTIONS];
	char text[FAKE_FUNCTIONS][8];

	for (unsigned i = 0; i < FAKE_FUNCTIONS; i++) {
		snprintf(text[i], sizeof text[i], "f%u", i / 2); /* some have the same name */
		names[i] = text[i];
	}
	for (uint32_t seed = 1; seed <= 10; seed++) {
		struct build_file f = build_example;
		struct build_tree tree = build_example.trees[0];
		struct build_node *nodes = build_random_nodes(3000, seed);
		struct profile p;

		tree.nodes = nodes;
		tree.num_nodes = 3000;
		f.trees = &tree;
		f.num_trees = 1;
		f.no_trailer = true;
		make_profile(&p, &f, names);
		check_round_trip(&p);
		profile_deinit(&p);
		free(nodes);
	}
}

static void test_nothing(void **state)
{
	(void)state;
	static const struct build_node root = {0};
	struct build_tree tree = build_example.trees[0];
	struct build_file f = build_example;
	const char *names[FAKE_FUNCTIONS] = {NULL};
	struct profile p;
	char *text;

	tree.nodes = &root;
	tree.num_nodes = 1;
	f.trees = &tree;
	f.num_trees = 1;
	make_profile(&p, &f, names);
	text = printed(&p, false);
	assert_non_null(strstr(text, "<PGM n=\""));
	assert_non_null(strstr(text, ">\n<LM n=\"[unknown]\"/>\n</PGM>"));
	free(text);
	check_round_trip(&p);
	profile_deinit(&p);
}

/* Several metrics with the same name in a file stay separate, and in their order. */
static void test_metrics_of_one_name(void **state)
{
	(void)state;
	static const char document[] =
	    "<PROFILE version=\"3.0\"><PROFILEPARAMS><TARGET name=\"t\"/><METRICS>"
	    "<METRIC shortName=\"x\" nativeName=\"E\" period=\"1\"/>"
	    "<METRIC shortName=\"y\" nativeName=\"E\" period=\"100\"/>"
	    "<METRIC shortName=\"z\" nativeName=\"E\" period=\"1\"/></METRICS></PROFILEPARAMS>"
	    "<PROFILESCOPETREE><PGM n=\"t\"><LM n=\"m\"><M n=\"x\" v=\"1\"/><M n=\"y\" v=\"250\"/>"
	    "<M n=\"z\" v=\"3\"/></LM></PGM></PROFILESCOPETREE></PROFILE>";
	struct profile p;
	char *text;

	take_in(&p, document);
	assert_int_equal(p.model->metrics.len, 3);
	assert_int_equal(p.model->metrics.at[1].total.events, 250);
	assert_int_equal(p.model->metrics.at[1].total.samples, 3); /* 2.5, rounded */
	text = printed(&p, false);
	assert_non_null(
	    strstr(text, "<M n=\"0\" v=\"1\"/><M n=\"1\" v=\"250\"/><M n=\"2\" v=\"3\"/>"));
	free(text);
	check_round_trip(&p);
	profile_deinit(&p);
}

/* A file with an error at its end has added nothing. */
static void test_whole_or_not_at_all(void **state)
{
	(void)state;
	static const char document[] = HEAD "<LM n=\"m\"><M n=\"a\" v=\"1\"/></LM><M/>";
	struct model *m = model_create();
	struct error e = {0};

	assert_int_equal(ingest_xml_memory(m, "x", document, strlen(document), &e), 1);
	assert_int_equal(m->processes.len, 0);
	assert_int_equal(m->metrics.len, 0);
	assert_int_equal(model_num_contexts(m), MODEL_ROOTS);
	model_destroy(m);
}

/* The same file twice: places are merged and values add up. */
static void test_merging(void **state)
{
	(void)state;
	static const char document[] = HEAD "<LM n=\"m\"><F n=\"f\"><P n=\"p\"><S b=\"1\"><M "
					    "n=\"a\" v=\"30\"/></S></P></F></LM>" TAIL;
	struct correlate_options o = {.threads = 1};
	struct profile p = {.model = model_create()};
	struct error e = {0};
	char *text;

	for (int i = 0; i < 2; i++)
		assert_int_equal(
		    ingest_xml_memory(p.model, i ? "a" : "b", document, strlen(document), &e), 0);
	assert_int_equal(model_num_contexts(p.model), MODEL_ROOTS + 1);
	assert_int_equal(p.model->metrics.at[0].total.samples, 6);
	assert_int_equal(model_finish(p.model, &e), 0);
	assert_int_equal(correlate(p.model, &o, &p.code, &e), 0);
	text = printed(&p, false);
	assert_non_null(strstr(text, "<S b=\"1\"><M n=\"0\" v=\"60\"/></S>"));
	free(text);
	profile_deinit(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_random_trees),
	    cmocka_unit_test(test_nothing),
	    cmocka_unit_test(test_metrics_of_one_name),
	    cmocka_unit_test(test_whole_or_not_at_all),
	    cmocka_unit_test(test_merging),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
