/* formats/encode.h: the bytes of each record, in both orders, and the sink. */
#include "formats/encode.h"

#include "formats/datafile.h"
#include "tests/lib/unit/cmocka_all.h"

#include <errno.h>
#include <string.h>

struct kept {
	uint8_t bytes[256];
	size_t n, calls;
	int result;
};

static int keep(void *ctx, const uint8_t *bytes, size_t n)
{
	struct kept *k = ctx;
	k->calls++;
	if (k->result < 0)
		return k->result;
	memcpy(k->bytes + k->n, bytes, n);
	k->n += n;
	return 0;
}

static void assert_bytes(const struct csp_sink *s, const char *want, size_t n)
{
	assert_int_equal(s->error, 0);
	assert_int_equal(s->len, n);
	assert_memory_equal(s->buf, want, n);
}

static void integers_in_both_orders(void **state)
{
	(void)state;
	uint8_t buf[32];
	struct csp_sink s = {.buf = buf, .cap = sizeof buf};
	csp_put_u32(&s, 0x01020304);
	csp_put_u64(&s, 0x1112131415161718);
	assert_bytes(&s, "\4\3\2\1\x18\x17\x16\x15\x14\x13\x12\x11", 12);
	s = (struct csp_sink){.buf = buf, .cap = sizeof buf, .big = true};
	csp_put_u32(&s, 0x01020304);
	csp_put_u64(&s, 0x1112131415161718);
	assert_bytes(&s, "\1\2\3\4\x11\x12\x13\x14\x15\x16\x17\x18", 12);
}

static void a_narrow_word_saturates(void **state)
{
	(void)state;
	uint8_t buf[32];
	struct csp_sink s = {.buf = buf, .cap = sizeof buf};
	csp_put_word(&s, 4, 0xffffffff);
	csp_put_word(&s, 4, 0x100000000);
	csp_put_word(&s, 4, 7);
	csp_put_word(&s, 8, 0x100000000);
	assert_bytes(&s, "\xff\xff\xff\xff\xff\xff\xff\xff\7\0\0\0\0\0\0\0\1\0\0\0", 20);
}

static void records_have_the_documented_bytes(void **state)
{
	(void)state;
	uint8_t buf[128];
	uint64_t values[] = {5, 6};
	struct csp_sink s = {.buf = buf, .cap = sizeof buf};
	csp_put_file_header(&s, CSP_VERSION_FILE);
	assert_bytes(&s, "HPC_CSPROF01.00l\0\0\0\0\0\0\0\0", CSP_FILE_HEADER_BYTES);
	s.len = 0;
	csp_put_metric(&s, "AB", 2, true, 6, 9);
	assert_bytes(
	    &s, "\x30\0\0\0\2\0\0\0AB\x51\0\0\0\6\0\0\0\0\0\0\0\x41\0\0\0\x9\0\0\0\0\0\0\0", 34);
	s.len = 0;
	csp_put_metric(&s, "AB", 2, false, 6, 9);
	assert_bytes(&s, "\x30\0\0\0\2\0\0\0AB\x41\0\0\0\x9\0\0\0\0\0\0\0", 22);
	s.len = 0;
	csp_put_module(&s, "m", 1, 1, 2);
	assert_bytes(&s, "\1\0\0\0m\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 21);
	s.len = 0;
	csp_put_tree_header(&s, CSP_VERSION_TREE_T, 4, 1, 3);
	assert_bytes(&s, "HPC_CSTREE01.0Tl\4\0\0\0\4\0\0\0\1\0\0\0\0\0\0\0\3\0\0\0",
		     CSP_TREE_HEADER_BYTES);
	s.len = 0;
	csp_put_node(&s, 4, 1, 2, 3, 4, values, 2);
	assert_bytes(&s, "\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0", 24);
	s.len = 0;
	csp_put_trailer_header(&s, 2);
	assert_bytes(&s, "HPC_CSMETA01.00l\2\0\0\0", 20);
	s.len = 0;
	csp_put_chunk_header(&s, 4, 3);
	csp_put_pair(&s, "k", "v", 1);
	assert_bytes(&s, "\4\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0k\1\0\0\0v", 22);
}

static void decimals(void **state)
{
	(void)state;
	char out[20];
	uint8_t buf[64];
	struct csp_sink s = {.buf = buf, .cap = sizeof buf};
	assert_int_equal(csp_format_u64(out, 0), 1);
	assert_memory_equal(out, "0", 1);
	assert_int_equal(csp_format_u64(out, UINT64_MAX), 20);
	assert_memory_equal(out, "18446744073709551615", 20);
	csp_put_pair_u64(&s, "pid", 4242);
	assert_bytes(&s, "\3\0\0\0pid\4\0\0\0004242", 15);
}

static void a_full_buffer_goes_to_flush(void **state)
{
	(void)state;
	struct kept k = {.n = 0};
	uint8_t buf[3];
	struct csp_sink s = {.buf = buf, .cap = sizeof buf, .flush = keep, .ctx = &k};
	csp_put_bytes(&s, "abcdefgh", 8);
	assert_int_equal(csp_sink_offset(&s), 8);
	assert_int_equal(csp_sink_flush(&s), 0);
	assert_int_equal(csp_sink_offset(&s), 8);
	assert_int_equal(k.n, 8);
	assert_memory_equal(k.bytes, "abcdefgh", 8);
}

static void errors_stay(void **state)
{
	(void)state;
	struct kept k = {.result = -EIO};
	uint8_t buf[4];
	struct csp_sink s = {.buf = buf, .cap = sizeof buf, .flush = keep, .ctx = &k};
	csp_put_u64(&s, 1);
	assert_int_equal(s.error, -EIO);
	k.result = 0;
	csp_put_u64(&s, 1);
	assert_int_equal(csp_sink_flush(&s), -EIO);
	assert_int_equal(k.calls, 1);
	s = (struct csp_sink){.buf = buf, .cap = sizeof buf};
	csp_put_u32(&s, 1);
	assert_int_equal(s.error, 0);
	csp_put_u32(&s, 1);
	assert_int_equal(s.error, -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(integers_in_both_orders),
	    cmocka_unit_test(a_narrow_word_saturates),
	    cmocka_unit_test(records_have_the_documented_bytes),
	    cmocka_unit_test(decimals),
	    cmocka_unit_test(a_full_buffer_goes_to_flush),
	    cmocka_unit_test(errors_stay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
