/* The columns of hpcprof html: read back, they are the tree, exactly or within a quantum. */
#include "hpcprof/views/html/html.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- reading a page -------------------------------------------------------------------- */

struct column {
	uint8_t *at;
	size_t len, pos;
};

static unsigned digit_of(char c)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c ? strchr(digits, c) : NULL;

	assert_non_null(found);
	return (unsigned)(found - digits);
}

/* The bytes of the column's element; without one, at is NULL. */
static struct column column_of(const char *page, const char *id)
{
	struct column out = {0};
	char begin[100];
	const char *at, *end;
	uint8_t *packed;
	uLongf room = 64 << 20;
	size_t n = 0;
	z_stream z = {0};

	snprintf(begin, sizeof begin, "<script type=\"text/plain\" class=\"column\" id=\"%s\">",
		 id);
	at = strstr(page, begin);
	if (!at)
		return out;
	at += strlen(begin);
	end = strstr(at, "</script>\n");
	assert_non_null(end);
	assert_int_equal((end - at) % 4, 0);
	packed = malloc((size_t)(end - at) + 1);
	for (; at < end; at += 4) {
		uint32_t v = 0;
		int pad = (at[2] == '=') + (at[3] == '=');
		for (int i = 0; i < 4; i++)
			v = v << 6 | (i >= 4 - pad ? 0 : digit_of(at[i]));
		for (int i = 0; i < 3 - pad; i++)
			packed[n++] = (uint8_t)(v >> (16 - 8 * i));
	}
	out.at = malloc(room);
	z.next_in = packed;
	z.avail_in = (uInt)n;
	z.next_out = out.at;
	z.avail_out = (uInt)room;
	assert_int_equal(inflateInit2(&z, -15), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	out.len = z.total_out;
	inflateEnd(&z);
	free(packed);
	return out;
}

static uint64_t next(struct column *c)
{
	uint64_t v = 0;

	for (int shift = 0;; shift += 7) {
		assert_true(c->pos < c->len);
		v |= (uint64_t)(c->at[c->pos] & 0x7f) << shift;
		if (!(c->at[c->pos++] & 0x80))
			return v;
	}
}

static int64_t next_signed(struct column *c)
{
	uint64_t v = next(c);

	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static void finish(struct column *c)
{
	assert_int_equal(c->pos, c->len);
	free(c->at);
}

/* ---- numbers --------------------------------------------------------------------------- */

static void test_numbers(void **state)
{
	static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
	static const int64_t signs[] = {0, -1, 1, -64, 64, INT64_MAX, INT64_MIN};
	struct column c = {0};
	html_bytes b = {0};
	char *page;
	size_t len;
	FILE *out = open_memstream(&page, &len);
	(void)state;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		assert_true(html_varint(&b, values[i]));
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		assert_true(html_zigzag(&b, signs[i]));
	assert_int_equal(html_put_column(out, "c", &b, NULL), 0);
	fclose(out);
	c = column_of(page, "c");
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		assert_int_equal(next(&c), values[i]);
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		assert_int_equal(next_signed(&c), signs[i]);
	finish(&c);
	vec_free(&b);
	free(page);
}

/* Any number of bytes is base64 that a reader takes. */
static void test_lengths(void **state)
{
	(void)state;
	for (size_t n = 0; n < 50; n++) {
		html_bytes b = {0};
		struct column c;
		char *page;
		size_t len;
		FILE *out = open_memstream(&page, &len);
		for (size_t i = 0; i < n; i++)
			assert_true(vec_push(&b, (uint8_t)(i * 37)));
		assert_int_equal(html_put_column(out, "c", &b, NULL), 0);
		fclose(out);
		c = column_of(page, "c");
		assert_int_equal(c.len, n);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(c.at[i], (uint8_t)(i * 37));
		c.pos = n;
		finish(&c);
		vec_free(&b);
		free(page);
	}
}

/* ---- trees ----------------------------------------------------------------------------- */

/* A tree of one function whose nodes stand in the order of their ids. */
struct made {
	struct html h;
	struct model_metric metric;
	struct shown_metric shown;
	struct symbolized code;
	uint64_t *keys;
};

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)seed * n) >> 32);
}

/* n nodes with samples of random weights; if counted, each event is a sample. */
static void make(struct made *t, uint32_t n, bool counted)
{
	struct path_tree *tree = &t->h.tree;

	memset(t, 0, sizeof *t);
	seed = n;
	tree->num_nodes = n + PATH_TREE_PARTIAL_ROOT + 1;
	tree->num_columns = 2;
	tree->exclusive = calloc((size_t)tree->num_nodes * 2, sizeof(uint64_t));
	tree->order = calloc(n, sizeof(uint32_t));
	tree->depth = calloc(tree->num_nodes, sizeof(uint32_t));
	tree->keys = t->keys = calloc(tree->num_nodes, sizeof(uint64_t));
	/* one place, of function 0 */
	assert_int_equal(interner_add(&tree->places, 0), 0);
	tree->num_order = n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t node = i + PATH_TREE_PARTIAL_ROOT + 1;
		uint32_t samples = random_below(4) ? random_below(3) : 0;
		tree->order[i] = node;
		tree->depth[node] = i ? random_below(tree->depth[node - 1] + 2) : 0;
		t->keys[node] = random_below(2);
		for (uint32_t k = 0; k < samples; k++)
			tree->exclusive[node * 2] += counted ? 1 : 500000 + random_below(1000000);
		tree->exclusive[node * 2 + 1] = samples;
		t->metric.total.samples += samples;
		t->metric.total.events += tree->exclusive[node * 2];
	}
	t->shown.metric = &t->metric;
	t->h.c = &t->code;
	t->h.columns.at = &t->shown;
	t->h.columns.len = 2;
	t->h.num_metrics = 1;
	t->h.quantum = calloc(1, sizeof(uint64_t));
	t->h.has_events = calloc(1, sizeof(bool));
	t->code.functions.len = 1;
	assert_int_equal(html_number_functions(&t->h, NULL), 0);
	assert_int_equal(t->h.num_functions, 1);
	assert_int_equal(t->h.number[1], HTML_NO_NUMBER);
}

static void unmake(struct made *t)
{
	free(t->h.tree.exclusive);
	free(t->h.tree.order);
	free(t->h.tree.depth);
	interner_deinit(&t->h.tree.places);
	free(t->keys);
	free(t->h.quantum);
	free(t->h.has_events);
	free(t->h.number);
}

/* Compare the columns with the tree; sums[i] are the events up to and with node i. */
static void read_back(struct made *t, const char *page, uint64_t *sums)
{
	struct column pops = column_of(page, "pops"), functions = column_of(page, "functions");
	struct column samples = column_of(page, "samples-0"), events = column_of(page, "events-0");
	const struct path_tree *tree = &t->h.tree;
	uint64_t depth = UINT64_MAX, sum = 0, mean = html_mean(&t->h, 0);

	for (uint32_t i = 0; i < tree->num_order; i++) {
		uint32_t node = tree->order[i];
		uint64_t n = next(&samples);
		depth = depth + 1 - next(&pops);
		assert_int_equal(depth, tree->depth[node]);
		assert_int_equal(next(&functions), t->keys[node] & 1);
		assert_int_equal(n, tree->exclusive[node * 2 + 1]);
		sum += events.at ? n * mean + (uint64_t)next_signed(&events) : n;
		sums[i] = sum;
	}
	finish(&pops);
	finish(&functions);
	finish(&samples);
	if (events.at)
		finish(&events);
}

/* Write a tree and read it back. */
static void check_tree(uint32_t n, bool counted, uint64_t least_quantum, uint64_t most_quantum)
{
	uint64_t *sums = calloc(n, sizeof *sums), exact = 0;
	struct made t;
	char *page;
	size_t len;

	make(&t, n, counted);
	t.h.out = open_memstream(&page, &len);
	assert_int_equal(html_put_tree(&t.h, NULL), 0);
	fclose(t.h.out);
	assert_in_range(t.h.quantum[0], least_quantum, most_quantum);
	assert_int_equal(strstr(page, "\"events-0\"") == NULL, counted);
	read_back(&t, page, sums);
	for (uint32_t i = 0; i < n; i++) {
		exact += t.h.tree.exclusive[t.h.tree.order[i] * 2];
		/* all sums from the first node are rounded down, so others are wrong by less than a
		 * quantum */
		assert_int_equal(sums[i], exact / t.h.quantum[0]);
	}
	free(sums);
	free(page);
	unmake(&t);
}

static void test_exact(void **state)
{
	(void)state;
	check_tree(5, false, 1, 1);
	check_tree(1000, false, 1, 1);
	check_tree(100000, false, 1, 1);
	check_tree(1000, true, 1, 1);
}

/* A large tree has rounded values, but still about 4 bits for a sample. */
static void test_rounded(void **state)
{
	(void)state;
	check_tree(1000000, false, 16, 1 << 18);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_lengths),
	    cmocka_unit_test(test_exact),
	    cmocka_unit_test(test_rounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
