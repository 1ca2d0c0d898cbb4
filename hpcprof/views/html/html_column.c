/* Columns as text: varints, raw DEFLATE, base64. */
#include "hpcprof/views/html/html.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

bool html_varint(html_bytes *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		if (!vec_push(b, (uint8_t)(value | 0x80)))
			return false;
	return vec_push(b, (uint8_t)value);
}

bool html_zigzag(html_bytes *b, int64_t value)
{
	return html_varint(b, (uint64_t)value << 1 ^ (uint64_t)(value < 0 ? -1 : 0));
}

enum {
	RAW_BITS = -15, /* of zlib: the largest window, without header and checksum */
	MEMORY_LEVEL = 9
};

int html_compress(const html_bytes *b, uint8_t **packed, size_t *len, struct error *e)
{
	z_stream z = {0};
	uint8_t nothing = 0;
	uLong bound;
	int rc;

	*packed = NULL;
	*len = 0;
	/* avail_in is an unsigned int; deflateBound is enough for one call */
	if (b->len >= UINT32_MAX / 2)
		return error_set(e, ERROR_LIMIT, "a column of the page has more than 2 GB");
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW_BITS, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return error_memory(e, b->len);
	bound = deflateBound(&z, b->len);
	*packed = malloc(bound + 1);
	if (!*packed) {
		deflateEnd(&z);
		return error_memory(e, bound);
	}
	z.next_in = b->len ? b->at : &nothing;
	z.avail_in = (uInt)b->len;
	z.next_out = *packed;
	z.avail_out = (uInt)bound;
	rc = deflate(&z, Z_FINISH);
	*len = z.total_out;
	deflateEnd(&z);
	if (rc == Z_STREAM_END)
		return 0;
	free(*packed);
	*packed = NULL;
	return error_memory(e, bound);
}

/* RFC 4648. */
static void put_base64(FILE *out, const uint8_t *at, size_t len)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t v = (uint32_t)at[i] << 16 | (n > 1 ? (uint32_t)at[i + 1] << 8 : 0) |
			     (n > 2 ? at[i + 2] : 0);
		putc_unlocked(digits[v >> 18], out);
		putc_unlocked(digits[v >> 12 & 63], out);
		putc_unlocked(n > 1 ? digits[v >> 6 & 63] : '=', out);
		putc_unlocked(n > 2 ? digits[v & 63] : '=', out);
	}
}

void html_put_packed(FILE *out, const char *id, const uint8_t *packed, size_t len)
{
	fprintf(out, "<script type=\"text/plain\" class=\"column\" id=\"%s\">", id);
	put_base64(out, packed, len);
	fputs("</script>\n", out);
}

int html_put_column(FILE *out, const char *id, const html_bytes *b, struct error *e)
{
	uint8_t *packed;
	size_t len;

	if (html_compress(b, &packed, &len, e) != 0)
		return -1;
	html_put_packed(out, id, packed, len);
	free(packed);
	return 0;
}

bool html_put_values(const struct html *h, html_bytes *b, const uint64_t *values)
{
	bool ok = true;

	for (size_t k = 0; ok && k < h->num_metrics; k++) {
		uint64_t samples = values[h->num_metrics + k];
		ok = html_varint(b, samples);
		if (ok && h->has_events[k])
			ok = html_zigzag(
			    b, (int64_t)(values[k] / h->quantum[k] - samples * html_mean(h, k)));
	}
	return ok;
}
