#include "hpcprof/import/input.h"

#include "formats/base/regular_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

/* ---- files ------------------------------------------------------------------------- */

/* windowBits of zlib for a gzip file. */
enum { GZIP_BITS = 15 + 16 };

static bool is_packed(const uint8_t *at, size_t n)
{
	return n > 2 && at[0] == 0x1f && at[1] == 0x8b;
}

/* Unpack n bytes to at most room. Returns zlib's status of the last member; *left: bytes of the
 * input that were not used. */
static int unpack(const uint8_t *at, size_t n, uint8_t *to, size_t room, size_t *got)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)at};
	int rc = inflateInit2(&z, GZIP_BITS);

	*got = 0;
	if (rc != Z_OK)
		return rc;
	for (;;) {
		uInt in = n < UINT32_MAX ? (uInt)n : UINT32_MAX, most;
		size_t left = room - *got;
		most = left < UINT32_MAX ? (uInt)left : UINT32_MAX;
		z.avail_in = in;
		z.next_out = to + *got;
		z.avail_out = most;
		rc = inflate(&z, Z_NO_FLUSH);
		n -= in - z.avail_in;
		*got += most - z.avail_out;
		/* a file may have several members, as of programs that append */
		if (rc == Z_STREAM_END && is_packed(z.next_in, n))
			rc = inflateReset(&z);
		if (rc != Z_OK || !n || *got == room)
			break;
	}
	inflateEnd(&z);
	return rc;
}

/* Unpack all. The size that the file states is that of its last member, so it is only a hint. */
static int unpack_all(struct input *in, const uint8_t *at, size_t n, struct error *e)
{
	size_t room = n < INPUT_MOST / 16 ? 4 * n + 4096 : INPUT_MOST, got = 0;

	for (;; room = room < INPUT_MOST / 4 ? 4 * room : INPUT_MOST) {
		int rc;
		free(in->unpacked);
		in->unpacked = malloc(room);
		if (!in->unpacked)
			return error_memory(e, room);
		rc = unpack(at, n, in->unpacked, room, &got);
		if (rc == Z_MEM_ERROR)
			return error_memory(e, 0);
		if (rc == Z_STREAM_END)
			break;
		if (got < room)
			return error_set(e, ERROR_FORMAT,
					 "cannot be unpacked after %zu bytes (compressed by gzip; "
					 "try gunzip)",
					 got);
		if (room == INPUT_MOST)
			return error_set(e, ERROR_LIMIT, "unpacks to more than 4 GiB");
	}
	in->at = in->unpacked;
	in->n = got;
	return 0;
}

/* A file of this size is mapped, as a copy would take as much memory. */
enum { LARGE = 256 << 20 };

static int map(struct input *in, int fd, size_t n, struct error *e)
{
	if (regular_file_check_holes(fd, e) != 0)
		return -1;
	in->mapped = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	if (in->mapped == MAP_FAILED) {
		in->mapped = NULL;
		return error_system(e, "cannot be mapped");
	}
	in->at = in->mapped;
	in->n = in->mapped_n = n;
	return mapped_file_watch(&in->watched, in->at, n) ? 0 : error_memory(e, 0);
}

static int copy(struct input *in, int fd, const struct stat *st, struct error *e)
{
	in->bytes = regular_file_read(fd, st, e);
	if (!in->bytes)
		return -1;
	in->at = in->bytes;
	in->n = (size_t)st->st_size;
	return 0;
}

int input_open(struct input *in, const char *path, struct error *e)
{
	struct stat st;
	int fd = regular_file_open(path, &st, e), rc;

	*in = (struct input){.at = (const uint8_t *)""};
	if (fd < 0)
		return -1;
	rc = st.st_size < LARGE ? copy(in, fd, &st, e) : map(in, fd, (size_t)st.st_size, e);
	close(fd);
	if (rc != 0 || !is_packed(in->at, in->n))
		return rc;
	rc = unpack_all(in, in->at, in->n, e);
	free(in->bytes);
	in->bytes = NULL;
	return rc;
}

int input_check(const struct input *in, struct error *e)
{
	return mapped_file_is_cut(&in->watched)
		   ? error_set(e, ERROR_LIMIT, "was cut while it was read")
		   : 0;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	mapped_file_leave(&in->watched);
	if (in->mapped)
		munmap(in->mapped, in->mapped_n);
	free(in->bytes);
	free(in->unpacked);
	*in = (struct input){.at = (const uint8_t *)""};
}

size_t input_head(const char *path, uint8_t *at, size_t room, bool *whole)
{
	struct stat st;
	int fd = regular_file_open(path, &st, NULL), rc;
	uint8_t packed[4096];
	ssize_t n;
	size_t got;

	if (fd < 0)
		return 0;
	n = pread(fd, packed, sizeof packed, 0);
	if (n > 0 && !is_packed(packed, (size_t)n)) {
		n = pread(fd, at, room, 0);
		*whole = n >= 0 && n == st.st_size;
		close(fd);
		return n > 0 ? (size_t)n : 0;
	}
	close(fd);
	if (n <= 0)
		return 0;
	rc = unpack(packed, (size_t)n, at, room, &got);
	*whole = rc == Z_STREAM_END;
	return got;
}

/* ---- lines ------------------------------------------------------------------------- */

bool lines_next(struct lines *l, struct span *out)
{
	const uint8_t *at = l->c.base + l->c.pos, *end;
	size_t left = cursor_left(&l->c);

	if (!left)
		return false;
	end = memchr(at, '\n', left);
	out->at = (const char *)at;
	out->n = end ? (size_t)(end - at) : left;
	cursor_skip(&l->c, out->n + (end != NULL));
	if (out->n && out->at[out->n - 1] == '\r')
		out->n--;
	l->number++;
	return true;
}

int lines_error(const struct lines *l, struct error *e, const char *expected, struct span found)
{
	enum { SHOWN = 60 };
	char text[SHOWN + 1];
	size_t n = found.n < SHOWN ? found.n : SHOWN;

	/* an error is one line of a terminal */
	for (size_t i = 0; i < n; i++)
		text[i] = (unsigned char)found.at[i] < ' ' ? '?' : found.at[i];
	text[n] = '\0';
	return error_set(e, ERROR_FORMAT, "line %llu: expected %s, found '%s%s'",
			 (unsigned long long)l->number, expected, text, n < found.n ? "..." : "");
}

/* ---- spans ------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct span span_trim(struct span s)
{
	while (s.n && is_blank(s.at[0])) {
		s.at++;
		s.n--;
	}
	while (s.n && is_blank(s.at[s.n - 1]))
		s.n--;
	return s;
}

bool span_begins(struct span s, const char *text)
{
	size_t n = strlen(text);
	return s.n >= n && memcmp(s.at, text, n) == 0;
}

bool span_is(struct span s, const char *text)
{
	return s.n == strlen(text) && span_begins(s, text);
}

bool span_skip(struct span *s, const char *text)
{
	size_t n = strlen(text);

	if (!span_begins(*s, text))
		return false;
	s->at += n;
	s->n -= n;
	return true;
}

bool span_drop(struct span *s, const char *text)
{
	size_t n = strlen(text);

	if (s->n < n || memcmp(s->at + s->n - n, text, n) != 0)
		return false;
	s->n -= n;
	return true;
}

bool span_word(struct span *s, struct span *word)
{
	*s = span_trim(*s);
	*word = (struct span){s->at, 0};
	while (word->n < s->n && !is_blank(word->at[word->n]))
		word->n++;
	s->at += word->n;
	s->n -= word->n;
	*s = span_trim(*s);
	return word->n > 0;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

static bool take_number(struct span *s, uint64_t base, uint64_t *out)
{
	uint64_t value = 0;
	size_t n = 0;

	for (; n < s->n && (uint64_t)digit_of(s->at[n]) < base; n++)
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit_of(s->at[n]), &value))
			return false;
	s->at += n;
	s->n -= n;
	*out = value;
	return n > 0;
}

bool span_hex(struct span *s, uint64_t *out)
{
	return take_number(s, 16, out);
}

bool span_number(struct span *s, uint64_t *out)
{
	struct span rest = *s;

	if (span_skip(&rest, "0x") && take_number(&rest, 16, out)) {
		*s = rest;
		return true;
	}
	return take_number(s, 10, out);
}

size_t span_last(struct span s, char c)
{
	const char *at = memrchr(s.at, c, s.n);
	return at ? (size_t)(at - s.at) : SIZE_MAX;
}

bool span_is_digits(struct span s)
{
	size_t n = 0;

	while (n < s.n && digit_of(s.at[n]) < 10)
		n++;
	return n && n == s.n;
}
