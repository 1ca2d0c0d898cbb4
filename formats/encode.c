/* Linked into the preloaded library: nothing here may call functions outside this file, except
 * memcpy, strlen and the sink's flush. */
#include "formats/encode.h"

#include "formats/datafile.h"

#include <errno.h>
#include <string.h>

uint64_t csp_sink_offset(const struct csp_sink *s)
{
	return s->flushed + s->len;
}

bool csp_host_is_big(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

int csp_sink_flush(struct csp_sink *s)
{
	if (s->error || s->len == 0)
		return s->error;
	int r = s->flush ? s->flush(s->ctx, s->buf, s->len) : -ENOSPC;
	if (r < 0) {
		s->error = r;
		return r;
	}
	s->flushed += s->len;
	s->len = 0;
	return 0;
}

void csp_put_bytes(struct csp_sink *s, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	while (n > 0 && !s->error) {
		if (s->len == s->cap && csp_sink_flush(s) < 0)
			return;
		size_t room = s->cap - s->len;
		size_t part = n < room ? n : room;
		memcpy(s->buf + s->len, p, part);
		s->len += part;
		p += part;
		n -= part;
	}
}

void csp_put_u32(struct csp_sink *s, uint32_t v)
{
	if (s->big != csp_host_is_big())
		v = __builtin_bswap32(v);
	csp_put_bytes(s, &v, sizeof v);
}

void csp_put_u64(struct csp_sink *s, uint64_t v)
{
	if (s->big != csp_host_is_big())
		v = __builtin_bswap64(v);
	csp_put_bytes(s, &v, sizeof v);
}

void csp_put_word(struct csp_sink *s, unsigned width, uint64_t v)
{
	if (width == 8)
		csp_put_u64(s, v);
	else
		csp_put_u32(s, v > UINT32_MAX ? UINT32_MAX : (uint32_t)v);
}

static void put_id(struct csp_sink *s, const char *magic, const char *version)
{
	uint8_t order = s->big ? CSP_ORDER_BIG : CSP_ORDER_LITTLE;
	csp_put_bytes(s, magic, CSP_MAGIC_BYTES);
	csp_put_bytes(s, version, CSP_VERSION_BYTES);
	csp_put_bytes(s, &order, 1);
}

void csp_put_file_header(struct csp_sink *s, const char *version)
{
	put_id(s, CSP_MAGIC_FILE, version);
	csp_put_u64(s, 0);
}

void csp_put_string(struct csp_sink *s, uint32_t tag, const char *bytes, uint32_t n)
{
	csp_put_u32(s, tag);
	csp_put_text(s, bytes, n);
}

void csp_put_number(struct csp_sink *s, uint32_t tag, uint64_t v)
{
	csp_put_u32(s, tag);
	csp_put_u64(s, v);
}

void csp_put_metric(struct csp_sink *s, const char *name, uint32_t n, bool with_flags,
		    uint64_t flags, uint64_t period)
{
	csp_put_string(s, CSP_TAG_EVENT_NAME, name, n);
	if (with_flags)
		csp_put_number(s, CSP_TAG_FLAGS, flags);
	csp_put_number(s, CSP_TAG_PERIOD, period);
}

void csp_put_module(struct csp_sink *s, const char *name, uint32_t n, uint64_t virtual_address,
		    uint64_t mapped_address)
{
	csp_put_text(s, name, n);
	csp_put_u64(s, virtual_address);
	csp_put_u64(s, mapped_address);
}

void csp_put_tree_header(struct csp_sink *s, const char *version, uint32_t width,
			 uint64_t num_nodes, uint32_t epoch)
{
	put_id(s, CSP_MAGIC_TREE, version);
	csp_put_u32(s, width);
	csp_put_u32(s, width);
	csp_put_u64(s, num_nodes);
	csp_put_u32(s, epoch);
}

void csp_put_node(struct csp_sink *s, uint32_t width, uint64_t id, uint64_t parent, uint64_t ip,
		  uint64_t sp, const uint64_t *metrics, uint32_t num_metrics)
{
	csp_put_word(s, width, id);
	csp_put_word(s, width, parent);
	csp_put_word(s, width, ip);
	csp_put_word(s, width, sp);
	for (uint32_t i = 0; i < num_metrics; i++)
		csp_put_word(s, width, metrics[i]);
}

void csp_put_trailer_header(struct csp_sink *s, uint32_t num_chunks)
{
	put_id(s, CSP_MAGIC_META, CSP_VERSION_META);
	csp_put_u32(s, num_chunks);
}

void csp_put_chunk_header(struct csp_sink *s, uint32_t tag, uint64_t length)
{
	csp_put_u32(s, tag);
	csp_put_u64(s, length);
}

void csp_put_text(struct csp_sink *s, const char *bytes, uint32_t n)
{
	csp_put_u32(s, n);
	csp_put_bytes(s, bytes, n);
}

void csp_put_pair(struct csp_sink *s, const char *key, const char *value, uint32_t n)
{
	csp_put_text(s, key, (uint32_t)strlen(key));
	csp_put_text(s, value, n);
}

void csp_put_code(struct csp_sink *s, const struct csp_code *code)
{
	csp_put_u64(s, code->ip);
	csp_put_u32(s, code->extent);
	csp_put_u32(s, code->line);
	csp_put_text(s, code->name, code->name_bytes);
	csp_put_text(s, code->lines, code->lines_bytes);
}

unsigned csp_format_u64(char *out, uint64_t v)
{
	char digits[20];
	unsigned n = 0;
	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	for (unsigned i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
	return n;
}

void csp_put_pair_u64(struct csp_sink *s, const char *key, uint64_t value)
{
	char digits[20];
	csp_put_pair(s, key, digits, csp_format_u64(digits, value));
}
