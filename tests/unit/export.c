/* The formats of `hpcprof export`: the encoder of Protocol Buffers, the tree, and what is written
 * for a small profile. */
#include "hpcprof/metrics/path_tree.h"
#include "hpcprof/export/formats/formats.h"
#include "hpcprof/export/formats/protobuf.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/fake_code.h"
#include "tests/lib/unit/golden.h"
#include "tests/lib/unit/run_view.h"
#include "tests/lib/unit/scratch.h"

#include <stdlib.h>
#include <string.h>

/* ---- the encoder ------------------------------------------------------------------- */

static void expect(const struct protobuf *p, const char *bytes, size_t n)
{
	assert_false(p->failed);
	assert_int_equal(p->bytes.len, n);
	assert_memory_equal(p->bytes.at, bytes, n);
}
#define EXPECT(p, bytes) expect(p, bytes, sizeof(bytes) - 1)

/* The examples of the documentation of the encoding, and the ends of what it can hold. */
static void test_protobuf(void **state)
{
	(void)state;
	struct protobuf p = {0}, inner = {0};

	protobuf_number(&p, 1, 150);
	EXPECT(&p, "\x08\x96\x01");
	protobuf_message(&inner, 3, &p);
	EXPECT(&inner, "\x1a\x03\x08\x96\x01");
	protobuf_clear(&p);
	protobuf_bytes(&p, 2, "testing", 7);
	EXPECT(&p, "\x12\x07testing");
	protobuf_clear(&p);
	protobuf_varint(&p, 3);
	protobuf_varint(&p, 270);
	protobuf_varint(&p, 86942);
	EXPECT(&p, "\x03\x8e\x02\x9e\xa7\x05");
	protobuf_clear(&p);
	protobuf_number(&p, 5, 0);
	EXPECT(&p, "");
	protobuf_bytes(&p, 6, NULL, 0);
	EXPECT(&p, "\x32\x00");
	protobuf_clear(&p);
	protobuf_varint(&p, 127);
	protobuf_varint(&p, 128);
	protobuf_varint(&p, UINT64_MAX);
	EXPECT(&p, "\x7f\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	protobuf_clear(&p);
	protobuf_number(&p, 16, 1); /* a tag of two bytes */
	EXPECT(&p, "\x80\x01\x01");
	protobuf_deinit(&p);
	protobuf_deinit(&inner);
}

/* ---- a profile --------------------------------------------------------------------- */

enum { MAIN = 1, FIB, COPY, ODD };
static const char *names[FAKE_FUNCTIONS] = {"main", "fib", "copy(char*, \"x\")", "odd;name"};

#define BASE 0x10000000
/* An address, and the one before it, which recorded values belong to, are of the same code. */
#define AT(f, line) (BASE + FAKE_CODE(f, 0, 0, line) + 1)
/* copy inlined into fib */
#define INLINED (BASE + FAKE_CODE(COPY, FIB, 0, 7) + 1)

static const struct build_pair cpu_about[] = {{"unit", "ns", 0}};
static const struct build_pair bytes_about[] = {{"unit", "bytes", 0}};
static const struct build_metric metrics[] = {
    {"CPUTIME", CSP_METRIC_ASYNC, 1, cpu_about, 1},
    {"BYTES", 0, 1, bytes_about, 1},
};

/* main calls fib, which calls itself and copy; one partial path. */
static void make(struct profile *p)
{
	static struct build_node whole[] = {
	    {0},
	    {.parent = 0, .ip = AT(MAIN, 1)},
	    {.parent = 1, .ip = AT(FIB, 2), .metrics = {5000000}},
	    {.parent = 1, .ip = AT(FIB, 3)},
	    {.parent = 3, .ip = AT(FIB, 2), .metrics = {7000001}},
	    {.parent = 3, .ip = INLINED, .metrics = {11000000, 64}},
	    {.parent = 1, .ip = AT(ODD, 0), .metrics = {1000}},
	};
	static struct build_node partial[] = {
	    {0},
	    {.parent = 0, .ip = AT(ODD, 0)},
	    {.parent = 1, .ip = AT(COPY, 5), .metrics = {300, 4096}},
	};
	static const struct build_module module = {"/opt/bin/program", 0, BASE, 0x10000000, "aa"};
	static const struct build_epoch epoch = {&module, 1};
	struct build_tree trees[2] = {
	    {.thread = CSP_NONE, .creator_tree = CSP_NONE, .nodes = whole, .num_nodes = 7},
	    {.thread = CSP_NONE,
	     .kind = CSP_TREE_PARTIAL,
	     .creator_tree = CSP_NONE,
	     .nodes = partial,
	     .num_nodes = 3}};
	struct build_file f = {.target = "program",
			       .metrics = metrics,
			       .num_metrics = 2,
			       .epochs = &epoch,
			       .num_epochs = 1,
			       .trees = trees,
			       .num_trees = 2,
			       .without = 1 << CSP_CHUNK_ACCOUNT};

	memset(p, 0, sizeof *p);
	p->model = model_create();
	golden_add(p->model, &f, "a.csp");
	assert_int_equal(model_finish(p->model, NULL), 0);
	fake_code(p->model, names, &p->code);
}

static void check_tree(const struct profile *p, enum path_tree_shape shape)
{
	const uint64_t *columns[] = {p->model->metrics.at[0].events,
				     p->model->metrics.at[1].events};
	struct path_tree t;
	uint64_t sums[2] = {0};
	struct error e;

	assert_int_equal(path_tree_init(&t, shape, p->model, &p->code, NULL, columns, 2, &e), 0);
	for (uint32_t i = 0; i < t.num_order; i++) {
		uint32_t node = t.order[i], up = path_tree_parent(&t, node);
		for (int k = 0; k < 2; k++)
			sums[k] += t.exclusive[node * 2 + k];
		if (up == PATH_TREE_ROOT) {
			assert_int_equal(t.depth[node], 0);
			continue;
		}
		/* in preorder the parent is the last one of its depth */
		uint32_t j = i;
		while (t.depth[t.order[--j]] >= t.depth[node])
			;
		assert_int_equal(t.order[j], up);
		assert_true(t.inclusive[up * 2] >= t.inclusive[node * 2]);
	}
	assert_int_equal(sums[0], p->model->metrics.at[0].total.events);
	assert_int_equal(sums[1], p->model->metrics.at[1].total.events);
	path_tree_deinit(&t);
}

static void test_tree(void **state)
{
	(void)state;
	struct profile p;

	make(&p);
	check_tree(&p, PATH_TREE_FUNCTIONS);
	check_tree(&p, PATH_TREE_LINES);
	check_tree(&p, PATH_TREE_CONTEXTS);
	profile_deinit(&p);
}

/* ---- formats ----------------------------------------------------------------------- */

static void check(const struct profile *p, const char *line, const char *expected)
{
	char *text = golden_print(line, 100, p);

	assert_string_equal(text, expected);
	free(text);
}

static void test_folded(void **state)
{
	(void)state;
	struct profile p;

	make(&p);
	check(&p, "export --format folded",
	      "main;fib 5000000\n"
	      "main;fib;fib 7000001\n"
	      "main;fib;fib;copy(char*, \"x\")_[i] 11000000\n"
	      "main;odd:name 1000\n"
	      "[partial call paths];odd:name;copy(char*, \"x\") 300\n");
	check(&p, "export --format folded -m bytes",
	      "main;fib;fib;copy(char*, \"x\")_[i] 64\n"
	      "[partial call paths];odd:name;copy(char*, \"x\") 4096\n");
	profile_deinit(&p);
}

/* Recursion counts once: of the two levels of fib only the outer one has the call's value. */
static void test_callgrind(void **state)
{
	(void)state;
	struct profile p;
	char *text;

	make(&p);
	text = golden_print("export --format callgrind -m CPUTIME", 100, &p);
	assert_non_null(strstr(text, "\npositions: line\n"));
	assert_non_null(strstr(text, "\nevents: CPUTIME\nsummary: 23001301\n"));
	assert_non_null(strstr(text, "\ntotals: 23001301\n"));
	assert_non_null(strstr(text, "fn=(1) main\n"));
	/* main calls fib */
	assert_non_null(strstr(text, "cfn=(2) fib\ncalls=1 0\n101 23000001\n"));
	/* fib calls fib */
	assert_non_null(strstr(text, "cfn=(2)\ncalls=1 0\n203 0\n"));
	free(text);
	profile_deinit(&p);
}

static void test_rows(void **state)
{
	(void)state;
	struct profile p;

	make(&p);
	check(&p, "export --format csv -n 3 -m CPUTIME",
	      "id,parent,depth,function,module,file,line,inlined,CPUTIME self,CPUTIME total\n"
	      "1,,0,main,/opt/bin/program,f0.c,101,0,0,23001001\n"
	      "2,1,1,fib,/opt/bin/program,f0.c,203,0,0,18000001\n"
	      "3,2,2,fib,/opt/bin/program,f0.c,200,0,0,11000000\n");
	check(&p, "export --format csv --min 40 -m BYTES",
	      "id,parent,depth,function,module,file,line,inlined,BYTES self,BYTES total\n"
	      "1,,0,[partial call paths],,,,0,0,4096\n"
	      "2,1,1,odd;name,/opt/bin/program,f1.c,400,0,0,4096\n"
	      "3,2,2,\"copy(char*, \"\"x\"\")\",/opt/bin/program,f1.c,305,0,4096,4096\n");
	profile_deinit(&p);
}

/* ---- long paths -------------------------------------------------------------------- */

enum { DEEP_BASE = 0x10000000 };

/* Write a datafile with a path of n functions, all of which have values. */
static const char *write_path(unsigned n)
{
	static const struct build_module modules[] = {{"/none", 0, DEEP_BASE, 0x1000000, "0011"}};
	static const struct build_epoch epochs[] = {{modules, 1}};
	static const struct build_metric metric = {
	    .name = "M", .flags = CSP_METRIC_ASYNC, .period = 1};
	static char path[256];
	struct build_node *nodes = calloc(n + (size_t)1, sizeof *nodes);
	struct build_tree tree = {.version = CSP_VERSION_TREE,
				  .nodes = nodes,
				  .num_nodes = n + UINT64_C(1),
				  .kind = CSP_TREE_COMPLETE,
				  .creator_tree = CSP_NONE};
	struct build_thread thread = {.tid = 1, .end_ns = 1, .name = "t"};
	struct build_file file = {.target = "/none",
				  .metrics = &metric,
				  .num_metrics = 1,
				  .epochs = epochs,
				  .num_epochs = 1,
				  .trees = &tree,
				  .num_trees = 1,
				  .threads = &thread,
				  .num_threads = 1,
				  .no_fields = true};
	struct built b;

	assert_non_null(nodes);
	for (unsigned i = 1; i <= n; i++)
		nodes[i] = (struct build_node){
		    .parent = i - 1, .ip = DEEP_BASE + 0x100 * (uint64_t)i + 8, .metrics = {1}};
	build(&file, &b);
	snprintf(path, sizeof path, "%s", scratch_path("deep.csp"));
	built_write(&b, path);
	built_free(&b);
	free(nodes);
	return path;
}

static char *export_path_of(unsigned n, const char *line)
{
	const char *path = write_path(n);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct error e;

	assert_non_null(out);
	assert_int_equal(run_view(line, &path, 1, out, &e), 0);
	fclose(out);
	return text;
}

static char *longest_line(char *text)
{
	char *longest = text, *next;
	size_t most = 0;

	for (char *line = text; *line; line = next) {
		size_t n = strcspn(line, "\n");
		next = line + n + (line[n] == '\n');
		line[n] = '\0';
		if (n > most) {
			most = n;
			longest = line;
		}
	}
	return longest;
}

static unsigned count_frames(const char *line)
{
	unsigned n = 1;

	for (; *line; line++)
		n += *line == ';';
	return n;
}

/* The middle of paths is left out if all of them have more frames than they may have. */
static void test_long_paths(void **state)
{
	(void)state;
	const uint64_t most = EXPORT_MORE_FRAMES + UINT64_C(10000) * (EXPORT_FRAMES_PER_PATH + 1);
	char *text = export_path_of(1000, "export --format folded"), *line, *left;
	unsigned ends, frames;

	assert_null(strstr(text, EXPORT_LEFT_OUT));
	assert_int_equal(count_frames(longest_line(text)), 1000);
	free(text);

	text = export_path_of(10000, "export --format folded");
	frames = count_frames(text) + 9999; /* of lines */
	assert_true(frames < most);
	assert_true(frames > most / 2);
	line = longest_line(text);
	ends = count_frames(line) / 2;
	assert_int_equal(count_frames(line), 2 * ends + 1);
	assert_true(2 * ends >= EXPORT_FRAMES_PER_PATH);
	left = strstr(line, ";" EXPORT_LEFT_OUT ";");
	assert_non_null(left);
	*left = '\0';
	assert_int_equal(count_frames(line), ends);
	assert_int_equal(strncmp(line, "none+0x107;none+0x207;none+0x307;", 33), 0);
	assert_int_equal(count_frames(left + strlen(";" EXPORT_LEFT_OUT ";")), ends);
	free(text);
}

/* The same for what is written with tables. */
static void test_long_paths_in_tables(void **state)
{
	(void)state;
	char *text = export_path_of(1000, "export --format otlp");

	assert_null(strstr(text, EXPORT_LEFT_OUT));
	free(text);
	text = export_path_of(10000, "export --format otlp");
	assert_non_null(strstr(text, "\"" EXPORT_LEFT_OUT "\""));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_protobuf),
	    cmocka_unit_test(test_tree),
	    cmocka_unit_test(test_folded),
	    cmocka_unit_test(test_callgrind),
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_long_paths),
	    cmocka_unit_test(test_long_paths_in_tables),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
