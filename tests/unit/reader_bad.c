/* The reader with bad files: cut at every byte, every field set to critical values, every bit
 * flipped. It refuses the file with offset, expected and found, or returns a consistent file.
 * Damage in the trailer loses no tree; memory stays bounded. */
#include "formats/decode.h"
#include "reader/reader.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/failing_alloc.h"
#include "tests/lib/unit/walk_datafile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Little and big, 8 and 4 bytes, plain and shuffled: each pair of these is combined once. */
enum { SHAPES = 4 };

static struct built shape(unsigned i)
{
	static const struct build_chunk extra = {99, "unknown", 7};
	struct build_file f = build_example;
	struct built b;
	f.big = i & 1;
	f.width = i & 2 ? 4 : 8;
	f.shuffle = i == 0 || i == 3 ? 3 + i : 0;
	f.relabel = f.shuffle != 0;
	f.no_flags = i == 2;
	f.chunks = &extra;
	f.num_chunks = 1;
	f.windows = i & 1 ? build_values.windows : NULL;
	f.codes = build_interpreter.codes;
	f.num_codes = i & 2 ? build_interpreter.num_codes : 0;
	build(&f, &b);
	return b;
}

/* Walk the file and check the bound on memory. what describes the case if it fails. */
static void walk(const uint8_t *bytes, size_t n, bool *opened, bool *warned, const char *what,
		 uint64_t where)
{
	failing_alloc_start(0);
	const char *problem = walk_bytes(bytes, n, opened, warned);
	if (problem)
		fail_msg("%s, %s %llu", problem, what, (unsigned long long)where);
	if (failing_alloc_live() != 0)
		fail_msg("%ld allocations left, %s %llu", failing_alloc_live(), what,
			 (unsigned long long)where);
	if (failing_alloc_peak() > 16 * n + (64 << 20))
		fail_msg("%zu bytes of memory, %s %llu", failing_alloc_peak(), what,
			 (unsigned long long)where);
}

static void cut_at_every_byte(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SHAPES; i++) {
		struct built b = shape(i);
		for (size_t n = 0; n < b.n; n++) {
			bool opened, warned;
			/* A separate allocation, so that ASan detects a read past the end. */
			uint8_t *bytes = malloc(n ? n : 1);
			assert_non_null(bytes);
			memcpy(bytes, b.bytes, n);
			walk(bytes, n, &opened, &warned, "cut at", n);
			free(bytes);
			assert_int_equal(opened, n >= b.trailer);
			assert_int_equal(warned, n > b.trailer);
		}
		built_free(&b);
	}
}

static void strike(struct built *b, const struct build_field *field, uint64_t v)
{
	bool opened, warned;
	uint64_t was = built_get(b, field);
	built_put(b, field, v);
	walk(b->bytes, b->n, &opened, &warned, field->name, v);
	if (field->in_trailer && !opened)
		fail_msg("%s struck with %llu cost the trees", field->name, (unsigned long long)v);
	if (!field->in_trailer && opened && warned && strcmp(field->name, "num_trees") != 0)
		fail_msg("%s struck with %llu looks like a bad trailer", field->name,
			 (unsigned long long)v);
	built_put(b, field, was);
}

static void every_integer_struck(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SHAPES; i++) {
		struct built b = shape(i);
		for (size_t k = 0; k < b.num_fields; k++) {
			const struct build_field *field = &b.fields[k];
			if (field->kind != BUILD_INTEGER)
				continue;
			uint64_t was = built_get(&b, field);
			const uint64_t values[] = {
			    0,
			    1,
			    was - 1,
			    was + 1,
			    UINT64_C(1) << 31,
			    UINT32_MAX,
			    UINT64_C(1) << 63,
			    UINT64_MAX,
			};
			for (size_t v = 0; v < sizeof values / sizeof *values; v++)
				strike(&b, field, values[v]);
		}
		built_free(&b);
	}
}

static void every_version_and_order_struck(void **state)
{
	(void)state;
	static const char *const versions[] = {"01.00", "01.01", "01.0T", "00.00",
					       "99.99", "1.000", "01.0t"};
	static const char orders[] = {'l', 'b', 0, 'L', 'B', 'x', (char)0xff};
	for (unsigned i = 0; i < SHAPES; i++) {
		struct built b = shape(i);
		for (size_t k = 0; k < b.num_fields; k++) {
			const struct build_field *field = &b.fields[k];
			bool opened, warned;
			uint8_t was[8];
			if (field->kind != BUILD_BYTES || field->width > sizeof was)
				continue;
			memcpy(was, b.bytes + field->offset, field->width);
			for (size_t v = 0; v < 7; v++) {
				memcpy(b.bytes + field->offset,
				       field->width == 1 ? &orders[v] : versions[v], field->width);
				bool same = memcmp(was, b.bytes + field->offset, field->width) == 0;
				walk(b.bytes, b.n, &opened, &warned, field->name, v);
				assert_true(!field->in_trailer || opened);
				assert_true(!field->in_trailer || warned != same);
				assert_true(field->width != 1 || field->in_trailer ||
					    opened == same);
			}
			memcpy(b.bytes + field->offset, was, field->width);
		}
		built_free(&b);
	}
}

static void every_bit_flipped(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SHAPES / 2; i++) {
		struct built b = shape(i);
		for (size_t bit = 0; bit < 8 * b.n; bit++) {
			bool opened;
			b.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			walk(b.bytes, b.n, &opened, NULL, "bit", bit);
			b.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			if (bit / 8 >= b.trailer && !opened)
				fail_msg("bit %zu of the trailer cost the trees", bit);
		}
		built_free(&b);
	}
}

/* Check the messages: the field's offset, what was expected, what was found. */
static void assert_says(struct built *b, size_t offset, const char *words)
{
	struct reader *r;
	struct error e = {0};
	const struct error *said = &e;
	int refused = reader_open_memory(b->bytes, b->n, &r, &e);
	if (!refused)
		said = reader_warning(r);
	if (!said) {
		fail_msg("not noticed: %s", words);
		return;
	}
	assert_int_equal(said->offset, offset);
	if (!strstr(said->text, words))
		fail_msg("\"%s\" does not say \"%s\"", said->text, words);
	if (!refused)
		reader_close(r);
}

static void fields_are_named(void **state)
{
	(void)state;
	static const struct {
		const char *field;
		uint64_t value;
		const char *words;
	} cases[] = {
	    {"tag of target", 0x10, "expected tag 0 (target), found 16"},
	    {"length of target", 1 << 30, "expected length of tag 0 (target) of at most"},
	    {"num_metrics", UINT32_MAX, "expected num_metrics of at most"},
	    {"num_epochs", 1u << 31, "found 2147483648"},
	    {"num_modules", 1u << 31, "expected num_modules of at most"},
	    {"name_length", UINT32_MAX, "found 4294967295"},
	    {"num_trees", 1000000, "expected num_trees of at most"},
	    {"vma_size", 16, "expected vma_size 8 or 4, found 16"},
	    {"uint_size", 4, "expected uint_size 8 as vma_size, found 4"},
	    {"num_nodes", 0, "expected num_nodes of at least 1 (the root), found 0"},
	    {"num_nodes", UINT64_MAX, "found 18446744073709551615"},
	    {"epoch_number", 2, "expected epoch_number below 2, found 2"},
	    {"length of chunk", UINT64_MAX, "length of a chunk of at most"},
	    {"epochs of MODULES", 1, "expected epochs of MODULES 2 as before the trailer, found"},
	    {"modules of MODULES", 4, "modules of an epoch in MODULES 3 as before the trailer"},
	    {"trees of TREES", 2, "expected trees of TREES 3 as before the trailer, found 2"},
	    {"thread of TREES", 2, "expected thread of a tree below 2, found 2; chunk TREES"},
	    {"kind", 2, "expected kind of a tree below 2, found 2"},
	    {"creator tree", 3, "expected creator tree below 3, found 3"},
	    {"metric of ACCOUNT", 3, "expected metric of an ACCOUNT row below 3, found 3"},
	    {"thread of ACCOUNT", 2, "expected thread of an ACCOUNT row below 2, found 2"},
	    {"tree of TRACE", 3, "expected tree of a TRACE row below 3, found 3"},
	    {"metric of TRACE", 9, "expected metric of a TRACE row below 3, found 9"},
	    {"node of TRACE", 6, "expected node of a TRACE row below 6, found 6"},
	    {"metrics of METRICS", 2, "expected metrics of METRICS 3 as before the trailer"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct built b;
		build(&build_example, &b);
		const struct build_field *field = built_field(&b, cases[i].field);
		built_put(&b, field, cases[i].value);
		assert_says(&b, field->offset, cases[i].words);
		built_free(&b);
	}
}

/* The fields of node k of tree 0: id and parent. */
static const struct build_field *node_field(const struct built *b, const char *name, unsigned k)
{
	const struct build_field *field = built_field(b, name);
	for (; k > 0; field++)
		k -= strcmp((field + 1)->name, name) == 0;
	return field;
}

static void trees_that_are_none(void **state)
{
	(void)state;
	static const struct {
		const char *field;
		unsigned node;
		uint64_t value;
		const char *words;
	} cases[] = {
	    {"id", 3, 2, "expected a node id that is unique in the tree, found 2 as at"},
	    {"id", 3, 6, "expected a node's id below num_nodes 6, found 6"},
	    {"id", 0, UINT64_MAX, "expected a node's id below num_nodes 6, found 184467"},
	    {"parent", 4, 6, "expected a node's parent below num_nodes 6, found 6"},
	    {"parent", 0, 1, "expected parent 0 of the root (id 0), found 1"},
	    {"parent", 3, 3, "expected a parent that leads to the root, found 3, which forms"},
	    {"parent", 1, 3, "which forms a cycle"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct built b;
		build(&build_example, &b);
		const struct build_field *field = node_field(&b, cases[i].field, cases[i].node);
		built_put(&b, field, cases[i].value);
		if (strcmp(cases[i].words, "which forms a cycle") == 0) /* 1 -> 3 -> 2 -> 1 */
			field = node_field(&b, "parent", 2);
		assert_says(&b, field->offset, cases[i].words);
		built_free(&b);
	}
}

static void a_damaged_chunk_costs_itself(void **state)
{
	(void)state;
	struct built b;
	struct reader *r;
	struct error e;
	build(&build_example, &b);
	built_put(&b, built_field(&b, "kind"), 7);
	built_put(&b, built_field(&b, "rows of TRACE"), 2);
	assert_int_equal(reader_open_memory(b.bytes, b.n, &r, &e), 0);
	assert_non_null(strstr(reader_warning(r)->text, "chunk TREES ignored; 1 more like it"));
	assert_int_equal(reader_tree(r, 2)->thread, CSP_NONE);
	assert_int_equal(reader_tree(r, 1)->kind, CSP_TREE_COMPLETE);
	assert_int_equal(reader_num_trace(r), 0);
	assert_int_equal(reader_num_account(r), 6);
	assert_int_equal(reader_num_threads(r), 2);
	assert_int_equal(reader_process(r).n, 10);
	assert_int_equal(reader_epoch(r, 0)->modules[0].extent, 0x100000);
	assert_int_equal(reader_metric(r, 0)->about.n, 6);
	reader_close(r);
	built_free(&b);
}

/* The example with another chunk at its end, which is ignored: the warning says so at an offset
 * from the end of the file. Returns the reader. */
static struct reader *open_with(const struct build_chunk *chunk, size_t before_end,
				const char *words, struct built *b)
{
	struct build_file f = build_example;
	struct reader *r;
	f.chunks = chunk;
	f.num_chunks = 1;
	build(&f, b);
	assert_says(b, b->n - before_end, words);
	assert_int_equal(reader_open_memory(b->bytes, b->n, &r, NULL), 0);
	return r;
}

/* A merged file is of one program image at least: what reads it relies on that. */
static void merged_of_nothing(void **state)
{
	(void)state;
	static const struct build_chunk none = {CSP_CHUNK_MERGED, "\0\0\0\0\0\0\0\0", 8};
	struct built b;
	struct reader *r =
	    open_with(&none, 4, "expected at least one row of MERGED, found none", &b);
	assert_false(reader_is_merged(r));
	reader_close(r);
	built_free(&b);
}

/* The threads of a merged file: all of the chunk is used, or none of it. */
static void groups_of_a_kind_or_metric_that_is_not_there(void **state)
{
	(void)state;
#define GROUP(kind, metric)                                                                        \
	"\1\0\0\0" kind "\0\0\0\3\0\0\0w-1\3\0\0\0w-9\7\0\0\0\0\0\0\0"                             \
	"\1\0\0\0\1\2\3\4\0\0\0\0\1\0\0\0" metric "\0\0\0\5\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0"
	static const char good[] = GROUP("\1", "\0"), kind[] = GROUP("\4", "\0"),
			  metric[] = GROUP("\1", "\20");
	enum { BYTES = sizeof good - 1 };
	struct build_chunk chunk = {CSP_CHUNK_GROUPS, good, BYTES};
	struct build_file f = build_example;
	const struct reader_group *g;
	struct reader *r;
	struct built b;

	f.chunks = &chunk;
	f.num_chunks = 1;
	build(&f, &b);
	assert_int_equal(reader_open_memory(b.bytes, b.n, &r, NULL), 0);
	assert_null(reader_warning(r));
	assert_int_equal(reader_num_groups(r), 1);
	g = reader_group(r, 0);
	assert_int_equal(g->kind, CSP_GROUP_CREATED);
	assert_memory_equal(g->first.at, "w-1", g->first.n);
	assert_memory_equal(g->last.at, "w-9", g->last.n);
	assert_int_equal(g->threads, 7);
	assert_int_equal(g->num_calls, 1);
	assert_int_equal(g->calls[0], 0x04030201);
	assert_int_equal(g->num_sums, 1);
	assert_int_equal(g->sums[0].metric, 0);
	assert_int_equal(g->sums[0].events, 5);
	assert_int_equal(g->sums[0].samples, 6);
	reader_close(r);
	built_free(&b);
	chunk.bytes = kind;
	r = open_with(&chunk, BYTES - 4, "expected kind of a GROUPS row below 4, found 4", &b);
	assert_int_equal(reader_num_groups(r), 0);
	reader_close(r);
	built_free(&b);
	chunk.bytes = metric;
	r = open_with(&chunk, 20, "expected metric of a merged sum below", &b);
	assert_int_equal(reader_num_groups(r), 0);
	reader_close(r);
	built_free(&b);
	chunk.bytes = good;
	chunk.n = BYTES - 1; /* there is no room for a sum */
	r = open_with(&chunk, 23, "expected sums of a merged row of at most 0", &b);
	assert_int_equal(reader_num_groups(r), 0);
	reader_close(r);
	built_free(&b);
}

static void names_with_numbers_that_cannot_be(void **state)
{
	(void)state;
	static const char good[] = "\2\0\0\0"
				   "\7\0\0\0\3\0\0\0abc"
				   "\2\0\0\0\1\0\0\0x",
			  high[] = "\1\0\0\0\0\0\20\0\1\0\0\0x";
	struct build_chunk chunk = {CSP_CHUNK_NAMES, good, sizeof good - 1};
	struct build_file f = build_example;
	struct reader *r;
	struct built b;

	f.chunks = &chunk;
	f.num_chunks = 1;
	build(&f, &b);
	assert_int_equal(reader_open_memory(b.bytes, b.n, &r, NULL), 0);
	assert_null(reader_warning(r));
	assert_int_equal(reader_num_names(r), 2);
	assert_int_equal(reader_name(r, 0)->number, 2);
	assert_memory_equal(reader_name_of(r, 7).at, "abc", reader_name_of(r, 7).n);
	assert_int_equal(reader_name_of(r, 7).n, 3);
	assert_int_equal(reader_name_of(r, 3).n, 0);
	assert_int_equal(reader_name_of(r, 8).n, 0);
	reader_close(r);
	built_free(&b);
	chunk = (struct build_chunk){CSP_CHUNK_NAMES, high, sizeof high - 1};
	r = open_with(&chunk, 9, "expected number of a NAMES row below 1048576, found 1048576", &b);
	assert_int_equal(reader_num_names(r), 0);
	reader_close(r);
	built_free(&b);
	chunk = (struct build_chunk){CSP_CHUNK_NAMES, good, sizeof good - 2};
	r = open_with(&chunk, 4, "expected length of text of a NAMES row", &b);
	assert_int_equal(reader_num_names(r), 0);
	reader_close(r);
	built_free(&b);
}

static void a_chunk_twice_and_a_bad_build_id(void **state)
{
	(void)state;
	static const struct build_chunk again = {CSP_CHUNK_PROCESS, "\0\0\0\0", 4};
	struct built b;
	struct reader *r = open_with(
	    &again, 16, "expected each known chunk once, found a second one of tag 1", &b);
	assert_int_equal(reader_process(r).n, 10);
	assert_false(reader_chunk(r, reader_num_chunks(r) - 1)->decoded);
	reader_close(r);
	built_free(&b);
	build(&build_example, &b);
	size_t id = built_field(&b, "length of build-id")->offset + 4;
	b.bytes[id + 3] = '/'; /* a build-id becomes part of file names */
	assert_says(&b, id, "expected a build-id in hex");
	built_free(&b);
}

static void chunks_that_do_not_fill_the_trailer(void **state)
{
	(void)state;
	struct built b;
	build(&build_example, &b);
	const struct build_field *count = built_field(&b, "num_chunks of the trailer");
	size_t second = built_field(&b, "epochs of MODULES")->offset - 12;
	built_put(&b, count, 1);
	assert_says(&b, second, "expected the end of the file after the last chunk, found");
	built_put(&b, count, 8);
	assert_says(&b, b.n, "expected tag of a chunk (4 bytes), found 0 bytes left");
	built_free(&b);
}

static void a_damaged_magic_of_the_trailer(void **state)
{
	(void)state;
	struct built b;
	build(&build_example, &b);
	b.bytes[b.trailer + 4] ^= 1;
	assert_says(&b, b.trailer, "expected magic HPC_CSMETA, found");
	built_free(&b);
}

/* Files that take the most memory for their size: the smallest records. */
static void memory_follows_the_size(void **state)
{
	(void)state;
	const size_t n = 12 << 20;
	struct build_file f = build_example;
	struct built b;
	f.num_trees = 0;
	f.no_trailer = true;
	build(&f, &b);
	static const char *const counts[] = {"num_metrics", "num_epochs", "num_modules",
					     "num_trees"};
	static const size_t least[] = {CSP_METRIC_MIN_BYTES, CSP_EPOCH_MIN_BYTES,
				       CSP_MODULE_MIN_BYTES, CSP_TREE_HEADER_BYTES + 28};
	uint8_t *bytes = calloc(n, 1);
	assert_non_null(bytes);
	for (size_t i = 0; i < 4; i++) {
		struct built big = b;
		const struct build_field *field = built_field(&b, counts[i]);
		size_t head = field->offset + 4;
		memset(bytes, 0, n);
		memcpy(bytes, b.bytes, head);
		big.bytes = bytes;
		built_put(&big, field, (n - head - 64) / least[i]);
		walk(bytes, n, NULL, NULL, counts[i], n);
		/* of metrics there is a limit */
		if (i)
			assert_true(failing_alloc_peak() > n / 2);
		else
			assert_true(failing_alloc_peak() < 1 << 20);
	}
	free(bytes);
	built_free(&b);
}

static void more_metrics_than_are_read(void **state)
{
	(void)state;
	static struct build_metric metrics[READER_MOST_METRICS + 1];
	struct build_file f = build_example;
	struct reader *r;
	struct built b;
	struct error e;

	f.no_trailer = true;
	f.num_trees = 0;
	f.metrics = metrics;
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		metrics[i] = (struct build_metric){.name = "m", .period = i};
	f.num_metrics = READER_MOST_METRICS;
	build(&f, &b);
	assert_int_equal(reader_open_memory(b.bytes, b.n, &r, &e), 0);
	assert_int_equal(reader_num_metrics(r), READER_MOST_METRICS);
	reader_close(r);
	built_free(&b);
	f.num_metrics++;
	build(&f, &b);
	assert_int_equal(reader_open_memory(b.bytes, b.n, &r, &e), -1);
	assert_non_null(strstr(e.text, "expected at most 2000 metrics, found 2001"));
	built_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(cut_at_every_byte),
	    cmocka_unit_test(every_integer_struck),
	    cmocka_unit_test(every_version_and_order_struck),
	    cmocka_unit_test(every_bit_flipped),
	    cmocka_unit_test(fields_are_named),
	    cmocka_unit_test(trees_that_are_none),
	    cmocka_unit_test(a_damaged_chunk_costs_itself),
	    cmocka_unit_test(merged_of_nothing),
	    cmocka_unit_test(groups_of_a_kind_or_metric_that_is_not_there),
	    cmocka_unit_test(names_with_numbers_that_cannot_be),
	    cmocka_unit_test(a_chunk_twice_and_a_bad_build_id),
	    cmocka_unit_test(chunks_that_do_not_fill_the_trailer),
	    cmocka_unit_test(a_damaged_magic_of_the_trailer),
	    cmocka_unit_test(memory_follows_the_size),
	    cmocka_unit_test(more_metrics_than_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
