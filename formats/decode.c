#include "formats/decode.h"

#include <inttypes.h>
#include <stdio.h>

/* Bytes for an error message, in quotes: printable ones unchanged, others in hex. */
struct shown_bytes {
	char text[64];
};

static struct shown_bytes show(const uint8_t *p, size_t n)
{
	struct shown_bytes s;
	size_t used = 0;
	s.text[used++] = '"';
	for (size_t i = 0; i < n && used + 6 < sizeof s.text; i++) {
		if (p[i] >= 0x20 && p[i] < 0x7f && p[i] != '"' && p[i] != '\\')
			s.text[used++] = (char)p[i];
		else
			used +=
			    (size_t)snprintf(s.text + used, sizeof s.text - used, "\\x%02x", p[i]);
	}
	s.text[used++] = '"';
	s.text[used] = '\0';
	return s;
}

static int too_short(const struct cursor *c, const char *name, uint64_t bytes, struct error *e)
{
	char expected[128];
	snprintf(expected, sizeof expected, "%s (%" PRIu64 " bytes)", name, bytes);
	error_format(e, c->pos, expected, "%zu bytes left", cursor_left(c));
	return -1;
}

int csp_get_u32(struct cursor *c, const char *name, uint32_t *out, struct error *e)
{
	return cursor_u32(c, out) ? 0 : too_short(c, name, 4, e);
}

int csp_get_u64(struct cursor *c, const char *name, uint64_t *out, struct error *e)
{
	return cursor_u64(c, out) ? 0 : too_short(c, name, 8, e);
}

/* Check that count records of min_bytes each fit into what follows c, which is after the count. */
static int check_count(const struct cursor *c, unsigned width, const char *name, uint64_t count,
		       uint64_t min_bytes, struct error *e)
{
	char expected[128];
	uint64_t most = cursor_left(c) / min_bytes;
	if (count <= most)
		return 0;
	snprintf(expected, sizeof expected,
		 "%s of at most %" PRIu64 " (%zu bytes left, %" PRIu64 " or more each)", name, most,
		 cursor_left(c), min_bytes);
	return error_format(e, c->pos - width, expected, "%" PRIu64, count);
}

int csp_get_count(struct cursor *c, const char *name, uint64_t min_bytes, uint32_t *out,
		  struct error *e)
{
	struct cursor t = *c;
	if (csp_get_u32(&t, name, out, e) || check_count(&t, 4, name, *out, min_bytes, e))
		return -1;
	*c = t;
	return 0;
}

int csp_get_count64(struct cursor *c, const char *name, uint64_t min_bytes, uint64_t *out,
		    struct error *e)
{
	struct cursor t = *c;
	if (csp_get_u64(&t, name, out, e) || check_count(&t, 8, name, *out, min_bytes, e))
		return -1;
	*c = t;
	return 0;
}

/* Read a magic, which must be want. */
static int get_magic(struct cursor *c, const char *want, struct error *e)
{
	const uint8_t *p;
	char expected[32];
	snprintf(expected, sizeof expected, "magic %s", want);
	if (!cursor_bytes(c, CSP_MAGIC_BYTES, &p))
		return error_format(e, c->pos, expected, "%zu bytes left", cursor_left(c));
	if (memcmp(p, want, CSP_MAGIC_BYTES) == 0)
		return 0;
	return error_format(e, c->pos - CSP_MAGIC_BYTES, expected, "%s",
			    show(p, CSP_MAGIC_BYTES).text);
}

/* Read a version, which must be one of two (they may be equal). */
static int get_version(struct cursor *c, const char *one, const char *other, struct csp_text *out,
		       struct error *e)
{
	const uint8_t *p;
	char expected[32];
	if (strcmp(one, other) == 0)
		snprintf(expected, sizeof expected, "version %s", one);
	else
		snprintf(expected, sizeof expected, "version %s or %s", one, other);
	if (!cursor_bytes(c, CSP_VERSION_BYTES, &p))
		return error_format(e, c->pos, expected, "%zu bytes left", cursor_left(c));
	if (memcmp(p, one, CSP_VERSION_BYTES) != 0 && memcmp(p, other, CSP_VERSION_BYTES) != 0)
		return error_format(e, c->pos - CSP_VERSION_BYTES, expected, "%s",
				    show(p, CSP_VERSION_BYTES).text);
	*out = (struct csp_text){(const char *)p, CSP_VERSION_BYTES};
	return 0;
}

/* Read the byte order of a tree or trailer, which must be that of the file. */
static int get_same_order(struct cursor *c, struct error *e)
{
	uint8_t byte;
	uint8_t want = c->big ? CSP_ORDER_BIG : CSP_ORDER_LITTLE;
	char expected[64];
	snprintf(expected, sizeof expected, "endianness '%c' as in the file header", want);
	if (!cursor_u8(c, &byte))
		return too_short(c, expected, 1, e);
	if (byte != want)
		return error_format(e, c->pos - 1, expected, "%s", show(&byte, 1).text);
	return 0;
}

int csp_get_file_header(struct cursor *c, struct csp_file_header *out, struct error *e)
{
	struct cursor t = *c;
	uint8_t order;
	if (get_magic(&t, CSP_MAGIC_FILE, e) ||
	    get_version(&t, CSP_VERSION_FILE, CSP_VERSION_FILE_LATER, &out->version, e))
		return -1;
	if (!cursor_u8(&t, &order))
		return too_short(&t, "endianness", 1, e);
	if (order != CSP_ORDER_LITTLE && order != CSP_ORDER_BIG)
		return error_format(e, t.pos - 1, "endianness 'l' or 'b'", "%s",
				    show(&order, 1).text);
	t.big = out->big = order == CSP_ORDER_BIG;
	if (csp_get_u64(&t, "num_chunks", &out->num_chunks, e))
		return -1;
	*c = t;
	return 0;
}

/* The name of a tag for messages. */
static const char *tag_name(uint32_t tag)
{
	switch (tag) {
	case CSP_TAG_TARGET:
		return "tag 0 (target)";
	case CSP_TAG_EVENT_NAME:
		return "tag 48 (event name)";
	case CSP_TAG_PERIOD:
		return "tag 65 (sample period)";
	case CSP_TAG_FLAGS:
		return "tag 81 (metric flags)";
	case CSP_TAG_DLL_NAME:
		return "tag 16 (DLL name)";
	case CSP_TAG_DLL_ADDRESS:
		return "tag 33 (DLL address)";
	}
	return "another tag";
}

static int get_tag(struct cursor *c, uint32_t tag, struct error *e)
{
	uint32_t found;
	if (csp_get_u32(c, tag_name(tag), &found, e))
		return -1;
	if (found != tag)
		return error_format(e, c->pos - 4, tag_name(tag), "%" PRIu32, found);
	return 0;
}

int csp_get_text(struct cursor *c, const char *name, struct csp_text *out, struct error *e)
{
	struct cursor t = *c;
	const uint8_t *p;
	char expected[128];
	snprintf(expected, sizeof expected, "length of %s", name);
	if (csp_get_count(&t, expected, 1, &out->n, e) || !cursor_bytes(&t, out->n, &p))
		return -1;
	out->at = (const char *)p;
	*c = t;
	return 0;
}

int csp_get_string(struct cursor *c, uint32_t tag, struct csp_text *out, struct error *e)
{
	struct cursor t = *c;
	if (get_tag(&t, tag, e) || csp_get_text(&t, tag_name(tag), out, e))
		return -1;
	*c = t;
	return 0;
}

int csp_get_number(struct cursor *c, uint32_t tag, uint64_t *out, struct error *e)
{
	struct cursor t = *c;
	if (get_tag(&t, tag, e) || csp_get_u64(&t, tag_name(tag), out, e))
		return -1;
	*c = t;
	return 0;
}

int csp_get_metric(struct cursor *c, struct csp_metric *out, struct error *e)
{
	struct cursor t = *c;
	uint32_t tag;
	if (csp_get_string(&t, CSP_TAG_EVENT_NAME, &out->name, e))
		return -1;
	struct cursor ahead = t;
	if (csp_get_u32(&ahead, "tag of metric flags or sample period", &tag, e))
		return -1;
	if (tag != CSP_TAG_FLAGS && tag != CSP_TAG_PERIOD)
		return error_format(e, t.pos, "tag 81 (metric flags) or 65 (sample period)",
				    "%" PRIu32, tag);
	out->has_flags = tag == CSP_TAG_FLAGS;
	out->flags = 0;
	if (out->has_flags && csp_get_number(&t, CSP_TAG_FLAGS, &out->flags, e))
		return -1;
	if (csp_get_number(&t, CSP_TAG_PERIOD, &out->period, e))
		return -1;
	*c = t;
	return 0;
}

int csp_get_module(struct cursor *c, struct csp_module *out, struct error *e)
{
	struct cursor t = *c;
	if (csp_get_text(&t, "module_name", &out->name, e) ||
	    csp_get_u64(&t, "virtual_address", &out->virtual_address, e) ||
	    csp_get_u64(&t, "mapped_address", &out->mapped_address, e))
		return -1;
	*c = t;
	return 0;
}

uint64_t csp_node_bytes(uint32_t width, uint32_t num_metrics)
{
	return (uint64_t)width * (CSP_NODE_FIXED_WORDS + (uint64_t)num_metrics);
}

int csp_get_tree_header(struct cursor *c, uint32_t num_metrics, struct csp_tree_header *out,
			struct error *e)
{
	struct cursor t = *c;
	uint32_t uint_size;
	if (get_magic(&t, CSP_MAGIC_TREE, e) ||
	    get_version(&t, CSP_VERSION_TREE, CSP_VERSION_TREE_T, &out->version, e) ||
	    get_same_order(&t, e) || csp_get_u32(&t, "vma_size", &out->width, e))
		return -1;
	if (out->width != 8 && out->width != 4)
		return error_format(e, t.pos - 4, "vma_size 8 or 4", "%" PRIu32, out->width);
	if (csp_get_u32(&t, "uint_size", &uint_size, e))
		return -1;
	if (uint_size != out->width)
		return error_format(e, t.pos - 4,
				    out->width == 8 ? "uint_size 8 as vma_size"
						    : "uint_size 4 as vma_size",
				    "%" PRIu32, uint_size);
	uint64_t count_at = t.pos;
	if (csp_get_u64(&t, "num_nodes", &out->num_nodes, e) ||
	    csp_get_u32(&t, "epoch_number", &out->epoch, e))
		return -1;
	if (out->num_nodes == 0)
		return error_format(e, count_at, "num_nodes of at least 1 (the root)", "0");
	uint64_t each = csp_node_bytes(out->width, num_metrics);
	if (out->num_nodes > cursor_left(&t) / each) {
		char expected[128];
		snprintf(expected, sizeof expected,
			 "num_nodes of at most %" PRIu64 " (%zu bytes left, %" PRIu64 " each)",
			 cursor_left(&t) / each, cursor_left(&t), each);
		return error_format(e, count_at, expected, "%" PRIu64, out->num_nodes);
	}
	*c = t;
	return 0;
}

int csp_get_node(struct cursor *c, uint32_t width, uint32_t num_metrics, struct csp_node *out,
		 uint64_t *metrics, struct error *e)
{
	uint64_t bytes = csp_node_bytes(width, num_metrics);
	struct cursor t = *c;
	if (bytes > cursor_left(c))
		return too_short(c, "a node", bytes, e);
	cursor_word(&t, width, &out->id);
	cursor_word(&t, width, &out->parent);
	cursor_word(&t, width, &out->ip);
	cursor_word(&t, width, &out->sp);
	if (metrics) {
		for (uint32_t i = 0; i < num_metrics; i++)
			cursor_word(&t, width, &metrics[i]);
	}
	c->pos += bytes;
	return 0;
}

int csp_get_trailer_header(struct cursor *c, uint32_t *num_chunks, struct error *e)
{
	struct cursor t = *c;
	struct csp_text version;
	if (get_magic(&t, CSP_MAGIC_META, e) ||
	    get_version(&t, CSP_VERSION_META, CSP_VERSION_META, &version, e) ||
	    get_same_order(&t, e) || csp_get_u32(&t, "num_chunks of the trailer", num_chunks, e))
		return -1;
	*c = t;
	return 0;
}

int csp_get_chunk_header(struct cursor *c, struct csp_chunk_header *out, struct error *e)
{
	struct cursor t = *c;
	if (csp_get_u32(&t, "tag of a chunk", &out->tag, e) ||
	    csp_get_count64(&t, "length of a chunk", 1, &out->length, e))
		return -1;
	*c = t;
	return 0;
}

int csp_get_pair(struct cursor *c, struct csp_text *key, struct csp_text *value, struct error *e)
{
	struct cursor t = *c;
	if (csp_get_text(&t, "a pair's key", key, e) ||
	    csp_get_text(&t, "a pair's value", value, e))
		return -1;
	*c = t;
	return 0;
}
