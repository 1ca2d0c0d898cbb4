/* formats/decode.h: what encode.h wrote is read back. Bytes that are cut short or wrong are refused
 * with their offset, and the cursor is unchanged. */
#include "formats/decode.h"

#include "formats/encode.h"
#include "tests/lib/unit/cmocka_all.h"

static uint8_t buf[256];

static struct csp_sink sink(bool big)
{
	return (struct csp_sink){.buf = buf, .cap = sizeof buf, .big = big};
}

static struct cursor reread(const struct csp_sink *s)
{
	assert_int_equal(s->error, 0);
	return cursor_of(s->buf, s->len, s->big);
}

static void assert_text(struct csp_text t, const char *want)
{
	assert_int_equal(t.n, strlen(want));
	assert_memory_equal(t.at, want, t.n);
}

static void header_metrics_and_modules(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct csp_sink s = sink(big);
		struct csp_file_header h;
		struct csp_text text;
		struct csp_metric with, without;
		struct csp_module module;
		struct error e;
		csp_put_file_header(&s, CSP_VERSION_FILE_LATER);
		csp_put_string(&s, CSP_TAG_TARGET, "/bin/x", 6);
		csp_put_metric(&s, "A", 1, true, 6, UINT64_MAX);
		csp_put_metric(&s, "", 0, false, 6, 3);
		csp_put_module(&s, "libx.so", 7, 1, UINT64_C(1) << 40);
		struct cursor c = reread(&s);
		c.big = !big; /* the header decides */
		assert_int_equal(csp_get_file_header(&c, &h, &e), 0);
		assert_text(h.version, "01.01");
		assert_int_equal(h.big, big);
		assert_int_equal(c.big, big);
		assert_int_equal(csp_get_string(&c, CSP_TAG_TARGET, &text, &e), 0);
		assert_text(text, "/bin/x");
		assert_int_equal(csp_get_metric(&c, &with, &e), 0);
		assert_text(with.name, "A");
		assert_true(with.has_flags);
		assert_int_equal(with.flags, 6);
		assert_int_equal(with.period, UINT64_MAX);
		assert_int_equal(csp_get_metric(&c, &without, &e), 0);
		assert_text(without.name, "");
		assert_false(without.has_flags);
		assert_int_equal(without.flags, 0);
		assert_int_equal(without.period, 3);
		assert_int_equal(csp_get_module(&c, &module, &e), 0);
		assert_text(module.name, "libx.so");
		assert_int_equal(module.virtual_address, 1);
		assert_int_equal(module.mapped_address, UINT64_C(1) << 40);
		assert_int_equal(cursor_left(&c), 0);
	}
}

static void trees_and_nodes(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		uint32_t width = i & 2 ? 4 : 8;
		uint64_t values[] = {0xfffffffe, 1}, got[2];
		struct csp_sink s = sink(i & 1);
		struct csp_tree_header h;
		struct csp_node node;
		struct error e;
		csp_put_tree_header(&s, CSP_VERSION_TREE_T, width, 1, 9);
		csp_put_node(&s, width, 1, 2, 3, 4, values, 2);
		struct cursor c = reread(&s);
		assert_int_equal(csp_get_tree_header(&c, 2, &h, &e), 0);
		assert_text(h.version, "01.0T");
		assert_int_equal(h.width, width);
		assert_int_equal(h.num_nodes, 1);
		assert_int_equal(h.epoch, 9);
		assert_int_equal(cursor_left(&c), csp_node_bytes(width, 2));
		assert_int_equal(csp_get_node(&c, width, 2, &node, got, &e), 0);
		assert_int_equal(node.id, 1);
		assert_int_equal(node.parent, 2);
		assert_int_equal(node.ip, 3);
		assert_int_equal(node.sp, 4);
		assert_memory_equal(got, values, sizeof got);
		assert_int_equal(cursor_left(&c), 0);
		c.pos = 0;
		assert_int_equal(csp_get_tree_header(&c, 3, &h, &e), -1);
		assert_int_equal(e.offset, 24);
	}
}

static void trailer_records(void **state)
{
	(void)state;
	struct csp_sink s = sink(true);
	struct csp_chunk_header chunk;
	struct csp_text key, value;
	struct error e;
	uint32_t n;
	csp_put_trailer_header(&s, 5);
	csp_put_chunk_header(&s, 99, 9);
	csp_put_pair(&s, "k", "", 0);
	struct cursor c = reread(&s);
	assert_int_equal(csp_get_trailer_header(&c, &n, &e), 0);
	assert_int_equal(n, 5);
	assert_int_equal(csp_get_chunk_header(&c, &chunk, &e), 0);
	assert_int_equal(chunk.tag, 99);
	assert_int_equal(chunk.length, 9);
	assert_int_equal(csp_get_pair(&c, &key, &value, &e), 0);
	assert_text(key, "k");
	assert_text(value, "");
}

/* All records, each with every length that is too short for it. */
static int get_nth(unsigned i, struct cursor *c, struct error *e)
{
	struct csp_file_header file;
	struct csp_metric metric;
	struct csp_module module;
	struct csp_tree_header tree;
	struct csp_node node;
	struct csp_chunk_header chunk;
	struct csp_text a, b;
	uint64_t number;
	uint32_t n;
	switch (i) {
	case 0:
		return csp_get_file_header(c, &file, e);
	case 1:
		return csp_get_string(c, CSP_TAG_TARGET, &a, e);
	case 2:
		return csp_get_metric(c, &metric, e);
	case 3:
		return csp_get_module(c, &module, e);
	case 4:
		return csp_get_tree_header(c, 1, &tree, e);
	case 5:
		return csp_get_node(c, 4, 1, &node, NULL, e);
	case 6:
		return csp_get_trailer_header(c, &n, e);
	case 7:
		return csp_get_chunk_header(c, &chunk, e);
	case 8:
		return csp_get_pair(c, &a, &b, e);
	case 9:
		return csp_get_number(c, CSP_TAG_PERIOD, &number, e);
	default:
		return csp_get_count64(c, "rows", 4, &number, e);
	}
}
enum { RECORDS = 11 };

static void put_nth(unsigned i, struct csp_sink *s)
{
	uint64_t value = 3;
	switch (i) {
	case 0:
		csp_put_file_header(s, CSP_VERSION_FILE);
		return;
	case 1:
		csp_put_string(s, CSP_TAG_TARGET, "abc", 3);
		return;
	case 2:
		csp_put_metric(s, "M", 1, true, 2, 1);
		return;
	case 3:
		csp_put_module(s, "x", 1, 2, 3);
		return;
	case 4:
		csp_put_tree_header(s, CSP_VERSION_TREE, 4, 1, 0);
		csp_put_node(s, 4, 0, 0, 0, 0, &value, 1); /* the header's check needs it */
		return;
	case 5:
		csp_put_node(s, 4, 0, 0, 0, 0, &value, 1);
		return;
	case 6:
		csp_put_trailer_header(s, 0);
		return;
	case 7:
		csp_put_chunk_header(s, 1, 2);
		csp_put_bytes(s, "ab", 2);
		return;
	case 8:
		csp_put_pair(s, "key", "value", 5);
		return;
	case 9:
		csp_put_number(s, CSP_TAG_PERIOD, 7);
		return;
	default:
		csp_put_u64(s, 2);
		csp_put_u64(s, 0);
		return;
	}
}

static void short_records_are_refused(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RECORDS; i++) {
		struct csp_sink s = sink(false);
		csp_put_u32(&s, 0xdeadbeef); /* offsets are relative to the base */
		put_nth(i, &s);
		for (size_t size = 4; size < s.len; size++) {
			struct error e = {0};
			struct cursor c = cursor_of(buf, size, false);
			c.pos = 4;
			assert_int_equal(get_nth(i, &c, &e), -1);
			assert_int_equal(c.pos, 4);
			assert_int_equal(e.kind, ERROR_FORMAT);
			assert_in_range(e.offset, 4, size);
			assert_non_null(strstr(e.text, "expected"));
			assert_int_equal(get_nth(i, &c, NULL), -1);
		}
		struct cursor c = reread(&s);
		c.pos = 4;
		assert_int_equal(get_nth(i, &c, NULL), 0);
	}
}

static void assert_refused(unsigned record, size_t at, uint8_t byte, uint64_t offset,
			   const char *expected)
{
	struct csp_sink s = sink(false);
	struct error e = {0};
	put_nth(record, &s);
	buf[at] = byte;
	struct cursor c = reread(&s);
	assert_int_equal(get_nth(record, &c, &e), -1);
	assert_int_equal(c.pos, 0);
	assert_int_equal(e.offset, offset);
	if (!strstr(e.text, expected))
		fail_msg("\"%s\" does not say \"%s\"", e.text, expected);
}

static void wrong_bytes_are_named(void **state)
{
	(void)state;
	assert_refused(0, 9, 0, 0, "expected magic HPC_CSPROF, found \"HPC_CSPRO\\x00\"");
	assert_refused(0, 14, '2', 10, "expected version 01.00 or 01.01, found \"01.02\"");
	assert_refused(0, 15, 'x', 15, "expected endianness 'l' or 'b', found \"x\"");
	assert_refused(1, 0, 0x10, 0, "expected tag 0 (target), found 16");
	assert_refused(1, 4, 4, 4, "of at most 3 (3 bytes left, 1 or more each), found 4");
	assert_refused(2, 9, 0x52, 9,
		       "expected tag 81 (metric flags) or 65 (sample period), found");
	assert_refused(4, 13, '1', 10, "expected version 01.00 or 01.0T, found \"01.10\"");
	assert_refused(4, 15, 'b', 15, "expected endianness 'l' as in the file header");
	assert_refused(4, 16, 5, 16, "expected vma_size 8 or 4, found 5");
	assert_refused(4, 20, 8, 20, "expected uint_size 4 as vma_size, found 8");
	assert_refused(4, 24, 0, 24, "expected num_nodes of at least 1 (the root), found 0");
	assert_refused(4, 31, 0x80, 24, "found 9223372036854775809");
	assert_refused(6, 15, 'b', 15, "endianness");
	assert_refused(7, 4, 3, 4, "expected length of a chunk of at most 2");
	assert_refused(10, 0, 3, 0, "expected rows of at most 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(header_metrics_and_modules),
	    cmocka_unit_test(trees_and_nodes),
	    cmocka_unit_test(trailer_records),
	    cmocka_unit_test(short_records_are_refused),
	    cmocka_unit_test(wrong_bytes_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
