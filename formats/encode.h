/* Encode functions of the datafile, for the runtime (from its own memory) and for tests and
 * tools that build datafiles. Every function here is async-signal-safe if the sink's flush is:
 * no malloc, no stdio, no locks. A sink belongs to one thread at a time. */
#ifndef FORMATS_ENCODE_H
#define FORMATS_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An output buffer. When buf is full it is passed to flush, which takes all n bytes or returns a
 * negative errno. That is kept in error, and from then on the sink discards everything. With
 * flush NULL a full buf sets error to -ENOSPC. */
struct csp_sink {
	uint8_t *buf;
	size_t cap, len;  /* size of buf, and bytes in it */
	uint64_t flushed; /* bytes passed to flush */
	int (*flush)(void *ctx, const uint8_t *bytes, size_t n);
	void *ctx;
	int error; /* 0, or the first negative errno */
	bool big;  /* write integers big-endian */
};

/* Number of bytes put so far, which is the offset of the next one. */
uint64_t csp_sink_offset(const struct csp_sink *s);
/* Pass the bytes in buf to flush; returns s->error. */
int csp_sink_flush(struct csp_sink *s);
/* Whether the machine that runs this code is big-endian. */
bool csp_host_is_big(void);

void csp_put_bytes(struct csp_sink *s, const void *bytes, size_t n);
void csp_put_u32(struct csp_sink *s, uint32_t v);
void csp_put_u64(struct csp_sink *s, uint64_t v);
/* Put v in width bytes, 4 or 8; with 4, larger values become UINT32_MAX. */
void csp_put_word(struct csp_sink *s, unsigned width, uint64_t v);

/* FileHeader. version: five characters, CSP_VERSION_FILE or another. */
void csp_put_file_header(struct csp_sink *s, const char *version);
/* hpcfile_string and hpcfile_number; tag as in the file. */
void csp_put_string(struct csp_sink *s, uint32_t tag, const char *bytes, uint32_t n);
void csp_put_number(struct csp_sink *s, uint32_t tag, uint64_t v);
/* One metric of CsProfData; with_flags false omits the flags number, as in old files of version
 * 01.00. */
void csp_put_metric(struct csp_sink *s, const char *name, uint32_t n, bool with_flags,
		    uint64_t flags, uint64_t period);
/* One module of an epoch. */
void csp_put_module(struct csp_sink *s, const char *name, uint32_t n, uint64_t virtual_address,
		    uint64_t mapped_address);
/* A tree's header up to its nodes. width is vma_size and uint_size. */
void csp_put_tree_header(struct csp_sink *s, const char *version, uint32_t width,
			 uint64_t num_nodes, uint32_t epoch);
void csp_put_node(struct csp_sink *s, uint32_t width, uint64_t id, uint64_t parent, uint64_t ip,
		  uint64_t sp, const uint64_t *metrics, uint32_t num_metrics);

/* The trailer: its header, then for each chunk its header and its payload. */
void csp_put_trailer_header(struct csp_sink *s, uint32_t num_chunks);
void csp_put_chunk_header(struct csp_sink *s, uint32_t tag, uint64_t length);
/* text: u32 length, bytes. */
void csp_put_text(struct csp_sink *s, const char *bytes, uint32_t n);
/* One pair of a pairs list: text key (NUL-terminated here), text value. */
void csp_put_pair(struct csp_sink *s, const char *key, const char *value, uint32_t n);
/* The same with a decimal number as value. */
void csp_put_pair_u64(struct csp_sink *s, const char *key, uint64_t value);
/* A function of the chunk CODE, after the number of them. lines is as formats/README.md describes
 * it. */
struct csp_code {
	uint64_t ip;
	uint32_t extent, line;
	const char *name;
	uint32_t name_bytes;
	const void *lines;
	uint32_t lines_bytes;
};
void csp_put_code(struct csp_sink *s, const struct csp_code *code);
/* Store the decimal digits of v in out, without NUL (20 bytes are enough); returns their number. */
unsigned csp_format_u64(char *out, uint64_t v);

#endif
